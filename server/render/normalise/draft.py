"""A text that is rewritten step by step and never forgets where each character came from."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

Span = tuple[int, int]
Speak = Callable[[re.Match[str]], str | None]

# Stands before a letter that is to be said by its name ("the A380"). It is from the private-use area, whose characters
# are taken out of every text first, so a book can never hold one.
LETTER = "\ue000"
# The spans of a text that nobody has changed yet; made once, because a book has as many as letters.
_FRESH: tuple[Span, ...] = tuple((i, i + 1) for i in range(2000))


@dataclass(frozen=True, slots=True)
class Replacement:
    """Text that is read in place of the source range [start, end)."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Spoken:
    """What is said: `spans[i]` is the source range [start, end) of `text[i]`; `letters` index letters said by name.

    Neither the starts nor the ends of the spans ever fall.
    """

    text: str
    spans: tuple[Span, ...]
    letters: tuple[int, ...] = ()

    def source(self, start: int, end: int) -> Span:
        """The smallest source range that covers the spoken range [start, end), which must not be empty."""
        return self.spans[start][0], self.spans[end - 1][1]

    def exactly(self, start: int, end: int) -> Span | None:
        """The spoken range of the source range [start, end), from its first letter or digit to its last.

        None where nothing of it is said, or where it is said in one with what stands beside it.
        """
        touched = [i for i, (a, b) in enumerate(self.spans) if a < end and b > start and self.text[i].isalnum()]
        if not touched or any(self.spans[i][0] < start or self.spans[i][1] > end for i in touched):
            return None
        return touched[0], touched[-1] + 1


@dataclass(slots=True)
class Draft:
    """A spoken text in the making: one source span a character, ordered, and kept so by every rewriting."""

    text: str
    british: bool = False
    heading: bool = False
    spans: list[Span] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.spans:
            fresh = [(i, i + 1) for i in range(len(_FRESH), len(self.text))]
            self.spans = [*_FRESH[: len(self.text)], *fresh]

    def sub(self, pattern: re.Pattern[str], speak: Speak | str, group: int = 0) -> None:
        """Replaces `group` of each match by `speak`, or by what it makes of the match; None leaves it.

        New characters carry the span of all that they replace.
        """
        text: list[str] = []
        spans: list[Span] = []
        last = 0
        changed = False
        for match in pattern.finditer(self.text):
            said = speak if isinstance(speak, str) else speak(match)
            start, end = match.span(group)
            if said is None or said == match[group]:
                continue
            text += (self.text[last:start], said)
            spans += self.spans[last:start]
            if said:
                spans += [self._cover(start, end)] * len(said)
            last = end
            changed = True
        if changed:
            text.append(self.text[last:])
            spans += self.spans[last:]
            self.text, self.spans = "".join(text), spans

    def replace(self, replacements: Sequence[Replacement]) -> None:
        """Puts text in place of ranges of the draft as it stands; they are in order and do not overlap."""
        for one in reversed(replacements):
            span = self._cover(one.start, one.end)
            self.text = self.text[: one.start] + one.text + self.text[one.end :]
            self.spans[one.start : one.end] = [span] * len(one.text)

    def translate(self, table: dict[int, str]) -> None:
        """Replaces single characters by `table`, which maps code points to text of any length."""
        if not any(ord(char) in table for char in self.text):
            return
        pieces = [table.get(ord(char), char) for char in self.text]
        self.spans = [span for piece, span in zip(pieces, self.spans, strict=True) for _ in piece]
        self.text = "".join(pieces)

    def finish(self) -> Spoken:
        """Closes the draft: single spaces, none at the ends, letter marks turned into positions."""
        if LETTER not in self.text and "  " not in self.text and self.text.strip(" ") == self.text:
            return Spoken(self.text, tuple(self.spans))
        text: list[str] = []
        spans: list[Span] = []
        letters: list[int] = []
        marked = False
        for char, span in zip(self.text, self.spans, strict=True):
            if char == LETTER:
                marked = True
                continue
            if char == " " and (not text or text[-1] == " "):
                continue
            if marked:
                letters.append(len(text))
                marked = False
            text.append(char)
            spans.append(span)
        while text and text[-1] == " ":
            text.pop()
            spans.pop()
        return Spoken("".join(text), tuple(spans), tuple(i for i in letters if i < len(text)))

    def _cover(self, start: int, end: int) -> Span:
        # An insertion (empty match) belongs to the character before it, so that the order holds.
        if start == end:
            return self.spans[start - 1] if start else (self.spans[0] if self.spans else (0, 0))
        return min(a for a, _ in self.spans[start:end]), max(b for _, b in self.spans[start:end])


def letters(text: Iterable[str]) -> str:
    """`text` spelled: each letter marked to be said by its name, spaces between."""
    return " ".join(LETTER + char.upper() for char in text)
