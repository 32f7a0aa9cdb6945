"""The decoder: what is said, and how, to the features the generator turns into sound.

Axes: F frames, H = 2F halves, S style (128).
"""

import mlx.core as mx

from server.kokoro_mlx.conv import Conv, StridedConv
from server.kokoro_mlx.layers import AdaINBlock
from server.kokoro_mlx.pace import Pace, Steps
from server.kokoro_mlx.params import Params

_BLOCKS = 4


class Decoder:
    """Text features (F, 512), F0 and energy (H, 1), style (S,) → (H, 512)."""

    def __init__(self, params: Params) -> None:
        self._f0_conv = StridedConv(params.at("F0_conv"), stride=2, padding=1)
        self._energy_conv = StridedConv(params.at("N_conv"), stride=2, padding=1)
        self._encode = AdaINBlock(params.at("encode"))
        self._text_skip = Conv(params.at("asr_res.0"))
        self._decode = [AdaINBlock(params.at(f"decode.{i}")) for i in range(_BLOCKS)]

    def __call__(self, text: mx.array, f0: mx.array, energy: mx.array, style: mx.array, pace: Pace) -> mx.array:
        return pace.run(self.steps(text, f0, energy, style))

    def steps(self, text: mx.array, f0: mx.array, energy: mx.array, style: mx.array) -> Steps[mx.array]:
        """The same, a block a step."""
        curves = mx.concatenate([self._f0_conv(f0), self._energy_conv(energy)], axis=1)  # (F, 2)
        x = self._encode(mx.concatenate([text, curves], axis=1), style)
        beside = mx.concatenate([self._text_skip(text), curves], axis=1)  # fed to every block again
        for block in self._decode:
            x = block(mx.concatenate([x, beside], axis=1), style)
            yield (x,)
        return x
