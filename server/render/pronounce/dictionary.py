"""One word or one group of words at a time: misaki's lexicon and rules, then our own last resorts, each remembered.

Book text is data here: misaki's markup is never parsed, nothing is fetched, and no word fails. Not thread-safe.
"""

import re
import unicodedata
from functools import cached_property
from pathlib import Path

from misaki import en

from server.config import load_settings
from server.render.pronounce import cmu, espeak
from server.render.pronounce.derive import compound, derive, possessive
from server.render.pronounce.groups import Parts
from server.render.pronounce.guess.model import load as load_model
from server.render.pronounce.guess.search import Search
from server.render.pronounce.overrides import stressed
from server.render.pronounce.vocabulary import KNOWN

Answer = tuple[str, tuple[str, ...]]
REMEMBERED = 200_000  # groups with their phonemes, some 60 MB; a novel has 20,000 to 40,000
# Letters that decomposition does not reach.
_FOLDED = str.maketrans({
    "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "ß": "ss", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D",
    "þ": "th", "Þ": "Th", "ð": "th", "Ð": "Th", "ı": "i", "ħ": "h", "ŋ": "ng",
})  # fmt: skip


def fold(word: str) -> str:
    """`word` with its accents off: "naïve" as "naive"."""
    plain = unicodedata.normalize("NFKD", word.translate(_FOLDED))
    return "".join(char for char in plain if not unicodedata.combining(char))


def token(text: str, tag: str, whitespace: str = "", phonemes: str | None = None) -> en.MToken:
    underscore = en.MToken.Underscore(is_head=True, num_flags="", prespace=False)
    return en.MToken(text=text, tag=tag, whitespace=whitespace, phonemes=phonemes, _=underscore)


# What our model may say: words of English letters, a vowel among them; it has seen few apostrophes.
_SPEAKABLE = re.compile(r"(?=.*[aeiouy])[a-z]{2,}", re.I)
# For each letter, as a logarithm: what our model is less sure of is better said by espeak.
SURE = -4.0
_ONE_WORD = -2.8  # letters seen together less often may be two words written as one


def _settled(said: str) -> str:
    """A guess in the model's symbols, as one word with a main stress, on the first syllable where none is marked."""
    said = _clean(said).replace(" ", "")
    if "ˈ" in said:
        first, _, last = said.rpartition("ˈ")
        return f"{first.replace('ˈ', 'ˌ')}ˈ{last}"
    return said.replace("ˌ", "ˈ", 1) if "ˌ" in said else stressed(said, 1)


def _clean(said: str) -> str:
    return "".join(char for char in said if char in KNOWN).strip()


class _Watched:
    """What sound follows a word, and whether the lexicon wanted to know."""

    def __init__(self, context: en.TokenContext) -> None:
        self._context = context
        self.asked = False

    @property
    def future_vowel(self) -> bool | None:
        self.asked = True
        return self._context.future_vowel  # type: ignore[no-any-return]

    @property
    def future_to(self) -> bool:
        self.asked = True
        return self._context.future_to  # type: ignore[no-any-return]


class Dictionary(en.G2P):  # type: ignore[misc]
    """misaki's lexicon and rules for one group at a time, with our own last resorts, each answer remembered."""

    def __init__(self, british: bool, models: Path | None = None) -> None:
        """`models` is where the model of unknown words is kept, beside the voice."""
        # The base class would download its tagger here, so it is not asked.
        self.version = None
        self.british = british
        self._models = models or load_settings().models
        self.lexicon = en.Lexicon(british)
        self.fallback = self._guess
        self.unk = ""
        self._tokens: list[en.MToken] = []
        self._guessed: list[str] = []
        self._words: dict[str, tuple[str, bool]] = {}
        self._said: dict[tuple[Parts, bool | None, bool] | Parts, Answer] = {}

    def tokenize(self, text: str, tokens: object, features: object) -> list[en.MToken]:
        return self._tokens

    def say(self, parts: Parts, context: en.TokenContext) -> Answer:
        """Phonemes of a group, and which of its words are guesses; `context` tells what sound follows it."""
        said = self._said.get(parts) or self._said.get((parts, context.future_vowel, context.future_to))
        if said is None:
            if len(self._said) >= REMEMBERED:
                self._said.clear()
            watched = _Watched(context)
            said = self._alone(*parts[0], watched) if len(parts) == 1 else None
            if said is None or watched.asked:
                said = said or self._ask(parts, context)
                self._said[parts, context.future_vowel, context.future_to] = said
            else:
                self._said[parts] = said
        return said

    def _alone(self, text: str, tag: str, context: "_Watched") -> Answer | None:
        """A group of one plain word as misaki would say it, without its detours; None where it is not so plain."""
        if not (text.isascii() and text.isalpha()) or en.subtokenize(text) != [text]:
            return None
        self._guessed = []
        said, _ = self.lexicon(token(text, tag), context)
        if said is None:
            said, _ = self._guess(token(text, tag))
        return _clean(said.replace("ɾ", "T").replace("ʔ", "t")), tuple(self._guessed)

    def _ask(self, parts: Parts, context: en.TokenContext) -> Answer:
        # misaki reads right to left; a stand-in on the right puts it into the state that the sentence was in.
        sound = {None: ".", True: "ɑ", False: "b"}[context.future_vowel]
        own = [token(text, tag) for text, tag in parts]
        own[-1].whitespace = " "
        self._tokens = [*own, token("to" if context.future_to else ".", ".", "", sound)]
        self._guessed = []
        _, said = self("", preprocess=False)
        return _clean("".join((token.phonemes or "") + token.whitespace for token in said[:-1])), tuple(self._guessed)

    def known(self, word: str, tag: str = "NN") -> str | None:
        """`word` by the lexicon alone, None where it is not known."""
        said, _ = self.lexicon(token(word, tag), en.TokenContext())
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
        if said := cmu.pronounce(plain, self.british):
            return said, False
        # A name in capitals is rarely made of English parts: "Redruth" is no ruth that is red.
        if plain.isalpha() and plain.islower() and (said := derive(plain, self._listed, self.british)):
            return said, False
        return _settled(self._invent(word, plain)), True

    def _invent(self, word: str, plain: str) -> str:
        """What a word sounds like of which nothing is known but its letters (docs/adr/0008)."""
        guess = None
        if plain == word and _SPEAKABLE.fullmatch(plain):
            guess = self._model.guess(plain.lower())
        # Names that are made of two words are said otherwise.
        apart = plain.islower() and (guess is None or guess.confidence < _ONE_WORD)
        if apart and (said := compound(plain, self._listed)):
            return said
        if guess is not None and guess.confidence >= SURE:
            return guess.phonemes.replace("ɹɹ", "ɹ")
        return self._asked(word, plain)

    def _asked(self, word: str, plain: str) -> str:
        return espeak.phonemes(word, self.british) or espeak.phonemes(plain, self.british)

    @cached_property
    def _model(self) -> Search:
        # Not before a word asks for it: most sentences never do.
        return load_model(self.british, self._models)

    def _listed(self, word: str) -> str | None:
        if word in self.lexicon.golds or word in self.lexicon.silvers:
            return self.known(word)
        return cmu.pronounce(word, self.british)
