"""How arrays are compared, and how they are made small enough to keep. Used on both sides, so with numpy alone."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float32]

N_FFT, HOP_SAMPLES = 20, 5
_KEPT = 16  # numbers kept of each step of a wide array
_WINDOWS, WINDOW_SAMPLES = 8, 512
BIN_STEP = 61  # every 61st step of a spectrum: no multiple of any stride in the generator, so all positions occur
_REACH = 60  # lags tried in either direction; an upsampling step of the generator is 5 or 30 samples


def agreement_db(found: Array, wanted: Array) -> float:
    """Energy of what was wanted over energy of the difference, in decibels: 20 for each correct decimal digit."""
    if found.shape != wanted.shape:
        raise ValueError(f"arrays of different shapes: {found.shape} and {wanted.shape}")
    difference = np.square(found.astype(np.float64) - wanted).sum()
    return float(10 * np.log10(np.square(wanted, dtype=np.float64).sum() / max(difference, 1e-300)))


def projected(x: Array) -> Floats:
    """(T, C) → (T, 16): random mixtures of all channels, so that an error in any of them shows in what is kept.

    They keep the ratio of two arrays' energies: the agreement of the mixtures is that of the arrays.
    """
    channels = x.shape[1]
    mixture = np.random.Generator(np.random.PCG64(channels)).standard_normal((channels, _KEPT)) / np.sqrt(channels)
    mixed: Floats = (x.astype(np.float64) @ mixture).astype(np.float32)
    return mixed


def window_starts(samples: int) -> NDArray[np.int64]:
    return np.linspace(0, samples - WINDOW_SAMPLES, _WINDOWS + 2).astype(np.int64)[1:-1]


def windows(x: Array) -> Floats:
    """(N,) → (8, 512): pieces of 21 ms, evenly spread, none at an edge."""
    return np.stack([x[start : start + WINDOW_SAMPLES] for start in window_starts(len(x))]).astype(np.float32)


def lag_samples(found: Array, wanted: Array) -> int:
    """By how many samples `found` (N,) is late against `wanted`, the windows of the same length of audio."""
    loudest = int(np.square(wanted, dtype=np.float64).sum(axis=1).argmax())
    start, piece = int(window_starts(len(found))[loudest]), wanted[loudest].astype(np.float64)
    near = found[start - _REACH : start + WINDOW_SAMPLES + _REACH].astype(np.float64)
    around = np.lib.stride_tricks.sliding_window_view(near, WINDOW_SAMPLES)
    likeness = (around @ piece) / np.sqrt(np.square(around).sum(axis=1))
    return int(likeness.argmax()) - _REACH


def spectrum(x: Array) -> Floats:
    """(N,) → (N // 5 + 1, 22): magnitudes and phases as the generator wants them, computed in float64."""
    padded = np.pad(x.astype(np.float64), N_FFT // 2, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, N_FFT)[::HOP_SAMPLES]
    bins = np.fft.rfft(frames * (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(N_FFT) / N_FFT)))
    bins[:, [0, -1]] = bins[:, [0, -1]].real + 0.0  # these are real; without the sum −0 would stay and turn the phase
    return np.concatenate([np.abs(bins), np.angle(bins)], axis=1).astype(np.float32)


def level_db(x: Array) -> float:
    """Mean power of audio in decibels of full scale."""
    return float(10 * np.log10(np.square(x, dtype=np.float64).mean()))
