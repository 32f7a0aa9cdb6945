import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from server.config import Settings
from server.errors import SetupError
from server.kokoro_mlx import safetensors, weights
from server.setup import folder as folder_module
from server.setup import run_setup
from server.setup.convert import Port
from server.setup.folder import FolderSource
from server.setup.manifest import VOICES, WEIGHTS, check_models
from server.setup.sources import Material, Ready
from tests.unit.setup.conftest import TinyModel, Told


def _fetch(folder: Path, tiny: TinyModel, told: Told) -> Material:
    given = FolderSource(folder, pinned=tiny.pinned).fetch(folder / "unused", told)
    assert isinstance(given, Material)
    return given


def _holds_tiny(given: Material, tiny: TinyModel) -> None:
    assert set(given.weights) == set(tiny.state)
    for name, array in tiny.state.items():
        np.testing.assert_array_equal(given.weights[name], array)
    for name, table in tiny.voices.items():
        np.testing.assert_array_equal(given.voices[name], table)


def _write_bins(folder: Path, tiny: TinyModel) -> None:
    folder.mkdir(exist_ok=True)
    for name, table in tiny.voices.items():
        (folder / f"{name}.bin").write_bytes(table.tobytes())


def test_reads_the_hubs_files(tmp_path: Path, tiny: TinyModel, told: Told) -> None:
    tiny.write(tmp_path)
    given = _fetch(tmp_path, tiny, told)
    _holds_tiny(given, tiny)
    assert given.revision == f"tiny.pth sha256:{tiny.pinned.weights_sha256}"


def test_reads_safetensors_with_one_voice_a_file(tmp_path: Path, tiny: TinyModel, told: Told) -> None:
    (tmp_path / "voices").mkdir()
    safetensors.write(tmp_path / "kokoro-v1_0.safetensors", tiny.state, {})
    for name, table in tiny.voices.items():
        safetensors.write(tmp_path / "voices" / f"{name}.safetensors", {"voice": table[:, None, :]}, {})
    _holds_tiny(_fetch(tmp_path, tiny, told), tiny)


@pytest.mark.parametrize("code", ["F16", "BF16"])
def test_half_precision_is_installed_as_the_numbers_it_holds(
    tmp_path: Path, tiny: TinyModel, tiny_port: Port, told: Told, code: safetensors.Code
) -> None:
    """As the MLX community publishes it: PyTorch's names, half precision, and position ids that nobody reads."""
    files = tmp_path / "files"
    (files / "voices").mkdir(parents=True)
    safetensors.write(files / "kokoro-v1_0.safetensors", tiny.state, {}, code)
    _add_position_ids(files / "kokoro-v1_0.safetensors")
    for name, table in tiny.voices.items():
        safetensors.write(files / "voices" / f"{name}.safetensors", {"voice": table[:, None, :]}, {}, code)

    def write(state: Mapping[str, np.ndarray], path: Path, metadata: Mapping[str, str]) -> None:
        safetensors.write(path, weights.fold_weight_norm(state), metadata)

    port = Port(write_weights=write, write_voices=tiny_port.write_voices, check=tiny_port.check)
    models = run_setup(
        Settings(data=tmp_path / "data"), told, sources=[FolderSource(files, pinned=tiny.pinned)], port=port
    )
    assert check_models(tmp_path / "data" / "models", deep=True) == models
    nearness = 2.0**-11 if code == "F16" else 2.0**-8
    for file, wanted in ((WEIGHTS, tiny.state), (VOICES, tiny.voices)):
        found = safetensors.read(tmp_path / "data" / "models" / file)
        assert found.keys() == wanted.keys()
        for name, array in found.items():
            assert array.dtype == np.float32
            np.testing.assert_allclose(array, wanted[name], rtol=nearness, atol=1e-7)


def _add_position_ids(path: Path) -> None:
    """Integers, which `safetensors.write` has no use for, put at the end of the file by hand."""
    header, start = safetensors.read_header(path)
    data = path.read_bytes()[start:]
    ids = np.arange(512, dtype="<i8").tobytes()
    span = [len(data), len(data) + len(ids)]
    header["bert.embeddings.position_ids"] = {"dtype": "I64", "shape": [1, 512], "data_offsets": span}
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data + ids)


