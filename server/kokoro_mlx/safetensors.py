"""Read and write safetensors files with numpy alone, so that the same arrays always give the same bytes.

The format: eight bytes of header length (little endian), a JSON header that gives each tensor's dtype, shape and byte
span, then the tensors. Here names are sorted and the header is padded so that the data starts on a multiple of 64.
"""

import json
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np

_ALIGN_BYTES = 64
_DTYPES: dict[str, np.dtype[Any]] = {
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "BF16": np.dtype("<u2"),  # numpy has no bfloat16: read as bits, given out as float32
    "I64": np.dtype("<i8"),  # position ids, in some publishers' files; never written
}
_OWN = {_DTYPES["F32"]: "F32", _DTYPES["F16"]: "F16"}

Array = np.ndarray[Any, np.dtype[Any]]
Code = Literal["F32", "F16", "BF16"]


class WeightsError(ValueError):
    """A weights or voices file is not what this package needs; the message names what differs."""


def write(path: Path, arrays: Mapping[str, Array], metadata: Mapping[str, str], code: Code | None = None) -> None:
    """Write `arrays`, float32 or float16, to `path`, all rounded to `code` if one is given; whole or not at all.

    Raises WeightsError on another dtype, or a number too large for the narrower one.
    """
    header: dict[str, Any] = {"__metadata__": dict(sorted(metadata.items()))}
    codes: dict[str, str] = {}
    start = 0
    for name in sorted(arrays):
        array = arrays[name]
        if array.dtype not in _OWN:
            raise WeightsError(f"{name} has dtype {array.dtype}, which a weights file does not hold")
        codes[name] = code or _OWN[array.dtype]
        end = start + array.size * _DTYPES[codes[name]].itemsize
        header[name] = {"dtype": codes[name], "shape": list(array.shape), "data_offsets": [start, end]}
        start = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 8) % _ALIGN_BYTES)
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name in sorted(arrays):
            file.write(_rounded(name, arrays[name], codes[name]).data)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def _rounded(name: str, array: Array, code: str) -> Array:
    """The array as its bytes are stored: to the nearest number, of two equally near ones to the even."""
    with np.errstate(over="ignore"):
        if code != "BF16":
            rounded: Array = np.ascontiguousarray(array, _DTYPES[code])
            finite = np.isfinite(rounded)
        else:
            # A bfloat16 is the upper half of a float32: add just under half of its last place, or half if that is odd.
            bits = np.ascontiguousarray(array, "<f4").view("<u4")
            rounded = ((bits + (0x7FFF + ((bits >> 16) & 1))) >> 16).astype("<u2")
            finite = (rounded & 0x7F80) != 0x7F80
    if not finite.all():
        raise WeightsError(f"{name} holds values that are not finite, or too large for {code}")
    return rounded


def read_header(path: Path) -> tuple[dict[str, Any], int]:
    """The header of a safetensors file (`__metadata__` included) and the byte at which its data starts.

    Raises WeightsError when the file is cut short or is something else.
    """
    size_bytes = path.stat().st_size
    with path.open("rb") as file:
        prefix = file.read(8)
        length = struct.unpack("<Q", prefix)[0] if len(prefix) == 8 else size_bytes
        if length > size_bytes - 8:
            raise WeightsError(f"{path} is not a safetensors file, or is cut short")
        try:
            header: dict[str, Any] = json.loads(file.read(length))
            tensors = [entry for name, entry in header.items() if name != "__metadata__"]
            told = [(entry["data_offsets"][1], entry["dtype"], tuple(entry["shape"])) for entry in tensors]
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise WeightsError(f"{path} is not a safetensors file: its header cannot be read") from error
    if max((end for end, _, _ in told), default=0) + 8 + length != size_bytes:
        raise WeightsError(f"{path} is cut short: it holds {size_bytes} bytes, its header describes another number")
    return header, 8 + length


def read(path: Path) -> dict[str, Array]:
    """All arrays of the file, in memory; bfloat16 comes as float32.

    Raises WeightsError as `read_header` does, or on a dtype that no Kokoro file has.
    """
    header, data_start = read_header(path)
    data = path.read_bytes()
    arrays: dict[str, Array] = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        if entry["dtype"] not in _DTYPES:
            raise WeightsError(f"{path}: {name} has dtype {entry['dtype']}, which is not read here")
        first, end = entry["data_offsets"]
        dtype = _DTYPES[entry["dtype"]]
        array: Array = np.frombuffer(data, dtype, (end - first) // dtype.itemsize, data_start + first)
        if entry["dtype"] == "BF16":
            array = (array.astype(np.uint32) << 16).view(np.float32)
        arrays[name] = array.reshape(entry["shape"])
    return arrays
