"""Prosody: how long each phoneme lasts, and the pitch and energy curves over the frames that follow from it.

Axes: T positions (phonemes and pads), F frames of 25 ms, 2F halves, S style (128).
"""

import mlx.core as mx
import numpy as np

from server.kokoro_mlx import config
from server.kokoro_mlx.conv import Conv
from server.kokoro_mlx.layers import AdaINBlock, BiLSTM, Linear, StyledLayerNorm
from server.kokoro_mlx.params import Params


class Durations:
    """PL-BERT's features → styled features and the number of frames of each position."""

    def __init__(self, params: Params) -> None:
        stack = params.at("text_encoder.lstms")
        self._lstms = [BiLSTM(stack.at(str(2 * i))) for i in range(config.DURATION_LAYERS)]
        self._norms = [StyledLayerNorm(stack.at(str(2 * i + 1))) for i in range(config.DURATION_LAYERS)]
        self._lstm = BiLSTM(params.at("lstm"))
        self._projection = Linear(params.at("duration_proj.linear_layer"))

    def features(self, x: mx.array, style: mx.array) -> mx.array:
        """(T, 512), (S,) → (T, 640): the styled features that durations and curves both read."""
        styles = mx.broadcast_to(style, (x.shape[0], style.shape[0]))
        x = mx.concatenate([x, styles], axis=1)
        for lstm, norm in zip(self._lstms, self._norms, strict=True):
            x = mx.concatenate([norm(lstm(x), style), styles], axis=1)
        return x

    def expected(self, features: mx.array, speed: float) -> mx.array:
        """(T, 640) → (T,): frames of each position before rounding; `speed` 2 halves them."""
        return mx.sigmoid(self._projection(self._lstm(features))).sum(axis=-1) / speed


def whole_frames(expected: mx.array) -> tuple[int, ...]:
    """(T,) → a whole number of frames for each position, at least one; halves go to the even number."""
    frames = np.maximum(np.round(np.array(expected)), 1)
    return tuple(int(count) for count in frames)


class Curves:
    """Aligned features → fundamental frequency in Hz and energy, two values a frame."""

    def __init__(self, params: Params) -> None:
        self._shared = BiLSTM(params.at("shared"))
        self._f0, self._energy = Curve(params, "F0"), Curve(params, "N")

    def shared(self, aligned: mx.array) -> mx.array:
        """(F, 640) → (F, 512): what both curves are computed from."""
        return self._shared(aligned)

    def f0(self, shared: mx.array, style: mx.array) -> mx.array:
        """(F, 512), (S,) → (2F, 1): F0 in Hz, near zero or below where there is no voice."""
        return self._f0(shared, style)

    def energy(self, shared: mx.array, style: mx.array) -> mx.array:
        """(F, 512), (S,) → (2F, 1)."""
        return self._energy(shared, style)


class Curve:
    """Three residual blocks, the second of which doubles time, and a projection: (F, 512), (S,) → (2F, 1)."""

    def __init__(self, params: Params, name: str) -> None:
        self._blocks = [AdaINBlock(params.at(f"{name}.{i}")) for i in range(3)]
        self._projection = Conv(params.at(f"{name}_proj"))

    def __call__(self, x: mx.array, style: mx.array) -> mx.array:
        for block in self._blocks:
            x = block(x, style)
        return self._projection(x)
