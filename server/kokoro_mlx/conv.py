"""Convolutions over time, channels last, without a batch axis.

Axes: T time, I input channels, O output channels, K kernel taps, D dilation. Edges are padded with zeros.

Three ways to the same numbers, chosen once for the device when a layer is built:

- on a GPU, MLX's own `conv1d`;
- on a CPU, where that is up to 70 times slower for dilated kernels, matrix products: y = b + Σ_k x[t + kD] · w[k],
  one product a tap, in blocks of rows small enough for the running sum to stay in the cache;
- there, for the layers that most of the time is spent in, half as many products with twice the weights (`winograd`).
"""

from collections.abc import Callable, Iterator

import mlx.core as mx
import numpy as np

from server.kokoro_mlx import winograd
from server.kokoro_mlx.blocks import Blocks, doubles, joined, pad_time
from server.kokoro_mlx.device import fuses, native
from server.kokoro_mlx.params import Params

# 1,020 rows of 128 channels are 512 KiB, half the second-level cache of a desktop core.
BLOCK_ROWS = 1020
# A short convolution's blocks: longer, for its matrix products have a quarter or a twelfth of their rows.
SHORT_ROWS = 4 * BLOCK_ROWS
# Taps times input channels from which fewer products pay for splitting and joining.
_WORTH = 512
_QUANTUM = 120  # about: a last block is filled up to whole tiles, and further, so that few lengths occur

Each = Callable[[mx.array], mx.array]  # something done to each step of time alone, so that time may be cut anywhere


class Conv:
    """A convolution that keeps the length. Weight (K, I, O) with odd K, bias (O,) or none: (T, I) → (T, O).

    `gain` (I,) multiplies the input, at no cost. `often` marks a layer that is worth twice its weights to be faster.
    """

    def __init__(
        self, params: Params, *, dilation: int = 1, gain: mx.array | None = None, often: bool = False, bias: bool = True
    ) -> None:
        weight = params["weight"] if gain is None else params["weight"] * gain[:, None]
        self._bias = params["bias"] if bias and "bias" in params else None
        if native():
            self._run: NativeConv | ShortConv | TapConv = NativeConv(weight, dilation)
        elif often and fuses() and weight.shape[0] * weight.shape[1] >= _WORTH and ShortConv.fits(weight):
            self._run = ShortConv(weight, dilation)
        else:
            self._run = TapConv(weight, dilation)

    def __call__(self, x: mx.array, *, before: Each | None = None) -> mx.array:
        """Convolve x, or before(x), where `before` works on each step of time alone."""
        return joined(list(self.blocks(Blocks([x]), before)))

    def blocks(self, x: Blocks, before: Each | None = None) -> Iterator[mx.array]:
        """The same in parts, in sequence. While each is made, x has to be there as far back as the reach."""
        for y in self._run(x, before):
            yield y if self._bias is None else y + self._bias

    @property
    def reach(self) -> int:
        """How many steps of the input on either side an output depends on."""
        return self._run.reach


class NativeConv:
    """By MLX, from a weight (K, I, O): (T, I) → (T, O), in one part."""

    def __init__(self, weight: mx.array, dilation: int) -> None:
        self._weight, self._dilation = mx.contiguous(weight.transpose(2, 0, 1)), dilation
        self.reach = dilation * (weight.shape[0] - 1) // 2
        mx.eval(self._weight)

    def __call__(self, x: Blocks, before: Each | None) -> Iterator[mx.array]:
        whole = x.whole() if before is None else before(x.whole())
        yield mx.conv1d(whole[None], self._weight, padding=self.reach, dilation=self._dilation)[0]


class TapConv:
    """The sum over taps of shifted matrix products, from a weight (K, I, O): (T, I) → (T, O).

    Each block of rows takes its input's neighbours along and has `before` applied to them: some rows are computed
    twice, but no array of the input's size is needed in between.
    """

    def __init__(self, weight: mx.array, dilation: int) -> None:
        self._weight, self._dilation = weight, dilation
        self.reach = dilation * (weight.shape[0] - 1) // 2
        mx.eval(self._weight)

    def __call__(self, x: Blocks, before: Each | None) -> Iterator[mx.array]:
        length, dilation, (first, *others) = len(x), self._dilation, self._weight
        for start in range(0, length, BLOCK_ROWS):
            end = min(start + BLOCK_ROWS, length)
            low, high = max(start - self.reach, 0), min(end + self.reach, length)
            part = x.rows(low, high) if before is None else before(x.rows(low, high))
            part = pad_time(part, low - start + self.reach, end + self.reach - high)
            block = part[: end - start] @ first
            for k, tap in enumerate(others, start=1):
                block = mx.addmm(block, part[k * dilation : k * dilation + end - start], tap)
            yield block


