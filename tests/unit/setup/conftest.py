"""A model small enough to serve, break and install many times: two voices of the real size, three tensors."""

import hashlib
import io
import pickle
import sys
import types
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from server.config import Settings
from server.kokoro_mlx import safetensors
from server.setup.convert import Port, write_voices
from server.setup.pins import VOICE_ROWS, VOICE_WIDTH, Pinned
from server.setup.progress import Progress
from server.setup.voices import content_sha256

TorchZip = Callable[[Any], bytes]


@dataclass
class TinyModel:
    """The same small model as every publisher has it."""

    state: dict[str, np.ndarray]
    voices: dict[str, np.ndarray]
    hub_files: dict[str, bytes]
    onnx: bytes
    pinned: Pinned

    def write(self, folder: Path) -> None:
        """Lay the hub's files out in `folder`."""
        for name, data in self.hub_files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


class _Storage:
    def __init__(self, array: np.ndarray, key: str) -> None:
        self.array, self.key = array, key


@pytest.fixture
def torch_zip(monkeypatch: pytest.MonkeyPatch) -> TorchZip:
    """`torch.save` for arrays, by its documented format: pickle protocol 2, storages as persistent ids."""

    class FloatStorage: ...

    def _rebuild_tensor_v2() -> None: ...

    FloatStorage.__module__, FloatStorage.__qualname__ = "torch", "FloatStorage"
    _rebuild_tensor_v2.__module__, _rebuild_tensor_v2.__qualname__ = "torch._utils", "_rebuild_tensor_v2"
    torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")
    torch.FloatStorage, utils._rebuild_tensor_v2 = FloatStorage, _rebuild_tensor_v2  # type: ignore[attr-defined]

    class Pickler(pickle.Pickler):
        storages: list[_Storage]

        def persistent_id(self, obj: Any) -> Any:
            if isinstance(obj, _Storage):
                return ("storage", FloatStorage, obj.key, "cpu", obj.array.size)
            return None

        def reducer_override(self, obj: Any) -> Any:
            if not isinstance(obj, np.ndarray):
                return NotImplemented
            self.storages.append(_Storage(obj, str(len(self.storages))))
            strides = tuple(step // obj.itemsize for step in obj.strides)
            return _rebuild_tensor_v2, (self.storages[-1], 0, obj.shape, strides, False, OrderedDict())

    def save(value: Any) -> bytes:
        program, archive = io.BytesIO(), io.BytesIO()
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, "torch", torch)
            patch.setitem(sys.modules, "torch._utils", utils)
            pickler = Pickler(program, protocol=2)
            pickler.storages = []
            pickler.dump(value)
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as out:
            out.writestr("archive/data.pkl", program.getvalue())
            for storage in pickler.storages:
                out.writestr(f"archive/data/{storage.key}", storage.array.tobytes())
        return archive.getvalue()

    return save


@pytest.fixture
def tiny(torch_zip: TorchZip) -> TinyModel:
    numbers = np.random.default_rng(5)
    state = {
        "bert.a.weight": numbers.standard_normal((4, 3), np.float32),
        "decoder.b.weight": numbers.standard_normal((2, 5, 7), np.float32),
        "decoder.b.bias": numbers.standard_normal(2, np.float32),
    }
    voices = {name: numbers.standard_normal((VOICE_ROWS, VOICE_WIDTH), np.float32) for name in ("af_one", "bm_two")}
    parts: dict[str, dict[str, np.ndarray]] = {}
    for name, array in state.items():
        part, rest = name.split(".", 1)
        parts.setdefault(part, {})[f"module.{rest}"] = array
    files = {"tiny.pth": torch_zip(parts)}
    files |= {f"voices/{name}.pt": torch_zip(table[:, None, :]) for name, table in voices.items()}
    onnx = b"int8 model" * 1000
    pinned = Pinned(
        repo="someone/Tiny",
        revision="0123456789abcdef0123456789abcdef01234567",
        weights="tiny.pth",
        weights_sha256=hashlib.sha256(files["tiny.pth"]).hexdigest(),
        voices_sha256={name: hashlib.sha256(files[f"voices/{name}.pt"]).hexdigest() for name in voices},
        onnx_sha256=hashlib.sha256(onnx).hexdigest(),
        voices_content_sha256=content_sha256(voices),
    )
    return TinyModel(state, voices, files, onnx, pinned)


@pytest.fixture
def tiny_port() -> Port:
    """The port's layouts without the demand that the weights be all of Kokoro's."""

    def write(state: Mapping[str, np.ndarray], path: Path, metadata: Mapping[str, str]) -> None:
        safetensors.write(path, state, metadata)

    return Port(write_weights=write, write_voices=write_voices, check=lambda path: None)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(library=tmp_path / "library", data=tmp_path / "data")


class Told(list[Progress]):
    """A report that remembers; `steps` in order, without repeats."""

    def __call__(self, progress: Progress) -> None:
        self.append(progress)

    @property
    def steps(self) -> list[str]:
        return list(dict.fromkeys(progress.step for progress in self))


@pytest.fixture
def told() -> Told:
    return Told()
