"""Voices: tables of style vectors, one file for all of them.

A voice is a table (510, 256): row n − 1 is the style for n phonemes, [:128] for the decoder, [128:] for prosody.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from server.kokoro_mlx import safetensors
from server.kokoro_mlx.config import STYLE, STYLES_PER_VOICE
from server.kokoro_mlx.safetensors import Array, WeightsError

TABLE = (STYLES_PER_VOICE, 2 * STYLE)


def as_table(name: str, table: Array) -> Array:
    """A voice as float32 (510, 256), from that or (510, 1, 256). Raises WeightsError on another shape or NaN."""
    if table.shape not in (TABLE, (TABLE[0], 1, TABLE[1])):
        raise WeightsError(f"voice {name} has shape {table.shape}, not {TABLE}")
    if not np.isfinite(table).all():
        raise WeightsError(f"voice {name} holds values that are not finite")
    return np.ascontiguousarray(table.reshape(TABLE), np.float32)


def mixed(tables: Sequence[tuple[Array, float]]) -> Array:
    """The weighted mean of voices, float32 (510, 256); weights add up to 1. The same on every machine."""
    total = np.zeros(TABLE, np.float64)
    for table, weight in tables:
        total += weight * table.astype(np.float64)
    return np.ascontiguousarray(total, np.float32)


def save_voices(path: Path, voices: Mapping[str, Array], metadata: Mapping[str, str] | None = None) -> None:
    """Write all voices to one safetensors file. Raises WeightsError as `as_table` does."""
    safetensors.write(path, {name: as_table(name, table) for name, table in voices.items()}, metadata or {})


def load_voices(path: Path) -> dict[str, Array]:
    """Voice name → float32 (510, 256). Raises WeightsError as `as_table` does, or when the file is cut short."""
    return {name: as_table(name, table) for name, table in safetensors.read(path).items()}
