"""Which letters of a word make which of its phonemes: chunks of one or two of each, learnt by expectation maximisation.

Words of the same length and number of phonemes are one batch of arrays: G (words, letters), P (words, phonemes).
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Phonemes = tuple[str, ...]
Pair = tuple[str, Phonemes]

# A stress belongs to its vowel, a length mark to what is long, and a syllabic consonant is one sound.
_PHONEME = re.compile(r"ᵊ[lnm]|[ˈˌ]?[^ˈˌː]ː?|[ˈˌ]")
# Kinds of chunks, as letters and phonemes: a silent letter, one and one, "x" as "ks", "sh" as one sound.
_STEPS = ((1, 0), (1, 1), (1, 2), (2, 1))
_AT_FIRST = (0.1, 1.0, 0.1, 0.3)  # how likely each kind is before anything is learnt
_ROUNDS = 5
_LEARNT_FROM = 6000  # words; more change nothing
_FLOOR = 1e-290


def split(said: str) -> Phonemes:
    """A string of symbols as sounds."""
    return tuple(_PHONEME.findall(said))


@dataclass(frozen=True)
class Alphabet:
    """Letters and phonemes by number, and chunks of them by one number each."""

    letters: tuple[str, ...]
    phonemes: tuple[str, ...]

    @staticmethod
    def of(pairs: Sequence[Pair]) -> "Alphabet":
        letters = sorted({letter for word, _ in pairs for letter in word})
        return Alphabet(tuple(letters), tuple(sorted({sound for _, said in pairs for sound in said})))

    @cached_property
    def offsets(self) -> list[int]:
        """Where the numbers of each kind of chunk begin, and how many there are in all."""
        letters, sounds = len(self.letters), len(self.phonemes)
        sizes = [letters, letters * sounds, letters * sounds * sounds, letters * letters * sounds]
        return [0, *np.cumsum(sizes).tolist()]

    def chunk(self, number: int) -> Pair:
        """The letters and phonemes of a chunk."""
        kind = max(kind for kind in range(len(_STEPS)) if self.offsets[kind] <= number)
        letters, sounds = _STEPS[kind]
        rest = number - self.offsets[kind]
        said, word = [], []
        for _ in range(sounds):
            rest, sound = divmod(rest, len(self.phonemes))
            said.append(self.phonemes[sound])
        for _ in range(letters):
            rest, letter = divmod(rest, len(self.letters))
            word.append(self.letters[letter])
        return "".join(reversed(word)), tuple(reversed(said))


class _Batch:
    """Words of one length with phonemes of one number; `where` are their places among all words."""

    def __init__(self, pairs: Sequence[Pair], where: Sequence[int], alphabet: Alphabet) -> None:
        letters = {letter: number for number, letter in enumerate(alphabet.letters)}
        sounds = {sound: number for number, sound in enumerate(alphabet.phonemes)}
        self.where = where
        self.alphabet = alphabet
        self.words = np.array([[letters[letter] for letter in pairs[at][0]] for at in where], np.int64)
        self.said = np.array([[sounds[sound] for sound in pairs[at][1]] for at in where], np.int64)
        self.shape = self.words.shape[1], self.said.shape[1]

    def cells(self) -> Iterator[tuple[int, int]]:
        """Every (letters, phonemes) behind which a way may lead, but the start."""
        letters, sounds = self.shape
        for i in range(1, letters + 1):
            for j in range(min(sounds, 2 * i) + 1):
                if sounds - j <= 2 * (letters - i):
                    yield i, j

    def chunks(self, kind: int, i: int, j: int, rows: Ints | slice = slice(None)) -> Ints:
        """(words,) the chunk of that kind which ends behind i letters and j phonemes."""
        letters, sounds = _STEPS[kind]
        number = np.zeros(len(self.words[rows]), np.int64)
        for at in range(i - letters, i):
            number = number * len(self.alphabet.letters) + self.words[rows, at]
        for at in range(j - sounds, j):
            number = number * len(self.alphabet.phonemes) + self.said[rows, at]
        return number + self.alphabet.offsets[kind]


def _batches(pairs: Sequence[Pair], alphabet: Alphabet) -> list[_Batch]:
    by_shape = defaultdict(list)
    for at, (word, said) in enumerate(pairs):
        if 0 < len(said) <= 2 * len(word):
            by_shape[len(word), len(said)].append(at)
    return [_Batch(pairs, where, alphabet) for _, where in sorted(by_shape.items())]


def learn(pairs: Sequence[Pair], alphabet: Alphabet) -> Floats:
    """The probability of each chunk, from some of `pairs`."""
    offsets = alphabet.offsets
    sizes = np.diff(offsets)
    chances = np.repeat(np.array(_AT_FIRST) / sizes, sizes)
    batches = _batches(pairs[:: max(1, len(pairs) // _LEARNT_FROM)], alphabet)
    for _ in range(_ROUNDS):
        counts = np.full(offsets[-1], 1e-4)
        for batch in batches:
            chunks, shares = _expected(batch, chances)
            counts += np.bincount(chunks, weights=shares, minlength=offsets[-1])
        chances = counts / counts.sum()
    return chances


def _expected(batch: _Batch, chances: Floats) -> tuple[Ints, Floats]:
    """Every chunk on any way through the batch's words, and how probable it is that the way leads there."""
    ahead: dict[tuple[int, int], Floats] = {(0, 0): np.ones(len(batch.words))}
    edges = []
    for i, j in batch.cells():
        for kind, (letters, sounds) in enumerate(_STEPS):
            before = (i - letters, j - sounds)
            if before in ahead:
                chunks = batch.chunks(kind, i, j)
                edges.append(((i, j), before, chunks, chances[chunks]))
                ahead[i, j] = ahead.get((i, j), 0) + ahead[before] * edges[-1][3]
    behind: dict[tuple[int, int], Floats] = {}
    if batch.shape in ahead:
        behind[batch.shape] = 1 / np.maximum(ahead[batch.shape], _FLOOR)
    found, shares = [np.zeros(0, np.int64)], [np.zeros(0)]
    for cell, before, chunks, chance in reversed(edges):
        if cell in behind:
            share = behind[cell] * chance
            behind[before] = behind.get(before, 0) + share
            found.append(chunks)
            shares.append(share * ahead[before])
    return np.concatenate(found), np.concatenate(shares)


