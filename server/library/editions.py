"""Two editions of one book held against each other: what both say, and which sentence of one is which of the other.

Pure. A sentence is known by its text alone (the digits of its id before the hyphen), so that a chapter that was
moved, cut in two or renamed keeps all that is in it.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

# Shares of the text read aloud: of one that has the name of the other, and of one that has no more than its title.
SHARED_BY_NAME = 0.5
SHARED_BY_TITLE = 0.8
LEAST = 10  # sentences: a few lines prove nothing, since templates and leaflets share them


class Spot(NamedTuple):
    """A sentence by where it stands."""

    chapter: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence of an edition: what it says, whether it is a heading (which is spoken otherwise), where it stands."""

    spot: Spot
    heading: bool = False

    @property
    def key(self) -> tuple[str, bool]:
        """Equal for sentences that sound the same."""
        return self.spot.sentence.rpartition("-")[0], self.heading


def is_edition(old: Sequence[Line], new: Sequence[Line], *, by_name: bool, least: int = LEAST) -> bool:
    """Whether `new` is another edition of `old`, both the sentences that are read aloud.

    `by_name`: the two call themselves by the same identifier, or one took the other's place as a file. Then half of
    the old text in the new one is enough, so that a whole book may follow its sample; but never the other way round.
    Else both must be nearly the same. Either way they share `least` sentences.
    """
    before, after = Counter(line.key[0] for line in old), Counter(line.key[0] for line in new)
    shared = sum((before & after).values())
    if shared < max(least, 1):
        return False
    if by_name:
        return shared >= SHARED_BY_NAME * len(old)
    return shared >= SHARED_BY_TITLE * max(len(old), len(new))


def pair(old: Sequence[Line], new: Sequence[Line]) -> dict[Spot, Spot]:
    """New sentence → the old one that says the same, each used once.

    Where a text ("Yes.") comes more often in one of them, those with the same neighbour belong together first.
    """
    ours: defaultdict[tuple[str, bool], list[int]] = defaultdict(list)
    theirs: defaultdict[tuple[str, bool], list[int]] = defaultdict(list)
    for at, line in enumerate(old):
        ours[line.key].append(at)
    for at, line in enumerate(new):
        theirs[line.key].append(at)
    found: dict[int, int] = {}
    for key, there in theirs.items():
        here = ours.get(key, [])
        if len(here) == len(there):
            found.update(zip(there, here, strict=True))
        else:
            found.update(_by_neighbours(old, new, here, there))
    return {new[after].spot: old[before].spot for after, before in sorted(found.items())}


def _by_neighbours(old: Sequence[Line], new: Sequence[Line], here: list[int], there: list[int]) -> dict[int, int]:
    """Occurrences of one text in the new edition → in the old: by what stands before, after, then by order."""
    left, wanted, found = list(here), list(there), dict[int, int]()
    for step in (-1, 1):
        waiting: defaultdict[tuple[str, bool] | None, list[int]] = defaultdict(list)
        for at in reversed(left):
            waiting[_neighbour(old, at + step)].append(at)
        for at in wanted:
            known = waiting.get(_neighbour(new, at + step))
            if known:
                found[at] = known.pop()
        taken = set(found.values())
        left = [at for at in left if at not in taken]
        wanted = [at for at in wanted if at not in found]
    found.update(zip(wanted, left, strict=False))
    return found


def _neighbour(lines: Sequence[Line], at: int) -> tuple[str, bool] | None:
    return lines[at].key if 0 <= at < len(lines) else None


def find_place(old: Sequence[Line], new: Sequence[Line], kept: Mapping[Spot, Spot], place: Spot) -> Spot | None:
    """Where a place of the old edition is in the new one; None where that is empty.

    `kept` is what `pair` gives. A sentence that was changed is found by the one before it: what follows that now is
    what it became.
    """
    if not new:
        return None
    now = {before: after for after, before in kept.items()}
    if place in now:
        return now[place]
    order = {line.spot: at for at, line in enumerate(new)}
    at = next((i for i, line in enumerate(old) if line.spot == place), len(old))
    for before in range(at - 1, -1, -1):
        if (spot := now.get(old[before].spot)) is not None:
            return new[min(order[spot] + 1, len(new) - 1)].spot
    return next((now[line.spot] for line in old[at + 1 :] if line.spot in now), new[0].spot)
