"""How far the light is from the voice, and whether sentences are joined without a hole: told from what was recorded."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from server.library.editions import Spot
from server.render.index import SAMPLE_RATE
from tests.browser.recording import BLOCK, Lit, Recorder, Samples, Score

ALIKE = 0.6  # a second that is less like the book than this is not located: too quiet, or a seek is in it
LOUD = 0.01
REACH = SAMPLE_RATE  # a second of sound is looked for so far around the lit word


@dataclass(frozen=True, slots=True)
class InStep:
    """The light beside the voice, over one stretch of listening."""

    errors_s: list[float]  # of each frame: how far what is heard lies outside the lit word; 0 inside it
    late_s: list[float]  # of each word that was lit in its turn: how long after its first sample; early when negative
    frames: int  # that were painted while it played, located or not

    def p95_s(self) -> float:
        return float(np.percentile(self.errors_s, 95))


def in_step(recorder: Recorder, score: Score, speed: float, begin: int, end: int, target: Spot) -> InStep:
    """Compare the lit words of the frames `begin` to `end` (as `Recorder.frame` counts) with what was heard then.

    It begins with the first of them that plays `target`, the sentence to which a jump at `begin` led.
    """
    first, pcm = recorder.samples()
    lit = [one for one in recorder.lit if one.playing and one.sentence and begin <= one.frame < end]
    lit = lit[next((n for n, one in enumerate(lit) if one.spot == target), len(lit)) :]
    errors, late = list[float](), list[float]()
    before: Lit | None = None
    last: float | None = None
    for at in range(lit[0].frame if lit else end, end, BLOCK):
        frames = [one for one in lit if at <= one.frame < at + BLOCK]
        heard = pcm[at - first : min(at + BLOCK, end) - first]
        if not frames or len(heard) < BLOCK // 4:
            continue
        word = score.span(frames[0].spot, frames[0].word)[0] - (frames[0].frame - at) * speed
        guesses = [word] if last is None else [last + BLOCK * speed, word]
        found = (score.find(heard, round(guess), speed, REACH) for guess in guesses)
        last = next((place for place, alike in found if alike > ALIKE), None)
        if last is None:
            before = None
            continue
        for one in frames:
            here = last + (one.frame - at) * speed
            start, stop = score.span(one.spot, one.word)
            errors.append(max(0.0, start - here, here - stop) / SAMPLE_RATE / speed)
            if before is not None and one.word > 0 and (one.spot, one.word - 1) == (before.spot, before.word):
                late.append((here - start) / SAMPLE_RATE / speed)
            before = one
    return InStep(errors, late, len(lit))


@dataclass(frozen=True, slots=True)
class Join:
    """What was heard where one sentence ends and the next begins."""

    sentence: Spot  # the one that begins
    chapter: bool  # and with it a chapter
    hole_samples: float  # by how much the sound after it lies later than before it
    difference_db: float  # from the store's own samples, over the join


def joins(recorder: Recorder, score: Score, sentence: Spot) -> list[Join]:
    """Each join that was recorded of a book played from `sentence` on, at its own speed and without a seek."""
    _, pcm = recorder.samples()
    loud = int(np.argmax(np.abs(pcm) > LOUD))
    # The first sound lies within what its sentence begins with.
    place, alike = score.find(pcm[loud : loud + BLOCK], score.starts[sentence] + BLOCK // 10, 1.0, REACH)
    assert alike > ALIKE, "what was recorded is not in the book"
    shift = round(place) - loud
    chapters = set(score.chapters.values())
    found = []
    for name, start in score.starts.items():
        at = start - shift
        # The seconds of speech nearest to it: between chapters lie some of silence, which would fit anywhere.
        before = _last_loud(score.pcm[:start]) - BLOCK - shift
        after = at + int(np.argmax(np.abs(score.pcm[start:]) > LOUD))
        if before < loud or after + 2 * BLOCK > len(pcm):
            continue
        sides = [_moved(score, pcm, before, shift), _moved(score, pcm, after, shift)]
        if None in sides:
            continue
        heard, meant = pcm[before : after + BLOCK], score.pcm[before + shift : after + BLOCK + shift]
        away = float(np.abs(heard - meant).max())
        hole = float((sides[0] or 0.0) - (sides[1] or 0.0))  # what lies further on in the book comes earlier
        found.append(Join(name, start in chapters, hole, 20 * float(np.log10(max(away, 1e-6)))))
    return found


def _moved(score: Score, pcm: Samples, at: int, shift: int) -> float | None:
    """By how many samples a recorded second lies elsewhere than `shift` says; None where it is too quiet."""
    place, alike = score.find(pcm[at : at + BLOCK], at + shift, 1.0, BLOCK // 4)
    return place - at - shift if alike > ALIKE else None


def worst(found: Sequence[Join]) -> float:
    """The largest hole, in samples."""
    return max(abs(one.hole_samples) for one in found)


def _last_loud(samples: Samples) -> int:
    """Behind the last sample [n] that is loud; 0 where none is."""
    return len(samples) - int(np.argmax(np.abs(samples[::-1]) > LOUD)) if np.any(np.abs(samples) > LOUD) else 0
