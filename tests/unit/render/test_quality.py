"""A good sentence is found good, and faults put into it by hand are found."""

import json
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from server.render.engine import Take, kokoro_engine
from server.render.g2p import G2P
from server.render.levels import LEVELS_DB, level_db
from server.render.passes import Pass, Piece
from server.render.pronounce.words import Phonemes
from server.render.quality import judge
from server.render.synth import KokoroSynth
from server.render.takes import seed_of
from server.render.timing import Part, WordSpan, cut_points, part
from server.render.voices import VOICES
from server.setup import check_models
from tests.fakes.synth import FakeSynth

VOICE = "af_heart"
TEXT = "The rain came over the hill, and nobody on the harbour wall moved before the evening."
SECOND = 24_000


class Spoken(NamedTuple):
    said: Phonemes
    take: Take

    def part(self, take: Take | None = None) -> Part:
        """Cut out of its pass, as the renderer does it."""
        take, size = take or self.take, len(self.said.phonemes)
        one = Pass(self.said.phonemes, (Piece(0, 0, size, 0, size),))
        cut = cut_points(take.audio, take.pred_dur, one.phonemes, one.pieces)[0]
        return part(take.audio, take.pred_dur, one.phonemes, cut, one.pieces[0], self.said.words)

    def found(self, heard: Part) -> tuple[str, ...]:
        return judge(heard, self.said, level_db(VOICE)).findings

    def span(self, heard: Part, word: str) -> WordSpan:
        at = TEXT.index(word)
        return next(span for span in heard.words if self.said.words[span.word].char_start == at)


@pytest.fixture(scope="module")
def spoken(models: Path) -> Spoken:
    said = G2P(british=False).sentences([TEXT], [False])[0]
    synth = KokoroSynth(models, kokoro_engine(check_models(models).weights_sha256), threads=1)
    seed = seed_of(said.phonemes, VOICE)
    return Spoken(said, synth.render(said.phonemes, VOICE, speed=1.0, seed=seed, stop=lambda: False))


@pytest.fixture
def good(spoken: Spoken) -> Part:
    return spoken.part()


def put_in(heard: Part, at: int, sound: np.ndarray, *, into: int | None = None) -> Part:
    """`sound` put into the audio at a sample; what comes later moves along, and word `into` grows by it."""
    shift = len(sound)
    words = tuple(
        replace(
            span,
            start=span.start + shift * (span.start >= at),
            end=span.end + shift * (span.end > at or span.word == into),
        )
        for span in heard.words
    )
    return replace(heard, audio=np.concatenate([heard.audio[:at], sound, heard.audio[at:]]), words=words)


def half(heard: Part) -> np.ndarray:
    return heard.audio * np.float32(0.5)


def hiss(seconds: float) -> np.ndarray:
    made: np.ndarray = (0.08 * np.random.default_rng(3).standard_normal(int(seconds * SECOND))).astype(np.float32)
    return made


@pytest.mark.speech
class TestFaults:
    def test_a_good_sentence_is_good(self, spoken: Spoken, good: Part) -> None:
        assert spoken.found(good) == ()

    @pytest.mark.parametrize("words", ["nobody", "harbour wall", "before the evening"])
    def test_words_said_twice(self, spoken: Spoken, good: Part, words: str) -> None:
        first, last = (spoken.span(good, word) for word in (words.split()[0], words.split()[-1]))
        twice = put_in(good, last.end, good.audio[first.start : last.end], into=last.word)
        assert "repeated" in spoken.found(twice)

    def test_the_whole_said_twice(self, spoken: Spoken, good: Part) -> None:
        last = good.words[-1]
        assert "long word" in spoken.found(put_in(good, last.end, good.audio, into=last.word))

    def test_sound_after_the_last_word(self, spoken: Spoken) -> None:
        frames = 24
        tail = np.random.default_rng(1).standard_normal(frames * 600).astype(np.float32) * 0.08
        durations = (*spoken.take.pred_dur[:-1], spoken.take.pred_dur[-1] + frames)
        assert "runs on" in spoken.found(spoken.part(Take(np.concatenate([spoken.take.audio, tail]), durations)))

    def test_an_end_that_is_missing(self, spoken: Spoken, good: Part) -> None:
        at = spoken.span(good, "evening").start
        silent = good.audio.copy()
        silent[at:] = 0
        assert {"faint word", "silent end"} <= set(spoken.found(replace(good, audio=silent)))
        assert "timings" in spoken.found(replace(good, audio=good.audio[:at]))

    def test_a_word_that_nobody_hears(self, spoken: Spoken, good: Part) -> None:
        span = spoken.span(good, "nobody")
        silent = good.audio.copy()
        silent[span.start : span.end] *= 0.02
        assert "faint word" in spoken.found(replace(good, audio=silent))

    def test_a_long_silence(self, spoken: Spoken, good: Part) -> None:
        at = spoken.span(good, "and").start
        assert "long pause" in spoken.found(put_in(good, at, np.zeros(int(1.3 * SECOND), np.float32)))
        assert "silent start" in spoken.found(put_in(good, 0, np.zeros(SECOND // 2, np.float32)))
        end = np.concatenate([good.audio, np.zeros(SECOND // 2, np.float32)])
        assert "silent end" in spoken.found(replace(good, audio=end))

    def test_sound_that_belongs_to_no_word(self, spoken: Spoken, good: Part) -> None:
        at = spoken.span(good, "and").start
        assert "stray sound" in spoken.found(put_in(good, at, hiss(0.4)))

    def test_a_level_that_is_not_the_voices(self, spoken: Spoken, good: Part) -> None:
        assert spoken.found(replace(good, audio=half(good))) == ("too soft",)
        assert "too loud" in spoken.found(replace(good, audio=np.clip(good.audio * 2.5, -0.99, 0.99)))
        assert judge(replace(good, audio=half(good)), spoken.said).findings == ()  # of a voice nobody has measured

    def test_words_that_do_not_follow_each_other(self, spoken: Spoken, good: Part) -> None:
        swapped = (good.words[1], good.words[0], *good.words[2:])
        assert "timings" in spoken.found(replace(good, words=swapped))

    def test_the_worse_weighs_more(self, spoken: Spoken, good: Part) -> None:
        at = spoken.span(good, "and").start
        weights = [
            judge(put_in(good, at, np.zeros(int(seconds * SECOND), np.float32)), spoken.said).weight
            for seconds in (0.1, 1.3, 3.0)
        ]
        assert weights == sorted(set(weights)) and weights[0] == 0


def test_a_mark_alone_and_nothing_at_all_are_judged_too() -> None:
    silence = Part(np.zeros(4_800, np.float32), (), 0, None)
    assert judge(silence, Phonemes("…", ()), -24.0).findings == ("quiet",)
    assert judge(silence, Phonemes("", ()), -24.0).findings == ("quiet",)


def test_tones_that_stand_for_a_voice_are_good() -> None:
    said = Phonemes("tones stand in.", ())
    take = FakeSynth().render(said.phonemes, VOICE, speed=1, seed=0, stop=lambda: False)
    assert judge(Spoken(said, take).part(), said).findings == ()


def test_the_levels_and_limits_are_those_that_were_measured() -> None:
    told = json.loads((Path(__file__).resolve().parents[3] / "benchmarks" / "results" / "quality.json").read_text())
    english = {voice.id for voice in VOICES if voice.english}
    assert english <= LEVELS_DB.keys()
    assert {voice: told["level_db"][voice] for voice in english} == {voice: LEVELS_DB[voice] for voice in english}
    assert told["sentences"] >= 200 and len(told["odd"]) <= told["sentences"] / 100
