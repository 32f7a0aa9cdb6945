"""Word spans are right by construction: real text, front end and passes, durations of our own choosing.

The expected times are counted here, frame by frame, from the durations alone.
"""

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from server.render.g2p import G2P
from server.render.onsets import heard_at
from server.render.passes import Pass, Piece, plan
from server.render.pronounce.vocabulary import PUNCTUATION
from server.render.pronounce.words import Phonemes, units
from server.render.timing import SHORTEST_WORD_SAMPLES, SNAP_SAMPLES, Cut, Part, cut_points, join_pieces, part

FRAME = 600  # samples of a frame, by the model's making and not by the code under test

KINDS = {
    "plain": "The ferry left at seven, and nobody waved.",
    "dropped characters": "The ☃ sign § said † “no entry” ¶ today ©.",
    "punctuation everywhere": "— “Well… (perhaps),” he said; ‘no!’ — and, [finally]: gone?!",
    "quotes and brackets": "‘“Stop,” (he [the guard] said) “or else.”’",
    "numbers": "In 1863 he owed $1.2 million, 37 pigs, 3¾ acres and 0.5% of No. 10 at 7:05 p.m.",
    "abbreviations": "Dr. Smith of St. John St. met Mrs. Jones, M.P., etc., at the U.S. embassy.",
    "hyphens": "A well-to-do New York-based twenty-one-year-old mother-in-law re-entered.",
    "dashes": "The door—the only one—was shut--locked – barred.",
    "merged": "I don't; you can't; they'd've gone, wouldn't they? 'Tis the boys' rock 'n' roll.",
    "unknown words": "Grulnifex and Æthelflæd of Xyzzyqwt met Mx. Bzrrgl’s Schnurrbärte.",
    "other scripts": "He wrote λόγος, мир and 東京, then naïve façade.",
    "silent words": "The ² and ᏣᎳᎩ men, ꦗ ꦮ, went; ꦗ.",
    "symbols": "A & B @ C # 4 + 5 = 9 * 2 / 3 ~ x_y ^ 2 | z \\ w € 5.",
    "emoji": "She sent 😀 and 👩‍👩‍👧 and 🇬🇧, then ❤️.",
    "one letter": "I.",
    "one word": "“No.”",
    "capitals": "NASA told the BBC that XVII is WWII’s HENRY VIII.",
    "addresses": "Write to a.b@example.com or www.example.org/x?y=1 before 3/4/2021.",
    "invisible joints": "A so\u00adft hy\u00adphen, a zero\u200bwidth, a no\u2060join and a wide\u00a0space.",
    "long": "When the wind, which had blown since Tuesday, dropped at last, the men came out of the sheds, stretched, "
    "and looked at the water as though it had been away; and because nobody wished to be the first to say so, they "
    "talked of nets, of rope and of the price of tar, of the old days and of the days that were to come, of their "
    "mothers and of the sea, until the bell at the end of the pier rang twice and the boy, who had been told to "
    "keep quiet, shouted that something large and white, with no lights at all, was coming slowly round the point.",
    "long without a mark": " ".join(["river boats and seven very quiet sons of the thick old fig tree"] * 9) + ".",
}
SILENT = ["…", "***", "— —", "", "?!", "“”"]


@dataclass(frozen=True)
class Done:
    """A sentence as rendered: each part with its pass, piece, cut and durations, and the parts joined."""

    said: Phonemes
    parts: tuple[tuple[Pass, Piece, Cut, Part, tuple[int, ...]], ...]
    whole: Part


@pytest.fixture(scope="module", params=[False, True], ids=["American", "British"])
def g2p(request: pytest.FixtureRequest) -> G2P:
    return G2P(british=request.param)


def sound(phonemes: str, pred_dur: Sequence[int], chance: random.Random) -> NDArray[np.float32]:
    """A tone while something is said, some frames before its time; next to nothing in between."""
    audio = np.full(FRAME * sum(pred_dur), 1e-5, np.float32)
    early, at = chance.randint(0, 5) * FRAME, pred_dur[0] * FRAME
    for symbol, frames in zip(phonemes, pred_dur[1:], strict=False):
        if symbol not in PUNCTUATION and symbol != " ":
            audio[max(0, at - early) : max(0, at + frames * FRAME - early)] = 0.3
        at += frames * FRAME
    return audio


def rendered(g2p: G2P, texts: Sequence[str], seed: int) -> dict[int, Done]:
    """What the renderer does with sentences of one paragraph, with durations drawn at random."""
    chance = random.Random(seed)
    longest = chance.choice((1, 2, 4, 20))
    said = g2p.sentences(list(texts), [False] * len(texts))
    spoken = [i for i, one in enumerate(said) if one.phonemes]
    parts: dict[int, list[tuple[Pass, Piece, Cut, Part, tuple[int, ...]]]] = {i: [] for i in spoken}
    for one in plan([said[i] for i in spoken], [0] * len(spoken), first_limit=chance.choice((None, 120))):
        pred_dur = tuple(chance.randint(1, longest) for _ in range(len(one.phonemes) + 2))
        audio = sound(one.phonemes, pred_dur, chance)
        for piece, cut in zip(one.pieces, cut_points(audio, pred_dur, one.phonemes, one.pieces), strict=True):
            number = spoken[piece.sentence]
            made = part(audio, pred_dur, one.phonemes, cut, piece, said[number].words)
            parts[number].append((one, piece, cut, made, pred_dur))
    return {i: Done(said[i], tuple(parts[i]), join_pieces([one[3] for one in parts[i]])) for i in spoken}


