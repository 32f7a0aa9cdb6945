"""The model as PyTorch and mlx-audio load it: a folder with config.json and model.safetensors, weight norm unfolded."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from server.kokoro_mlx import config as c
from server.kokoro_mlx import safetensors
from server.kokoro_mlx.vocab import VOCAB

Arrays = Mapping[str, NDArray[Any]]

CONFIG = {
    "model_type": "kokoro",
    "istftnet": {
        "upsample_kernel_sizes": [2 * rate for rate in c.UPSAMPLE],
        "upsample_rates": list(c.UPSAMPLE),
        "gen_istft_hop_size": c.HOP_SAMPLES,
        "gen_istft_n_fft": c.N_FFT,
        "resblock_dilation_sizes": [list(c.RESBLOCK_DILATIONS) for _ in c.RESBLOCK_KERNELS],
        "resblock_kernel_sizes": list(c.RESBLOCK_KERNELS),
        "upsample_initial_channel": c.GENERATOR_CHANNELS[0],
    },
    "dim_in": c.ASR_RESIDUAL,
    "dropout": 0.2,
    "hidden_dim": c.HIDDEN,
    "max_conv_dim": c.HIDDEN,
    "max_dur": c.MAX_UNITS,
    "multispeaker": True,
    "n_layer": c.DURATION_LAYERS,
    "n_mels": 80,
    "n_token": c.N_TOKENS,
    "style_dim": c.STYLE,
    "text_encoder_kernel_size": c.TEXT_KERNEL,
    "plbert": {
        "hidden_size": c.BERT_HIDDEN,
        "num_attention_heads": c.BERT_HEADS,
        "intermediate_size": c.BERT_FFN,
        "max_position_embeddings": c.MAX_PHONEMES + 2,
        "num_hidden_layers": c.BERT_REPEATS,
        "dropout": 0.1,
    },
    "vocab": VOCAB,
}
# Layers without weight norm, by their parts of a name; of the others only convolutions, three axes, have it.
_PLAIN = (".noise_convs.", "F0_proj", "N_proj")
# Never read, so that the ONNX file lacks it; but mlx-audio loads no checkpoint without it.
_POOLER = {
    "bert.pooler.weight": np.zeros((c.BERT_HIDDEN, c.BERT_HIDDEN), np.float32),
    "bert.pooler.bias": np.zeros(c.BERT_HIDDEN, np.float32),
}


def write(folded: Arrays, folder: Path) -> None:
    """Write the checkpoint of `folded`, PyTorch's names with weight norm folded, into `folder`."""
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(CONFIG, ensure_ascii=False))
    safetensors.write(folder / "model.safetensors", {**dict(unfolded(folded)), **_POOLER}, {"format": "pt"})


def unfolded(folded: Arrays) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Folded weights as PyTorch's weight norm keeps them: g, the norm of each row, and v, the row itself."""
    for name, array in folded.items():
        if array.ndim != 3 or not name.endswith(".weight") or any(part in name for part in _PLAIN):
            yield name, array
            continue
        norm = np.sqrt(np.square(array, dtype=np.float64).sum(axis=(1, 2), keepdims=True)).astype(np.float32)
        yield f"{name}_g", norm
        # a row quantised to nothing: g = 0 keeps it so, and v = 1 keeps 0 / 0 out of it
        yield f"{name}_v", np.where(norm == 0, np.float32(1), array)
