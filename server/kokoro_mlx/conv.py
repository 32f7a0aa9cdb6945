"""Convolutions over time, channels last, without a batch axis.

Axes: T time, I input channels, O output channels, K kernel taps, D dilation. Edges are padded with zeros.

Two ways to the same numbers, chosen once for the device when a layer is built:

- on a GPU, MLX's own `conv1d`;
- on a CPU, where that is up to 70 times slower for dilated kernels, matrix products: y = b + Σ_k x[t + kD] · w[k],
  one product a tap, in blocks of rows small enough for the running sum to stay in the cache.
"""

from collections.abc import Callable

import mlx.core as mx

from server.kokoro_mlx.params import Params

# 1,024 rows of 128 channels are 512 KiB, half the second-level cache of a desktop core: 10–15 % faster than one block.
BLOCK_ROWS = 1024

Each = Callable[[mx.array], mx.array]  # something done to each step of time alone, so that time may be cut anywhere


def native() -> bool:
    """Whether this device is better served by MLX's own convolution: the one place where that is decided."""
    return bool(mx.default_device().type == mx.DeviceType.gpu)


def pad_time(x: mx.array, before: int, after: int) -> mx.array:
    """(T, C) → (before + T + after, C), with zeros."""
    return mx.pad(x, [(before, after), (0, 0)]) if before or after else x


class Conv:
    """A convolution that keeps the length. Weight (K, I, O) with odd K, bias (O,) or none: (T, I) → (T, O)."""

    def __init__(self, params: Params, *, dilation: int = 1) -> None:
        weight = params["weight"]
        self._bias = params["bias"] if "bias" in params else mx.zeros(weight.shape[2])
        self._dilation = dilation
        self._native = native()
        self._weight = mx.contiguous(weight.transpose(2, 0, 1)) if self._native else weight

    def __call__(self, x: mx.array, *, before: Each | None = None) -> mx.array:
        """Convolve x, or before(x), where `before` works on each step of time alone."""
        if not self._native:
            return conv_by_taps(x, self._weight, self._bias, self._dilation, before)
        reach = self._dilation * (self._weight.shape[1] - 1) // 2
        x = x if before is None else before(x)
        return mx.conv1d(x[None], self._weight, padding=reach, dilation=self._dilation)[0] + self._bias


def conv_by_taps(
    x: mx.array, weight: mx.array, bias: mx.array, dilation: int = 1, before: Each | None = None
) -> mx.array:
    """(T, I), (K, I, O), (O,) → (T, O): the sum over taps of shifted matrix products.

    Each block of rows takes its input's neighbours along and has `before` applied to them: some rows are computed
    twice, but no array of the input's size is needed in between.
    """
    length, taps = x.shape[0], weight.shape[0]
    reach = dilation * (taps - 1) // 2
    blocks = []
    for start in range(0, length, BLOCK_ROWS):
        end = min(start + BLOCK_ROWS, length)
        low, high = max(start - reach, 0), min(end + reach, length)
        part = x[low:high] if before is None else before(x[low:high])
        part = pad_time(part, low - start + reach, end + reach - high)
        block = mx.addmm(bias, part[: end - start], weight[0])
        for k in range(1, taps):
            block = mx.addmm(block, part[k * dilation : k * dilation + end - start], weight[k])
        blocks.append(block)
    return mx.concatenate(blocks) if len(blocks) > 1 else blocks[0]


class StridedConv:
    """A convolution that shortens. Weight (K, I, O), stride S: (T, I) → ((T + 2·padding − K) // S + 1, O)."""

    def __init__(self, params: Params, *, stride: int, padding: int) -> None:
        self._weight, self._bias = params["weight"], params["bias"]
        self._stride, self._padding = stride, padding

    def __call__(self, x: mx.array) -> mx.array:
        taps, inputs, outputs = self._weight.shape
        padded = mx.contiguous(pad_time(x, self._padding, self._padding))
        steps = (padded.shape[0] - taps) // self._stride + 1
        windows = mx.as_strided(padded, (steps, taps * inputs), (self._stride * inputs, 1))
        return mx.addmm(self._bias, windows, self._weight.reshape(taps * inputs, outputs))


class Upsample:
    """A transposed convolution of kernel 2S, stride S, padding S/2. Weight (I, 2S·O): (T, I) → (T·S, O).

    Each input step gives 2S output steps, of which neighbours share S: one matrix product, then overlap-add.
    """

    def __init__(self, params: Params, *, stride: int) -> None:
        self._weight, self._bias, self._stride = params["weight"], params["bias"], stride

    def __call__(self, x: mx.array) -> mx.array:
        length, stride, outputs = x.shape[0], self._stride, self._bias.shape[0]
        spread = (x @ self._weight).reshape(length, 2, stride * outputs)
        shared = spread[1:, 0] + spread[:-1, 1]
        summed = mx.concatenate([spread[:1, 0], shared, spread[-1:, 1]]).reshape((length + 1) * stride, outputs)
        return summed[stride // 2 : stride // 2 + length * stride] + self._bias


class Double:
    """A depthwise transposed convolution of kernel 3, stride 2, padding 1, output padding 1. (T, I) → (2T, I).

    Weight (3, I): even steps are x[t]·w[1], odd ones x[t]·w[2] + x[t + 1]·w[0].
    """

    def __init__(self, params: Params) -> None:
        self._weight, self._bias = params["weight"], params["bias"]

    def __call__(self, x: mx.array) -> mx.array:
        length, channels = x.shape
        following = pad_time(x[1:], 0, 1)
        even, odd = x * self._weight[1], x * self._weight[2] + following * self._weight[0]
        return mx.stack([even, odd], axis=1).reshape(2 * length, channels) + self._bias
