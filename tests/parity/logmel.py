"""Log-mel spectra, the measure of distance between two takes of the same sentence."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

RATE_HZ = 24_000
WINDOW_SAMPLES = 1024
HOP_SAMPLES = 600  # one frame of the model
BANDS = 40
FLOOR = 1e-5  # −50 dB under a full-scale magnitude of 1: below it one silence is as good as another


def log_mel(audio: NDArray[Any]) -> NDArray[np.float32]:
    """Audio (N,) → decibels (N // 600, 40), from 50 Hz to 12 kHz."""
    window = np.hanning(WINDOW_SAMPLES)
    half = WINDOW_SAMPLES // 2
    padded = np.pad(np.asarray(audio, np.float64), half)
    starts = np.arange(len(audio) // HOP_SAMPLES) * HOP_SAMPLES
    frames = padded[starts[:, None] + np.arange(WINDOW_SAMPLES)] * window
    magnitude = np.abs(np.fft.rfft(frames)) * (2 / window.sum())
    decibels: NDArray[np.float32] = (20 * np.log10(np.maximum(magnitude @ _filters().T, FLOOR))).astype(np.float32)
    return decibels


def distance_db(one: NDArray[Any], other: NDArray[Any]) -> float:
    """Mean absolute difference of two log-mel spectra of the same shape, in decibels."""
    if one.shape != other.shape:
        raise ValueError(f"spectra of different shapes: {one.shape} and {other.shape}")
    return float(np.abs(one.astype(np.float64) - other.astype(np.float64)).mean())


def stretched(spectrum: NDArray[Any], pred_dur: Sequence[int], wanted: Sequence[int]) -> NDArray[Any]:
    """A spectrum (sum(pred_dur), 40) with the durations `wanted` instead, phoneme by phoneme."""
    frames = []
    start = 0
    for have, want in zip(pred_dur, wanted, strict=True):
        frames.append(start + np.arange(want) * have // want)
        start += have
    return spectrum[np.concatenate(frames)]


def _filters() -> NDArray[np.float64]:
    """Triangles of unit sum, evenly spaced on the mel scale: (40, 513)."""
    low, high = (2595 * np.log10(1 + hz / 700) for hz in (50.0, RATE_HZ / 2))
    edges = 700 * (10 ** (np.linspace(low, high, BANDS + 2) / 2595) - 1)
    bins = np.fft.rfftfreq(WINDOW_SAMPLES, 1 / RATE_HZ)
    rising = (bins - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - bins) / (edges[2:] - edges[1:-1])[:, None]
    triangles = np.maximum(np.minimum(rising, falling), 0)
    return np.asarray(triangles / np.maximum(triangles.sum(axis=1, keepdims=True), 1e-9))
