"""The small parts that several stages share. Activations are (time, channels), without a batch axis.

Axes: T time, C channels, S style (128), H hidden size of one LSTM direction.
"""

import functools
import math
from collections.abc import Callable

import mlx.core as mx
import numpy as np
import numpy.typing as npt

from server.kokoro_mlx import blas
from server.kokoro_mlx.blocks import Blocks
from server.kokoro_mlx.conv import BLOCK_ROWS, Conv, Double
from server.kokoro_mlx.device import fused, native
from server.kokoro_mlx.params import Params

_EPSILON = 1e-5
Floats = npt.NDArray[np.float32]


class Linear:
    """(…, I) → (…, O) with weight (I, O) and bias (O,)."""

    def __init__(self, params: Params) -> None:
        self._weight, self._bias = params["weight"], params["bias"]

    def __call__(self, x: mx.array) -> mx.array:
        return mx.addmm(self._bias, x, self._weight)


class LayerNorm:
    """Normalises each step over its channels: (T, C) → (T, C). The two names are the checkpoint's, which vary."""

    def __init__(self, params: Params, *, eps: float, scale: str = "weight", shift: str = "bias") -> None:
        self._scale, self._shift, self._eps = params[scale], params[shift], eps

    def __call__(self, x: mx.array) -> mx.array:
        return mx.fast.layer_norm(x, self._scale, self._shift, self._eps)


class StyledLayerNorm:
    """Layer norm whose scale and shift come from the style: (T, C), (S,) → (T, C)."""

    def __init__(self, params: Params) -> None:
        self._fc = Linear(params.at("fc"))

    def __call__(self, x: mx.array, style: mx.array) -> mx.array:
        scale, shift = mx.split(self._fc(style[None])[0], 2)
        return mx.fast.layer_norm(x, 1 + scale, shift, _EPSILON)


class AdaIN:
    """Instance norm over the whole utterance with scale and shift from the style, as an affine map of each channel."""

    def __init__(self, params: Params) -> None:
        self._fc = Linear(params.at("fc"))

    def affine(self, x: Blocks, style: mx.array) -> tuple[mx.array, mx.array]:
        """(T, C), (S,) → scale (C,), shift (C,): the normalised x is x · scale + shift."""
        gain, offset = mx.split(self._fc(style[None])[0], 2)
        mean, variance = moments(x)
        scale = (1 + gain) * mx.rsqrt(variance + _EPSILON)
        return scale, offset - mean * scale

    def __call__(self, x: mx.array, style: mx.array) -> mx.array:
        scale, shift = self.affine(Blocks([x]), style)
        return x * scale + shift


class Rows:
    """A vector (C,) as rows: fused kernels on a CPU want arrays of one shape, in one piece."""

    def __init__(self, vector: mx.array) -> None:
        self._vector = vector
        self._made: mx.array | None = None

    def like(self, x: mx.array) -> mx.array:
        """(C,) on a GPU, which broadcasts by itself, else (T, C) for x (T, C).

        The longest is best asked for first.
        """
        if native():
            return self._vector
        length = x.shape[0]
        if self._made is None or self._made.shape[0] < length:
            ones = mx.ones((length, 1))  # a matrix product, which is the fastest way to repeat a row
            self._made = ones @ self._vector[None]
        return self._made if self._made.shape[0] == length else self._made[:length]


def _square_of_difference(x: mx.array, mean: mx.array) -> mx.array:
    difference = x - mean
    return difference * difference


def moments(x: Blocks) -> tuple[mx.array, mx.array]:
    """Mean and (biased) variance of each channel over time: (T, C) → (C,), (C,).

    Two passes, each in blocks on a CPU: accurate for any mean, and without another array of x's size.
    """
    rows_at_once = len(x) if native() else BLOCK_ROWS
    parts = [part[start : start + rows_at_once] for part in x.parts for start in range(0, part.shape[0], rows_at_once)]
    mean = mx.stack([part.sum(axis=0) for part in parts]).sum(axis=0) / len(x)
    rows, difference = Rows(mean), _difference()
    squares = mx.stack([difference(part, rows.like(part)).sum(axis=0) for part in parts])
    return mean, squares.sum(axis=0) / len(x)


