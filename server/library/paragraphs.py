"""Lines of plain text into paragraphs: apart by empty lines, by indents, or one a line, as the file has it (pure)."""

import re
from dataclasses import dataclass
from typing import Final

_LONG_LINE: Final = 120  # characters; who wraps lines by hand stays below it
_NARROW: Final = 0.78  # share of the page's width that the lines of verse stay below
_STOPS: Final = '.!?…:;,"”’»)]—-*。！？」』'


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines that belong together, as they stand, without indents; `gap` is how many empty lines stood above."""

    text: str
    gap: int
    width: int  # of the page it stands on, in characters
    indent: int  # of its lines, the least

    @property
    def first(self) -> str:
        return self.text.partition("\n")[0]

    @property
    def lines_count(self) -> int:
        return self.text.count("\n") + 1

    @property
    def is_verse(self) -> bool:
        """Whether its lines end where the writer ended them: verse, an address, a list."""
        lines = self.text.split("\n")
        lengths = [len(line) for line in lines[:-1]]
        if not lengths or max(lengths) >= _NARROW * self.width:
            return False
        large = sum(line[:1].isupper() or not line[:1].isalpha() for line in lines)
        wrapped = max(lengths) >= 45 and min(lengths) >= max(lengths) - 14  # a quotation, set narrower
        return not (wrapped and large < 0.8 * len(lines))

    @property
    def is_prose(self) -> bool:
        """Whether it is running text: long, or several lines that fill the page."""
        return len(self.text) > 160 and not self.is_verse


def paragraphs_of(text: str) -> list[Paragraph]:
    """The paragraphs of a text with line feeds between its lines."""
    lines = [line.expandtabs(4).rstrip() for line in text.replace("\f", "\n\n\n").split("\n")]
    full = sorted(len(line) for line in lines if line)
    if not full:
        return []
    width = max(40, full[int(0.9 * (len(full) - 1))])
    begins = _one_a_line if _is_one_a_line(lines, full) else _at_indents if _is_indented(lines) else _never
    made: list[Paragraph] = []
    held: list[str] = []
    gap = above = 0

    def close() -> None:
        if held:
            indent = min(len(line) - len(line.lstrip()) for line in held)
            made.append(Paragraph("\n".join(line.strip() for line in held), above, width, indent))
            held.clear()

    for line in lines:
        if not line.strip():
            close()
            gap += 1
            continue
        if held and begins(line):
            close()
        if not held:
            above, gap = gap, 0
        held.append(line)
    close()
    return made


def _one_a_line(line: str) -> bool:
    return True


def _at_indents(line: str) -> bool:
    return line.startswith("  ") or line.startswith("\u3000")


def _never(line: str) -> bool:
    return False


def _is_one_a_line(lines: list[str], full: list[int]) -> bool:
    """Whether every line is a paragraph: many are longer than anybody wraps, or they end as sentences do."""
    if sum(length > _LONG_LINE for length in full) >= 0.08 * len(full):
        return True
    if any(line[:1] == "\u3000" for line in lines) and not any(line[:2] == "  " for line in lines):
        return True
    empty = sum(not line for line in lines)
    ended = sum(line[-1] in _STOPS and not re.search(r"\b(?:Mr|Mrs|Dr|St)\.$", line) for line in lines if line)
    return empty < 0.02 * len(lines) and len(full) >= 4 and ended >= 0.85 * len(full)


def _is_indented(lines: list[str]) -> bool:
    """Whether paragraphs are told by the indent of their first line, and hardly by empty lines."""
    full = [line for line in lines if line]
    empty = len(lines) - len(full)
    indented = sum(_at_indents(line) for line in full)
    return empty < 0.05 * len(lines) and 0.03 * len(full) <= indented <= 0.6 * len(full)