def test_reads_the_int8_export_with_raw_voices_beside_it(
    tmp_path: Path, tiny: TinyModel, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_module, "read_quantised", lambda path: tiny.state)
    (tmp_path / "any-name.onnx").write_bytes(tiny.onnx)
    _write_bins(tmp_path, tiny)
    given = _fetch(tmp_path, tiny, told)
    _holds_tiny(given, tiny)
    assert given.revision.startswith("any-name.onnx sha256:")


def test_an_installed_model_is_copied_with_its_revision(
    tmp_path: Path, tiny: TinyModel, tiny_port: Port, told: Told
) -> None:
    hub_files = tmp_path / "files"
    tiny.write(hub_files)
    first = run_setup(
        Settings(data=tmp_path / "one"), told, sources=[FolderSource(hub_files, pinned=tiny.pinned)], port=tiny_port
    )
    models = tmp_path / "one" / "models"
    source = FolderSource(models, pinned=tiny.pinned)
    assert source.fetch(tmp_path, told) == Ready(models)
    second = run_setup(Settings(data=tmp_path / "two"), told, sources=[source], port=tiny_port)
    assert (second.revision, second.files) == (first.revision, first.files)
    assert check_models(tmp_path / "two" / "models", deep=True) == second
    assert check_models(models, deep=True) == first


def test_an_installed_model_that_has_changed_is_refused(
    tmp_path: Path, tiny: TinyModel, tiny_port: Port, told: Told
) -> None:
    hub_files = tmp_path / "files"
    tiny.write(hub_files)
    run_setup(
        Settings(data=tmp_path / "one"), told, sources=[FolderSource(hub_files, pinned=tiny.pinned)], port=tiny_port
    )
    models = tmp_path / "one" / "models"
    data = bytearray((models / WEIGHTS).read_bytes())
    data[-1] ^= 1
    (models / WEIGHTS).write_bytes(data)
    with pytest.raises(SetupError, match="has changed since it was installed"):
        run_setup(Settings(data=tmp_path / "two"), told, sources=[FolderSource(models)], port=tiny_port)
    assert not (tmp_path / "two" / "models" / WEIGHTS).exists()


def test_a_file_that_is_not_the_published_one_is_refused_and_left_alone(
    tmp_path: Path, tiny: TinyModel, told: Told
) -> None:
    tiny.write(tmp_path)
    for name in ("tiny.pth", "voices/af_one.pt"):
        right = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(right + b"x")
        with pytest.raises(SetupError, match="is not what it should be"):
            _fetch(tmp_path, tiny, told)
        assert (tmp_path / name).read_bytes() == right + b"x"
        (tmp_path / name).write_bytes(right)
    _fetch(tmp_path, tiny, told)


def test_raw_voices_are_held_against_their_sum(
    tmp_path: Path, tiny: TinyModel, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_module, "read_quantised", lambda path: tiny.state)
    (tmp_path / "model.onnx").write_bytes(tiny.onnx)
    _write_bins(tmp_path / "voices", tiny)
    (tmp_path / "voices" / "af_one.bin").write_bytes(np.zeros((510, 256), np.float32).tobytes())
    with pytest.raises(SetupError, match=r"The voices in .* are not what they should be"):
        _fetch(tmp_path, tiny, told)


def test_what_is_missing_is_named(tmp_path: Path, tiny: TinyModel, told: Told) -> None:
    with pytest.raises(SetupError, match=r"holds no weights; one of these is looked for: manifest\.json, tiny\.pth"):
        _fetch(tmp_path, tiny, told)
    tiny.write(tmp_path)
    (tmp_path / "voices" / "bm_two.pt").unlink()
    with pytest.raises(SetupError, match=r"1 of 2 voices are missing in .*, bm_two among them"):
        _fetch(tmp_path, tiny, told)
    with pytest.raises(SetupError, match="is no folder"):
        _fetch(tmp_path / "elsewhere", tiny, told)
