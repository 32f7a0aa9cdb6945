"""PL-BERT: an ALBERT over phonemes, which is one transformer layer applied twelve times.

Axes: T positions (phonemes and the two pads), E embedding (128), W width (768), N heads (12).
"""

import math

import mlx.core as mx

from server.kokoro_mlx import config
from server.kokoro_mlx.device import native
from server.kokoro_mlx.exponential import gelu, softmax
from server.kokoro_mlx.layers import LayerNorm, Linear
from server.kokoro_mlx.pace import Pace, Steps
from server.kokoro_mlx.params import Params

_EPSILON = 1e-12


class Albert:
    """Ids (T,) → (T, W)."""

    def __init__(self, params: Params) -> None:
        embeddings, encoder = params.at("embeddings"), params.at("encoder")
        self._words = embeddings["word_embeddings.weight"]
        self._positions = embeddings["position_embeddings.weight"]
        self._type = embeddings["token_type_embeddings.weight"][0]
        mx.eval(self._type)
        self._norm = LayerNorm(embeddings.at("LayerNorm"), eps=_EPSILON)
        self._widen = Linear(encoder.at("embedding_hidden_mapping_in"))
        self._layer = AlbertLayer(encoder.at("albert_layer_groups.0.albert_layers.0"))

    def __call__(self, ids: mx.array) -> mx.array:
        return Pace().run(self.steps(ids))

    def steps(self, ids: mx.array) -> Steps[mx.array]:
        """The same, a layer a step: for 510 phonemes all of them take seconds."""
        x = self._words[ids] + self._type + self._positions[: ids.shape[0]]
        x = self._widen(self._norm(x))
        for _ in range(config.BERT_REPEATS):
            x = self._layer(x)
            yield (x,)
        return x


class AlbertLayer:
    """Self-attention and a feed-forward net, each added to its input and then normalised: (T, W) → (T, W)."""

    def __init__(self, params: Params) -> None:
        attention = params.at("attention")
        self._qkv, self._dense = Linear(attention.at("qkv")), Linear(attention.at("dense"))
        self._attention_norm = LayerNorm(attention.at("LayerNorm"), eps=_EPSILON)
        self._ffn, self._ffn_output = Linear(params.at("ffn")), Linear(params.at("ffn_output"))
        self._output_norm = LayerNorm(params.at("full_layer_layer_norm"), eps=_EPSILON)

    def __call__(self, x: mx.array) -> mx.array:
        x = self._attention_norm(self._dense(self._attend(x)) + x)
        return self._output_norm(self._ffn_output(gelu(self._ffn(x))) + x)

    def _attend(self, x: mx.array) -> mx.array:
        heads = config.BERT_HEADS
        size = config.BERT_HIDDEN // heads
        qkv = self._qkv(x).reshape(-1, 3, heads, size).transpose(1, 2, 0, 3)  # (3, N, T, W / N)
        scale = 1 / math.sqrt(size)
        if native():
            query, key, value = qkv[:, None]
            attended = mx.fast.scaled_dot_product_attention(query, key, value, scale=scale)[0]
        else:
            query, key, value = qkv
            attended = softmax((query * scale) @ key.transpose(0, 2, 1)) @ value
        return attended.transpose(1, 0, 2).reshape(x.shape)
