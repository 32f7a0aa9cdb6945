"""Passes are cut in the silence, and every word has its place."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from server.errors import RenderError
from server.render.onsets import UNIT_SAMPLES, heard_at
from server.render.timing import (
    EARLY_SAMPLES,
    JOIN_PAUSE_SAMPLES,
    LEAD_SAMPLES,
    TAIL_SAMPLES,
    Part,
    WordSpan,
    cut_points,
    join_pieces,
    part,
    symbol_starts,
    word_spans,
)


@dataclass(frozen=True)
class Piece:
    ph_start: int
    ph_end: int
    pass_start: int
    pass_end: int


@dataclass(frozen=True)
class Word:
    ph_start: int
    ph_end: int


LETTERS = "ɑbdəfhijkl"


def durations(phonemes: str, *, mark: int = 16, space: int = 3, letter: int = 3) -> list[int]:
    """Frames per input id: long leading and final ids, long marks, as the model gives them."""
    frames = {" ": space, ".": mark, ",": mark // 2, "”": 2}
    return [14, *(frames.get(symbol, letter) for symbol in phonemes), 2]


def speak(phonemes: str, pred_dur: Sequence[int], *, early: int = -EARLY_SAMPLES) -> NDArray[np.float32]:
    """A tone wherever a letter is due, `early` samples before its nominal time; faint noise elsewhere."""
    starts = symbol_starts(pred_dur)
    random = np.random.default_rng(len(phonemes))
    audio = random.standard_normal(UNIT_SAMPLES * sum(pred_dur)) * 10 ** (-85 / 20)
    tone = 0.4 * np.sin(np.arange(len(audio)) * 0.05) + 0.02
    for at, symbol in enumerate(phonemes):
        if symbol in LETTERS:
            span = slice(max(0, starts[at] - early), max(0, starts[at + 1] - early))
            audio[span] = tone[span]
    return audio.astype(np.float32)


def pieces_of(phonemes: str, sentences: Sequence[str]) -> list[Piece]:
    """One piece for each of `sentences`, which make `phonemes` with a space between."""
    pieces, at = [], 0
    for one in sentences:
        pieces.append(Piece(0, len(one), at, at + len(one)))
        at += len(one) + 1
    assert at - 1 == len(phonemes)
    return pieces


def words_of(sentence: str) -> list[Word]:
    words, at = [], 0
    for run in sentence.split(" "):
        letters = run.rstrip(".,”")
        words.append(Word(at, at + len(letters)))
        at += len(run) + 1
    return words


SENTENCES = ("hɑj dəl kɑf.", "bə lik.”", "fid hɑ, kəlb dɑ.")
PASS = " ".join(SENTENCES)


def test_symbols_start_after_the_leading_id() -> None:
    assert symbol_starts([14, 3, 5, 2]) == [14 * 600, 17 * 600, 22 * 600]


def test_each_sentence_is_cut_out_whole_and_with_nothing_of_the_others() -> None:
    pred_dur = durations(PASS)
    audio = speak(PASS, pred_dur)
    starts = symbol_starts(pred_dur)
    for sentence, piece, cut in zip(
        SENTENCES,
        pieces_of(PASS, SENTENCES),
        cut_points(audio, pred_dur, PASS, pieces_of(PASS, SENTENCES)),
        strict=True,
    ):
        first = starts[piece.pass_start] + EARLY_SAMPLES  # where `speak` has it
        last = starts[piece.pass_start + len(sentence.rstrip(".”"))] + EARLY_SAMPLES
        told = heard_at(PASS, starts, piece.pass_start) + LEAD_SAMPLES
        assert abs(cut.sound_start - min(first, told)) <= 120 and abs(cut.sound_end - last) <= 120
        assert cut.start == cut.sound_start - LEAD_SAMPLES
        assert cut.end == cut.sound_end + TAIL_SAMPLES


def test_the_cut_is_in_the_silence_though_speech_is_early() -> None:
    pred_dur = durations(PASS, mark=5, space=1)  # 150 ms in all, of which the next sentence takes 120
    audio = speak(PASS, pred_dur, early=2_880)
    cuts = cut_points(audio, pred_dur, PASS, pieces_of(PASS, SENTENCES))
    for before, after in itertools.pairwise(cuts):
        assert before.end <= after.start
        assert np.abs(audio[before.sound_end : after.sound_start]).max() < 0.001


def test_the_pause_is_from_sound_to_sound() -> None:
    pred_dur = durations(PASS)
    cuts = cut_points(speak(PASS, pred_dur), pred_dur, PASS, pieces_of(PASS, SENTENCES))
    # The next sentence begins with a fricative, so no later than 1.2 frames before `speak` has it, less the lead.
    assert cuts[0].pause_samples == pytest.approx((16 + 3) * UNIT_SAMPLES, abs=240)
    assert cuts[1].pause_samples == pytest.approx((16 + 2 + 3 - 0.2) * UNIT_SAMPLES, abs=240)
    assert cuts[2].pause_samples is None


def test_a_soft_beginning_and_a_soft_end_are_kept() -> None:
    pred_dur = durations(PASS)
    audio = speak(PASS, pred_dur)
    starts = symbol_starts(pred_dur)
    piece = pieces_of(PASS, SENTENCES)[1]
    first = slice(starts[piece.pass_start] - 1_500, starts[piece.pass_start + 1])
    last = slice(starts[piece.pass_start + 5] - 1_500, starts[piece.pass_start + 6])
    audio[first] *= 0.001
    audio[last] *= 0.001
    cut = cut_points(audio, pred_dur, PASS, pieces_of(PASS, SENTENCES))[1]
    assert cut.start <= heard_at(PASS, starts, piece.pass_start)
    assert cut.end >= starts[piece.pass_start + 5] + EARLY_SAMPLES


def test_pieces_parted_within_a_phrase_are_parted_between_its_words() -> None:
    sentences = ("hɑj dəl", "kɑf bə.")
    whole = " ".join(sentences)
    pred_dur = durations(whole, space=2)
    audio = speak(whole, pred_dur)
    before, after = cut_points(audio, pred_dur, whole, pieces_of(whole, sentences))
    assert before.end <= after.start
    assert np.abs(audio[before.end - 100 : after.start + 100]).max() < 0.001


def test_silence_gives_short_cuts_in_order() -> None:
    pred_dur = durations(PASS)
    cuts = cut_points(np.zeros(600 * sum(pred_dur), np.float32), pred_dur, PASS, pieces_of(PASS, SENTENCES))
    assert all(cut.start < cut.end for cut in cuts)
    assert all(a.end <= b.start for a, b in itertools.pairwise(cuts))


@pytest.mark.parametrize("wrong", [-1, 1])
def test_durations_of_another_pass_are_refused(wrong: int) -> None:
    pred_dur = durations(PASS)
    with pytest.raises(RenderError, match="durations"):
        cut_points(speak(PASS, pred_dur), pred_dur, PASS[:wrong] if wrong < 0 else PASS + "ɑ", [])
    with pytest.raises(RenderError, match="samples"):
        cut_points(speak(PASS, pred_dur)[:-1], pred_dur, PASS, pieces_of(PASS, SENTENCES))


def test_words_start_where_they_are_heard_and_last_until_the_next() -> None:
    pred_dur = durations(PASS)
    starts = symbol_starts(pred_dur)
    for sentence, piece, cut in zip(
        SENTENCES,
        pieces_of(PASS, SENTENCES),
        cut_points(speak(PASS, pred_dur), pred_dur, PASS, pieces_of(PASS, SENTENCES)),
        strict=True,
    ):
        words = words_of(sentence)
        spans = word_spans(pred_dur, PASS, cut, piece, words)
        assert [span.word for span in spans] == list(range(len(words)))
        assert spans[0].start + cut.start == cut.loud_start  # the first is where the level says, so near it is
        for span, word in zip(spans[1:], words[1:], strict=True):
            assert span.start + cut.start == heard_at(PASS, starts, piece.pass_start + word.ph_start)
        for (word, span), (_, after) in itertools.pairwise(zip(words, spans, strict=True)):
            marked = sentence[word.ph_end] == ","
            until = starts[piece.pass_start + word.ph_end] - 1_200 - cut.start if marked else after.start
            assert span.end == until
        assert spans[-1].end + cut.start == cut.sound_end


@pytest.mark.parametrize("early", [-1, 1])
def test_a_breath_is_not_the_first_word_and_a_soft_beginning_not_the_second(early: int) -> None:
    phonemes = "dəl kɑf."
    pred_dur = durations(phonemes)
    starts = symbol_starts(pred_dur)
    audio = speak(phonemes, pred_dur)
    if early > 0:
        audio[starts[0] - 6_000 : starts[0] - 3_000] = 0.05
    else:
        audio[: starts[1]] = 0
    piece = Piece(0, len(phonemes), 0, len(phonemes))
    (cut,) = cut_points(audio, pred_dur, phonemes, [piece])
    spans = word_spans(pred_dur, phonemes, cut, piece, [Word(0, 3), Word(4, 7)])
    assert abs(cut.loud_start - starts[0]) > 1_000
    assert spans[0].start + cut.start == heard_at(phonemes, starts, 0)


def test_a_word_that_is_not_spoken_has_an_empty_span_at_its_place() -> None:
    phonemes = "hɑj dəl."
    pred_dur = durations(phonemes)
    piece = Piece(0, len(phonemes), 0, len(phonemes))
    (cut,) = cut_points(speak(phonemes, pred_dur), pred_dur, phonemes, [piece])
    words = [Word(0, 0), Word(0, 3), Word(3, 3), Word(4, 7), Word(7, 7), Word(8, 8)]
    spans = word_spans(pred_dur, phonemes, cut, piece, words)
    assert [span.word for span in spans] == list(range(6))
    for silent in (0, 2, 4, 5):
        assert spans[silent].start == spans[silent].end
    assert spans[0].start <= spans[1].start and spans[2].start == spans[1].end and spans[4].start == spans[3].end


@pytest.mark.parametrize("seam", [Piece(4, 9, 4, 9), Piece(5, 9, 5, 9)], ids=["with its space", "without"])
def test_a_silent_word_at_a_seam_is_there_once(seam: Piece) -> None:
    phonemes = "hɑj, dəl."
    pred_dur = durations(phonemes)
    audio = speak(phonemes, pred_dur)
    pieces = [Piece(0, 4, 0, 4), seam]
    words = [Word(0, 3), Word(4, 4), Word(5, 5), Word(5, 8), Word(9, 9)]
    cuts = cut_points(audio, pred_dur, phonemes, pieces)
    parts = [part(audio, pred_dur, phonemes, cut, piece, words) for cut, piece in zip(cuts, pieces, strict=True)]
    joined = join_pieces(parts).words
    assert [span.word for span in joined] == [0, 1, 2, 3, 4]
    assert all(a.end <= b.start for a, b in itertools.pairwise(joined))


def test_parts_from_different_passes_are_joined_with_a_short_pause() -> None:
    first = Part(np.full(5_000, 0.5, np.float32), (WordSpan(0, 10, 900), WordSpan(1, 900, 4_000)), 700, None)
    second = Part(np.full(3_000, 0.5, np.float32), (WordSpan(2, 100, 2_000),), 800, 9_000)
    whole = join_pieces([first, second])
    silence = JOIN_PAUSE_SAMPLES - 700 - LEAD_SAMPLES
    assert len(whole.audio) == 8_000 + silence
    assert whole.words == (WordSpan(0, 10, 900), WordSpan(1, 900, 4_000), WordSpan(2, 5_100 + silence, 7_000 + silence))
    assert (whole.tail_samples, whole.pause_samples) == (800, 9_000)
    assert not whole.audio[5_000 : 5_000 + silence].any()
    assert abs(np.diff(whole.audio)).max() < 0.01  # no click at the seam


def test_parts_cut_from_one_pass_keep_the_pause_they_had() -> None:
    first = Part(np.ones(5_000, np.float32), (), 700, 4_000)
    whole = join_pieces([first, Part(np.ones(3_000, np.float32), (), 0, None)])
    assert len(whole.audio) == 8_000 + 4_000 - 700 - LEAD_SAMPLES


def test_a_word_over_a_seam_has_one_span() -> None:
    first = Part(np.ones(5_000, np.float32), (WordSpan(0, 10, 4_900),), 0, None)
    second = Part(np.ones(3_000, np.float32), (WordSpan(0, 0, 2_000), WordSpan(1, 2_000, 2_500)), 0, None)
    words = join_pieces([first, second]).words
    assert [span.word for span in words] == [0, 1]
    assert words[0].start == 10 and words[0].end == words[1].start


def test_one_part_stays_as_it_is() -> None:
    only = Part(np.ones(500, np.float32), (WordSpan(0, 0, 5),), 3, None)
    assert join_pieces([only]) is only


sentence = st.lists(st.text(LETTERS, min_size=1, max_size=5), min_size=1, max_size=5).map(lambda w: " ".join(w) + ".")


@settings(max_examples=60, deadline=None)
@given(st.lists(sentence, min_size=1, max_size=4), st.data())
def test_whatever_the_durations_no_word_is_lost_or_out_of_order(sentences: list[str], data: st.DataObject) -> None:
    phonemes = " ".join(sentences)
    count = len(phonemes) + 2
    pred_dur = data.draw(st.lists(st.integers(1, 20), min_size=count, max_size=count))
    audio = speak(phonemes, pred_dur, early=data.draw(st.integers(0, 3_000)))
    pieces = pieces_of(phonemes, sentences)
    cuts = cut_points(audio, pred_dur, phonemes, pieces)
    end = 0
    for sentence, piece, cut in zip(sentences, pieces, cuts, strict=True):
        assert end <= cut.start < cut.end <= len(audio)
        end = cut.end
        words = words_of(sentence)
        one = part(audio, pred_dur, phonemes, cut, piece, words)
        assert len(one.audio) == cut.end - cut.start and one.tail_samples >= 0
        assert [span.word for span in one.words] == list(range(len(words)))
        at = 0
        for span in one.words:
            assert at <= span.start <= span.end <= len(one.audio)
            at = span.end