def check(text: str, done: Done) -> None:
    """All that is promised of the words of a sentence."""
    words, spans = done.said.words, done.whole.words
    # Complete: every letter and digit of the text is in one word, every word has one span, in order.
    for start, end in units(text):
        assert sum(word.char_start <= start and end <= word.char_end for word in words) == 1, text[start:end]
    assert [span.word for span in spans] == list(range(len(words)))
    # Monotone, inside the speech; what is said has length, what is not has none.
    at = 0
    for span, word in zip(spans, words, strict=True):
        assert at <= span.start <= span.end <= len(done.whole.audio), text[word.char_start : word.char_end]
        assert (span.start < span.end) == (word.ph_start < word.ph_end), text[word.char_start : word.char_end]
        at = span.end
    for one, piece, cut, made, pred_dur in done.parts:
        _check_against_durations(done.said, one, piece, cut, made, pred_dur)


def _check_against_durations(
    said: Phonemes, one: Pass, piece: Piece, cut: Cut, made: Part, pred_dur: Sequence[int]
) -> None:
    """Each start is that of the word's first symbol, by the sum of the frames before it; the first may be heard."""
    floor = 0
    for span in made.words:
        word = said.words[span.word]
        first, last = max(word.ph_start, piece.ph_start), min(word.ph_end, piece.ph_end)
        if first >= last:
            assert span.start == span.end
            continue
        symbol = piece.pass_start + first - piece.ph_start
        assert one.phonemes[symbol : symbol + last - first] == said.phonemes[first:last]
        # The boundary id before the first symbol is included.
        frames = [FRAME * sum(pred_dur[: i + 1]) for i in range(len(one.phonemes) + 1)]
        told = heard_at(one.phonemes, frames, symbol)
        if not floor and abs(cut.loud_start - told) < SNAP_SAMPLES:
            told = cut.loud_start
        expected = told - cut.start
        room = len(made.audio) - SHORTEST_WORD_SAMPLES * sum(w.word >= span.word for w in made.words)
        assert span.start == max(expected, floor) or room <= span.start < expected
        floor = span.start + SHORTEST_WORD_SAMPLES


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_each_kind_of_writing_is_timed_alone(g2p: G2P, kind: str, seed: int) -> None:
    for done in rendered(g2p, [KINDS[kind]], seed).values():
        check(KINDS[kind], done)


@pytest.mark.parametrize("seed", range(12))
def test_each_kind_of_writing_is_timed_among_others(g2p: G2P, seed: int) -> None:
    texts = [*KINDS.values(), *SILENT]
    random.Random(seed).shuffle(texts)
    done = rendered(g2p, texts, seed)
    assert {i for i, text in enumerate(texts) if any(map(str.isascii, filter(str.isalpha, text)))} <= done.keys()
    for number, one in done.items():
        check(texts[number], one)


WRITING = st.lists(
    st.sampled_from([text for kind in KINDS.values() for text in kind.split(" ")])
    | st.text(st.sampled_from("aeTz9 4.,;—-'’“”()&😀é東\u00ad$%"), min_size=1, max_size=8),
    min_size=1,
    max_size=14,
).map(" ".join)


@given(st.lists(WRITING, min_size=1, max_size=4), st.integers(0, 10_000))
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_written_is_timed(g2p: G2P, texts: list[str], seed: int) -> None:
    for number, done in rendered(g2p, texts, seed).items():
        check(texts[number], done)


def heard(g2p: G2P, text: str) -> list[tuple[str, str, int]]:
    (done,) = rendered(g2p, [text], 1).values()
    return [
        (text[word.char_start : word.char_end], done.said.phonemes[word.ph_start : word.ph_end], span.end - span.start)
        for word, span in zip(done.said.words, done.whole.words, strict=True)
    ]


def test_a_word_that_nobody_can_say_is_there_and_takes_no_time(g2p: G2P) -> None:
    words = heard(g2p, KINDS["silent words"])
    assert [word for word, phonemes, length in words if not phonemes and not length] == ["²", "ᏣᎳᎩ", "ꦗ", "ꦮ", "ꦗ"]


def test_one_written_word_of_several_spoken_ones_has_one_span(g2p: G2P) -> None:
    ((_, phonemes, _),) = [one for one in heard(g2p, "It was 1863 then.") if one[0] == "1863"]
    assert phonemes.count(" ") >= 2


def test_a_contraction_has_one_span_and_a_compound_one_for_each_written_word(g2p: G2P) -> None:
    words = [word for word, _, length in heard(g2p, "They don't like New York-based shops.") if length]
    assert words == ["They", "don't", "like", "New", "York", "based", "shops"]


def test_words_that_touch_leave_no_time_between_them(g2p: G2P) -> None:
    (done,) = rendered(g2p, ["Seven old boats left, then nobody waved."], 3).values()
    for i, (before, after) in enumerate(itertools.pairwise(done.whole.words)):
        assert before.end <= after.start
        if i != 3:  # after "left" there is a comma
            assert before.end == after.start
