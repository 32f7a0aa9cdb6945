"""Plans passes: which stretches of phonemes the model renders in one go.

Sentences of one block are packed together, because the model is at its best between 80 and 330 phonemes and weak below
twenty; a sentence too long for one pass is cut at its clauses. A pass never crosses a block, and nothing is dropped.
"""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

# Below this many phonemes the model repeats, adds noise or mishears: such a sentence wants company.
SHORT = 25
_CONJUNCTION = re.compile(
    r" (?=(?:ænd|and|bˌʌt|bʌt|bət|ɔɹ|ɔː|wˌɛn|wˌɪʧ|wˌɪlst|wˌIl|fɔɹ|fɔː|ðˌæt|ðat|ðæt|bɪkˈʌz|bəkˈʌz) )"
)
# What it costs to cut after a mark, in the same unit as the squared share by which a part misses its target.
_COSTS = {".": 0.0, "!": 0.0, "?": 0.0, "…": 0.0, ";": 0.02, ":": 0.04, "—": 0.05, ",": 0.12, ")": 0.15, "”": 0.1}
_AT_CONJUNCTION = 0.35
_AT_WORD = 1.2
_ANYWHERE = 6.0


class HasPhonemes(Protocol):
    """All that is asked of a sentence here."""

    @property
    def phonemes(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Piece:
    """Phonemes [ph_start, ph_end) of a sentence, found at [pass_start, pass_end) of the pass."""

    sentence: int
    ph_start: int
    ph_end: int
    pass_start: int
    pass_end: int


@dataclass(frozen=True, slots=True)
class Pass:
    """One call of the model: at most `hard_limit` phonemes, pieces in order with one space between two of them."""

    phonemes: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    sentence: int
    start: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.start


def plan(
    sentences: Sequence[HasPhonemes],
    blocks: Sequence[int],
    *,
    first_limit: int | None = None,
    target: int = 220,
    limit: int = 330,
    hard_limit: int = 400,
) -> list[Pass]:
    """Passes in reading order for `sentences`, of which `blocks[i]` is the block of the i-th.

    Silent sentences are in no pass. `first_limit` keeps the first pass short, so that sound comes soon.
    """
    passes: list[Pass] = []
    for members in _by_block(sentences, blocks):
        parts = _parts(sentences, members, target, limit, hard_limit)
        head = _head(parts, first_limit, limit) if first_limit is not None and not passes else 0
        groups: list[Sequence[_Part]] = [parts[:head]] if head else []
        groups += _pack(parts[head:], target, limit, hard_limit)
        passes += [_pass(sentences, group) for group in groups]
    _check(sentences, passes, hard_limit)
    return passes


def _by_block(sentences: Sequence[HasPhonemes], blocks: Sequence[int]) -> list[list[int]]:
    grouped: list[list[int]] = []
    last: int | None = None
    for i, (sentence, block) in enumerate(zip(sentences, blocks, strict=True)):
        if not sentence.phonemes:
            continue
        if block != last:
            grouped.append([])
            last = block
        grouped[-1].append(i)
    return grouped


def _parts(
    sentences: Sequence[HasPhonemes], members: Sequence[int], target: int, limit: int, hard_limit: int
) -> list[_Part]:
    """The sentences whole, but for those too long for a pass, or too long for a short neighbour to join."""
    sizes = [len(sentences[i].phonemes) for i in members]
    lonely = set()
    for at, size in enumerate(sizes):
        near = [n for n in (at + 1, at - 1) if 0 <= n < len(sizes)]
        if size < SHORT and near and all(sizes[n] + 1 + size > hard_limit for n in near):
            lonely.add(near[0])
    parts: list[_Part] = []
    for at, i in enumerate(members):
        if sizes[at] <= hard_limit and at not in lonely:
            parts.append(_Part(i, 0, sizes[at]))
        else:
            parts += [_Part(i, start, end) for start, end in split(sentences[i].phonemes, target, limit)]
    return parts


def _cuts(phonemes: str) -> dict[int, float]:
    """Where a part may begin, and what it costs to begin it there."""
    costs: dict[int, float] = {}
    words = {match.start() + 1 for match in _CONJUNCTION.finditer(phonemes)}
    for at, char in enumerate(phonemes):
        if char != " " or not 0 < at < len(phonemes) - 1:
            continue
        start = at + 1
        cost = _COSTS.get(phonemes[at - 1])
        if cost is None:
            cost = _AT_CONJUNCTION if start in words else _AT_WORD
        elif phonemes[at - 1] == "”" and at > 1 and phonemes[at - 2] in ".!?…":
            cost = 0.0
        costs[start] = cost
    return costs


def split(phonemes: str, target: int, limit: int) -> list[tuple[int, int]]:
    """Ranges of at most `limit` phonemes that together hold all of them but the spaces between two ranges."""
    cuts = _cuts(phonemes)
    starts = [0, *sorted(cuts), len(phonemes)]
    # A stretch with no space in it is nothing a mouth says, but it must not end the render.
    for at, after in itertools.pairwise(starts):
        for forced in range(at + limit, after, limit):
            cuts[forced] = _ANYWHERE
    starts = [0, *sorted(cuts), len(phonemes)]
    best: list[tuple[float, int]] = [(0.0, 0)]
    for j in range(1, len(starts)):
        options = []
        for i in range(j - 1, -1, -1):
            size = starts[j] - starts[i]
            if size > limit + 1:
                break
            options.append((best[i][0] + _miss(size, target) + cuts.get(starts[j], 0.0), i))
        best.append(min(options))
    ranges: list[tuple[int, int]] = []
    j = len(starts) - 1
    while j:
        i = best[j][1]
        end = starts[j]
        ranges.append((starts[i], end - 1 if j < len(starts) - 1 and phonemes[end - 1] == " " else end))
        j = i
    return ranges[::-1]


def _miss(size: int, target: int) -> float:
    return ((size - target) / target) ** 2


def _head(parts: Sequence[_Part], first_limit: int, limit: int) -> int:
    """How many parts the first pass takes: as few phonemes as make good speech."""
    size = parts[0].size
    count = 1
    while count < len(parts):
        longer = size + 1 + parts[count].size
        short = size < SHORT or (parts[count].size < SHORT and count == len(parts) - 1)
        if longer > (limit if short else first_limit):
            break
        size, count = longer, count + 1
    return count


def _pack(parts: Sequence[_Part], target: int, limit: int, hard_limit: int) -> list[Sequence[_Part]]:
    """The grouping of neighbours with the least total cost: near the target, under the limit, no short one alone."""
    best: list[tuple[float, int]] = [(0.0, 0)]
    for j in range(1, len(parts) + 1):
        options = []
        size = -1
        for i in range(j - 1, -1, -1):
            size += parts[i].size + 1
            if size > hard_limit and i < j - 1:
                break
            cost = _miss(size, target) + 0.05
            if size < SHORT:
                cost += 20
            if size > limit and i < j - 1:
                cost += 2 + (size - limit) / limit
            options.append((best[i][0] + cost, i))
        best.append(min(options))
    groups: list[Sequence[_Part]] = []
    j = len(parts)
    while j:
        i = best[j][1]
        groups.append(parts[i:j])
        j = i
    return groups[::-1]


def _pass(sentences: Sequence[HasPhonemes], parts: Sequence[_Part]) -> Pass:
    pieces: list[Piece] = []
    texts: list[str] = []
    at = 0
    for part in parts:
        texts.append(sentences[part.sentence].phonemes[part.start : part.end])
        pieces.append(Piece(part.sentence, part.start, part.end, at, at + part.size))
        at += part.size + 1
    return Pass(" ".join(texts), tuple(pieces))


def _check(sentences: Sequence[HasPhonemes], passes: Sequence[Pass], hard_limit: int) -> None:
    """Refuses a plan that loses, repeats or moves a single phoneme."""
    wanted = "".join(sentence.phonemes for sentence in sentences).replace(" ", "")
    planned = "".join(one.phonemes for one in passes).replace(" ", "")
    if wanted != planned:
        raise AssertionError("the passes do not hold the phonemes of their sentences")
    if any(len(one.phonemes) > hard_limit for one in passes):
        raise AssertionError(f"a pass is longer than {hard_limit} phonemes")
