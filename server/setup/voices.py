"""Voice tables from the forms they are published in: raw numbers, PyTorch files, safetensors."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from server.errors import SetupError
from server.setup.convert import read_arrays, voice_table
from server.setup.pins import VOICE_BYTES, VOICE_ROWS, VOICE_WIDTH
from server.setup.torchfile import read_torch

SUFFIXES = (".pt", ".safetensors", ".bin")


def read_voice(path: Path) -> NDArray[np.float32]:
    """One voice, (510, 256) float32, from a .bin, .pt or .safetensors file.

    Raises SetupError when it has another shape or size, or holds anything but finite numbers.
    """
    if path.suffix == ".bin":
        if (size := path.stat().st_size) != VOICE_BYTES:
            raise SetupError(f"{path} has {size:,} bytes instead of {VOICE_BYTES:,}; fetch it again.")
        return voice_table(path.name, np.fromfile(path, "<f4").reshape(VOICE_ROWS, VOICE_WIDTH))
    if path.suffix == ".pt":
        return voice_table(path.name, read_torch(path))
    arrays = read_arrays(path)
    if len(arrays) != 1:
        raise SetupError(f"{path} holds {len(arrays)} arrays instead of one voice; fetch it again.")
    return voice_table(path.name, next(iter(arrays.values())))


def content_sha256(voices: Mapping[str, NDArray[np.float32]]) -> str:
    """One sum over all voices: each name in order, a zero byte, its little-endian float32 numbers."""
    digest = hashlib.sha256()
    for name in sorted(voices):
        digest.update(name.encode() + b"\0" + voices[name].astype("<f4", copy=False).tobytes())
    return digest.hexdigest()
