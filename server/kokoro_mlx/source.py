"""The harmonic source: from a pitch curve to an excitation signal, as glottis and breath would give it.

Axes: H halves (12.5 ms), N samples (300 a half), P harmonics (9).

It runs in numpy on every device: the phase is a long sum that needs float64, which Metal has not, and it is 1 % of the
work. The only randomness of the model is here, and it is needed: without noise the unvoiced bins of the spectrum are
near zero, and their phase, an input of the network, is rounding error.
"""

import mlx.core as mx
import numpy as np
import numpy.typing as npt

from server.kokoro_mlx import config as c
from server.kokoro_mlx.params import Params

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]


def draw_noise(samples: int, seed: int) -> Floats:
    """Standard normal noise (N, P), the same for the same seed in any process."""
    return np.random.Generator(np.random.PCG64(seed)).standard_normal((samples, c.HARMONICS), dtype=np.float32)


def cycles(f0: Floats) -> Doubles:
    """F0 in Hz (H,) → the phase at each half's centre in whole turns (H, P).

    The reference draws random start phases too, but they never reach its output: it samples the phase increments at
    half centres only, and the offset sits on the first sample.
    """
    harmonic = np.arange(1, c.HARMONICS + 1, dtype=np.float32)
    turns_per_sample = (f0[:, None] * harmonic / np.float32(c.SAMPLE_RATE_HZ)) % np.float32(1)
    summed: Doubles = np.cumsum(turns_per_sample, axis=0, dtype=np.float64) * c.HALF_SAMPLES
    return summed


def sines(f0: Floats, harmonic: int, phase: Doubles) -> Floats:
    """One harmonic's sine (N,) of unit amplitude, its phase interpolated linearly between half centres."""
    halves = len(f0)
    offsets = (np.arange(c.HALF_SAMPLES) + 0.5) / c.HALF_SAMPLES - 0.5  # of a half's samples from its centre
    column = phase[:, harmonic]
    steps = np.diff(column)
    before = np.concatenate([[0.0], steps])[:, None]
    after = np.concatenate([steps, [0.0]])[:, None]
    turns = column[:, None] + np.where(offsets < 0, before, after) * offsets
    wrapped = (turns - np.floor(turns)).reshape(halves * c.HALF_SAMPLES).astype(np.float32)
    wave: Floats = np.sin(np.float32(2 * np.pi) * wrapped)
    return wave


class Source:
    """F0 (H,) and noise (N, P) → excitation (N,) in [−1, 1]: sines where there is voice, noise throughout."""

    def __init__(self, params: Params) -> None:
        linear = params.at("l_linear")
        self._mix: Floats = np.array(linear["weight"])[:, 0]  # (P,)
        self._bias = float(linear["bias"][0])

    def __call__(self, f0: Floats, noise: Floats) -> mx.array:
        voiced = np.repeat(f0 > c.VOICED_ABOVE_HZ, c.HALF_SAMPLES)
        sine_level = np.where(voiced, np.float32(c.SINE_AMPLITUDE), np.float32(0))
        noise_level = np.where(voiced, np.float32(c.NOISE_STD), np.float32(c.SINE_AMPLITUDE / 3))
        phase = cycles(f0)
        total = np.full(len(voiced), self._bias, np.float32)
        for i, weight in enumerate(self._mix):
            total += weight * (sine_level * sines(f0, i, phase) + noise_level * noise[:, i])
        return mx.array(np.tanh(total))
