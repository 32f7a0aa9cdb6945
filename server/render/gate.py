"""Is this audio sane? Findings are kept with the sentence; only what cannot be played at all is refused."""

import numpy as np
from numpy.typing import NDArray

from server.errors import RenderError
from server.render.index import SAMPLE_RATE

QUIET_PEAK = 0.02  # speech peaks at 0.2–0.9; this is silence or nearly
CLIPPED = 0.999
CLIPPED_SHARE = 0.001
# Phonemes a second of Kokoro at speed 1, measured: 9.5 for very short inputs, 17 usual, 18.8 at the longest.
SLOWEST, FASTEST = 4.0, 30.0


def check(speech: NDArray[np.float32], phonemes: int) -> list[str]:
    """Name what is odd about the speech of one sentence, float32 [n], made from that many phonemes.

    Raises RenderError when the samples are not finite numbers.
    """
    if not np.isfinite(speech).all():
        raise RenderError("The engine returned numbers that are no sound. Run `lectern doctor`.")
    findings: list[str] = []
    peak = float(np.abs(speech).max()) if speech.size else 0.0
    if peak < QUIET_PEAK:
        findings.append("quiet")
    if speech.size and float((np.abs(speech) >= CLIPPED).mean()) > CLIPPED_SHARE:
        findings.append("clipped")
    rate = phonemes * SAMPLE_RATE / max(1, speech.size)
    if phonemes >= 5 and rate < SLOWEST:
        findings.append("slow")
    if phonemes >= 5 and rate > FASTEST:
        findings.append("fast")
    return findings
