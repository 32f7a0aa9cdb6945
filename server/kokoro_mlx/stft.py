"""The generator's short-time Fourier transform and its inverse, as matrix products with a 20-point basis.

Axes: N samples, B bins of time (N / 5 + 1), Q frequencies (11). Periodic Hann window of 20 samples, hop 5, centred.
"""

import mlx.core as mx
import numpy as np

from server.kokoro_mlx.blocks import pad_time
from server.kokoro_mlx.config import HOP_SAMPLES, N_BINS, N_FFT

_EDGE = N_FFT // 2
_OVERLAP = N_FFT // HOP_SAMPLES
_WINDOW = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(N_FFT) / N_FFT)
_ANGLE = 2 * np.pi * np.outer(np.arange(N_BINS), np.arange(N_FFT)) / N_FFT  # (Q, 20)
# A real signal's spectrum is symmetric: every frequency but the first and the last stands for two.
_SHARE = np.where(np.arange(N_BINS) % (N_BINS - 1) == 0, 1, 2)[:, None] / N_FFT


class Spectrum:
    """Both directions; holds the two basis matrices."""

    def __init__(self) -> None:
        forward = np.concatenate([np.cos(_ANGLE), -np.sin(_ANGLE)]) * _WINDOW
        inverse = np.concatenate([np.cos(_ANGLE) * _SHARE, -np.sin(_ANGLE) * _SHARE]) * _WINDOW
        self._forward = mx.array(forward.T.astype(np.float32))  # (20, 2Q)
        self._inverse = mx.array(inverse.astype(np.float32))  # (2Q, 20)

    def analyse(self, x: mx.array) -> mx.array:
        """(N,) → (B, 2Q): magnitudes, then phases in (−π, π]. The edges are reflected."""
        padded = mx.concatenate([x[1 : _EDGE + 1][::-1], x, x[-_EDGE - 1 : -1][::-1]])
        steps = (padded.shape[0] - N_FFT) // HOP_SAMPLES + 1
        parts = mx.as_strided(mx.contiguous(padded), (steps, N_FFT), (HOP_SAMPLES, 1)) @ self._forward
        real, imaginary = parts[:, :N_BINS], parts[:, N_BINS:]
        # The first and last frequency are real. Their imaginary part has to be +0 exactly, not −0 or rounding error:
        # for a negative real part the sign of that zero decides between +π and −π, and the network can tell.
        zero = mx.zeros((steps, 1))
        imaginary = mx.concatenate([zero, imaginary[:, 1:-1], zero], axis=1)
        return mx.concatenate([mx.sqrt(real * real + imaginary * imaginary), mx.arctan2(imaginary, real)], axis=1)

    def synthesise(self, magnitude: mx.array, phase: mx.array) -> mx.array:
        """(B, Q), (B, Q) → (N,): overlap-add, divided by the sum of squared windows."""
        steps = magnitude.shape[0]
        polar = mx.concatenate([magnitude * mx.cos(phase), magnitude * mx.sin(phase)], axis=1)
        windows = (polar @ self._inverse).reshape(steps, _OVERLAP, HOP_SAMPLES)
        shifted = [pad_time(windows[:, j], j, _OVERLAP - 1 - j) for j in range(_OVERLAP)]
        summed = shifted[0]
        for part in shifted[1:]:
            summed = summed + part
        return (summed / mx.array(_squared_windows(steps))).reshape(-1)[_EDGE:-_EDGE]


def _squared_windows(steps: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """The sum of squared windows at each sample, as rows of one hop: (B + 3, 5)."""
    rows = np.square(_WINDOW).reshape(_OVERLAP, HOP_SAMPLES)
    total = np.zeros((steps + _OVERLAP - 1, HOP_SAMPLES), np.float32)
    for j, row in enumerate(rows):
        total[j : j + steps] += row.astype(np.float32)
    return np.maximum(total, np.float32(1e-11))  # zero only in the padding that is cut off
