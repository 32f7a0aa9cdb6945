"""The pause between two sentences, and what of it is stored."""

from dataclasses import dataclass
from itertools import product

import pytest

from server.library.model import BlockKind
from server.render.index import FRAME_SAMPLES, PRIMING_SAMPLES, SAMPLE_RATE
from server.render.pauses import LONGEST_S, PAUSES_S, SHORTEST_S, Boundary, boundary, gap_samples
from server.render.timing import LEAD_SAMPLES


@dataclass(frozen=True)
class At:
    block: BlockKind
    block_index: int


@pytest.mark.parametrize(
    ("before", "after", "breaks", "expected"),
    [
        (At("paragraph", 1), At("paragraph", 1), (), "sentence"),
        (At("paragraph", 1), At("paragraph", 2), (), "paragraph"),
        (At("paragraph", 1), At("paragraph", 3), (2,), "scene"),
        (At("paragraph", 1), At("paragraph", 3), (1, 3), "paragraph"),
        (At("heading", 0), At("paragraph", 1), (), "heading"),
        (At("paragraph", 1), At("heading", 2), (), "heading"),
        (At("heading", 0), At("heading", 2), (1,), "scene"),
        (At("verse", 4), At("verse", 5), (), "line"),
        (At("verse", 4), At("paragraph", 5), (), "paragraph"),
        (At("list_item", 4), At("list_item", 5), (), "item"),
        (At("table_row", 4), At("table_row", 5), (), "row"),
        (At("list_item", 4), At("table_row", 5), (), "item"),
        (At("paragraph", 4), At("caption", 5), (), "caption"),
        (At("caption", 4), At("paragraph", 5), (), "caption"),
        (At("paragraph", 4), At("note", 5), (), "caption"),
        (At("note", 4), At("note", 5), (), "caption"),
        (At("paragraph", 9), None, (), "chapter"),
    ],
)
def test_what_lies_between(before: At, after: At | None, breaks: tuple[int, ...], expected: Boundary) -> None:
    assert boundary(before, after, breaks) == expected


def heard_s(gap: int, silence: int) -> float:
    """Sound to sound: the file's own silence, the gap, and how the next file begins."""
    return (silence + gap + PRIMING_SAMPLES + LEAD_SAMPLES) / SAMPLE_RATE


@pytest.mark.parametrize(("kind", "silence"), list(product(PAUSES_S, (1_100, 2_464, 3_400))))
def test_a_pause_sounds_as_long_as_the_table_says(kind: Boundary, silence: int) -> None:
    gap = gap_samples(kind, silence)
    assert gap % FRAME_SAMPLES == 0
    assert heard_s(gap, silence) == pytest.approx(PAUSES_S[kind], abs=FRAME_SAMPLES / SAMPLE_RATE / 2)


@pytest.mark.parametrize(("measured_s", "expected_s"), [(0.4, 0.4), (0.9, 0.9), (5.0, LONGEST_S)])
def test_the_voice_s_own_pause_is_kept_within_reason(measured_s: float, expected_s: float) -> None:
    gap = gap_samples("sentence", 2_000, round(measured_s * SAMPLE_RATE))
    assert heard_s(gap, 2_000) == pytest.approx(expected_s, abs=0.022)


def test_a_pause_shorter_than_the_files_own_silence_adds_nothing() -> None:
    assert gap_samples("sentence", 3_000, 0) == 0
    assert SHORTEST_S > 0


def test_a_measured_pause_says_nothing_about_the_end_of_a_paragraph() -> None:
    assert gap_samples("paragraph", 2_000, 100) == gap_samples("paragraph", 2_000)
