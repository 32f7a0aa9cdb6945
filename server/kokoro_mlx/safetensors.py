"""Read and write safetensors files with numpy alone, so that the same arrays always give the same bytes.

The format: eight bytes of header length (little endian), a JSON header that gives each tensor's dtype, shape and byte
span, then the tensors. Here names are sorted and the header is padded so that the data starts on a multiple of 64.
"""

import json
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

_ALIGN_BYTES = 64
_DTYPES: dict[str, np.dtype[Any]] = {
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "BF16": np.dtype("<u2"),  # numpy has no bfloat16: read as bits, given out as float32
}
_CODES = {_DTYPES["F32"]: "F32", _DTYPES["F16"]: "F16"}

Array = np.ndarray[Any, np.dtype[Any]]


class WeightsError(ValueError):
    """A weights or voices file is not what this package needs; the message names what differs."""


def write(path: Path, arrays: Mapping[str, Array], metadata: Mapping[str, str]) -> None:
    """Write `arrays` to `path`; the file appears whole or not at all."""
    header: dict[str, Any] = {"__metadata__": dict(sorted(metadata.items()))}
    start = 0
    for name in sorted(arrays):
        array = arrays[name]
        if array.dtype not in _CODES:
            raise WeightsError(f"{name} has dtype {array.dtype}, which a weights file does not hold")
        header[name] = {
            "dtype": _CODES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [start, start + array.nbytes],
        }
        start += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 8) % _ALIGN_BYTES)
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name in sorted(arrays):
            file.write(np.ascontiguousarray(arrays[name]).data)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


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
            ends = [entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"]
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise WeightsError(f"{path} is not a safetensors file: its header cannot be read") from error
    if max(ends, default=0) + 8 + length != size_bytes:
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
