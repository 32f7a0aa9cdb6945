"""The whole model in the ways that no other test reaches."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from server.kokoro_mlx import (
    Kokoro,
    Pass,
    PhonemesError,
    Stopped,
    albert,
    check,
    conv,
    exponential,
    layers,
    load,
    load_voices,
    model,
    snake,
)
from server.kokoro_mlx.check import Reading
from server.kokoro_mlx.config import SAMPLE_RATE_HZ
from server.kokoro_mlx.pace import Pace
from server.kokoro_mlx.safetensors import Array

import mlx.core as mx  # isort: skip  (after the port, which brings the BLAS)

pytestmark = pytest.mark.speech


@pytest.fixture(scope="module")
def kokoro(models: Path) -> Iterator[Kokoro]:
    yield load(models / "kokoro.safetensors")


@pytest.fixture(scope="module")
def reading(kokoro: Kokoro) -> Reading:
    """How the model reads in the way it is usually computed here."""
    return check.read(kokoro)


@pytest.fixture(scope="module")
def voices(models: Path) -> dict[str, Array]:
    return load_voices(models / "voices.safetensors")


def test_passes_rendered_together_have_the_bits_of_each_alone(kokoro: Kokoro, voices: dict[str, Array]) -> None:
    passes = [
        Pass("hˈIz.", voices["af_heart"], seed=3),
        Pass("ðə lˈæmp wˈɛnt ˈWt.", voices["am_michael"], speed=1.2, seed=4),
        Pass("ʃˈʌʃ!", voices["bf_emma"]),
    ]
    together = kokoro.render_together(passes)
    for given, take in zip(passes, together, strict=True):
        alone = kokoro.render(given.phonemes, given.voice, given.speed, given.seed)
        assert take.pred_dur == alone.pred_dur
        assert np.array_equal(take.audio, alone.audio)


def test_one_that_cannot_be_read_ends_all_before_anything_is_computed(kokoro: Kokoro, voices: dict[str, Array]) -> None:
    asked: list[int] = []

    def stop() -> bool:
        asked.append(1)
        return False

    with pytest.raises(PhonemesError):
        kokoro.render_together([Pass("hˈIz.", voices["af_heart"]), Pass("☃", voices["af_heart"])], stop)
    assert not asked


def test_a_stop_ends_all(kokoro: Kokoro, voices: dict[str, Array]) -> None:
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked == 30

    with pytest.raises(Stopped):
        kokoro.render_together([Pass("hˈIz.", voices["af_heart"]), Pass("ʃˈʌʃ!", voices["bf_emma"])], stop)
    assert asked == 30


def test_nothing_is_computed_for_longer_than_a_moment_without_asking(kokoro: Kokoro, voices: dict[str, Array]) -> None:
    """A second of audio is computed in dozens of evaluations: none is a large share of them."""
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return False

    take = kokoro.render("ðə lˈæmp wˈɛnt ˈWt.", voices["af_heart"], stop=stop)
    assert asked > 40 * len(take.audio) / 24_000


def test_what_comes_before_the_sound_is_stopped_within_it(kokoro: Kokoro, voices: dict[str, Array]) -> None:
    """PL-BERT and the LSTMs take seconds for the longest pass: a stop may not have to wait for all of it."""
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked == 13

    style = mx.array(voices["af_heart"][0, 128:])
    with pytest.raises(Stopped):
        kokoro.prosody((0, 50, 0), style, 1.0, Pace(stop))


def test_a_thread_other_than_the_one_that_loaded_it_can_render(models: Path) -> None:
    """In a process of its own: MLX's streams belong to threads, and nothing may be left to the loading one's."""
    program = (
        "import os, sys, threading\n"
        "from pathlib import Path\n"
        "from server.kokoro_mlx import load, load_voices\n"
        "models = Path(sys.argv[1])\n"
        "kokoro, voices = load(models / 'kokoro.safetensors'), load_voices(models / 'voices.safetensors')\n"
        "def render():\n"
        "    print(len(kokoro.render('hˈIz.', voices['af_heart'], 3.0).audio), flush=True)\n"
        "    os._exit(0)\n"  # MLX 0.32 aborts as a process ends in which a thread that computed has ended
        "thread = threading.Thread(target=render)\n"
        "thread.start()\n"
        "thread.join()\n"
    )
    run = subprocess.run([sys.executable, "-c", program, str(models)], capture_output=True, text=True, timeout=120)
    assert int(run.stdout) > 0, run.stderr


def test_in_a_gpu_s_layout_it_speaks_the_same(models: Path, reading: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    """MLX's own convolutions and sine, the LSTM in MLX: what a GPU is given, computed here, if slowly."""
    for module in (albert, conv, exponential, layers, model, snake):
        monkeypatch.setattr(module, "native", lambda: True)
    check.compare(check.read(load(models / "kokoro.safetensors")), reading)


def test_without_a_compiler_it_speaks_the_same(models: Path, reading: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.kokoro_mlx.device.fuses", lambda: False)
    monkeypatch.setattr(conv, "fuses", lambda: False)
    kept = (layers._difference, exponential._kernels)
    for kernels in kept:
        kernels.cache_clear()
    try:
        check.compare(check.read(load(models / "kokoro.safetensors")), reading)
    finally:
        for kernels in kept:
            kernels.cache_clear()


def peak_mb(kokoro: Kokoro, voice: Array, phonemes: int) -> tuple[float, float]:
    """MLX's peak above what the model holds, in MB, and the seconds of audio, of a pass of so many phonemes."""
    words = "ðə mˈɪləɹ kˈɛpt θɹˈi lˈɛʤəɹz, wˈʌn fɔɹ ðə flˈWəɹ, wˈʌn fɔɹ ðə dˈɛts. " * 9
    mx.clear_cache()
    held = mx.get_active_memory()
    mx.reset_peak_memory()
    take = kokoro.render(words[: phonemes - 1] + ".", voice)
    return (mx.get_peak_memory() - held) / 1e6, len(take.audio) / SAMPLE_RATE_HZ


def test_a_long_pass_needs_little_more_than_what_its_output_is_made_from(
    kokoro: Kokoro, voices: dict[str, Array]
) -> None:
    """Normalisation is over the whole pass, so features of the output's resolution have to be held whole.

    4,800 steps a second of 128 numbers are 2.46 MB: four of them (what the round began with, the sum of its blocks, and
    the two ends of the convolution at hand), and blocks of time beside. One lazy graph would hold a hundred.
    """
    (short_mb, short_s), (long_mb, long_s) = (peak_mb(kokoro, voices["af_heart"], n) for n in (40, 238))
    assert long_mb < 300
    assert (long_mb - short_mb) / (long_s - short_s) < 5.5 * 2.46


def test_nothing_is_held_after_a_pass(kokoro: Kokoro, voices: dict[str, Array]) -> None:
    """A first pass of a new length leaves the traces of its fused kernels behind, kilobytes; after that nothing."""
    held = []
    for number in range(10):
        kokoro.render("hˈIz." + " wˈɔTəɹ." * (number % 5), voices["af_heart"], speed=3.0, seed=number)
        held.append(mx.get_active_memory() + mx.get_cache_memory())
    assert max(held) - min(held) < 100_000
    assert len(set(held[5:])) == 1, held
