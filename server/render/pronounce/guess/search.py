"""The most probable phonemes of a word's letters: a beam search through the n-grams, letter by letter."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from server.render.pronounce.guess.alignment import Pair
from server.render.pronounce.guess.ngrams import BEGIN, END, SCALE, Array, Ngrams

_BEAM = 32  # ways that are followed behind each letter; a hundred find no better
_WIDTH = 14 * SCALE  # how much worse than the best a way may be
_IMPOSSIBLE = -(10**9)

# A way's end: the node of the history, and how many stresses it has.
_End = tuple[int, int]


class Guess(NamedTuple):
    """Phonemes, and how sure they are: the natural logarithm of their probability for each letter."""

    phonemes: str
    confidence: float


class _Step(NamedTuple):
    score: int
    back: tuple[int, _End] | None
    token: int


def _view(array: Array) -> "memoryview[int]":
    return memoryview(array)  # type: ignore[arg-type]


class Search:
    """Answers for `chunks` in order of their letters; token t of `ngrams` is chunk t - 2."""

    def __init__(self, ngrams: Ngrams, chunks: Sequence[Pair]) -> None:
        # Views: a number out of an array costs four times as much.
        self._token, self._score, self._fall = _view(ngrams.token), _view(ngrams.score), _view(ngrams.fall)
        self._shorter, self._state, self._first = _view(ngrams.shorter), _view(ngrams.state), _view(ngrams.first)
        self._chunks = chunks
        self._stresses = [0, 0, *("".join(said).count("ˈ") for _, said in chunks)]
        self._tokens: dict[str, tuple[int, int]] = {}
        for token, (letters, _) in enumerate(chunks, 2):
            self._tokens[letters] = (self._tokens.get(letters, (token, token))[0], token + 1)
        self._alone = {
            letters: sorted(((self._score[1 + token], token) for token in range(*tokens)), reverse=True)
            for letters, tokens in self._tokens.items()
        }

    def guess(self, word: str) -> Guess | None:
        """`word` (lower case) with one main stress if it can have one; None for none or an unknown letter."""
        if not word:
            return None
        behind: list[dict[_End, _Step]] = [{} for _ in range(len(word) + 1)]
        behind[0][1 + BEGIN, 0] = _Step(0, None, BEGIN)
        for at in range(len(word)):
            ways = sorted(behind[at].items(), key=lambda way: -way[1].score)[:_BEAM]
            for size in (1, 2):
                letters = word[at : at + size]
                if letters in self._tokens and len(letters) == size and ways:
                    self._go_on(at, ways, letters, behind[at + size])
        ends = [(end, step.score + self._ending(end[0])) for end, step in behind[-1].items()]
        for stresses in (1, 0):
            fit = [(score, end) for end, score in ends if end[1] == stresses]
            if fit:
                score, end = max(fit)
                return Guess(self._said(behind, end), score / SCALE / len(word))
        return None

    def _go_on(self, at: int, ways: list[tuple[_End, _Step]], letters: str, target: dict[_End, _Step]) -> None:
        """Adds to `target` every way on with a chunk of `letters`, by its own history and then by shorter ones."""
        token_of, scores, falls, shorter = self._token, self._score, self._fall, self._shorter
        first, low, high = self._first, *self._tokens[letters]
        best = ways[0][1].score
        floor = best - _WIDTH * len(letters)
        for end, step in ways:
            if step.score < best - _WIDTH:
                break
            seen: set[int] = set()
            history, score = end[0], step.score
            while history and score >= floor:
                stop = first[history + 1]
                child = bisect_left(token_of, low, first[history], stop)
                while child < stop and (token := token_of[child]) < high:
                    if token not in seen:
                        seen.add(token)
                        if score + scores[child] >= floor:
                            self._arrive(target, score + scores[child], (at, end), token, child)
                    child += 1
                score += falls[history]
                history = shorter[history]
            if history:
                continue
            for alone, token in self._alone[letters]:
                if score + alone < floor:
                    break
                if token not in seen:
                    self._arrive(target, score + alone, (at, end), token, 1 + token)

    def _arrive(self, target: dict[_End, _Step], score: int, back: tuple[int, _End], token: int, node: int) -> None:
        stresses = back[1][1] + self._stresses[token]
        end = (self._state[node], stresses)
        if stresses <= 1 and (end not in target or target[end].score < score):
            target[end] = _Step(score, back, token)

    def _ending(self, history: int) -> int:
        score = 0
        while True:
            stop = self._first[history + 1]
            child = bisect_left(self._token, END, self._first[history], stop)
            if child < stop and self._token[child] == END:
                return score + self._score[child]
            if not history:
                return _IMPOSSIBLE
            score += self._fall[history]
            history = self._shorter[history]

    def _said(self, behind: list[dict[_End, _Step]], end: _End) -> str:
        parts: list[str] = []
        step = behind[-1][end]
        while step.back is not None:
            parts[:0] = self._chunks[step.token - 2][1]
            at, end = step.back
            step = behind[at][end]
        return "".join(parts)
