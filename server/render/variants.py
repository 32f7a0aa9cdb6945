"""Other layouts of passes for a sentence: what is tried when the usual one gave something odd (pure).

The model says a sentence otherwise in other company. Which layouts there are, and in which order, follows from the
phonemes of its group alone, so a variant's number says all that is needed to make the same audio again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from server.render.passes import SHORT, HasPhonemes, Pass, Piece, plan, split

_HALVED = 60  # phonemes: a sentence so long may be spoken in two parts


@dataclass(frozen=True, slots=True)
class Variant:
    """Number 1, 2, … of a sentence's layouts; `salt` above 0 is another noise, once the layouts are used up."""

    number: int
    passes: tuple[Pass, ...]
    salt: int


def usual(group: Sequence[HasPhonemes], at: int, first_limit: int | None = None) -> list[Pass]:
    """The pass in which sentence `at` begins, and those that finish the sentences begun in it."""
    # Sentences with nothing to say are in no pass; the others keep their numbers.
    spoken = [i for i, one in enumerate(group) if one.phonemes]
    planned = _numbered(plan([group[i] for i in spoken], [0] * len(spoken), first_limit=first_limit), spoken)
    begin = next(i for i, one in enumerate(planned) if any(piece.sentence == at for piece in one.pieces))
    # A pass that begins in the middle of a sentence needs the passes that hold the rest of it, on both sides.
    while begin > 0 and planned[begin - 1].pieces[-1].sentence == planned[begin].pieces[0].sentence:
        begin -= 1
    end = begin + 1
    while end < len(planned) and planned[end].pieces[0].sentence == planned[end - 1].pieces[-1].sentence:
        end += 1
    return planned[begin:end]


def another(group: Sequence[HasPhonemes], at: int, used: Sequence[Pass], after: int) -> Variant:
    """The first variant of sentence `at` with a number above `after` that is no repetition of `used`."""
    known = _parts(usual(group, at), at)
    layouts = [passes for passes in _layouts(group, at) if _parts(passes, at) != known]
    number = after
    while True:
        number += 1
        if not layouts:  # short, and nobody near: only the noise can be another
            return Variant(number, tuple(usual(group, at)), number)
        salt, which = divmod(number - 1, len(layouts))
        if salt or _parts(layouts[which], at) != _parts(used, at):
            return Variant(number, layouts[which], salt)


def _layouts(group: Sequence[HasPhonemes], at: int) -> list[tuple[Pass, ...]]:
    """Passes that hold all of sentence `at`: alone, with a neighbour, in two parts; no two alike."""
    size = len(group[at].phonemes)
    after = next((i for i in range(at + 1, len(group)) if group[i].phonemes), None)
    before = next((i for i in range(at - 1, -1, -1) if group[i].phonemes), None)
    pairs = [_planned(group, [at, after], at)] if after is not None else []
    pairs += [_planned(group, [before, at], at)] if before is not None else []
    alone = [_planned(group, [at], at)]
    found = pairs + alone if size < SHORT else alone + pairs
    if size >= _HALVED:
        found.append(_halved(group[at].phonemes, at))
    unlike: dict[object, tuple[Pass, ...]] = {}
    for passes in found:
        unlike.setdefault(_parts(passes, at), passes)
    return list(unlike.values())


def _planned(group: Sequence[HasPhonemes], members: Sequence[int], at: int) -> tuple[Pass, ...]:
    made = _numbered(plan([group[i] for i in members], [0] * len(members)), members)
    return tuple(one for one in made if any(piece.sentence == at for piece in one.pieces))


def _halved(phonemes: str, at: int) -> tuple[Pass, ...]:
    half = len(phonemes) // 2
    ranges = split(phonemes, min(half, 200), min(half + half // 2, 330))
    return tuple(Pass(phonemes[start:end], (Piece(at, start, end, 0, end - start),)) for start, end in ranges)


def _numbered(passes: Sequence[Pass], numbers: Sequence[int]) -> list[Pass]:
    return [
        replace(one, pieces=tuple(replace(piece, sentence=numbers[piece.sentence]) for piece in one.pieces))
        for one in passes
    ]


def _parts(passes: Sequence[Pass], at: int) -> tuple[tuple[str, int], ...]:
    """What tells layouts apart: what is said around each part of the sentence, and where in it that is."""
    return tuple((one.phonemes, piece.pass_start) for one in passes for piece in one.pieces if piece.sentence == at)
