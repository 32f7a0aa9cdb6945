"""The loaded tensors, seen through the name of the module that owns them."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

import mlx.core as mx

from server.kokoro_mlx import weights


class Params:
    """A view of all tensors below one prefix: `params.at("decoder").at("encode")["conv1.weight"]`."""

    def __init__(self, arrays: Mapping[str, mx.array], prefix: str = "") -> None:
        self._arrays = arrays
        self._prefix = prefix

    def at(self, name: str) -> "Params":
        return Params(self._arrays, f"{self._prefix}{name}.")

    def __getitem__(self, leaf: str) -> mx.array:
        return self._arrays[self._prefix + leaf]

    def __contains__(self, leaf: str) -> bool:
        return self._prefix + leaf in self._arrays


def load(path: Path, compute: mx.Dtype = mx.float32) -> Params:
    """All tensors of a file in port layout, of any precision, as `compute`. Raises WeightsError as `weights.check`.

    A half-precision file is half as large on disk and to read, and computed in float32 all the same: on a CPU products
    of half precision are twenty times slower.
    """
    weights.check(path)
    loaded = cast(dict[str, mx.array], mx.load(str(path)))  # what a safetensors file gives
    arrays = {name: array.astype(compute) for name, array in loaded.items()}
    mx.eval(arrays)
    return Params(arrays)
