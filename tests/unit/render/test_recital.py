"""A text recited with tones for a voice: its sentences in order, with pauses, and words where they sound."""

import io
import itertools

import av
import numpy as np
import pytest

from server.errors import BadRequest
from server.render.index import SAMPLE_RATE
from server.render.passes import SHORT
from server.render.recital import Line, Uttered, passes_of, perform, read
from server.render.soundfile import KINDS, sound_file
from tests.fakes.synth import FakeSynth
from tests.fakes.worker import Letters

TEXT = """The lamp went out. Nobody spoke for a long while.

“Well?” she said at last.

* * *

It was
morning."""


def lines() -> list[Line]:
    return read(TEXT, Letters())


def test_sentences_are_found_in_their_paragraphs() -> None:
    assert [(line.block_index, line.text) for line in lines()] == [
        (0, "The lamp went out."),
        (0, "Nobody spoke for a long while."),
        (1, "“Well?” she said at last."),
        (3, "It was morning."),
    ]


def test_every_sentence_is_in_a_pass_and_nothing_is_lost() -> None:
    passes = passes_of(lines())
    assert all(line.passes for line in lines())
    assert "".join(one.phonemes for one in passes).replace(" ", "") == "".join(
        line.said.phonemes for line in lines()
    ).replace(" ", "")


def test_a_paragraph_too_short_to_sound_well_takes_the_next_along() -> None:
    alone = read("No.\n\nThe lamp went out and nobody spoke for a long while.", Letters())
    assert len(alone[0].said.phonemes) < SHORT
    assert alone[0].passes == alone[1].passes == (0,)


def test_all_of_it_is_heard_in_order_with_pauses() -> None:
    uttered = list(perform(lines(), FakeSynth(), "af_heart"))
    assert [one.line for one in uttered] == [0, 1, 2, 3]
    for one in uttered:
        assert len(one.words) == len(lines()[one.line].said.words)
        assert all(0 <= start < end <= len(one.audio) for start, end in one.words)
        assert all(a[1] <= b[0] for a, b in itertools.pairwise(one.words))
        loud = np.flatnonzero(np.abs(one.audio) > 0.01)
        assert abs(loud[0] - one.words[0][0]) < SAMPLE_RATE / 25 and loud[-1] <= one.words[-1][1] + SAMPLE_RATE / 25
    sentence, paragraph, scene = (_pause(uttered, at) for at in range(3))
    assert sentence < paragraph < scene


def _pause(uttered: list[Uttered], at: int) -> int:
    return len(uttered[at].audio) - uttered[at].words[-1][1] + uttered[at + 1].words[0][0]


def test_a_sentence_too_long_for_a_pass_is_whole() -> None:
    long = read("and then " * 90 + "they slept.", Letters())
    assert len(long) == 1 and len(long[0].passes) > 1
    (one,) = perform(long, FakeSynth(), "af_heart")
    assert len(one.words) == 182


def test_nothing_to_say_makes_no_sound() -> None:
    silent = read("* * *\n\n—", Letters())
    assert list(perform(silent, FakeSynth(), "af_heart")) == []
    assert read("  \n ", Letters()) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_sound_file_holds_the_sound(kind: str) -> None:
    audio = (0.5 * np.sin(np.arange(SAMPLE_RATE) * 2 * np.pi * 440 / SAMPLE_RATE)).astype(np.float32)
    with av.open(io.BytesIO(sound_file(audio, kind.upper(), 48_000)), "r") as file:
        blocks = [frame.to_ndarray().reshape(-1) for frame in file.decode(audio=0)]
    heard = np.concatenate(blocks).astype(np.float64)
    heard /= 32_767 if np.abs(heard).max() > 2 else 1
    assert len(audio) <= len(heard) < len(audio) + 3 * 1_024
    inner = slice(4_000, len(audio) - 4_000)
    assert np.sqrt(np.mean(heard[inner] ** 2)) == pytest.approx(0.5 / np.sqrt(2), rel=0.06)  # LAME keeps 5 % free


def test_a_sound_file_of_another_kind_is_refused_by_name() -> None:
    with pytest.raises(BadRequest, match=r"\.doc is no kind of sound file; use \.wav, \.m4a, \.mp3, \.flac\."):
        sound_file(np.zeros(10, np.float32), ".doc", 48_000)
