"""From the durations of a pass to the audio of each of its pieces, and to where each word sounds in it (pure).

A pass string holds several pieces (sentences, or parts of long ones); the model tells how many frames each symbol
lasts. Speech runs ahead of what it tells (`onsets` says how far), so a nominal boundary is never a place to cut: pieces
are parted at the quietest moment between the mark that ends one and the first symbol of the next.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from server.errors import RenderError
from server.render.index import SAMPLE_RATE
from server.render.onsets import MARKS, UNIT_SAMPLES, heard_at

EARLY_SAMPLES = -2 * UNIT_SAMPLES  # of the end of a sound: as little as any sound is ahead of its nominal time
# The first word starts with the sound where that begins so near; further off it is a breath, or the word is soft.
SNAP_SAMPLES = 40 * SAMPLE_RATE // 1_000
SHORTEST_WORD_SAMPLES = SAMPLE_RATE // 100
QUIET_WINDOW_SAMPLES = SAMPLE_RATE // 100
SOUND_WINDOW_SAMPLES = SAMPLE_RATE // 200
SOUND_THRESHOLD = 10 ** (-45 / 20)  # of the piece's peak; the model's silence lies at −67 dBFS and below
LEAD_SAMPLES = 25 * SAMPLE_RATE // 1_000  # kept before the first sound
TAIL_SAMPLES = 60 * SAMPLE_RATE // 1_000  # kept after the last
JOIN_PAUSE_SAMPLES = 180 * SAMPLE_RATE // 1_000  # sound to sound, between parts of a sentence from different passes
JOIN_FADE_SAMPLES = 5 * SAMPLE_RATE // 1_000

Samples = NDArray[np.float32]


class PieceLike(Protocol):
    """A run of phonemes of a sentence, `[ph_start, ph_end)` of its own, at `[pass_start, pass_end)` of a pass."""

    @property
    def ph_start(self) -> int: ...
    @property
    def ph_end(self) -> int: ...
    @property
    def pass_start(self) -> int: ...
    @property
    def pass_end(self) -> int: ...


class WordLike(Protocol):
    """A word of the source text and the phonemes that speak it; the range is empty for a silent word."""

    @property
    def ph_start(self) -> int: ...
    @property
    def ph_end(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a piece lies in its pass's audio.

    `[start, end)` is kept; `[sound_start, sound_end)` is what is heard of it; `pause_samples` is the silence from its
    last sound to the first of the next piece, None for the last piece of a pass. `loud_start` is where the level alone
    would have it begin.
    """

    start: int
    end: int
    sound_start: int
    sound_end: int
    pause_samples: int | None
    loud_start: int


@dataclass(frozen=True, slots=True)
class WordSpan:
    """Samples `[start, end)` in which word number `word` of its sentence sounds."""

    word: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Part:
    """The audio of a sentence or of a piece of one, float32 [n], and its words.

    `tail_samples` of silence follow the last sound within `audio`; `pause_samples` is as in `Cut`. It sounds on for
    `over_samples` after its last symbol is over by the durations, below 0 where it ends before.
    """

    audio: Samples
    words: tuple[WordSpan, ...]
    tail_samples: int
    pause_samples: int | None
    over_samples: int = 0


def symbol_starts(pred_dur: Sequence[int]) -> list[int]:
    """Nominal sample at which each symbol of the pass string starts, and at which the last one ends.

    `pred_dur` holds frames per input id, boundary ids included: [len(phonemes) + 2] gives [len(phonemes) + 1].
    """
    starts = np.cumsum(np.asarray(pred_dur[:-1], np.int64)) * UNIT_SAMPLES
    return [int(start) for start in starts]