def align(pairs: Sequence[Pair], alphabet: Alphabet, chances: Floats) -> list[list[int]]:
    """The chunks of each word's most probable way, in order; none where no way leads through."""
    scores = np.log(chances)
    ways: list[list[int]] = [[] for _ in pairs]
    for batch in _batches(pairs, alphabet):
        for at, way in zip(batch.where, _best(batch, scores), strict=True):
            ways[at] = way
    return ways


def _best(batch: _Batch, scores: Floats) -> list[list[int]]:
    count = len(batch.words)
    best: dict[tuple[int, int], Floats] = {(0, 0): np.zeros(count)}
    taken = np.zeros((batch.shape[0] + 1, batch.shape[1] + 1, count), np.int8)
    for i, j in batch.cells():
        for kind, (letters, sounds) in enumerate(_STEPS):
            before = best.get((i - letters, j - sounds))
            if before is None:
                continue
            score = before + scores[batch.chunks(kind, i, j)]
            better = score > best[i, j] if (i, j) in best else np.ones(count, bool)
            best[i, j] = np.where(better, score, best.get((i, j), score))
            taken[i, j, better] = kind
    ways: list[list[int]] = [[] for _ in range(count)]
    if batch.shape in best:
        _walk_back(batch, taken, ways)
    return ways


def _walk_back(batch: _Batch, taken: npt.NDArray[np.int8], ways: list[list[int]]) -> None:
    """Fills `ways` from the ends of the words; words at the same cell go together."""
    waiting = {batch.shape: np.arange(len(ways))}
    for i, j in sorted([(0, 0), *batch.cells()], reverse=True)[:-1]:
        rows = waiting.pop((i, j), None)
        if rows is None:
            continue
        for kind, (letters, sounds) in enumerate(_STEPS):
            here = rows[taken[i, j, rows] == kind]
            if len(here):
                for row, chunk in zip(here.tolist(), batch.chunks(kind, i, j, here).tolist(), strict=True):
                    ways[row].insert(0, chunk)
                before = (i - letters, j - sounds)
                waiting[before] = np.concatenate([waiting[before], here]) if before in waiting else here