@functools.cache
def _difference() -> Callable[[mx.array, mx.array], mx.array]:
    return fused(_square_of_difference, shapeless=True)


def leaky_relu(x: mx.array, slope: float) -> mx.array:
    return mx.maximum(x, slope * x)


class AdaINBlock:
    """Two convolutions with AdaIN before each, added to the input. (T, I), (S,) → (T, O), or (2T, O) with a pool."""

    def __init__(self, params: Params) -> None:
        self._norm1, self._norm2 = AdaIN(params.at("norm1")), AdaIN(params.at("norm2"))
        self._conv1, self._conv2 = Conv(params.at("conv1")), Conv(params.at("conv2"))
        self._skip = Conv(params.at("conv1x1")) if "conv1x1.weight" in params else None
        self._pool = Double(params.at("pool")) if "pool.weight" in params else None

    def __call__(self, x: mx.array, style: mx.array) -> mx.array:
        inner = leaky_relu(self._norm1(x, style), 0.2)
        if self._pool is not None:
            inner = self._pool(inner)
            x = mx.repeat(x, 2, axis=0)
        inner = self._conv1(inner)
        inner = self._conv2(leaky_relu(self._norm2(inner, style), 0.2))
        skip = x if self._skip is None else self._skip(x)
        return (inner + skip) * (1 / math.sqrt(2))


class BiLSTM:
    """One LSTM forward and one backward, side by side: (T, I) → (T, 2H).

    Both directions run as one batch of two, the backward one over reversed time. Gates in the order i f o g. On a CPU
    the recurrence runs in numpy: its matrices are for one row at a time (`blas.add_product`).
    """

    def __init__(self, params: Params) -> None:
        self._input, self._hidden, self._bias = params["input.weight"], params["hidden.weight"], params["bias"]
        self._on_cpu = None if native() else np.ascontiguousarray(self._hidden)

    def __call__(self, x: mx.array) -> mx.array:
        size = self._hidden.shape[1]
        gates = mx.addmm(self._bias, x, self._input).reshape(-1, 2, 4 * size)
        gates = mx.stack([gates[:, 0], gates[::-1, 1]], axis=1)  # (T, 2, 4H), both in the order of their steps
        if self._on_cpu is None:
            hidden = recur(gates, self._hidden)
        else:
            hidden = mx.array(recur_on_cpu(np.array(gates, order="C"), self._on_cpu))
        return mx.concatenate([hidden[:, 0], hidden[::-1, 1]], axis=1)


def recur(gates: mx.array, weight: mx.array) -> mx.array:
    """Gates before the recurrence (T, 2, 4H), weight (2, H, 4H) → hidden states (T, 2, H)."""
    size = weight.shape[1]
    h = c = mx.zeros((2, 1, size))
    outputs = []
    for step in range(gates.shape[0]):
        gate = gates[step, :, None] + h @ weight
        entry, forget, out = mx.split(mx.sigmoid(gate[..., : 3 * size]), 3, axis=-1)
        c = forget * c + entry * mx.tanh(gate[..., 3 * size :])
        h = out * mx.tanh(c)
        outputs.append(h)
    return mx.stack(outputs)[:, :, 0]


def recur_on_cpu(gates: Floats, weight: Floats) -> Floats:
    """The same in numpy. Uses `gates` up."""
    steps, directions, size = len(gates), len(weight), weight.shape[1]
    hidden = np.empty((steps, directions, size), np.float32)
    h, c = np.zeros((directions, size), np.float32), np.zeros((directions, size), np.float32)
    for step, gate in enumerate(gates):
        for direction in range(directions):
            blas.add_product(weight[direction], h[direction], gate[direction])
        with np.errstate(over="ignore"):  # exp(−x) beyond float32 is infinity, and 1 / (1 + ∞) the right zero
            opened = 1 / (1 + np.exp(-gate[:, : 3 * size]))
        c = opened[:, size : 2 * size] * c + opened[:, :size] * np.tanh(gate[:, 3 * size :])
        h = hidden[step]
        np.multiply(opened[:, 2 * size :], np.tanh(c), out=h)
    return hidden
