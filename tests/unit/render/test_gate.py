"""Speech passes, noise does not."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from server.errors import NotSpeech
from server.render import gate
from server.render.gate import Fingerprint, check, fingerprint

MEASURED = Path(__file__).resolve().parents[3] / "benchmarks" / "results" / "fingerprint.json"


def noise(tilt: float, seconds: float = 1.0) -> NDArray[np.float32]:
    """Noise whose spectrum rises with `tilt`: 0 is white, 0.4 sounds as the broken kernels did."""
    white = np.random.default_rng(1).standard_normal(int(24_000 * seconds) + 1)
    risen: NDArray[np.float32] = (0.1 * (white[1:] - tilt * white[:-1])).astype(np.float32)
    return risen


def voice(seconds: float = 1.0) -> NDArray[np.float32]:
    """Harmonics of 150 Hz that fall as a voice's do, with a little breath."""
    time = np.arange(int(24_000 * seconds)) / 24_000
    tone = np.sum([np.sin(2 * np.pi * 150 * k * time) / k**1.5 for k in range(1, 40)], axis=0)
    spoken: NDArray[np.float32] = (0.15 * tone + 0.02 * noise(0.0, seconds)).astype(np.float32)
    return spoken


def test_a_voice_is_a_voice_even_with_a_hiss_at_its_end() -> None:
    assert check(voice(), 15) == []
    assert check(np.concatenate([voice(0.5), noise(0.0, 0.2)]).astype(np.float32), 12) in ([], ["noisy"])


@pytest.mark.parametrize("tilt", [0.0, 0.4, 0.6])
@pytest.mark.parametrize("seconds", [0.01, 0.3, 2.0])
@pytest.mark.parametrize("level", [0.5, 1.0, 3.0])
def test_noise_is_refused_however_long_and_loud(tilt: float, seconds: float, level: float) -> None:
    with pytest.raises(NotSpeech, match="noise"):
        check(level * noise(tilt, seconds), 12)


def test_the_known_bad_case_is_refused_by_its_figures() -> None:
    bad = fingerprint(noise(0.4))
    assert bad.centroid_hz == pytest.approx(6_796, rel=0.03)
    assert bad.high_share == pytest.approx(0.53, abs=0.03)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_a_single_sample_that_is_no_number_is_refused(wrong: float) -> None:
    speech = voice()
    speech[17] = wrong
    with pytest.raises(NotSpeech, match="no sound"):
        check(speech, 15)


def test_silence_is_refused_where_something_should_be_heard_and_noted_where_a_mark_stands_alone() -> None:
    with pytest.raises(NotSpeech, match="silence"):
        check(np.zeros(24_000, np.float32), 15)
    assert check(np.zeros(12_000, np.float32), 1) == ["quiet"]
    assert check(np.zeros(0, np.float32), 0) == ["quiet"]


def test_a_little_clipping_is_noted_and_much_is_refused() -> None:
    speech = voice()
    speech[5_000:5_240] = 1.0
    assert check(speech, 15) == ["clipped"]
    with pytest.raises(NotSpeech, match="cut off"):
        check(np.clip(40 * voice(), -1, 1), 15)


def test_the_limits_stand_well_outside_of_what_was_measured() -> None:
    told = json.loads(MEASURED.read_text())
    for take in told["speech"]:
        heard = Fingerprint(**take["fingerprint"])
        assert heard.centroid_hz * 1.05 < gate.NOISY_CENTROID_HZ, take
        assert heard.high_share * 1.2 < gate.NOISY_HIGH_SHARE, take
        assert heard.low_share > gate.NOISY_LOW_SHARE * 1.2, take
        assert gate.QUIET_PEAK * 4 < heard.peak < 1, take
    assert len({take["voice"] for take in told["speech"]}) >= 10
    for name in ("white", "known"):
        assert told["noise"][name]["high_share"] > gate.NOISE_HIGH_SHARE * 1.3
        assert told["noise"][name]["low_share"] < gate.NOISE_LOW_SHARE / 2
