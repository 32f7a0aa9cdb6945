"""The short-time Fourier transform against numpy's own, and its inverse against it."""

import mlx.core as mx
import numpy as np

from server.kokoro_mlx.config import HOP_SAMPLES, N_BINS, N_FFT
from server.kokoro_mlx.stft import Spectrum
from tests.unit.kokoro_mlx.helpers import normal

HANN = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(N_FFT) / N_FFT)


def test_analysis_equals_numpy() -> None:
    x = normal(1, 600)
    padded = np.pad(x.astype(np.float64), N_FFT // 2, mode="reflect")
    starts = range(0, len(padded) - N_FFT + 1, HOP_SAMPLES)
    wanted = np.fft.rfft(np.array([padded[s : s + N_FFT] * HANN for s in starts]))
    found = np.array(Spectrum().analyse(mx.array(x)))
    assert found.shape == (600 // HOP_SAMPLES + 1, 2 * N_BINS)
    complex_found = found[:, :N_BINS] * np.exp(1j * found[:, N_BINS:])
    np.testing.assert_allclose(complex_found, wanted, atol=5e-6)


def test_first_and_last_frequency_have_phase_zero_or_plus_pi() -> None:
    found = np.array(Spectrum().analyse(mx.array(normal(2, 3000))))
    for q in (0, N_BINS - 1):
        phase = found[:, N_BINS + q]
        assert set(np.unique(phase)) == {np.float32(0), np.float32(np.pi)}


def test_silence_has_no_phase() -> None:
    found = np.array(Spectrum().analyse(mx.zeros(300)))
    assert not found.any()


def test_synthesis_undoes_analysis() -> None:
    x, spectrum = normal(3, 1200), Spectrum()
    parts = spectrum.analyse(mx.array(x))
    back = np.array(spectrum.synthesise(parts[:, :N_BINS], parts[:, N_BINS:]))
    np.testing.assert_allclose(back, x, atol=5e-6)
