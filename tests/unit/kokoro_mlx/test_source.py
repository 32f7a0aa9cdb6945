"""The harmonic source against a phase summed sample by sample."""

import numpy as np

from server.kokoro_mlx import config as c
from server.kokoro_mlx.source import Source, cycles, draw_noise, sines
from tests.unit.kokoro_mlx.helpers import normal, params


def test_a_steady_pitch_is_a_steady_sine() -> None:
    f0 = np.full(20, 200.0, np.float32)
    wave = sines(f0, 1, cycles(f0))  # the second harmonic
    inside = wave[c.HALF_SAMPLES : -c.HALF_SAMPLES]  # before the first and after the last centre the phase rests
    spectrum = np.abs(np.fft.rfft(inside * np.hanning(len(inside))))
    peak_hz = np.argmax(spectrum) * c.SAMPLE_RATE_HZ / len(inside)
    assert abs(peak_hz - 400) < c.SAMPLE_RATE_HZ / len(inside)
    assert 0.99 < np.abs(inside).max() <= 1


def test_phase_follows_linear_interpolation_between_half_centres() -> None:
    f0 = 100 + 50 * np.abs(normal(1, 12))
    phase = cycles(f0)
    position = np.clip((np.arange(len(f0) * c.HALF_SAMPLES) + 0.5) / c.HALF_SAMPLES - 0.5, 0, len(f0) - 1)
    for harmonic in (0, 8):
        turns = np.interp(position, np.arange(len(f0)), phase[:, harmonic])
        np.testing.assert_allclose(sines(f0, harmonic, phase), np.sin(2 * np.pi * turns), atol=2e-6)


def test_unvoiced_is_noise_and_voiced_has_little_of_it() -> None:
    source = Source(params(l_linear__weight=np.ones((c.HARMONICS, 1), np.float32), l_linear__bias=np.zeros(1)))
    f0 = np.float32([0, 0, 9.9, 10.1])
    silent = np.zeros((len(f0) * c.HALF_SAMPLES, c.HARMONICS), np.float32)
    quiet = np.array(source(f0, silent)).reshape(4, -1)
    assert not quiet[:3].any()
    assert quiet[3].any()
    one = np.ones_like(silent)
    noisy = np.array(source(np.float32([0, 0, 0, 0]), one))
    np.testing.assert_allclose(noisy, np.tanh(9 * c.SINE_AMPLITUDE / 3), rtol=1e-6)


def test_noise_is_a_matter_of_the_seed() -> None:
    assert np.array_equal(draw_noise(1000, 7), draw_noise(1000, 7))
    assert not np.array_equal(draw_noise(1000, 7), draw_noise(1000, 8))
    # the first values of numpy's PCG64(0): were the stream ever to change, rendered takes would no longer repeat
    np.testing.assert_allclose(
        draw_noise(1, 0)[0, :3], np.random.Generator(np.random.PCG64(0)).standard_normal(3, np.float32)
    )
