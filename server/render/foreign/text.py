"""Written text of any language with the model's marks in it, and nothing that has no sound (pure).

The rules for English stay out: here no apostrophe, number or abbreviation is touched, only what stands around words.
"""

import re
from typing import Final

from server.render.normalise.characters import clean
from server.render.normalise.draft import Draft

_QUOTES: Final = {
    **dict.fromkeys(map(ord, "«‹「『《〈【〔„‟〝"), "“"),
    **dict.fromkeys(map(ord, "»›」』》〉】〕〞〟"), "”"),
    **dict.fromkeys(map(ord, "（［｛[{"), "("),
    **dict.fromkeys(map(ord, "）］｝]}"), ")"),
    **dict.fromkeys(map(ord, "।॥۔"), "."),
    **dict.fromkeys(map(ord, "‘’‛ʼ′`´"), "'"),
    **dict.fromkeys(map(ord, "～〜"), "—"),
    **dict.fromkeys(map(ord, "•·◦▪●○■□◆◇★☆※→←↑↓⇒*_#~|\\^<>=§©®™"), " "),
    **{code: chr(code - 0xFEE0) for code in map(ord, "＆％＋＠＄＊＃／")}, ord("￥"): "¥", ord("￡"): "£",
    ord("・"): " ", ord("‧"): " ", ord("⋯"): "…",
}  # fmt: skip
# A number or letter in brackets or raised behind a word or a mark: the sign of a note.
_NOTE = re.compile(r"(?<=[^\s(\[])(?:\[\w{1,4}\]|[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[①-⑳]+)")
_GROUPS = re.compile(r"(?<![\d.,])\d{1,3}(?:[ \u00a0\u2009\u202f\u2007]\d{3})+(?!\d)")
_GAPS = re.compile(r"(?<=\d)[\u00a0\u2009\u202f\u2007]+(?=\D)")
_STRAIGHT = re.compile(r'"')
_LONE_APOSTROPHE = re.compile(r"(?<![^\W\d_])'|'(?![^\W\d_])")
_ELLIPSIS = re.compile(r"\.(?:[ \u00a0]?\.){2,}|…+(?:[ .…])*")
_DASH = re.compile(r"\s*(?:-{2,}|[—–](?:\s*[—–-])*)\s*|\s-\s|^-\s*|\s*-$")
_BETWEEN_DIGITS = re.compile(r"(?<=\d) ?[–—] ?(?=\d)")
_SPACE = re.compile(r"\s+")


def readable(text: str) -> str:
    """`text` with pauses, quotes and brackets as the model writes them; no notes, ornaments, invisible marks."""
    draft = Draft(_NOTE.sub("", _GROUPS.sub(_joined, text)))
    draft.text = _GAPS.sub(" ", draft.text)
    draft = Draft(draft.text)
    clean(draft)
    plain = draft.text.translate(_QUOTES)
    plain = _STRAIGHT.sub(lambda match: "“" if _opens(plain, match.start()) else "”", plain)
    plain = _LONE_APOSTROPHE.sub(" ", plain)
    plain = _ELLIPSIS.sub("… ", plain)
    plain = _BETWEEN_DIGITS.sub("-", plain)
    plain = _DASH.sub(" — ", plain)
    return _SPACE.sub(" ", plain).strip()


def _joined(match: re.Match[str]) -> str:
    return "".join(char for char in match[0] if char.isdigit())


def _opens(text: str, at: int) -> bool:
    """Whether the straight quotation mark at `at` opens one."""
    return at == 0 or text[at - 1] in " (—“"
