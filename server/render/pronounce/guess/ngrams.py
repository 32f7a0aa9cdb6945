"""Which chunk follows which: n-grams with modified Kneser–Ney smoothing, as one tree in flat arrays."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Array = npt.NDArray[np.integer]

BEGIN, END = 0, 1  # tokens around every word; chunks are numbered from 2
ORDER = 6  # seven were no better, and a third larger
SCALE = 1000  # scores are natural logarithms in thousandths
_LOWEST = -32_000


@dataclass(frozen=True, slots=True)
class Ngrams:
    """Nodes of a tree: node 0 is the empty history, node 1 + t token t by itself, then longer ones, length by length.

    The children of node n are the nodes [first[n], first[n + 1]), their tokens in order.
    """

    token: Array  # the last token
    score: Array  # of that token behind the rest
    fall: Array  # what it costs to go on with the shorter history
    shorter: Array  # the same without its first token
    state: Array  # the longest history that anything follows
    first: Array


@dataclass(slots=True)
class _Level:
    """All n-grams of one length. `history` and `shorter` index the level below."""

    history: Ints
    token: Ints
    shorter: Ints
    counts: Floats
    begins: npt.NDArray[np.bool_]


def count(words: Sequence[Sequence[int]], tokens: int) -> Ngrams:
    """The n-grams of words, which are chunks from 2 to below `tokens`."""
    text = np.array([token for word in words for token in (BEGIN, *word, END)], np.int64)
    lengths = np.array([len(word) + 2 for word in words])
    places = np.arange(len(text)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    levels = [_Level(np.zeros(tokens, np.int64), np.arange(tokens), np.zeros(tokens, np.int64),
                     np.bincount(text, minlength=tokens).astype(float), np.arange(tokens) == BEGIN)]  # fmt: skip
    ending = text  # the n-gram that ends at each place
    for length in range(2, ORDER + 1):
        at = np.nonzero(places >= length - 1)[0]
        kinds, found, times = np.unique(ending[at - 1] * tokens + text[at], return_inverse=True, return_counts=True)
        history, shorter = kinds // tokens, np.zeros(len(kinds), np.int64)
        shorter[found] = ending[at]
        levels.append(_Level(history, kinds % tokens, shorter, times.astype(float), levels[-1].begins[history]))
        ending = np.full(len(text), -1)
        ending[at] = found
    return _tree(levels, *_smoothed(levels))


def _smoothed(levels: Sequence[_Level]) -> tuple[list[Floats], list[Floats]]:
    """Per level, the probability of each n-gram's token, and the share that its continuations leave to shorter ones."""
    chances: list[Floats] = []
    left: list[Floats] = []
    for number, level in enumerate(levels):
        counts = level.counts
        if number + 1 < len(levels):
            # How many different tokens stand before it, but at the start of words, where nothing can.
            before = np.bincount(levels[number + 1].shorter, minlength=len(counts))
            counts = np.where(level.begins, counts, np.maximum(before, 1 if number else 0))
        if not number:
            counts = np.where(level.begins, 0.0, counts)
        taken = np.minimum(_discounts(counts), counts)
        histories = len(levels[number - 1].counts) if number else 1
        total = np.bincount(level.history, weights=counts, minlength=histories)
        share = np.bincount(level.history, weights=taken, minlength=histories) / np.maximum(total, 1e-12)
        lower = chances[-1][level.shorter] if number else np.full(len(counts), 1 / len(counts))
        chances.append((counts - taken) / np.maximum(total, 1e-12)[level.history] + share[level.history] * lower)
        if number:
            left.append(np.where(total > 0, share, 1.0))
    return chances, [*left, np.ones(len(levels[-1].counts))]


def _discounts(counts: Floats) -> Floats:
    """What is taken from each count: more from counts of two and three, as counts of counts say (Chen and Goodman)."""
    times = [max(1, int((counts == times).sum())) for times in range(5)]
    share = times[1] / (times[1] + 2 * times[2])
    by_count = [0.0, *(n - (n + 1) * share * times[n + 1] / times[n] for n in (1, 2, 3))]
    bounded = [min(max(taken, 0.1 if n else 0.0), n * 0.95) for n, taken in enumerate(by_count)]
    return np.take(bounded, np.minimum(counts, 3).astype(np.int64))


def _tree(levels: Sequence[_Level], chances: Sequence[Floats], left: Sequence[Floats]) -> Ngrams:
    starts = np.cumsum([1, *(len(level.counts) for level in levels)]).tolist()
    root = np.zeros(1, np.int64)
    first = [np.array([1])]
    for number, level in enumerate(levels):
        below = levels[number + 1].history if number + 1 < len(levels) else np.zeros(0, np.int64)
        first.append(np.searchsorted(below, np.arange(len(level.counts))) + starts[number + 1])
    children = np.concatenate([*first, [starts[-1]]])
    shorter = np.concatenate(
        [root, *(level.shorter + (starts[number - 1] if number else 0) for number, level in enumerate(levels))]
    )
    shorter[starts[0] : starts[1]] = 0
    state = np.arange(starts[-1])
    for number in range(len(levels)):
        ends = np.arange(starts[number], starts[number + 1])
        ends = ends[children[ends] == children[ends + 1]]
        state[ends] = state[shorter[ends]]
    return Ngrams(
        token=np.concatenate([root, *(level.token for level in levels)]).astype(np.uint16),
        score=_scores(chances),
        fall=_scores(left),
        shorter=shorter.astype(np.int32),
        state=state.astype(np.int32),
        first=children.astype(np.int32),
    )


def _scores(chances: Sequence[Floats]) -> Array:
    logs = np.log(np.maximum(np.concatenate([np.ones(1), *chances]), 1e-30)) * SCALE
    scores: Array = np.clip(np.rint(logs), _LOWEST, 0).astype(np.int16)
    return scores


NAMES = tuple(field.name for field in fields(Ngrams))