def cut_points(audio: Samples, pred_dur: Sequence[int], phonemes: str, pieces: Sequence[PieceLike]) -> list[Cut]:
    """Where each of `pieces`, in order, lies in `audio` [n] of the pass string `phonemes`.

    Raises RenderError when audio, durations and phonemes do not belong together.
    """
    if len(pred_dur) != len(phonemes) + 2 or len(audio) != UNIT_SAMPLES * sum(pred_dur):
        raise RenderError(
            f"The engine returned {len(audio)} samples and {len(pred_dur)} durations for {len(phonemes)} phonemes."
        )
    starts = symbol_starts(pred_dur)
    edges = [0]
    edges += [
        _quietest(audio, *_silence(phonemes, starts, before.pass_end, after.pass_start))
        for before, after in itertools.pairwise(pieces)
    ]
    edges.append(len(audio))
    sounds = []
    for (low, high), piece in zip(itertools.pairwise(edges), pieces, strict=True):
        first, last = _letters(phonemes, piece)
        heard = heard_at(phonemes, starts, first), starts[last] + EARLY_SAMPLES
        sounds.append(_sound(audio, low, max(low, high), *heard))
    return [
        Cut(
            start=max(edges[i], sound_start - LEAD_SAMPLES),
            end=min(edges[i + 1], sound_end + TAIL_SAMPLES),
            sound_start=sound_start,
            sound_end=sound_end,
            pause_samples=max(0, sounds[i + 1][0] - sound_end) if i + 1 < len(sounds) else None,
            loud_start=loud_start,
        )
        for i, (sound_start, sound_end, loud_start) in enumerate(sounds)
    ]


def part(
    audio: Samples, pred_dur: Sequence[int], phonemes: str, cut: Cut, piece: PieceLike, words: Sequence[WordLike]
) -> Part:
    """The audio of `piece` cut from its pass's `audio`, with the words of its sentence that sound in it."""
    return Part(
        audio=audio[cut.start : cut.end].copy(),
        words=word_spans(pred_dur, phonemes, cut, piece, words),
        tail_samples=cut.end - cut.sound_end,
        pause_samples=cut.pause_samples,
        over_samples=cut.sound_end - symbol_starts(pred_dur)[_letters(phonemes, piece)[1] + 1],
    )


def word_spans(
    pred_dur: Sequence[int], phonemes: str, cut: Cut, piece: PieceLike, words: Sequence[WordLike]
) -> tuple[WordSpan, ...]:
    """Spans, counted from `cut.start`, of the sentence's `words` that lie in `piece`: in order, inside the cut.

    A word lasts until the next one begins, or until the mark that follows it, the last one to the end of the sound.
    A word without phonemes has the empty span where it would have been said. At the seam of two pieces it is given
    for both; `join_pieces` keeps one.
    """
    shift, length = piece.pass_start - piece.ph_start, cut.end - cut.start
    here = _words_in(piece, words)
    spoken = [(first + shift, last + shift) for _, first, last in here if first < last]
    starts = symbol_starts(pred_dur)
    told = [heard_at(phonemes, starts, first) for first, _ in spoken]
    if told and abs(cut.loud_start - told[0]) < SNAP_SAMPLES:
        told[0] = cut.loud_start
    begins = _apart([at - cut.start for at in told], length)
    ends = [starts[last] + EARLY_SAMPLES - cut.start for _, last in spoken]
    for i, (_, last) in enumerate(spoken):
        until = spoken[i + 1][0] if i + 1 < len(spoken) else piece.pass_end
        if i + 1 < len(spoken):
            ends[i] = begins[i + 1] if not phonemes[last:until].strip(" ") else min(ends[i], begins[i + 1])
        elif MARKS.issuperset(phonemes[last:until].replace(" ", "")):
            ends[i] = cut.sound_end - cut.start
        ends[i] = min(max(ends[i], begins[i] + SHORTEST_WORD_SAMPLES), [*begins, length][i + 1])
    spans, at, sounds = [], begins[0] if begins else 0, iter(zip(begins, ends, strict=True))
    for number, first, last in here:
        start, at = next(sounds) if first < last else (at, at)
        spans.append(WordSpan(number, start, at))
    return tuple(spans)


def join_pieces(parts: Sequence[Part]) -> Part:
    """One sentence from its parts in order: a short pause between them, words shifted along.

    The pause is the one found where two parts were cut apart, `JOIN_PAUSE_SAMPLES` where they come from different
    passes. A word that begins in one part and ends in the next gets one span. One part stays as it is.
    """
    if len(parts) == 1:
        return parts[0]
    blocks: list[Samples] = []
    spans: dict[int, WordSpan] = {}
    at = 0
    for number, one in enumerate(parts):
        for span in one.words:
            begun = spans.get(span.word)
            if begun is None:
                spans[span.word] = WordSpan(span.word, span.start + at, span.end + at)
            elif span.start < span.end:
                spans[span.word] = WordSpan(span.word, begun.start, span.end + at)
        blocks.append(_faded(one.audio))
        at += len(one.audio)
        if number + 1 < len(parts):
            wanted = JOIN_PAUSE_SAMPLES if one.pause_samples is None else one.pause_samples
            silence = max(0, wanted - one.tail_samples - LEAD_SAMPLES)
            blocks.append(np.zeros(silence, np.float32))
            at += silence
    words = tuple(spans[word] for word in sorted(spans))
    last = parts[-1]
    return Part(np.concatenate(blocks), words, last.tail_samples, last.pause_samples, last.over_samples)


