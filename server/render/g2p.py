"""From sentences to phonemes: the only place that knows misaki and spaCy.

Book text is data here: misaki's markup is never parsed, nothing is fetched, and no sentence fails. Not thread-safe.
"""

import gc
from collections.abc import Sequence
from dataclasses import replace

from misaki import en

from server.render.normalise import Spoken
from server.render.pronounce import tagger
from server.render.pronounce.dictionary import Dictionary, fold
from server.render.pronounce.groups import Cut, groups, join, letter_names
from server.render.pronounce.groups import apart as apart_cuts
from server.render.pronounce.overrides import Fixed, Override, apart, spoken_with, stressed
from server.render.pronounce.readings import Tagged, dropped_g, readings, retag
from server.render.pronounce.vocabulary import PUNCTUATION
from server.render.pronounce.words import Phonemes, PhonemeWord, align

__all__ = ["G2P", "PhonemeWord", "Phonemes", "fold"]

_SILENT = "".join(PUNCTUATION) + " "


class G2P:
    """Phonemes for one accent. Building one loads lexicon and tagger, which takes seconds: keep it."""

    def __init__(self, british: bool = False) -> None:
        self.british = british
        tagger.load()
        self._lexicon = Dictionary(british)
        # Half a million words that stay: the collector need not walk them over and over.
        gc.freeze()

    def sentences(
        self,
        texts: Sequence[str],
        headings: Sequence[bool],
        overrides: Sequence[Sequence[Override]] | None = None,
    ) -> list[Phonemes]:
        """Phonemes and words of each text, `overrides` obeyed; a text with nothing to say has neither."""
        rules = [apart(each, len(text)) for text, each in zip(texts, overrides or [()] * len(texts), strict=True)]
        spoken = [
            spoken_with(text, each, british=self.british, heading=heading)
            for text, each, heading in zip(texts, rules, headings, strict=True)
        ]
        tagged = tagger.tag(one.text for one, _ in spoken)
        said = [
            self._sentence(text, one, tokens, fixed)
            for text, (one, fixed), tokens in zip(texts, spoken, tagged, strict=True)
        ]
        return [replace(one, rules=_names(each)) if each else one for one, each in zip(said, rules, strict=True)]

    def _sentence(self, source: str, spoken: Spoken, tokens: Sequence[Tagged], fixed: Sequence[Fixed]) -> Phonemes:
        if not any(char.isalnum() for char in spoken.text):
            return Phonemes("", ())
        tokens = retag(tokens)
        said = groups(spoken.text, tokens, self._cuts(spoken, tokens, fixed))
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

    def _cuts(self, spoken: Spoken, tokens: Sequence[Tagged], fixed: Sequence[Fixed]) -> list[Cut]:
        cuts = [
            Cut(found.start, found.end, found.british if self.british else found.american)
            for found in readings(spoken.text, tokens)
        ]
        for start, end, whole in dropped_g(spoken.text):
            said = self._lexicon.known(whole)
            if said and said.endswith("ŋ"):
                cuts.append(Cut(start, end, said[:-1] + "n"))
        cuts += letter_names(spoken, self._letter)
        if fixed:  # a listener's word is the last
            cuts = [cut for cut in cuts if all(cut.end <= one.start or cut.start >= one.end for one in fixed)]
            cuts += [Cut(one.start, one.end, self._fixed(spoken.text, tokens, one)) for one in fixed]
        return apart_cuts(cuts)

    def _fixed(self, text: str, tokens: Sequence[Tagged], fixed: Fixed) -> str:
        if fixed.override.phonemes is not None:
            return fixed.override.phonemes
        parts = [(token.text, token.tag) for token in tokens if fixed.start <= token.start < fixed.end]
        said, _ = self._lexicon.say(tuple(parts) or ((text[fixed.start : fixed.end], "NN"),), en.TokenContext())
        return stressed(said, fixed.override.stress or 0)

    def _letter(self, letter: str) -> str:
        name = self._lexicon.lexicon.golds.get(letter, "")
        return name if isinstance(name, str) else ""


def _names(overrides: Sequence[Override]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.rule for one in overrides if one.rule))


class _Named:
    """The two fields of a token that misaki's context asks for."""

    __slots__ = ("tag", "text")

    def __init__(self, text: str, tag: str) -> None:
        self.text = text
        self.tag = tag
