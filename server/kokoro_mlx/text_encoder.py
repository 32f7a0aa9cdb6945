"""The text encoder: what each phoneme sounds like, before style and prosody. Ids (T,) → (T, 512)."""

import mlx.core as mx

from server.kokoro_mlx import config
from server.kokoro_mlx.conv import Conv
from server.kokoro_mlx.layers import BiLSTM, LayerNorm, leaky_relu
from server.kokoro_mlx.params import Params


class TextEncoder:
    """Embedding, three convolutions with layer norm, a bidirectional LSTM: ids (T,) → (T, 512)."""

    def __init__(self, params: Params) -> None:
        self._embedding = params["embedding.weight"]
        blocks = [params.at(f"cnn.{i}") for i in range(config.TEXT_CONVS)]
        self._convs = [Conv(block.at("0")) for block in blocks]
        self._norms = [LayerNorm(block.at("1"), eps=1e-5, scale="gamma", shift="beta") for block in blocks]
        self._lstm = BiLSTM(params.at("lstm"))

    def __call__(self, ids: mx.array) -> mx.array:
        x = self._embedding[ids]
        for conv, norm in zip(self._convs, self._norms, strict=True):
            x = leaky_relu(norm(conv(x)), 0.2)
        return self._lstm(x)