def _words_in(piece: PieceLike, words: Sequence[WordLike]) -> list[tuple[int, int, int]]:
    """Number, first and last phoneme of each word that `piece` holds a part of, or beside which it would be said."""
    found = []
    for number, word in enumerate(words):
        first, last = max(word.ph_start, piece.ph_start), min(word.ph_end, piece.ph_end)
        # The space before a piece may belong to none.
        silent = word.ph_start == word.ph_end and piece.ph_start - 1 <= word.ph_start <= piece.ph_end
        if first < last or silent:
            found.append((number, first, first if silent else last))
    return found


def _apart(begins: Sequence[int], length: int) -> list[int]:
    """`begins` in order, within [0, length), and each at least `SHORTEST_WORD_SAMPLES` long where there is room."""
    placed, limit, at = list(begins), length, 0
    for i, begin in enumerate(placed):
        placed[i] = at = max(begin, at)
        at += SHORTEST_WORD_SAMPLES
    for i in reversed(range(len(placed))):
        placed[i] = limit = max(0, min(placed[i], limit - SHORTEST_WORD_SAMPLES))
    return placed


def _silence(phonemes: str, starts: Sequence[int], before_end: int, after_start: int) -> tuple[int, int]:
    """Samples between which two pieces may be parted: the first one's final marks and the space that follows."""
    first = before_end
    while first > 0 and phonemes[first - 1] in MARKS:
        first -= 1
    low, high = starts[first], starts[after_start]
    if first == before_end:  # parted within a phrase: the last symbol's sound ends before its nominal end
        low += EARLY_SAMPLES
    return max(0, min(low, high - QUIET_WINDOW_SAMPLES)), high


def _quietest(audio: Samples, low: int, high: int) -> int:
    """Middle of the quietest `QUIET_WINDOW_SAMPLES` of `audio[low:high]`."""
    power = np.concatenate(([0.0], np.cumsum(np.square(audio[low:high], dtype=np.float64))))
    window = min(QUIET_WINDOW_SAMPLES, high - low)
    return low + int(np.argmin(power[window:] - power[: len(power) - window])) + window // 2


def _letters(phonemes: str, piece: PieceLike) -> tuple[int, int]:
    """Positions in the pass string of the first and last symbol of a piece that makes a sound of its own."""
    heard = [at for at in range(piece.pass_start, piece.pass_end) if phonemes[at] not in MARKS and phonemes[at] != " "]
    return (heard[0], heard[-1]) if heard else (piece.pass_start, piece.pass_start)


def _sound(audio: Samples, low: int, high: int, first: int, last: int) -> tuple[int, int, int]:
    """First and last heard sample of a piece that lies within `audio[low:high]`, and the first loud one.

    The level decides, but never against the durations: what is kept reaches back to `first`, where the first word is
    said to start, and on to `last`, where its last symbol starts, however softly they are said.
    """
    first, last = min(max(first, low), high), min(max(last, low), high)
    level = np.abs(audio[low:high])
    whole = len(level) // SOUND_WINDOW_SAMPLES * SOUND_WINDOW_SAMPLES
    peaks = level[:whole].reshape(-1, SOUND_WINDOW_SAMPLES).max(axis=1)
    loud = np.flatnonzero(peaks > SOUND_THRESHOLD * level.max()) if whole else np.zeros(0, np.int64)
    if not len(loud):
        return first, max(first, last), first
    start = low + int(loud[0]) * SOUND_WINDOW_SAMPLES
    end = low + (int(loud[-1]) + 1) * SOUND_WINDOW_SAMPLES
    return min(start, first + LEAD_SAMPLES), max(end, last), start


def _faded(audio: Samples) -> Samples:
    """`audio` with its first and last 5 ms drawn from and to zero, so that joined parts do not click."""
    fade = min(JOIN_FADE_SAMPLES, len(audio) // 2)
    ramp = np.linspace(0, 1, fade, endpoint=False, dtype=np.float32)
    faded = audio.copy()
    faded[:fade] *= ramp
    faded[len(faded) - fade :] *= ramp[::-1]
    return faded
