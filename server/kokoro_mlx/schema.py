"""Every tensor of the checkpoint: its PyTorch name and shape, with weight norm already folded.

Axes: O output channels, I input channels, K kernel taps; linear (O, I), convolution (O, I, K), transposed
convolution (I, O, K), one direction of an LSTM (4H, I) and (4H, H) with PyTorch's gate order i f g o.
"""

from collections.abc import Iterator

from server.kokoro_mlx import config as c

Shape = tuple[int, ...]
Named = tuple[str, Shape]

BERT_LAYER = "bert.encoder.albert_layer_groups.0.albert_layers.0"


def torch_shapes() -> dict[str, Shape]:
    """Name and shape of all 457 tensors that inference needs."""
    return dict(_all())


def _all() -> Iterator[Named]:
    yield from _bert()
    yield from _linear("bert_encoder", c.BERT_HIDDEN, c.HIDDEN)
    yield from _text_encoder()
    yield from _predictor()
    yield from _decoder()
    yield from _generator()


def _linear(name: str, inputs: int, outputs: int) -> Iterator[Named]:
    yield f"{name}.weight", (outputs, inputs)
    yield f"{name}.bias", (outputs,)


def _conv(name: str, inputs: int, outputs: int, taps: int, *, bias: bool = True) -> Iterator[Named]:
    yield f"{name}.weight", (outputs, inputs, taps)
    if bias:
        yield f"{name}.bias", (outputs,)


def _norm(name: str, size: int) -> Iterator[Named]:
    yield f"{name}.weight", (size,)
    yield f"{name}.bias", (size,)


def _lstm(name: str, inputs: int) -> Iterator[Named]:
    gates = 4 * c.LSTM_HIDDEN
    for direction in ("", "_reverse"):
        yield f"{name}.weight_ih_l0{direction}", (gates, inputs)
        yield f"{name}.weight_hh_l0{direction}", (gates, c.LSTM_HIDDEN)
        yield f"{name}.bias_ih_l0{direction}", (gates,)
        yield f"{name}.bias_hh_l0{direction}", (gates,)


def _ada_norm(name: str, size: int) -> Iterator[Named]:
    yield from _linear(f"{name}.fc", c.STYLE, 2 * size)


def _bert() -> Iterator[Named]:
    for table, rows in (("word", c.N_TOKENS), ("position", c.MAX_PHONEMES + 2), ("token_type", 2)):
        yield f"bert.embeddings.{table}_embeddings.weight", (rows, c.BERT_EMBEDDING)
    yield from _norm("bert.embeddings.LayerNorm", c.BERT_EMBEDDING)
    yield from _linear("bert.encoder.embedding_hidden_mapping_in", c.BERT_EMBEDDING, c.BERT_HIDDEN)
    for part in ("query", "key", "value", "dense"):
        yield from _linear(f"{BERT_LAYER}.attention.{part}", c.BERT_HIDDEN, c.BERT_HIDDEN)
    yield from _norm(f"{BERT_LAYER}.attention.LayerNorm", c.BERT_HIDDEN)
    yield from _linear(f"{BERT_LAYER}.ffn", c.BERT_HIDDEN, c.BERT_FFN)
    yield from _linear(f"{BERT_LAYER}.ffn_output", c.BERT_FFN, c.BERT_HIDDEN)
    yield from _norm(f"{BERT_LAYER}.full_layer_layer_norm", c.BERT_HIDDEN)


def _text_encoder() -> Iterator[Named]:
    yield "text_encoder.embedding.weight", (c.N_TOKENS, c.HIDDEN)
    for i in range(c.TEXT_CONVS):
        yield from _conv(f"text_encoder.cnn.{i}.0", c.HIDDEN, c.HIDDEN, c.TEXT_KERNEL)
        yield f"text_encoder.cnn.{i}.1.gamma", (c.HIDDEN,)
        yield f"text_encoder.cnn.{i}.1.beta", (c.HIDDEN,)
    yield from _lstm("text_encoder.lstm", c.HIDDEN)