class ShortConv:
    """The same sum with about half the products, from a weight (K, I, O): (T, I) → (T, O).

    Axes beside those above: S segments, J tiles, R rows of one step (the dilation), N = R · (J + S) tiles of a block.

    The tiles of one row of the step lie side by side. So S tiles in sequence, which a kernel of S segments sees at
    once, are one long row of the input, and every S-th such row follows the one before it without a gap: the sum over
    segments is part of a single large matrix product, done S times at different offsets, and nothing is copied.
    """

    def __init__(self, weight: mx.array, dilation: int) -> None:
        taps, inputs, outputs = weight.shape
        self._scheme = winograd.scheme(taps)
        self.reach, self._dilation = dilation * (taps - 1) // 2, dilation
        self._segments = -(-taps // self._scheme.taps)
        padded = np.zeros((self._segments * self._scheme.taps, inputs, outputs))
        padded[:taps] = np.array(weight)
        segments = [self._scheme.weigh(part) for part in np.split(padded, self._segments)]
        self._weights = [mx.concatenate(list(point)) for point in zip(*segments, strict=True)]  # (S · I, O) each
        mx.eval(self._weights)

    @staticmethod
    def fits(weight: mx.array) -> bool:
        """Whether it can do with a weight (K, I, O): channels are moved in pairs."""
        return not weight.shape[1] % 2 and not weight.shape[2] % 2

    def __call__(self, x: Blocks, before: Each | None) -> Iterator[mx.array]:
        length, whole = len(x), winograd.TILE * self._dilation * self._segments
        quantum = whole * max(1, _QUANTUM // whole)
        block = max(1, SHORT_ROWS // quantum) * quantum
        for start in range(0, length, block):
            rows = min(block, length - start)
            tiles = -(-rows // quantum) * quantum // whole * self._segments
            y = self._block(self._window(x, start - self.reach, tiles, before), tiles)
            yield y if rows == y.shape[0] else y[:rows]

    def _window(self, x: Blocks, low: int, tiles: int, before: Each | None) -> mx.array:
        """The inputs of so many tiles from row `low` of x on, zero where x has none.

        Its length depends on the number of tiles alone: fused kernels are traced for each new shape.
        """
        high = low + winograd.TILE * self._dilation * (tiles + self._segments)
        part = x.rows(low, high)
        if before is None:
            return part
        part = before(part)
        first, last = max(low, 0), min(high, len(x))
        if first == low and last == high:
            return part
        return pad_time(part[first - low : last - low], first - low, high - last)

    def _block(self, window: mx.array, tiles: int) -> mx.array:
        """The window of so many tiles → their outputs (TILE · R · J, O)."""
        segments, step, inputs = self._segments, self._dilation, window.shape[1]
        every = tiles + segments
        inside = doubles(window).reshape(every, winograd.TILE, step, -1).transpose(1, 2, 0, 3)
        steps = mx.contiguous(inside).view(mx.float32).reshape(winograd.TILE, step * every, inputs)
        last = step * every - 1  # the tile after the last is not there; those between two rows of the step are not used
        tile = [steps[i % winograd.TILE, i // winograd.TILE :][:last] for i in range(self._scheme.inputs)]
        points = self._scheme.split(tile)
        count = step * every // segments - 1  # every row of the step gives J / S products and one that is not used
        shape, strides = (step, tiles // segments), (every // segments, 1)
        outputs = []
        for offset in range(segments):
            sequences = [point[offset : offset + segments * count].reshape(count, -1) for point in points]
            products = [row @ weight for row, weight in zip(sequences, self._weights, strict=True)]
            for y in self._scheme.join(products):
                pairs = doubles(y)
                width = pairs.shape[1]
                rows = mx.as_strided(pairs, (*shape, width), (strides[0] * width, width, 1))
                outputs.append(rows.transpose(1, 0, 2))
        return mx.stack(outputs, axis=1).reshape(-1, width).view(mx.float32)


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

    Each input step gives 2S output steps, of which neighbours share S: every S outputs are the sum of two matrix
    products, of the step whose first half they are and of the one before. That is done in chunks of time, each of
    which takes one step of its neighbour along; the result does not depend on where they are cut.
    """

    def __init__(self, params: Params, *, stride: int) -> None:
        weight, bias = params["weight"], params["bias"]
        halves = weight.reshape(weight.shape[0], 2, -1)
        self._first, self._second = mx.contiguous(halves[:, 0]), mx.contiguous(halves[:, 1])  # (I, S·O) each
        self._bias, self._stride, self._outputs = mx.tile(bias, stride), stride, bias.shape[0]
        mx.eval(self._first, self._second, self._bias)

    def __call__(self, x: mx.array) -> mx.array:
        return joined(list(self.blocks(Blocks([x]))))

    def blocks(self, x: Blocks, before: Each | None = None, *, reflected: bool = False) -> Iterator[mx.array]:
        """The result in parts, in sequence; `reflected` gives one step more, the second one again before the first."""
        length, stride = len(x), self._stride
        rows = SHORT_ROWS // stride
        for start in range(0, length + 1, rows):
            end = min(start + rows, length + 1)
            low, high = max(start - 1, 0), min(end, length)
            part = x.rows(low, high) if before is None else before(x.rows(low, high))
            part = pad_time(part, low - start + 1, end - high)
            y = mx.addmm(mx.addmm(self._bias, part[1:], self._first), part[:-1], self._second)
            y = y.reshape(-1, self._outputs)
            first = stride // 2 if start == 0 else 0
            last = y.shape[0] - (stride - stride // 2 if end == length + 1 else 0)
            if start == 0 and reflected:
                yield y[first + 1 : first + 2]
            if first < last:
                yield y[first:last]


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
