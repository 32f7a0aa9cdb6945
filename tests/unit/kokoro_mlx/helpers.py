"""Small tensors for single layers."""

from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from server.kokoro_mlx.params import Params

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]


def normal(seed: int, *shape: int) -> Floats:
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def params(**tensors: Any) -> Params:
    """Tensors by name, a double underscore for a dot."""
    return Params({name.replace("__", "."): mx.array(tensor) for name, tensor in tensors.items()})
