"""The one door to the port: its file layouts, with its errors turned into setup's."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from server.errors import SetupError
from server.kokoro_mlx import safetensors, weights
from server.kokoro_mlx import voices as voice_files

State = Mapping[str, NDArray[Any]]
Voices = dict[str, NDArray[np.float32]]


def write_weights(state: State, path: Path, metadata: Mapping[str, str]) -> None:
    """Write a PyTorch-named state dict, weight norm folded or not, as the port's weights file.

    Raises SetupError when a tensor is missing, unknown or of another shape.
    """
    try:
        weights.save(path, weights.convert(weights.fold_weight_norm(state)), metadata)
    except ValueError as error:
        raise SetupError(f"These are not the weights of Kokoro-82M v1.0: {error}.") from error


def write_voices(voices: Voices, path: Path, metadata: Mapping[str, str]) -> None:
    """Write voice tables, (510, 256) each, as the port's voices file."""
    voice_files.save_voices(path, voices, metadata)


def check_weights(path: Path) -> None:
    """Raise SetupError unless `path` is a whole weights file in the port's layout."""
    try:
        weights.check(path)
    except (ValueError, OSError) as error:
        raise SetupError(f"{path} is not a file of weights in this version's layout ({error}).") from error


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """All arrays of a safetensors file, bfloat16 as float32; raises SetupError when it is damaged."""
    try:
        return safetensors.read(path)
    except (ValueError, OSError) as error:
        raise SetupError(f"{path} is not a whole safetensors file ({error}); fetch it again.") from error


def voice_table(name: str, numbers: Any) -> NDArray[np.float32]:
    """`numbers`, (510, 1, 256) or (510, 256), as a float32 (510, 256); raises SetupError naming the voice."""
    if not isinstance(numbers, np.ndarray):
        raise SetupError(f"{name} holds no table of numbers; fetch it again.")
    try:
        return voice_files.as_table(name, numbers)
    except ValueError as error:
        raise SetupError(f"{name} is not a voice ({error}); fetch it again.") from error


@dataclass(frozen=True, slots=True)
class Port:
    """What installing needs of the port's file layouts."""

    write_weights: Callable[[State, Path, Mapping[str, str]], None] = write_weights
    write_voices: Callable[[Voices, Path, Mapping[str, str]], None] = write_voices
    check: Callable[[Path], None] = check_weights
