"""Respellings, her-MY-oh-nee: syllables in plain letters, the stressed one in capitals, as newspapers do (pure).

Every spelling has one reading; docs/pronunciations.md lists them.
"""

import re
from typing import Final, NamedTuple

from server.render.lexicon.symbols import VOWELS as VOWEL_SYMBOLS
from server.render.lexicon.symbols import Sounds


class Vowel(NamedTuple):
    """American and British symbols, stressed and not. "R" is an r that is heard where a vowel follows."""

    american: str
    british: str
    weak_american: str
    weak_british: str


def _vowel(both: str, weak: str = "") -> Vowel:
    return Vowel(*both.split("|"), *(weak or both).split("|"))


VOWELS: Final = {
    "ee": _vowel("i|iː"), "ay": _vowel("A|A"), "ai": _vowel("A|A"), "eye": _vowel("I|I"), "igh": _vowel("I|I"),
    "ye": _vowel("I|I"), "y": _vowel("I|I"), "oh": _vowel("O|Q"), "oa": _vowel("O|Q"), "oe": _vowel("O|Q"),
    "oo": _vowel("u|uː"), "ew": _vowel("u|uː"), "uu": _vowel("ʊ|ʊ"), "ah": _vowel("ɑ|ɑː"), "aa": _vowel("ɑ|ɑː"),
    "aw": _vowel("ɔ|ɔː"), "au": _vowel("ɔ|ɔː"), "ow": _vowel("W|W"), "ou": _vowel("W|W"),
    "oy": _vowel("Y|Y"), "oi": _vowel("Y|Y"),
    "uh": _vowel("ʌ|ʌ", "ə|ə"), "a": _vowel("æ|a"), "e": _vowel("ɛ|ɛ"), "eh": _vowel("ɛ|ɛ"), "i": _vowel("ɪ|ɪ"),
    "ih": _vowel("ɪ|ɪ"), "o": _vowel("ɑ|ɒ"), "u": _vowel("ʌ|ʌ", "ə|ə"),
    "ur": _vowel("ɜɹ|ɜːR", "əɹ|əR"), "er": _vowel("ɜɹ|ɜːR", "əɹ|əR"), "ir": _vowel("ɜɹ|ɜːR", "əɹ|əR"),
    "uhr": _vowel("ɜɹ|ɜːR", "əɹ|əR"), "ar": _vowel("ɑɹ|ɑːR"), "ahr": _vowel("ɑɹ|ɑːR"), "air": _vowel("ɛɹ|ɛːR"),
    "ehr": _vowel("ɛɹ|ɛːR"), "ayr": _vowel("ɛɹ|ɛːR"), "eer": _vowel("ɪɹ|ɪəR"), "ear": _vowel("ɪɹ|ɪəR"),
    "ihr": _vowel("ɪɹ|ɪəR"), "or": _vowel("ɔɹ|ɔːR"), "ore": _vowel("ɔɹ|ɔːR"), "oar": _vowel("ɔɹ|ɔːR"),
    "ohr": _vowel("ɔɹ|ɔːR"), "awr": _vowel("ɔɹ|ɔːR"), "oor": _vowel("ʊɹ|ʊəR"), "uur": _vowel("ʊɹ|ʊəR"),
    "ire": _vowel("Iəɹ|IəR"), "yr": _vowel("Iəɹ|IəR"), "our": _vowel("Wəɹ|WəR"), "owr": _vowel("Wəɹ|WəR"),
    "arr": _vowel("æɹ|aɹ"), "err": _vowel("ɛɹ|ɛɹ"), "irr": _vowel("ɪɹ|ɪɹ"), "orr": _vowel("ɑɹ|ɒɹ"),
    "urr": _vowel("ɜɹ|ʌɹ"),
}  # fmt: skip
# A single letter that ends its syllable: "o-THEL-o", "be-LEEV", "KAR-en-in-a".
OPEN: Final = {
    "a": _vowel("ɑ|ɑː", "ə|ə"), "e": _vowel("i|iː", "i|i"), "i": _vowel("i|iː", "ɪ|ɪ"), "o": _vowel("O|Q"),
    "u": _vowel("u|uː"), "ee": _vowel("i|iː", "i|i"),
}  # fmt: skip
# A single letter before one consonant and a silent e: "MATE", "WINE".
SILENT_E: Final = {
    "a": _vowel("A|A"), "e": _vowel("i|iː"), "i": _vowel("I|I"), "y": _vowel("I|I"), "o": _vowel("O|Q"),
    "u": _vowel("u|uː"),
}  # fmt: skip
_LAST_Y: Final = _vowel("i|i")  # "HAR-ee" is often written HAR-y
CONSONANTS: Final = {
    "tch": "ʧ", "ch": "ʧ", "sh": "ʃ", "zh": "ʒ", "th": "θ", "dh": "ð", "ngg": "ŋɡ", "ng": "ŋ", "nk": "ŋk", "gh": "ɡ",
    "kh": "k", "ck": "k", "kw": "kw", "qu": "kw", "ph": "f", "wh": "w", "dj": "ʤ", "tz": "ts", "bb": "b", "dd": "d",
    "ff": "f", "gg": "ɡ", "kk": "k", "ll": "l", "mm": "m", "nn": "n", "pp": "p", "rr": "r", "ss": "s", "tt": "t",
    "vv": "v", "zz": "z", "b": "b", "c": "k", "d": "d", "f": "f", "g": "ɡ", "h": "h", "j": "ʤ", "k": "k", "l": "l",
    "m": "m", "n": "n", "p": "p", "r": "r", "s": "s", "t": "t", "v": "v", "w": "w", "x": "ks", "y": "j", "z": "z",
}  # fmt: skip


