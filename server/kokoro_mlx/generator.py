"""The generator: decoder features and the source's spectrum → waveform (an ISTFTNet).

Axes: H halves, B = 60H + 1 bins of time, Q frequencies (11), C channels, S style (128), N samples.

Two rounds of: upsample, add the source at that resolution, then three residual blocks of different reach, averaged.
A last convolution gives log magnitudes and phases, which the inverse STFT turns into samples.
"""

import mlx.core as mx

from server.kokoro_mlx import config as c
from server.kokoro_mlx.conv import Conv, Each, StridedConv, Upsample
from server.kokoro_mlx.layers import AdaIN, Rows, leaky_relu
from server.kokoro_mlx.pace import Pace
from server.kokoro_mlx.params import Params
from server.kokoro_mlx.snake import Bend, bend, gain, rate
from server.kokoro_mlx.stft import Spectrum


class Activation:
    """AdaIN and snake. The statistics need the whole of x (T, C) and a style (S,); the rest is done step by step."""

    def __init__(self, params: Params, norm: str, alpha: mx.array, bend: Bend) -> None:
        self._norm, self._bend, self._rate = AdaIN(params.at(norm)), bend, rate(alpha)

    def of(self, x: mx.array, style: mx.array) -> Each:
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

    def __call__(self, x: mx.array, style: mx.array, pace: Pace) -> mx.array:
        for activation1, conv1, activation2, conv2 in self._pairs:
            inner = conv1(x, before=activation1.of(x, style))
            pace(inner)
            x = x + conv2(inner, before=activation2.of(inner, style))
            del inner  # else it would live through the next pair
            pace(x)
        return x + self._bias


class Generator:
    """Features (H, 512), source spectrum (B, 2Q), style (S,) → audio (N,)."""

    def __init__(self, params: Params, spectrum: Spectrum) -> None:
        self._spectrum = spectrum
        shape, blocks, rounds = bend(), len(c.RESBLOCK_KERNELS), len(c.UPSAMPLE)
        self._ups = [Upsample(params.at(f"ups.{i}"), stride=rate) for i, rate in enumerate(c.UPSAMPLE)]
        # The first round runs at a sixth of the source's resolution, the second at the source's own.
        first, second = params.at("noise_convs.0"), params.at("noise_convs.1")
        self._source_convs = (StridedConv(first, stride=c.UPSAMPLE[1], padding=c.UPSAMPLE[1] // 2), Conv(second))
        self._source_blocks = [SnakeBlock(params.at(f"noise_res.{i}"), shape) for i in range(rounds)]
        self._blocks = [
            [SnakeBlock(params.at(f"resblocks.{blocks * i + j}"), shape) for j in range(blocks)] for i in range(rounds)
        ]
        self._post = Conv(params.at("conv_post"))

    def __call__(self, x: mx.array, source: mx.array, style: mx.array, pace: Pace) -> mx.array:
        for i in range(len(self._ups)):
            x = self._round(i, x, source, style, pace)
        x = self._post(x, before=lambda steps: leaky_relu(steps, 0.01))
        audio = self._spectrum.synthesise(mx.exp(x[:, : c.N_BINS]), mx.sin(x[:, c.N_BINS :]))
        pace(audio)
        return audio

    def _round(self, i: int, x: mx.array, source: mx.array, style: mx.array, pace: Pace) -> mx.array:
        x = self._ups[i](x, before=lambda steps: leaky_relu(steps, 0.1))
        if i == len(self._ups) - 1:
            x = mx.concatenate([x[1:2], x])  # reflected by one: the spectrum has a step more than 60 a half
        x = x + self._source_blocks[i](self._source_convs[i](source), style, pace)
        pace(x)
        total = self._blocks[i][0](x, style, pace)
        for block in self._blocks[i][1:]:
            total = total + block(x, style, pace)
            pace(total)
        return total * (1 / len(self._blocks[i]))
