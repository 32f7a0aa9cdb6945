"""Is a rendered sentence as it should be? Measures it, and names what is odd (pure). `gate.py` tells speech from noise.

Limits stand outside of what benchmarks/quality.py measured on 265 sentences in 54 voices, as they are cut from a pass:

    what is measured                          5 %        95 %       furthest    limit
    silence before the first sound            0.01 s     0.025 s    0.055 s     0.2 s
    silence after the last                    0.02 s     0.06 s     0.06 s      0.3 s
    longest silence within                    0 s        0.2 s      0.42 s      1.0 s
    sounds a second                           9.4        15         4.3, 17     7 and 18, of twelve sounds or more
    sound on after the last symbol            −0.55 s    0.04 s     0.09 s      0.25 s
    sound that belongs to no word             0 s        0.08 s     0.095 s     0.2 s
    likeness of two stretches                 0.24       0.73       0.94        0.965
    loudest moment of the faintest word       −2.1 dB    4.2 dB     −5.7 dB     −15 dB

One of them (0.4 %) is found odd, spoken more softly than its voice otherwise speaks, and none of 151 sentences of an
encyclopedia, full of numbers. What it cannot hear: a word said wrong, or twice in different ways.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from server.render import gate
from server.render.index import SAMPLE_RATE
from server.render.onsets import MARKS
from server.render.pronounce.words import Phonemes, PhonemeWord
from server.render.timing import SOUND_THRESHOLD, Part

LEAD_S, TRAIL_S = 0.2, 0.3
PAUSE_S = 1.0
STRAY_S, OVER_S = 0.2, 0.25
REPEATED = 0.965
FAINT_DB = -15.0
SOFT_DB, LOUD_DB = -5.0, 6.0  # against the level of the voice
PACES, SOME_SOUNDS = (7.0, 18.0), 12  # sounds a second, of a sentence with so many

_WINDOW = SAMPLE_RATE // 200  # 5 ms
_LOUDEST = SAMPLE_RATE // 50  # 20 ms: a word is as loud as its loudest bit
_BREATH = SAMPLE_RATE * 150 // 1_000 // _WINDOW  # a shorter silence belongs to the speech: a stop, a breath
_COARSE, _STRETCH, _LATER = 3, 1_600, 12_000  # samples of a coarse one; 0.2 s and 1.5 s of those
_IN_LEVEL, _CLEAR = 10 ** (-40 / 20), 10 ** (-26 / 20)  # of the peak: what counts for the level; what is no breath
_USUAL_PACE = 12.0
_UNHEARD = MARKS | set(" ˈˌː")


@dataclass(frozen=True, slots=True)
class Signs:
    """A sentence in numbers. Levels are in dB, of full scale or, for the faintest word, of the sentence's own."""

    level_db: float
    lead_s: float  # silence before its first sound
    trail_s: float  # and after its last
    pause_s: float  # the longest silence within
    pace: float  # sounds a second, without pauses
    drawn_s: float  # by how much a word is longer than the longest that so many sounds take; 0 for none
    stray_s: float  # the longest sound that belongs to no word
    over_s: float  # how long it sounds on after its last symbol is over; below 0 where it ends before
    repeated: float  # how like each other two stretches of 0.2 s are that follow within 1.5 s; 1 is the same again
    faint_db: float  # loudest moment of its faintest word
    in_order: bool  # words follow each other, within the audio


@dataclass(frozen=True, slots=True)
class Verdict:
    """Names of what is odd, none for a good sentence, and how odd it is: of two renders the smaller is better."""

    findings: tuple[str, ...] = ()
    weight: float = 0.0


def judge(part: Part, said: Phonemes, level_db: float | None = None, speed: float = 1.0) -> Verdict:
    """What is odd about a sentence's audio at a speed of synthesis; `level_db` is its voice's, None where not known.

    Raises NotSpeech for what cannot be speech.
    """
    odd = dict.fromkeys(gate.check(part.audio, round(len(said.phonemes) / speed)), 1.0)
    if not said.phonemes or not part.audio.any():
        return Verdict(tuple(odd), float(len(odd)))
    for name, excess in _beyond(measure(part, said), _sounds(said.phonemes), level_db, speed):
        if excess > 0:
            odd.setdefault(name, excess)
    return Verdict(tuple(odd), float(len(odd)) + sum(odd.values()))


def _beyond(signs: Signs, sounds: int, level_db: float | None, speed: float) -> list[tuple[str, float]]:
    """Each finding, and by how much of its limit it is beyond that; 0 and below for none."""
    slowest, fastest = (pace * speed for pace in PACES)
    found = [
        ("timings", float(not signs.in_order)),
        ("silent start", signs.lead_s / LEAD_S - 1),
        ("silent end", signs.trail_s / TRAIL_S - 1),
        ("long pause", signs.pause_s * speed / PAUSE_S - 1),
        ("long word", signs.drawn_s),
        ("stray sound", signs.stray_s / STRAY_S - 1),
        ("runs on", signs.over_s / OVER_S - 1),
        ("repeated", (signs.repeated - REPEATED) / (1 - REPEATED)),
        ("faint word", signs.faint_db / FAINT_DB - 1),
    ]
    if sounds >= SOME_SOUNDS:
        found += [("slow", slowest / signs.pace - 1), ("fast", signs.pace / fastest - 1)]
    if level_db is not None:
        off_db = signs.level_db - level_db
        found += [("too soft", off_db / SOFT_DB - 1), ("too loud", off_db / LOUD_DB - 1)]
    return found


