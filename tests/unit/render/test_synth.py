"""Kokoro behind the contract: what it refuses, and how it knows that its numbers are right."""

import json
from pathlib import Path

import pytest

from server.errors import DeviceWrong, NotSpeech, RenderError
from server.kokoro_mlx import check
from server.render import synth
from server.render.engine import kokoro_engine
from server.render.synth import KokoroSynth

pytestmark = pytest.mark.speech


@pytest.fixture
def folder(tmp_path: Path, models: Path) -> Path:
    """The model in a folder of its own."""
    for name in (synth.WEIGHTS, synth.VOICES):
        (tmp_path / name).symlink_to(models / name)
    return tmp_path


def test_weights_nobody_has_a_reading_of_are_read_by_this_machines_cpu_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    voice = KokoroSynth(folder, kokoro_engine("f" * 64), threads=1)
    monkeypatch.setattr(synth, "on_gpu", lambda: True)  # as on a Mac: the CPU is asked beside the GPU
    assert voice.check() is None
    kept = folder / f"selfcheck-{'f' * 16}.json"
    told = json.loads(kept.read_bytes())

    def never() -> None:
        raise AssertionError("the CPU was asked again")

    monkeypatch.setattr(voice, "_read_anew", never)
    monkeypatch.setattr(voice, "_require_weights", lambda: None)  # the file is another than the made-up hash says
    assert voice.check() is None
    louder = check.Reading.from_json(told["reading"])
    told["reading"]["pitch"] = check.Reading(*(1.01 * part for part in vars(louder).values())).to_json()["pitch"]
    kept.write_text(json.dumps(told))
    assert "pitch" in (voice.check() or "")
    told["input"][-1] = "of another version of the engine"
    kept.write_text(json.dumps(told))
    with pytest.raises(AssertionError, match="asked again"):
        voice.check()


def test_a_file_that_is_not_the_installed_one_is_blamed_before_a_device(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    voice = KokoroSynth(folder, kokoro_engine("f" * 64), threads=1)

    def wrong() -> None:
        raise check.WrongNumbersError("the pitch is off")

    monkeypatch.setattr(synth, "probe", wrong)
    with pytest.raises(RenderError, match="is damaged"):
        voice.check()


@pytest.mark.parametrize("words", ["[malloc] Unable to allocate 8 bytes.", "Command buffer: Insufficient Memory"])
def test_too_little_memory_is_no_fault_of_a_device(folder: Path, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    voice = KokoroSynth(folder, kokoro_engine("f" * 64), threads=1)

    def short(*_: object, **__: object) -> None:
        raise RuntimeError(words)

    monkeypatch.setattr(voice._model, "render", short)
    with pytest.raises(MemoryError):
        voice.render("hˈI.", "af_heart", speed=1.0, seed=0, stop=lambda: False)


def test_what_cannot_be_rendered_is_told_apart_from_a_device_that_fails(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    voice = KokoroSynth(folder, kokoro_engine("f" * 64), threads=1)

    def render(phonemes: str = "hˈI.", name: str = "af_heart", speed: float = 1.0) -> None:
        voice.render(phonemes, name, speed=speed, seed=0, stop=lambda: False)

    for wrong in ({"phonemes": "☃"}, {"name": "nobody"}, {"speed": 0.0}):
        with pytest.raises(RenderError) as caught:
            render(**wrong)
        assert not isinstance(caught.value, NotSpeech)
    for trouble in (ValueError("cannot convert float NaN to integer"), RuntimeError("[METAL] command buffer failed")):

        def fail(*_: object, trouble: Exception = trouble, **__: object) -> None:
            raise trouble

        monkeypatch.setattr(voice._model, "render", fail)
        with pytest.raises(NotSpeech):
            render()


def test_an_mlx_that_computes_noise_is_refused_before_anything_is_loaded(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "NEEDED", (99, 0, 0))
    with pytest.raises(RenderError, match="make setup"):
        KokoroSynth(folder, kokoro_engine("f" * 64), threads=1)


def test_a_device_that_fails_as_the_model_is_loaded_is_not_a_damaged_model(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("[METAL] no device")

    monkeypatch.setattr(synth, "load", fail)
    with pytest.raises(DeviceWrong, match="METAL"):
        KokoroSynth(folder, kokoro_engine("f" * 64), threads=1)
