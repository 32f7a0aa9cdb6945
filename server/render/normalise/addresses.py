"""Web and e-mail addresses."""

import re

from server.render.normalise.draft import Draft, letters
from server.render.normalise.speak import cardinal, digits

_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_LINK = re.compile(r"(?<!\w)(?:https?://|ftp://|www\.)[^\s<>“”\"]+[^\s<>“”\".,;:!?)\]…—]", re.I)
_BARE = re.compile(
    r"(?<![\w.@/])(?:[a-z0-9-]+\.)+(?:com|org|net|edu|gov|info|co\.uk|org\.uk)(?:/[\w./-]*\w)?(?!\w)", re.I
)
_SIGNS = {".": "dot", "/": "slash", "@": "at", "-": "dash", "_": "", ":": "colon", "?": "question mark", "=": "equals",
          "&": "and", "#": "hash", "%": "percent", "+": "plus", "~": "tilde"}  # fmt: skip


def _spelled(address: str) -> str:
    """An address as it is read out: words stay words, short runs without a vowel or of two letters are spelled."""
    said: list[str] = []
    address = re.sub(r"^https?://|^ftp://", "", address, flags=re.I)
    for piece in re.findall(r"[^\W\d_]+|\d+|.", address):
        if piece.isdigit():
            said.append(digits(piece) if len(piece) > 2 or piece[0] == "0" else cardinal(int(piece)))
        elif piece.isalpha():
            short = piece.lower() in ("uk", "us", "eu", "www", "de", "fr", "ie", "au", "nz", "tv", "io", "ftp", "html")
            said.append(letters(piece) if short or not re.search("[aeiouy]", piece, re.I) else piece)
        else:
            said.append(_SIGNS.get(piece, ""))
    return " ".join(word for word in said if word)


def addresses(draft: Draft) -> None:
    """Says e-mail and web addresses; first of all rules, since every later one would tear them."""
    if "." not in draft.text:
        return
    for pattern in (_MAIL, _LINK, _BARE):
        draft.sub(pattern, lambda match: _spelled(match[0]))
