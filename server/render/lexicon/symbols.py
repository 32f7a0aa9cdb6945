"""Phonemes as people write them, IPA or the model's own notation, turned into what the two accents use (pure)."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from server.render.pronounce.vocabulary import KNOWN, PUNCTUATION

VOWELS: Final = "AIOQWYaeiouæɑɐɒɔəɛɜɪɨʊʌᵊᵻyøœɯ"  # each is a syllable: diphthongs are one symbol
STRESSES: Final = "ˈˌ"
# What a rule may hold once it is read: the model's symbols but those that are pauses.
ALLOWED: Final = KNOWN - PUNCTUATION - {"S", "↓", "→", "↗", "↘"}

# How it is written → the model's symbol; where the accents differ, the American one, which `british` turns.
WRITTEN: Final = {
    "eɪ": "A", "ei": "A", "ɛɪ": "A", "eː": "A", "aɪ": "I", "ai": "I", "ɑɪ": "I", "ʌɪ": "I", "aʊ": "W", "au": "W",
    "ɑʊ": "W", "æʊ": "W", "ɔɪ": "Y", "ɔi": "Y", "oɪ": "Y", "oi": "Y", "oʊ": "O", "ou": "O", "əʊ": "O", "əu": "O",
    "oː": "O", "oːɹ": "ɔɹ", "oɹ": "ɔɹ", "oːr": "ɔɹ", "or": "ɔɹ", "o": "O", "e": "ɛ", "eə": "ɛː", "ɛə": "ɛː",
    "eəɹ": "ɛɹ", "eər": "ɛɹ", "ɛəɹ": "ɛɹ", "ɛər": "ɛɹ", "ɝː": "ɜɹ", "ɝ": "ɜɹ", "ɚ": "əɹ", "tʃ": "ʧ", "dʒ": "ʤ",
    "r": "ɹ", "ɻ": "ɹ", "ʀ": "ɹ", "g": "ɡ", "ɫ": "l", "ɦ": "h", "ʍ": "w", "ɾ": "T", "c": "k", "q": "k", "ɨ": "ᵻ",
    "ʉ": "u", "ε": "ɛ", ":": "ː", "l̩": "ᵊl", "n̩": "ᵊn", "m̩": "ᵊm", "'": "ˈ", "’": "ˈ", "ʼ": "ˈ", "′": "ˈ",
}  # fmt: skip
_DROPPED: Final = frozenset(".-()\u0361\u035c\u203f\u032f\u02d1\u00b7\u200d\u200c\u2060\u00ad")
_LONGEST: Final = max(map(len, WRITTEN))
_TO_VOWEL: Final = re.compile(f"([{STRESSES}])([^{VOWELS}{STRESSES} ]+)(?=[{VOWELS}])")
_IDLE: Final = re.compile(f"[{STRESSES}](?![{VOWELS}])")
_BEFORE_VOWEL: Final = f"(?=[{STRESSES}]?[{VOWELS}])"
_ELSEWHERE: Final = f"(?![{STRESSES}]?[{VOWELS}])"
_AMERICAN: Final = tuple(
    (re.compile(pattern), said)
    for pattern, said in (
        ("Q", "O"), ("ɜː?ɹ?", "ɜɹ"), ("ɪəɹ", "ɪɹ"), ("ʊəɹ?", "ʊɹ"), ("ɛːɹ?", "ɛɹ"), ("ɪə", "iə"), ("ɒ", "ɑ"),
        ("ː", ""), ("a", "ɑ"),
    )
)  # fmt: skip
_BRITISH: Final = tuple(
    (re.compile(pattern), said)
    for pattern, said in (
        ("O", "Q"), ("æ", "a"), ("T", "t"), ("ᵻ", "ɪ"),
        (f"([ɜɑɔ])ː?ɹ{_BEFORE_VOWEL}", r"\1ːɹ"), (f"([ɜɑɔ])ː?ɹ{_ELSEWHERE}", r"\1ː"), ("ɜ(?!ː)", "ɜː"),
        (f"əɹ{_ELSEWHERE}", "ə"), (f"([IWɪʊ])ə?ɹ{_ELSEWHERE}", r"\1ə"), (f"ɛː?ɹ{_ELSEWHERE}", "ɛː"),
        (f"ɑ(?=[^{VOWELS}{STRESSES}ː ])", "ɒ"), ("ɑ(?!ː)", "ɑː"), ("ɔ(?=[fsθŋ])", "ɒ"), ("ɔ(?!ː)", "ɔː"),
        ("([ˈˌ])iə", r"\1ɪə"), ("([ˈˌ][iu])(?!ː)", r"\1ː"), ("u(?= |$)", "uː"), ("ɹ(?= |$)", ""),
    )
)  # fmt: skip


class UnknownSymbol(ValueError):
    """A symbol that the model does not know; the message says which and where (counted from 1)."""


@dataclass(frozen=True, slots=True)
class Sounds:
    """One pronunciation in the model's symbols, for American and for British voices."""

    american: str
    british: str


def read_phonemes(text: str) -> Sounds:
    """`text` (without its slashes) for both accents. Raises UnknownSymbol, also where nothing in it is a sound."""
    plain = _placed(_symbols(text))
    said = Sounds(american(plain), british(plain))
    if not all(any(char.isalpha() for char in each) for each in (said.american, said.british)):
        raise UnknownSymbol("there is no sound between the slashes")
    return said


def american(phonemes: str) -> str:
    """`phonemes` with the symbols that American voices use."""
    return _rewritten(phonemes, _AMERICAN)


def british(phonemes: str) -> str:
    """`phonemes` with the symbols that British voices use, an r only where a vowel follows."""
    return _rewritten(phonemes, _BRITISH)


def _rewritten(phonemes: str, table: tuple[tuple[re.Pattern[str], str], ...]) -> str:
    for pattern, said in table:
        phonemes = pattern.sub(said, phonemes)
    return phonemes


def _symbols(text: str) -> str:
    letters = [(char, at) for at, whole in enumerate(text) for char in _apart(whole) if char not in _DROPPED]
    said: list[str] = []
    at = 0
    while at < len(letters):
        for size in range(min(_LONGEST, len(letters) - at), 0, -1):
            found = WRITTEN.get("".join(char for char, _ in letters[at : at + size]))
            if found is not None:
                said.append(found)
                at += size
                break
        else:
            char, place = letters[at]
            if not (char in ALLOWED or char.isspace()):
                raise UnknownSymbol(_complaint(text[place], place))
            said.append(" " if char.isspace() else char)
            at += 1
    return " ".join("".join(said).split())


def _apart(char: str) -> str:
    """A letter with its accents apart where the model only knows it so ("õ")."""
    return char if char in KNOWN else unicodedata.normalize("NFD", char)


def _placed(phonemes: str) -> str:
    """Every stress mark right before its vowel, where the model wants it; dictionaries write it before the syllable."""
    return _IDLE.sub("", _TO_VOWEL.sub(r"\2\1", phonemes))


def _complaint(char: str, place: int) -> str:
    name = unicodedata.name(char, "no letter").lower()
    return (
        f"{char!r} ({name}) at place {place + 1} between the slashes is no phoneme symbol that the voice knows; "
        "use IPA or the symbols of the table in docs/pronunciations.md"
    )
