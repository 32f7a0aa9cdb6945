"""Is this audio speech? What is odd is noted with the sentence; what is plainly none is refused, and never stored.

The spectral fingerprint tells noise from speech. benchmarks/fingerprint.py measured it over ten voices, a whispering
one among them, on sentences as they are cut out of a pass, most of them nearly all hiss ("Six.", "This is his
sister's"). Energy tells them apart; the centroid of a cut "Six." comes close to that of white noise:

                         centroid       energy above 8 kHz      energy below 1 kHz
    speech               0.7–5.4 kHz    0–18 %                  36–97 %
    white noise          6.0 kHz        33 %                    8 %
    products made noise  6.0 kHz        33–35 %
    a broken kernel      6.8 kHz        53 %                    (simulated: 3 %)
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from server.errors import NotSpeech
from server.render.index import SAMPLE_RATE

QUIET_PEAK = 0.02  # speech peaks at 0.2–0.9; this is silence or nearly
SILENT_PEAK = 0.002  # and this is nothing at all
CLIPPED = 0.999
CLIPPED_SHARE, DESTROYED_SHARE = 0.001, 0.05
# Phonemes a second of Kokoro at speed 1, measured: 9.5 for very short inputs, 17 usual, 18.8 at the longest.
SLOWEST, FASTEST = 4.0, 30.0
SOME_PHONEMES = 5  # a mark or two may well be silent, or slow

HIGH_HZ, LOW_HZ = 8_000, 1_000
NOISY_CENTROID_HZ, NOISY_HIGH_SHARE, NOISY_LOW_SHARE = 5_800, 0.22, 0.25  # one of them: noted
NOISE_HIGH_SHARE, NOISE_LOW_SHARE = 0.25, 0.20  # both: refused
_WINDOW = 512
_HERTZ = np.fft.rfftfreq(_WINDOW, 1 / SAMPLE_RATE)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Of some audio: centroid of its mean magnitude spectrum, shares of its energy above 8 and below 1 kHz, level."""

    centroid_hz: float
    high_share: float
    low_share: float
    peak: float
    rms: float


def fingerprint(speech: NDArray[np.float32]) -> Fingerprint:
    """The fingerprint of float32 [n] at 24 kHz; zeros for silence. The samples must be finite."""
    padded = np.pad(speech, (0, max(0, _WINDOW - speech.size))).astype(np.float64)
    windows = np.lib.stride_tricks.sliding_window_view(padded, _WINDOW)[:: _WINDOW // 2] * np.hanning(_WINDOW)
    magnitude = np.abs(np.fft.rfft(windows))
    mean, energy = magnitude.mean(axis=0), np.square(magnitude).sum(axis=0)
    if not energy.sum():
        return Fingerprint(0.0, 0.0, 0.0, 0.0, 0.0)
    return Fingerprint(
        centroid_hz=float((mean * _HERTZ).sum() / mean.sum()),
        high_share=float(energy[_HERTZ >= HIGH_HZ].sum() / energy.sum()),
        low_share=float(energy[_HERTZ < LOW_HZ].sum() / energy.sum()),
        peak=float(np.abs(padded).max()),
        rms=float(np.sqrt(np.mean(np.square(padded[: speech.size])))),
    )


def check(speech: NDArray[np.float32], phonemes: int) -> list[str]:
    """Name what is odd about the speech of one sentence, float32 [n], made from that many phonemes.

    Raises NotSpeech for what cannot be speech: no finite numbers, noise, silence, or clipped throughout.
    """
    if not np.isfinite(speech).all():
        raise NotSpeech("The engine returned numbers that are no sound. Run `lectern doctor`.")
    print_ = fingerprint(speech)
    clipped = float((np.abs(speech) >= CLIPPED).mean()) if speech.size else 0.0
    if (what := _refused(print_, clipped, phonemes)) is not None:
        raise NotSpeech(f"The engine returned {what}. Run `lectern doctor`.")
    findings: list[str] = []
    if print_.peak < QUIET_PEAK:
        findings.append("quiet")
    elif (
        print_.centroid_hz > NOISY_CENTROID_HZ
        or print_.high_share > NOISY_HIGH_SHARE
        or print_.low_share < NOISY_LOW_SHARE
    ):
        findings.append("noisy")
    if clipped > CLIPPED_SHARE:
        findings.append("clipped")
    rate = phonemes * SAMPLE_RATE / max(1, speech.size)
    if phonemes >= SOME_PHONEMES and rate < SLOWEST:
        findings.append("slow")
    if phonemes >= SOME_PHONEMES and rate > FASTEST:
        findings.append("fast")
    return findings


def _refused(print_: Fingerprint, clipped: float, phonemes: int) -> str | None:
    """What it is, in words, if it is no speech."""
    if print_.peak < SILENT_PEAK:
        return f"silence where {phonemes} phonemes should be heard" if phonemes >= SOME_PHONEMES else None
    if print_.peak >= QUIET_PEAK and print_.high_share > NOISE_HIGH_SHARE and print_.low_share < NOISE_LOW_SHARE:
        told = f"centroid {print_.centroid_hz:,.0f} Hz, {print_.high_share:.0%} of the energy above 8 kHz"
        return f"noise instead of speech ({told})"
    if clipped > DESTROYED_SHARE:
        return f"a sound that is cut off at full scale for {clipped:.0%} of its time"
    return None
