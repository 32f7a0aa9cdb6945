"""Greek and Cyrillic: a lone Greek letter has a name, a word of either script is read by the sound of its letters."""

import re
import unicodedata

from server.render.normalise.draft import Draft

_GREEK_WORD = re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]+")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]+")
_LATIN = dict(
    zip(
        "αβγδεζηθικλμνξοπρσςτυφχψω",
        "a v g d e z i th i k l m n x o p r s s t y ph ch ps o".split(),
        strict=True,
    )
) | dict(
    zip(
        "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґ",
        "a b v g d ye zh z ee y k l m n o p r s t oo f kh ts ch sh shch _ y _ e yoo ya yo ee yee ye g".split(),
        strict=True,
    )
)
_PAIRS = (
    ("ου", "ou"),
    ("αυ", "av"),
    ("ευ", "eu"),
    ("γγ", "ng"),
    ("γκ", "nk"),
    ("αι", "ai"),
    ("ει", "ei"),
    ("οι", "oi"),
)

# Names that English has a form of its own for, without accents.
_ENGLISH = dict(
    pair.split("=")
    for pair in (
        "αχιλλευς=Achilles οδυσσευς=Odysseus ζευς=Zeus ηρα=Hera αθηνα=Athena απολλων=Apollo αφροδιτη=Aphrodite "
        "ερμης=Hermes ποσειδων=Poseidon διονυσος=Dionysus ομηρος=Homer σωκρατης=Socrates πλατων=Plato "
        "αριστοτελης=Aristotle ελλας=Hellas ελλαδα=Greece αθηναι=Athens τροια=Troy ιλιας=Iliad οδυσσεια=Odyssey "
        "москва=Moscow россия=Russia петербург=Petersburg киев=Kiev киïв=Kiev украина=Ukraine сибирь=Siberia "
        "кремль=Kremlin волга=Volga толстой=Tolstoy достоевский=Dostoevsky чехов=Chekhov пушкин=Pushkin"
    ).split()
)


def _bare(word: str) -> str:
    # й, ё and ї are letters of their own, not accented ones.
    kept = [char if char in "йёїЙЁЇ" else unicodedata.normalize("NFD", char) for char in word]
    return "".join(char for char in "".join(kept) if not unicodedata.combining(char))


def _sounded(match: re.Match[str]) -> str | None:
    word = _bare(match[0])
    lower = word.lower()
    if len(lower) == 1 and "GREEK" in unicodedata.name(lower, ""):
        return unicodedata.name(lower).split()[-1].replace("LAMDA", "LAMBDA").lower()
    if lower in _ENGLISH:
        return _ENGLISH[lower]
    for pair, latin in _PAIRS:
        lower = lower.replace(pair, latin)
    said = "".join(_LATIN.get(char, char) for char in lower).replace("_", "")
    if said == word:
        return None
    return said.capitalize() if word[0].isupper() else said


def romanise(draft: Draft) -> None:
    """Writes Greek and Cyrillic in Latin letters."""
    if draft.text.isascii():
        return
    draft.sub(_GREEK_WORD, _sounded)
    draft.sub(_CYRILLIC, _sounded)