def _predictor() -> Iterator[Named]:
    styled = c.HIDDEN + c.STYLE
    for i in range(c.DURATION_LAYERS):
        yield from _lstm(f"predictor.text_encoder.lstms.{2 * i}", styled)
        yield from _linear(f"predictor.text_encoder.lstms.{2 * i + 1}.fc", c.STYLE, 2 * c.HIDDEN)
    for name in ("lstm", "shared"):
        yield from _lstm(f"predictor.{name}", styled)
    yield from _linear("predictor.duration_proj.linear_layer", c.HIDDEN, c.MAX_UNITS)
    for curve in ("F0", "N"):
        yield from _res_block(f"predictor.{curve}.0", c.HIDDEN, c.HIDDEN)
        yield from _res_block(f"predictor.{curve}.1", c.HIDDEN, c.HIDDEN // 2, pool=True)
        yield from _res_block(f"predictor.{curve}.2", c.HIDDEN // 2, c.HIDDEN // 2)
        yield from _conv(f"predictor.{curve}_proj", c.HIDDEN // 2, 1, 1)


def _res_block(name: str, inputs: int, outputs: int, *, pool: bool = False) -> Iterator[Named]:
    yield from _ada_norm(f"{name}.norm1", inputs)
    yield from _conv(f"{name}.conv1", inputs, outputs, 3)
    yield from _ada_norm(f"{name}.norm2", outputs)
    yield from _conv(f"{name}.conv2", outputs, outputs, 3)
    if inputs != outputs:
        yield from _conv(f"{name}.conv1x1", inputs, outputs, 1, bias=False)
    if pool:
        yield f"{name}.pool.weight", (inputs, 1, 3)
        yield f"{name}.pool.bias", (inputs,)


def _decoder() -> Iterator[Named]:
    for curve in ("F0", "N"):
        yield from _conv(f"decoder.{curve}_conv", 1, 1, 3)
    yield from _conv("decoder.asr_res.0", c.HIDDEN, c.ASR_RESIDUAL, 1)
    yield from _res_block("decoder.encode", c.HIDDEN + 2, c.DECODER)
    inputs = c.DECODER + c.ASR_RESIDUAL + 2
    for i in range(3):
        yield from _res_block(f"decoder.decode.{i}", inputs, c.DECODER)
    yield from _res_block("decoder.decode.3", inputs, c.GENERATOR_CHANNELS[0], pool=True)


def _generator() -> Iterator[Named]:
    g, spectrum = "decoder.generator", 2 * c.N_BINS
    yield from _linear(f"{g}.m_source.l_linear", c.HARMONICS, 1)
    for i, rate in enumerate(c.UPSAMPLE):
        wide, narrow = c.GENERATOR_CHANNELS[i], c.GENERATOR_CHANNELS[i + 1]
        yield f"{g}.ups.{i}.weight", (wide, narrow, 2 * rate)
        yield f"{g}.ups.{i}.bias", (narrow,)
        yield from _conv(f"{g}.noise_convs.{i}", spectrum, narrow, 2 * c.UPSAMPLE[1] if i == 0 else 1)
        yield from _snake_block(f"{g}.noise_res.{i}", narrow, c.NOISE_KERNELS[i])
        for j, kernel in enumerate(c.RESBLOCK_KERNELS):
            yield from _snake_block(f"{g}.resblocks.{len(c.RESBLOCK_KERNELS) * i + j}", narrow, kernel)
    yield from _conv(f"{g}.conv_post", c.GENERATOR_CHANNELS[-1], spectrum, c.POST_KERNEL)


def _snake_block(name: str, size: int, kernel: int) -> Iterator[Named]:
    for i in range(len(c.RESBLOCK_DILATIONS)):
        for half in (1, 2):
            yield from _ada_norm(f"{name}.adain{half}.{i}", size)
            yield f"{name}.alpha{half}.{i}", (1, size, 1)
            yield from _conv(f"{name}.convs{half}.{i}", size, size, kernel)