def measure(part: Part, said: Phonemes) -> Signs:
    """The signs of a sentence's audio, which has some sound in it."""
    windows = np.pad(part.audio, (0, -part.audio.size % _WINDOW)).reshape(-1, _WINDOW)
    peaks = np.abs(windows).max(axis=1)
    top = float(peaks.max())
    sound = np.flatnonzero(peaks > SOUND_THRESHOLD * top)
    silences = np.diff(sound) - 1 if sound.size > 1 else np.zeros(1, np.int64)
    spoken = sound.size + int(silences[silences < _BREATH].sum())
    level_db = _decibel(windows[peaks > _IN_LEVEL * top])
    pace = _sounds(said.phonemes) * SAMPLE_RATE / (spoken * _WINDOW)
    words = [(span.start, span.end, said.words[span.word]) for span in part.words]
    faint = [_loudest_db(part.audio[start:end]) - level_db for start, end, word in words if _of(word, said) >= 3]
    edges = [at for start, end, _ in words for at in (start, end)]
    return Signs(
        level_db=level_db,
        lead_s=int(sound[0]) * _WINDOW / SAMPLE_RATE,
        trail_s=(part.audio.size - (int(sound[-1]) + 1) * _WINDOW) / SAMPLE_RATE,
        pause_s=int(silences.max()) * _WINDOW / SAMPLE_RATE,
        pace=pace,
        drawn_s=_drawn_s(peaks > SOUND_THRESHOLD * top, words, said, pace),
        stray_s=_stray_s(peaks > _CLEAR * top, words, said),
        over_s=part.over_samples / SAMPLE_RATE,
        repeated=_repeated(part.audio),
        faint_db=min(faint, default=0.0),
        in_order=edges == sorted(edges) and (not edges or 0 <= edges[0] <= edges[-1] <= part.audio.size),
    )


def longest_s(sounds: int, *, last: bool) -> float:
    """The longest that a word of so many sounds takes; `last` before a pause, where every voice lingers."""
    return (0.6 if last else 0.4) + 0.09 * sounds


_Words = Sequence[tuple[int, int, PhonemeWord]]  # start and end in samples


def _drawn_s(sound: NDArray[np.bool_], words: _Words, said: Phonemes, pace: float) -> float:
    slower = min(max(_USUAL_PACE / pace, 1.0), 2.0)  # a slow voice takes its time for each word
    beyond = 0.0
    for start, end, word in words:
        if sounds := _of(word, said):
            heard_s = int(sound[start // _WINDOW : end // _WINDOW].sum()) * _WINDOW / SAMPLE_RATE
            follows = said.phonemes[word.ph_end :].lstrip(" ")[:1]
            last = not follows or follows in MARKS
            beyond = max(beyond, heard_s - slower * longest_s(sounds, last=last))
    return beyond


def _stray_s(sound: NDArray[np.bool_], words: _Words, said: Phonemes) -> float:
    """The longest sound between two words, or around them, where the phonemes have nothing but marks."""
    edges = [0, *(at // _WINDOW for start, end, _ in words for at in (start, end + _WINDOW - 1)), sound.size]
    symbols = [0, *(at for _, _, word in words for at in (word.ph_start, word.ph_end)), len(said.phonemes)]
    longest = 0
    for at in range(0, len(edges), 2) if words else ():
        if not _sounds(said.phonemes[symbols[at] : symbols[at + 1]]):  # else it says a sign, such as %
            longest = max(longest, _run(sound[edges[at] : edges[at + 1]]))
    return longest * _WINDOW / SAMPLE_RATE


def _run(flags: NDArray[np.bool_]) -> int:
    """Length of the longest run of true ones."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags, [0])).astype(np.int8)))
    return int((edges[1::2] - edges[::2]).max(initial=0))


def _repeated(audio: NDArray[np.float32]) -> float:
    """The highest correlation of a stretch with one that comes later, both at 8 kHz."""
    coarse = audio[: audio.size // _COARSE * _COARSE].reshape(-1, _COARSE).mean(axis=1, dtype=np.float64)
    size, most = _STRETCH, 0.0
    power = np.concatenate(([0.0], np.cumsum(np.square(coarse))))
    floor = power[-1] / max(1, coarse.size) * size / 2  # what is mostly silence is like all that is
    for start in range(0, coarse.size - 2 * size, size // 2):
        stretch, later = coarse[start : start + size], coarse[start + size : start + size + _LATER]
        if (own := float(power[start + size] - power[start])) < floor:
            continue
        whole = 1 << (later.size + size).bit_length()
        products = np.fft.irfft(np.fft.rfft(later, whole) * np.conj(np.fft.rfft(stretch, whole)), whole)
        begin = np.arange(start + size, start + size + later.size - size + 1)
        theirs = power[begin + size] - power[begin]
        likeness = products[: begin.size] / np.sqrt(own * np.maximum(theirs, floor))
        most = max(most, float(likeness.max(initial=0.0)))
    return most


def _decibel(audio: NDArray[np.float32]) -> float:
    power = float(np.square(audio, dtype=np.float64).mean()) if audio.size else 0.0
    return 10 * float(np.log10(max(power, 1e-12)))


def _loudest_db(audio: NDArray[np.float32]) -> float:
    if audio.size <= _LOUDEST:
        return _decibel(audio)
    power = np.concatenate(([0.0], np.cumsum(np.square(audio, dtype=np.float64))))
    return 10 * float(np.log10(max(float((power[_LOUDEST:] - power[:-_LOUDEST]).max()) / _LOUDEST, 1e-12)))


def _of(word: PhonemeWord, said: Phonemes) -> int:
    return _sounds(said.phonemes[word.ph_start : word.ph_end])


def _sounds(phonemes: str) -> int:
    return sum(one not in _UNHEARD for one in phonemes)
