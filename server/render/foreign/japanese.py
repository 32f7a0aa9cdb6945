"""Japanese: UniDic's words and readings by Lindera, kana as the model was trained to hear them.

UniDic is what misaki reads with too; Lindera carries it in a wheel. Words that misaki's list knows as one are one:
the model was trained with spaces at just these places.
"""

import functools
import importlib.resources
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from server.render.foreign.japanese_numbers import NUMERALS, spoken
from server.render.foreign.kana import is_kana, katakana, sound
from server.render.foreign.phrases import speak
from server.render.foreign.replaced import Replaced
from server.render.pronounce import espeak

_LATIN = re.compile(r"([A-Za-z\u00c0-\u024f]+(?:['’\-][A-Za-z\u00c0-\u024f]+)*)")
_REPEATED = re.compile(r"([ぁ-ゖァ-ヶ])([ゝヽゞヾ])")
_AMOUNT = re.compile(r"([$€£¥])([0-9][0-9,.]*)")
_SIGNS: Final = {
    "%": "パーセント", "&": "アンド", "+": "プラス", "$": "ドル", "€": "ユーロ", "£": "ポンド", "¥": "エン", "°": "ド",
}  # fmt: skip
# UniDic's first reading of these is the formal one.
_READINGS: Final = {"私": "ワタシ", "日本": "ニホン"}
_LONGEST_JOIN = 8  # tokens that one word of the list is made of
_AT_SOKUON = re.compile(r" (?=ʔ)|(?<=ʔ) ")


@dataclass(slots=True)
class _Word:
    surface: str
    kana: str  # katakana
    counted: bool = False  # a numeral, or the counter behind one


@functools.cache
def _tokenizer() -> Any:
    import lindera  # late: its dictionary takes a second and 300 MB, which only a Japanese book is worth

    return lindera.Tokenizer(lindera.load_dictionary("embedded://unidic"), mode="normal")


@functools.cache
def _joined_words() -> frozenset[str]:
    text = (importlib.resources.files("misaki") / "data" / "ja_words.txt").read_text(encoding="utf-8")
    return frozenset(text.split())


class JapaneseReader(Replaced):
    """Phonemes of Japanese. Building one loads the dictionary: keep it."""

    def __init__(self) -> None:
        self._tokens = _tokenizer()
        self._known = _joined_words()

    def say(self, text: str) -> str:
        plain = unicodedata.normalize("NFC", text)
        plain = _REPEATED.sub(_repeated, _AMOUNT.sub(r"\2\1", plain))
        return speak(plain, self._phrase)

    def _phrase(self, text: str) -> str:
        parts = _LATIN.split(text)
        said = [espeak.phonemes(part, False) if at % 2 else self._native(part) for at, part in enumerate(parts)]
        return _AT_SOKUON.sub("", " ".join(filter(None, said)))

    def _native(self, text: str) -> str:
        words = _count(self._tokens.tokenize(text)) if text.strip() else []
        return " ".join(filter(None, (sound(word) for word in self._join(words))))

    def _join(self, words: Sequence[_Word]) -> list[str]:
        """The words in kana, those that the list knows together as one."""
        joined: list[str] = []
        at = 0
        while at < len(words):
            end = at + 1
            if not words[at].counted:
                for longer in range(min(len(words), at + _LONGEST_JOIN), at + 1, -1):
                    if "".join(word.surface for word in words[at:longer]) in self._known:
                        end = longer
                        break
            joined.append("".join(word.kana for word in words[at:end]))
            at = end
        return joined


def _count(tokens: Sequence[Any]) -> list[_Word]:
    """The tokens with their readings, numerals that stand together read as one number with its counter."""
    words: list[_Word] = []
    at = 0
    while at < len(tokens):
        end = _numerals_end(tokens, at)
        if end == at:
            words.append(_Word(tokens[at].surface, _reading(tokens[at])))
            at += 1
            continue
        numerals = "".join(token.surface for token in tokens[at:end])
        counter = tokens[end] if end < len(tokens) and _is_counter(tokens[end]) else None
        surface = counter.surface if counter is not None else ""
        counted, voiced = _plain_form(counter)
        number, after = spoken(numerals, surface, counted, voiced=voiced)
        words.append(_Word(numerals + surface, number + after, counted=True))
        at = end + (counter is not None)
    return words


def _numerals_end(tokens: Sequence[Any], at: int) -> int:
    """Where the number ends that begins with token `at`; `at` itself where none does."""
    while at < len(tokens) and _is_numeral(tokens[at]):
        at += 1
        # A comma or a point between two figures.
        if at + 1 < len(tokens) and tokens[at].surface in ",." and tokens[at + 1].surface.isdecimal():
            at += 1
    return at


def _is_numeral(token: Any) -> bool:
    return set(token.surface) <= NUMERALS and "数詞" in token.details[:3]


def _is_counter(token: Any) -> bool:
    kinds = token.details[:4]
    return token.surface == "つ" or any(one.startswith("助数詞") for one in kinds) or kinds[:2] == ["接尾辞", "名詞的"]


def _plain_form(counter: Any) -> tuple[str, bool]:
    """A counter's reading with the sound that it begins with by itself, and whether 三 voices it."""
    if counter is None:
        return "", False
    said = _reading(counter)
    own = katakana(counter.details[6])[:1] if len(counter.details) > 6 else ""
    kind = counter.details[13] if len(counter.details) > 13 else ""
    return (own if own not in ("", "*") else said[:1]) + said[1:], kind.endswith("混合") and kind[:1] != "フ"


def _reading(token: Any) -> str:
    """The reading in katakana; "" for what has none."""
    surface: str = token.surface
    if surface in _READINGS:
        return _READINGS[surface]
    if surface in _SIGNS:
        return _SIGNS[surface]
    details: Sequence[str] = token.details
    if len(details) > 9 and details[9] not in ("", "*"):
        return katakana(details[9])
    kana = katakana(surface)
    return "".join(char for char in kana if is_kana(char))


def _repeated(match: re.Match[str]) -> str:
    voiced = unicodedata.normalize("NFC", match[1] + "\u3099") if match[2] in "ゞヾ" else match[1]
    return match[1] + (voiced if len(voiced) == 1 else match[1])
