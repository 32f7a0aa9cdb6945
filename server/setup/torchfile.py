"""A reader for PyTorch's zip files (.pth, .pt) that cannot run code.

Such a file is a ZIP whose `data.pkl` is a pickle: a program that may call anything it can name. Here it can name
nine things: six storages of numbers (a marker each), OrderedDict and two functions that make a tensor of a storage.
Everything else is refused before it is looked up, and every tensor is checked to lie inside its storage.
"""

import io
import math
import pickle
import struct
import zipfile
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from server.errors import SetupError

_MAX_PICKLE_BYTES = 4 << 20
_MAX_STORAGE_BYTES = 1 << 30

# Anything the unpickler raises on a damaged or hostile file, besides running out of what it may name.
_DAMAGE = (
    pickle.UnpicklingError, zipfile.BadZipFile, struct.error, EOFError, KeyError, ValueError, TypeError,
    AttributeError, IndexError, OverflowError, RecursionError, NotImplementedError, OSError,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Storage:
    """The kind of numbers in a storage: what `torch.FloatStorage` stands for in the pickle."""

    numbers: str


_STORAGES = {
    "FloatStorage": _Storage("<f4"),
    "HalfStorage": _Storage("<f2"),
    "BFloat16Storage": _Storage("<u2"),
    "DoubleStorage": _Storage("<f8"),
    "LongStorage": _Storage("<i8"),
    "IntStorage": _Storage("<i4"),
}


def widen_bfloat16(halves: NDArray[np.uint16]) -> NDArray[np.float32]:
    """Numbers stored as bfloat16 (the upper half of a float32), given as uint16, as float32 of the same shape."""
    return (halves.astype(np.uint32) << np.uint32(16)).view(np.float32)


def read_torch(path: Path) -> Any:
    """What `torch.save` wrote, with numpy arrays in place of tensors (bfloat16 as float32).

    Raises SetupError when the file is damaged or asks for anything but tensors in dictionaries.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            pickles = [name for name in archive.namelist() if name.count("/") == 1 and name.endswith("/data.pkl")]
            if len(pickles) != 1:
                raise ValueError("no data.pkl")
            program = _read(archive, pickles[0], _MAX_PICKLE_BYTES)
            return _Unpickler(program, archive, pickles[0].removesuffix("data.pkl")).load()
    except _ForbiddenError as refused:
        raise SetupError(
            f"{path} asks to load {refused}, which a file of weights has no need of; "
            "it was not opened, fetch the model from its publisher."
        ) from None
    except _DAMAGE as error:
        raise SetupError(f"{path} is not a whole PyTorch file ({error}); fetch it again.") from error


def flatten(parts: Mapping[str, Any]) -> dict[str, NDArray[np.float32]]:
    """The parts' state dicts as one, `bert.encoder…`, without DataParallel's `module.` prefix.

    Raises SetupError when a value is neither an array nor a dictionary of arrays.
    """
    flat: dict[str, NDArray[np.float32]] = {}
    for part, content in parts.items():
        tensors = content.items() if isinstance(content, Mapping) else [("", content)]
        for name, tensor in tensors:
            if not isinstance(tensor, np.ndarray):
                raise SetupError(f"{part}.{name} in the weights is no tensor; fetch the model from its publisher.")
            key = f"{part}.{name.removeprefix('module.')}" if name else part
            flat[key] = tensor.astype(np.float32, copy=False)
    return flat


class _ForbiddenError(Exception):
    """The pickle names something outside the list."""


class _Unpickler(pickle.Unpickler):
    def __init__(self, program: bytes, archive: zipfile.ZipFile, root: str) -> None:
        super().__init__(io.BytesIO(program))
        self._archive = archive
        self._root = root
        self._storages: dict[str, NDArray[Any]] = {}

    def find_class(self, module: str, name: str, /) -> Any:
        if module == "torch" and name in _STORAGES:
            return _STORAGES[name]
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _tensor
        if (module, name) == ("torch._utils", "_rebuild_parameter"):
            return _parameter
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        raise _ForbiddenError(f"{module}.{name}")

    def persistent_load(self, pid: Any, /) -> NDArray[Any]:
        """`("storage", kind, key, device, numel)` → its numbers, read once however many tensors share them."""
        word, kind, key, _device, count = pid
        if word != "storage" or not isinstance(kind, _Storage) or not str(key).isalnum():
            raise ValueError("an unknown kind of storage")
        if key not in self._storages:
            data = _read(self._archive, f"{self._root}data/{key}", _MAX_STORAGE_BYTES)
            numbers = np.frombuffer(data, kind.numbers)
            if numbers.size != count:
                raise ValueError("a storage is cut short")
            self._storages[key] = widen_bfloat16(numbers) if kind.numbers == "<u2" else numbers
        return self._storages[key]


def _tensor(storage: Any, offset: Any, shape: Any, stride: Any, *_unused: Any) -> NDArray[Any]:
    if not isinstance(storage, np.ndarray) or len(shape) != len(stride) or min((offset, *shape, *stride)) < 0:
        raise ValueError("a tensor without a storage")
    count = math.prod(shape)
    # Both bounds: the last element lies inside, and no zero stride blows a few numbers up into many.
    last = offset + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))
    if count > storage.size or (count > 0 and last >= storage.size):
        raise ValueError("a tensor reaches past its storage")
    steps = tuple(step * storage.itemsize for step in stride)
    view = np.lib.stride_tricks.as_strided(storage[offset:], shape, steps, writeable=False)
    return np.ascontiguousarray(view).reshape(shape)


def _parameter(tensor: Any, *_unused: Any) -> Any:
    return tensor


def _read(archive: zipfile.ZipFile, name: str, limit_bytes: int) -> bytes:
    """One member; torch stores without compression, so a compressed one is a bomb or no torch file."""
    info = archive.getinfo(name)
    if info.compress_type != zipfile.ZIP_STORED or info.file_size > limit_bytes:
        raise ValueError(f"{name} is packed or too large")
    return archive.read(info)
