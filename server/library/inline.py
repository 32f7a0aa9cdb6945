"""Raw character runs of a block into the text that is shown: white space, line breaks and invisible characters.

While a block is gathered, control characters stand for what is no character of the source; `_prepare` in markup.py
has removed all real ones, so they cannot be mistaken.
"""

import re

LINE = "\x0b"  # a line break that is meant: br, a line of verse or code
GONE = "\x1c"  # a note mark stood here: a space before it goes too when a stop follows
CELL = "\x1d"  # the end of a table cell
# Layout hints and byte-order leftovers. Joiners (U+200C, U+200D) stay: they change letters and emoji.
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff\u200e\u200f\u202a-\u202e\u2066-\u2069\x80-\x9f]")
_BLANKS = re.compile("[ \t\r\n\f\u2028\u2029]+")
_BROKEN = re.compile(f"{LINE}(?:[ \u00a0]*{LINE})+")
_AROUND_LINE = re.compile(f" *{LINE}[ ]*")
_AROUND_GONE = re.compile(rf" *{GONE}(?=[ {LINE}]*[.,;:!?…)\]”’{LINE}]|$)")
_AROUND_CELL = re.compile(rf"\s*(?:{CELL}\s*)+")
_CUT_WORD = re.compile(r"([^\W\d_]+)-[ \t]*\r?\n[ \t]*([^\W\d_]+)")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
# Pronouns that are one word although both halves are words.
_ONE_WORD = re.compile(r"(?:(?:some|any|every|no)(?:thing|body|one|where|how|times)|\w+sel(?:f|ves))")
_SUPERSCRIPT = str.maketrans("0123456789+-()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿ")
_SUBSCRIPT = str.maketrans("0123456789+-()", "₀₁₂₃₄₅₆₇₈₉₊₋₍₎")


def tidy(raw: str, *, paragraphs: bool) -> tuple[list[str], int]:
    """(texts, invisible characters left out) of one raw run; `paragraphs`: an empty line starts a new text."""
    seen = visible(raw)
    invisible = len(raw) - len(seen)
    seen = _BLANKS.sub(" ", seen)
    if GONE in seen:
        seen = _BLANKS.sub(" ", _AROUND_GONE.sub("", seen).replace(GONE, ""))
    if CELL in seen:
        seen = _join_cells(seen)
    pieces = _BROKEN.split(seen) if paragraphs else [_BROKEN.sub(LINE, seen)]
    texts = [_AROUND_LINE.sub("\n", piece).strip(" \n") for piece in pieces]
    return [text for text in texts if text], invisible


def visible(text: str) -> str:
    """A raw run without what nobody sees of it."""
    return _INVISIBLE.sub("", text)


def count(text: str) -> int:
    """Characters of a source text that could be spoken or skipped: all but white space and our own marks."""
    return len("".join(text.split()))  # to Python our marks are white space too


def raised(text: str) -> str:
    """Digits of a superscript with a meaning, as superscript characters: 10⁵ is not 105."""
    return text.translate(_SUPERSCRIPT)


def lowered(text: str) -> str:
    return text.translate(_SUBSCRIPT)


def join_cut_words(raw: str, known: frozenset[str]) -> tuple[str, int]:
    """(text, hyphens taken out): words that the page cut at a line's end, joined.

    A hyphen stays, without the break, where the text spells the word so elsewhere or knows its halves but not the
    whole: well-known is no cut word.
    """
    joined = 0

    def mend(match: "re.Match[str]") -> str:
        nonlocal joined
        first, second = match[1], match[2]
        if not second[0].islower():
            return f"{first}-{second}"
        whole = (first + second).lower()
        halves = first.lower() in known and second.lower() in known
        if f"{first}-{second}".lower() in known or (halves and whole not in known and not _ONE_WORD.fullmatch(whole)):
            return f"{first}-{second}"
        joined += 1
        return first + second

    return _CUT_WORD.sub(mend, raw), joined


def has_cut_words(raw: str) -> bool:
    return "-" in raw and _CUT_WORD.search(raw) is not None


def vocabulary(text: str) -> frozenset[str]:
    """The words of a text in lower case, compounds as one, without those that are cut."""
    return frozenset(word.lower() for word in _WORD.findall(_CUT_WORD.sub(" ", text)))


def _join_cells(text: str) -> str:
    cells = [cell.strip() for cell in _AROUND_CELL.split(text)]
    row = ""
    for cell in filter(None, cells):
        if row:
            row += " " if row[-1] in ".,;:!?…" else ", "
        row += cell
    return row
