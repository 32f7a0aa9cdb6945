"""Spanish, French, Hindi, Italian and Portuguese: espeak reads whole phrases, as the model was trained to hear them.

A phrase is read in one go and not word by word, since French binds its words together ("les‿amis") and every language
weakens some; which sound belongs to which word is not told, so there are no times for words.
"""

import functools
import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from server.render.foreign.abbreviations import widen
from server.render.foreign.numerals import spell
from server.render.foreign.phrases import speak
from server.render.foreign.replaced import Replaced
from server.render.pronounce import espeak

# The voices that misaki asks espeak for; "roa/pt-BR" is the only Portuguese that the model was trained with.
VOICES: Final = {"es": "roa/es", "fr": "roa/fr", "hi": "inc/hi", "it": "roa/it", "pt": "roa/pt-BR"}
# Two sounds that the model knows as one symbol. espeak ties them with "^".
_ONE: Final = {
    "a^ɪ": "I", "a^ʊ": "W", "e^ɪ": "A", "o^ʊ": "O", "ə^ʊ": "Q", "ɔ^ɪ": "Y",
    "d^z": "ʣ", "d^ʒ": "ʤ", "t^s": "ʦ", "t^ʃ": "ʧ", "s^s": "S",
}  # fmt: skip
# The model's tilde is a symbol of its own.
_NASAL: Final = {ord(char): unicodedata.normalize("NFD", char) for char in "ãẽĩõũỹ"}
_PAIRS: Final = re.compile("|".join(map(re.escape, _ONE)))
_REMEMBERED: Final = 20_000


@functools.lru_cache(_REMEMBERED)
def phrase(text: str, language: str) -> str:
    """espeak's reading of `text`, which holds no mark, in the model's symbols."""
    said = espeak.ipa_in(text, VOICES[language])
    said = _PAIRS.sub(lambda match: _ONE[match[0]], said)
    # What is left of ties, and the hyphens that espeak writes where a French word is bound to the next.
    # "r." is how espeak writes the flap of Hindi's "बूढ़ा"; as a mark it would be a pause.
    return said.replace("^", "").replace("-", "").replace("r.h", "ɽʰ").replace("r.", "ɽ").translate(_NASAL)


class EspeakReader(Replaced):
    """Phonemes for one of `VOICES`."""

    def __init__(self, language: str) -> None:
        self.language = language

    def say(self, text: str) -> str:
        """Phonemes of a clean text, whose marks are the model's."""
        spelled = spell(widen(text, self.language), self.language)
        return speak(spelled, lambda part: phrase(part.strip(" '-"), self.language))


def languages() -> Sequence[str]:
    """The languages that are read here, as primary subtags."""
    return tuple(VOICES)
