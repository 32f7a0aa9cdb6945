"""Which written word is which sound: the units of the source text, and the tokens that speak for them."""

from collections.abc import Sequence
from dataclasses import dataclass

import regex

_UNIT = regex.compile(r"[\p{L}\p{N}](?:[\p{M}\p{Cf}]*[\p{L}\p{N}\p{M}]|['’‘][\p{L}\p{N}])*")


@dataclass(frozen=True, slots=True)
class PhonemeWord:
    """A written word, [char_start, char_end) code points of the source, and its phonemes [ph_start, ph_end)."""

    char_start: int
    char_end: int
    ph_start: int
    ph_end: int


@dataclass(frozen=True, slots=True)
class Phonemes:
    """A sentence in the model's symbols; `words` index both it and the source.

    `guessed` are words no lexicon has, `rules` name the overrides that were obeyed.
    """

    phonemes: str
    words: tuple[PhonemeWord, ...]
    guessed: tuple[str, ...] = ()
    spoken: str = ""
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Said:
    """A token's part of the phonemes, and the source range it stands for."""

    char_start: int
    char_end: int
    ph_start: int
    ph_end: int


def units(source: str) -> list[tuple[int, int]]:
    """Ranges of the words of `source`: letters, digits and marks, with apostrophes and invisible joints inside."""
    return [match.span() for match in _UNIT.finditer(source)]


def align(source: str, said: Sequence[Said]) -> tuple[PhonemeWord, ...]:
    """Gives every word of `source` its phonemes: words said as one are one, words not said have an empty range.

    `said` is in order in both texts. Each letter and digit of the source is in exactly one word of the answer.
    """
    spans = [[start, end] for start, end in units(source)]
    ranges: list[list[int] | None] = [None] * len(spans)
    merged: list[tuple[list[int], list[int] | None]] = []
    at = 0
    for token in said:
        while at < len(spans) and spans[at][1] <= token.char_start:
            merged.append((spans[at], ranges[at]))
            at += 1
        if at == len(spans) or spans[at][0] >= token.char_end:
            # Nothing written here has a letter: an emoji's name, a sign. Its sound belongs to no word.
            continue
        last = at
        while last + 1 < len(spans) and spans[last + 1][0] < token.char_end:
            last += 1
        _merge(spans, ranges, at, last)
        limit = spans[at + 1][0] if at + 1 < len(spans) else len(source)
        floor = merged[-1][0][1] if merged else 0
        spans[at][0] = max(min(spans[at][0], token.char_start), floor)
        spans[at][1] = min(max(spans[at][1], token.char_end), limit)
        here = ranges[at]
        if token.ph_end > token.ph_start:
            ranges[at] = [token.ph_start, token.ph_end] if here is None else [here[0], token.ph_end]
    merged += zip(spans[at:], ranges[at:], strict=True)
    return _placed(source, merged)


def _merge(spans: list[list[int]], ranges: list[list[int] | None], first: int, last: int) -> None:
    if last == first:
        return
    known = [r for r in ranges[first : last + 1] if r is not None]
    spans[first : last + 1] = [[spans[first][0], spans[last][1]]]
    ranges[first : last + 1] = [[known[0][0], known[-1][1]] if known else None]


def _placed(source: str, merged: Sequence[tuple[list[int], list[int] | None]]) -> tuple[PhonemeWord, ...]:
    words = []
    at = 0
    for (start, end), range_ in merged:
        end -= len(source[start:end]) - len(source[start:end].rstrip(" \t\n\u00a0-–—"))
        ph_start, ph_end = range_ if range_ else (at, at)
        words.append(PhonemeWord(start, end, ph_start, ph_end))
        at = ph_end
    return tuple(words)