def _any_of(spellings: list[str]) -> str:
    return "|".join(sorted(spellings, key=len, reverse=True))


_CONSONANT: Final = rf"(?:(?!y(?![aeiou])|ye$)(?:{_any_of(list(CONSONANTS))}))"
_ENDING: Final = rf"(?:{_any_of([each for each in CONSONANTS if each not in ('h', 'w', 'y', 'wh', 'kw', 'qu')])})"
_SYLLABLE: Final = re.compile(rf"(?P<onset>{_CONSONANT}*)(?P<vowel>{_any_of(list(VOWELS))})(?P<coda>{_ENDING}*)")
_MAGIC: Final = re.compile(rf"(?P<onset>{_CONSONANT}*)(?P<vowel>[aeiouy])(?P<coda>{_ENDING})e")
_HUMMED: Final = re.compile(rf"(?P<onset>{_CONSONANT}*?)(?P<vowel>)(?P<coda>[lmn])")
_PART: Final = re.compile(_any_of(list(CONSONANTS)))
_WORD: Final = re.compile(r"[a-zA-Z]+(?:-[a-zA-Z]+)*")
_FLAP: Final = re.compile(rf"(?<=[AIOWYiuæɑəɛɪɹʊʌ])t(?=[{VOWEL_SYMBOLS}])(?!ᵊn|ən)")
_DOUBLE: Final = re.compile(rf"([^{VOWEL_SYMBOLS}ːˈˌ ])(?=\1)")


class NoRespelling(ValueError):
    """What was meant as a respelling has a syllable that the key does not know; the message says which."""


def read_respelling(text: str) -> Sounds | None:
    """The sounds of a respelling; None for plain words, which never have a syllable in capitals between small ones.

    Raises NoRespelling for a word that has one, and yet a syllable that cannot be read.
    """
    words = text.split()
    if not any(map(_is_meant, words)) and not (len(words) == 1 and _is_shout(words[0])):
        return None
    spoken = []
    for word in words:
        said = _word(word) if _WORD.fullmatch(word) else None
        if said is None:
            if not any(map(_is_meant, words)):
                return None
            raise NoRespelling(_complaint(word))
        spoken.append(said)
    return Sounds(_FLAP.sub("T", " ".join(each.american for each in spoken)), " ".join(each.british for each in spoken))


def _is_meant(word: str) -> bool:
    """Whether it has the form of a respelled word: syllables, some in capitals and some not."""
    parts = word.split("-")
    return (
        _WORD.fullmatch(word) is not None
        and all(part.isupper() or part.islower() for part in parts)
        and len({part.isupper() for part in parts}) == 2
    )


def _is_shout(word: str) -> bool:
    """Whether it may be a word of one stressed syllable, "LEE"."""
    return len(word) > 1 and word.isupper() and word.isalpha()


def _word(word: str) -> Sounds | None:
    parts = word.split("-")
    stressed = [at for at, part in enumerate(parts) if part.isupper()]
    american, british = "", ""
    for at, part in enumerate(parts):
        # Of several syllables in capitals the last has the main stress, as in MISS-ih-SIP-ee.
        stress = ("ˈ" if at == stressed[-1] else "ˌ") if at in stressed else ""
        said = syllable(part.lower(), stress, first=at == 0, last=at == len(parts) - 1)
        if said is None:
            return None
        american, british = american + said.american, british + said.british
    linked = re.sub(rf"R(?=[ˈˌ]?[{VOWEL_SYMBOLS}])", "ɹ", british).replace("R", "")
    return Sounds(_DOUBLE.sub("", american), _DOUBLE.sub("", linked))


def syllable(letters: str, stress: str, *, first: bool = True, last: bool = True) -> Sounds | None:
    """One syllable (small letters) with its stress mark, if any, British r as "R"; None where it has no reading."""
    if match := _SYLLABLE.fullmatch(letters):
        vowel = VOWELS[match["vowel"]]
        if not match["coda"]:
            vowel = OPEN.get(match["vowel"], vowel)
            if match["vowel"] == "y" and last and not first and not stress:
                vowel = _LAST_Y
        return _said(match, vowel, stress)
    if match := _MAGIC.fullmatch(letters):
        return _said(match, SILENT_E[match["vowel"]], stress)
    if not first and not stress and (match := _HUMMED.fullmatch(letters)):  # BOT-l, BUT-n, RITH-m
        return _said(match, _vowel("ᵊ|ᵊ"), stress)
    return None


def _said(match: re.Match[str], vowel: Vowel, stress: str) -> Sounds:
    onset, coda = _consonants(match["onset"], match["vowel"]), _consonants(match["coda"], "")
    american, british = vowel[:2] if stress else vowel[2:]
    return Sounds(
        onset.replace("r", "ɹ") + stress + american + coda.replace("r", "ɹ"),
        onset.replace("r", "ɹ") + stress + british + coda.replace("r", "R"),
    )


def _consonants(letters: str, following: str) -> str:
    found = _PART.findall(letters)
    soft = bool(found) and found[-1] == "c" and following[:1] in ("e", "i", "y")  # "SEL-uh-cee": a soft c
    said = [CONSONANTS[each] for each in found]
    return "".join([*said[:-1], "s"] if soft else said)


def _complaint(word: str) -> str:
    parts = word.split("-")
    bad = [part for at, part in enumerate(parts) if syllable(part.lower(), "", first=at == 0) is None]
    named = f"the syllable {bad[0]!r} of {word!r}" if bad and bad[0] != word else repr(word)
    return (
        f"{named} cannot be read by the respelling key in docs/pronunciations.md; "
        "spell it otherwise, or put the words in quotes to have them read as words"
    )
