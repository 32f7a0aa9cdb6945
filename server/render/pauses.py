"""How long it is silent between two sentences (pure). All of it is data in the index, none of it audio.

A pause is counted from the last sound of one sentence to the first of the next. Each file already ends and begins
with some silence; the gap in the index is what is missing to the pause, in whole access units.
"""

from collections.abc import Collection
from typing import Literal, Protocol

from server.library.model import BlockKind
from server.render.index import FRAME_SAMPLES, PRIMING_SAMPLES, SAMPLE_RATE
from server.render.timing import LEAD_SAMPLES

Boundary = Literal["sentence", "line", "row", "item", "paragraph", "caption", "heading", "scene", "chapter"]

# Seconds from sound to sound. `sentence` is the median of 72 pauses the model made itself (5–95 %: 0.29–0.87);
# the others are measured against it: what stands further apart on the page is further apart in time.
PAUSES_S: dict[Boundary, float] = {
    "sentence": 0.55,
    "line": 0.3,
    "row": 0.5,
    "item": 0.55,
    "paragraph": 0.8,
    "caption": 1.0,
    "heading": 1.2,
    "scene": 2.0,
    "chapter": 2.0,
}
# A pause the model made is kept within these.
SHORTEST_S, LONGEST_S = 0.15, 1.2


class Placed(Protocol):
    """What a sentence's entry in the chapter index says about its block."""

    @property
    def block(self) -> BlockKind: ...
    @property
    def block_index(self) -> int: ...


def boundary(before: Placed, after: Placed | None, breaks: Collection[int] = ()) -> Boundary:
    """What lies between two sentences that follow each other; `after` is None at the end of a chapter.

    `breaks` holds the ordinals of the chapter's scene breaks.
    """
    if after is None:
        return "chapter"
    if before.block_index == after.block_index:
        return "sentence"
    if any(before.block_index < at < after.block_index for at in breaks):
        return "scene"
    kinds = {before.block, after.block}
    if "heading" in kinds:
        return "heading"
    if kinds == {"verse"}:
        return "line"
    if kinds == {"table_row"}:
        return "row"
    if kinds <= {"list_item", "table_row"}:
        return "item"
    if kinds & {"caption", "note"}:
        return "caption"
    return "paragraph"


def gap_samples(kind: Boundary, silence_samples: int, measured_samples: int | None = None) -> int:
    """The gap to store after a sentence: a multiple of `FRAME_SAMPLES`.

    `silence_samples` follow its last sound within its own file. `measured_samples` is the pause the model left when
    it spoke both sentences in one pass; it counts only within a block.
    """
    pause_s = PAUSES_S[kind]
    if kind == "sentence" and measured_samples is not None:
        pause_s = min(max(measured_samples / SAMPLE_RATE, SHORTEST_S), LONGEST_S)
    missing = round(pause_s * SAMPLE_RATE) - silence_samples - PRIMING_SAMPLES - LEAD_SAMPLES
    return max(0, round(missing / FRAME_SAMPLES)) * FRAME_SAMPLES
