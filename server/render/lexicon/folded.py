"""A text as rules see it: one kind of apostrophe, quote, space and hyphen, nothing invisible (pure)."""

import unicodedata
from dataclasses import dataclass
from typing import Final

_SAME: Final = {
    **dict.fromkeys("’‘ʼʹ′＇ʻ", "'"), **dict.fromkeys("“”„‟«»″＂", '"'), **dict.fromkeys("‐‑", "-"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Folded:
    """`text` with its own case, `low` in small letters, both of one length; `places[i]` is where `text[i]` stands.

    `places` has one item more than the text: where it ends. None where nothing was changed.
    """

    text: str
    low: str
    places: tuple[int, ...] | None = None
    ends: tuple[int, ...] | None = None

    def source(self, start: int, end: int) -> tuple[int, int]:
        """The range of the text as written for the range [start, end), which is not empty."""
        if self.places is None or self.ends is None:
            return start, end
        return self.places[start], self.ends[end - 1]


def fold(text: str) -> Folded:
    """`text` made comparable. "Pe(soft hyphen)quod" is "Pequod", "é" in two characters is one."""
    if text.isascii() and "  " not in text and "\n" not in text and "\t" not in text:
        return Folded(text, text.lower())
    chars: list[str] = []
    places: list[int] = []
    ends: list[int] = []
    for at, char in enumerate(text):
        char = _SAME.get(char, char)
        if char.isspace():
            if chars and chars[-1] == " ":
                ends[-1] = at + 1
                continue
            char = " "
        elif not char.isascii():
            kind = unicodedata.category(char)
            if kind == "Cf":
                continue
            if kind == "Mn" and chars and len(whole := unicodedata.normalize("NFC", chars[-1] + char)) == 1:
                chars[-1], ends[-1] = whole, at + 1
                continue
        chars.append(char)
        places.append(at)
        ends.append(at + 1)
    return Folded("".join(chars), "".join(map(_small, chars)), tuple(places), tuple(ends))


def _small(char: str) -> str:
    low = char.lower()
    return low if len(low) == 1 else char  # the Turkish İ would become two
