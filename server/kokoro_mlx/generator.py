"""The generator: decoder features and the source's spectrum → waveform (an ISTFTNet).

Axes: H halves, B = 60H + 1 bins of time, Q frequencies (11), C channels, S style (128), N samples.

Two rounds of: upsample, add the source at that resolution, then three residual blocks of different reach, averaged.
A last convolution gives log magnitudes and phases, which the inverse STFT turns into samples.
"""

from collections.abc import Iterator

import mlx.core as mx

from server.kokoro_mlx import config as c
from server.kokoro_mlx.blocks import Blocks
from server.kokoro_mlx.conv import Conv, Each, StridedConv, Upsample
from server.kokoro_mlx.layers import AdaIN, Rows, leaky_relu
from server.kokoro_mlx.pace import Pace, Steps
from server.kokoro_mlx.params import Params
from server.kokoro_mlx.snake import Bend, bend, gain, rate
from server.kokoro_mlx.stft import Spectrum


class Activation:
    """AdaIN and snake. The statistics need the whole of x (T, C) and a style (S,); the rest is done step by step."""

    def __init__(self, params: Params, norm: str, alpha: mx.array, bend: Bend) -> None:
        self._norm, self._bend, self._rate = AdaIN(params.at(norm)), bend, rate(alpha)
        mx.eval(self._rate)  # what is left to be computed can be computed in this thread only

    def of(self, x: Blocks, style: mx.array) -> Each:
        """The function from steps of x (any number, C) to the same steps normalised and bent, but for the gain."""
        scale, shift = self._norm.affine(x, style)
        scales, shifts = Rows(scale * self._rate), Rows(shift * self._rate)
        return lambda steps: self._bend(steps, scales.like(steps), shifts.like(steps))


class SnakeBlock:
    """Three residual pairs of convolutions, the first of each dilated by 1, 3 and 5: (T, C), (S,) → (T, C).

    A bias is a constant, and the AdaIN that comes next takes constants out: those of the first convolutions have no
    effect at all, those of the second none but on the sum, where they are added all at once.
    """

    def __init__(self, params: Params, bend: Bend) -> None:
        self._pairs, self._bias = [], mx.zeros(())
        for i, dilation in enumerate(c.RESBLOCK_DILATIONS):
            alpha1, alpha2 = params[f"alpha1.{i}"], params[f"alpha2.{i}"]
            conv1, conv2 = params.at(f"convs1.{i}"), params.at(f"convs2.{i}")
            self._pairs.append(
                (
                    Activation(params, f"adain1.{i}", alpha1, bend),
                    Conv(conv1, dilation=dilation, gain=gain(alpha1), often=True, bias=False),
                    Activation(params, f"adain2.{i}", alpha2, bend),
                    Conv(conv2, gain=gain(alpha2), often=True, bias=False),
                )
            )
            self._bias = self._bias + conv2["bias"]
        mx.eval(self._bias)

    def steps(self, x: Blocks, style: mx.array) -> Steps[Blocks]:
        """(T, C), (S,) → (T, C), a block of a convolution a step. What is no longer needed of x is let go."""
        x = x.copy()
        for activation1, conv1, activation2, conv2 in self._pairs:
            inner = yield from _evaluated(conv1.blocks(x, activation1.of(x, style)))
            x = yield from self._added(x, conv2, inner, activation2.of(inner, style))
        return Blocks(part + self._bias for part in x.parts)

    @staticmethod
    def _added(x: Blocks, conv: Conv, inner: Blocks, before: Each) -> Steps[Blocks]:
        total = Blocks()
        for y in conv.blocks(inner, before):
            start, end = len(total), len(total) + y.shape[0]
            total.append(x.rows(start, end) + y)
            yield (total.parts[-1],)
            x.forget(end)
            inner.forget(end - conv.reach)
        return total


def _evaluated(parts: Iterator[mx.array]) -> Steps[Blocks]:
    done = Blocks()
    for part in parts:
        yield (part,)
        done.append(part)
    return done


class Generator:
    """Features (H, 512), source spectrum (B, 2Q), style (S,) → audio (N,)."""

    def __init__(self, params: Params, spectrum: Spectrum) -> None:
        self._spectrum = spectrum
        shape, blocks, rounds = bend(), len(c.RESBLOCK_KERNELS), len(c.UPSAMPLE)
        self._ups = [Upsample(params.at(f"ups.{i}"), stride=rate) for i, rate in enumerate(c.UPSAMPLE)]
        # The first round runs at a sixth of the source's resolution, the second at the source's own.
        first, second = params.at("noise_convs.0"), params.at("noise_convs.1")
        self._shorten = StridedConv(first, stride=c.UPSAMPLE[1], padding=c.UPSAMPLE[1] // 2)
        self._widen = Conv(second)
        self._source_blocks = [SnakeBlock(params.at(f"noise_res.{i}"), shape) for i in range(rounds)]
        self._blocks = [
            [SnakeBlock(params.at(f"resblocks.{blocks * i + j}"), shape) for j in range(blocks)] for i in range(rounds)
        ]
        self._post = Conv(params.at("conv_post"))

    def __call__(self, x: mx.array, source: mx.array, style: mx.array, pace: Pace) -> mx.array:
        return pace.run(self.steps(x, source, style))

    def steps(self, x: mx.array, source: mx.array, style: mx.array) -> Steps[mx.array]:
        """The same in steps."""
        features = Blocks([x])
        for i in range(len(self._ups)):
            features = yield from self._round(i, features, source, style)
        spectrum = yield from _evaluated(self._post.blocks(features, lambda steps: leaky_relu(steps, 0.01)))
        del features
        heard = spectrum.whole()
        audio = self._spectrum.synthesise(mx.exp(heard[:, : c.N_BINS]), mx.sin(heard[:, c.N_BINS :]))
        yield (audio,)
        return audio

    def _source_parts(self, i: int, source: mx.array) -> Iterator[mx.array]:
        if i == 0:
            return iter([self._shorten(source)])
        return self._widen.blocks(Blocks([source]))

    def _round(self, i: int, x: Blocks, source: mx.array, style: mx.array) -> Steps[Blocks]:
        reflected = i == len(self._ups) - 1  # by one: the spectrum has a step more than 60 a half
        excited = yield from _evaluated(self._source_parts(i, source))
        x = yield from _evaluated(self._ups[i].blocks(x, lambda steps: leaky_relu(steps, 0.1), reflected=reflected))
        excited = yield from self._source_blocks[i].steps(excited, style)
        x = yield from _sum(x, excited)
        del excited
        share = 1 / len(self._blocks[i])
        total = yield from self._blocks[i][0].steps(x, style)
        for block in self._blocks[i][1:-1]:
            total = yield from _sum(total, (yield from block.steps(x, style)))
        last = yield from self._blocks[i][-1].steps(x, style)
        del x
        return (yield from _sum(total, last, share))


def _sum(x: Blocks, y: Blocks, share: float = 1) -> Steps[Blocks]:
    """(x + y) · share, letting go of both on the way."""
    total = Blocks()
    for part in y.parts:
        start, end = len(total), len(total) + part.shape[0]
        both = x.rows(start, end) + part
        total.append(both if share == 1 else both * share)
        yield (total.parts[-1],)
        x.forget(end)
        y.forget(end)
    return total
