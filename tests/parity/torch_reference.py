"""The PyTorch reference, `kokoro` 0.9.4, with the weights of the int8 model, and its stages one by one.

It needs torch, which the project never installs; make_kokoro_reference.py says how to get it. The weights go from the
ONNX file straight into the reference's own module: the port's conversion has no part in it.
"""

import contextlib
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from server.kokoro_mlx.vocab import VOCAB
from server.setup.quantised import read_quantised
from tests.parity.measures import Array

CONFIG = {
    "istftnet": {
        "upsample_kernel_sizes": [20, 12],
        "upsample_rates": [10, 6],
        "gen_istft_hop_size": 5,
        "gen_istft_n_fft": 20,
        "resblock_dilation_sizes": [[1, 3, 5]] * 3,
        "resblock_kernel_sizes": [3, 7, 11],
        "upsample_initial_channel": 512,
    },
    "dim_in": 64,
    "dropout": 0.2,
    "hidden_dim": 512,
    "max_conv_dim": 512,
    "max_dur": 50,
    "multispeaker": True,
    "n_layer": 3,
    "n_mels": 80,
    "n_token": 178,
    "style_dim": 128,
    "text_encoder_kernel_size": 5,
    "plbert": {
        "hidden_size": 768,
        "num_attention_heads": 12,
        "intermediate_size": 2048,
        "max_position_embeddings": 512,
        "num_hidden_layers": 12,
        "dropout": 0.1,
    },
    "vocab": VOCAB,
}


def reference(onnx: Path) -> Any:
    """The reference's KModel with the weights of the ONNX file."""
    # kokoro imports misaki's English front end, and spaCy with it, which a phoneme string has no use for.
    for name in ("misaki.en", "misaki.espeak"):
        sys.modules[name] = types.ModuleType(name)
    import misaki
    import torch
    from misaki.token import MToken

    misaki.en, misaki.espeak = sys.modules["misaki.en"], sys.modules["misaki.espeak"]
    misaki.en.MToken = MToken
    import kokoro.model

    with replaced(torch, "load", lambda *_, **__: {}):  # no checkpoint: the weights come below
        model = kokoro.model.KModel(repo_id="none", config=CONFIG, model="none").eval()
    model.load_state_dict(state_dict(model.state_dict(), read_quantised(onnx)), strict=True)
    return model


def state_dict(wanted: dict[str, Any], folded: dict[str, Any]) -> dict[str, Any]:
    """Folded weights as g and v where the reference has weight norm; what the ONNX file lacks keeps its first value."""
    import torch

    state, used = {}, set()
    for name, initial in wanted.items():
        base = name.removesuffix("_g").removesuffix("_v")
        if base not in folded:
            unimportant = ".norm." in name or "pooler" in name
            assert unimportant, name
            state[name] = initial
            continue
        used.add(base)
        weight = torch.from_numpy(np.array(folded[base]))
        if name.endswith("_g"):
            weight = weight.flatten(1).norm(dim=1)
        elif name.endswith("_v"):
            # a row quantised to nothing: g = 0 keeps it so, and v = 1 keeps 0 / 0 out of it
            weight[weight.flatten(1).norm(dim=1) == 0] = 1.0
        state[name] = weight.reshape(initial.shape)
    assert used == folded.keys(), folded.keys() - used
    return state


@contextlib.contextmanager
def replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    """`owner.name` is `value` for a while."""
    own = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, own)


def noise(seed: int) -> contextlib.AbstractContextManager[None]:
    """The reference draws numpy's noise instead of its own: the first draw of a pass is the one that is heard."""
    import torch

    def drawn(like: Any, *_: Any, **__: Any) -> Any:
        values = np.random.Generator(np.random.PCG64(seed)).standard_normal(tuple(like.shape), dtype=np.float32)
        return torch.from_numpy(values)

    return replaced(torch, "randn_like", drawn)


@contextlib.contextmanager
def exact_phase() -> Iterator[None]:
    """The reference sums its phase in float64, as the port does; nothing else changes."""
    import torch

    own_sum, own_sine = torch.cumsum, torch.sin

    def summed(x: Any, dim: int) -> Any:
        return own_sum(x.double(), dim=dim)

    def sine(x: Any) -> Any:
        return own_sine(x).float()

    with replaced(torch, "cumsum", summed), replaced(torch, "sin", sine):
        yield


class Stages:
    """The reference's stages as functions of numpy arrays, time first, no batch axis."""

    def __init__(self, model: Any) -> None:
        import torch

        self._model, self._torch = model, torch

    def durations(self, bert: Array, style: Array) -> tuple[Array, Array]:
        """PL-BERT's output (T, 768), style (256,) → features (T, 640), frames of each before rounding (T,)."""
        torch, predictor = self._torch, self._model.predictor
        count = len(bert)
        with torch.no_grad():
            x = self._model.bert_encoder(_batch(bert)).transpose(-1, -2)
            lengths, mask = torch.tensor([count]), torch.zeros((1, count), dtype=torch.bool)
            features = predictor.text_encoder(x, _batch(style[128:]), lengths, mask)
            expected = torch.sigmoid(predictor.duration_proj(predictor.lstm(features)[0])).sum(axis=-1)
        return _numbers(features[0]), _numbers(expected[0])

    def curves(self, features: Array, style: Array) -> tuple[Array, Array]:
        """Features of each frame (F, 640) → F0 (2F,), energy (2F,)."""
        with self._torch.no_grad():
            f0, energy = self._model.predictor.F0Ntrain(_batch(features.T), _batch(style[128:]))
        return _numbers(f0[0]), _numbers(energy[0])

    def decoder(self, text: Array, f0: Array, energy: Array, style: Array) -> Array:
        """Text features of each frame (F, 512), curves (2F,) → (2F, 512)."""
        decoder = self._model.decoder
        with self._torch.no_grad(), replaced(decoder.generator, "forward", lambda x, *_: x):
            x = decoder(_batch(text.T), _batch(f0), _batch(energy), _batch(style[:128]))
        return _numbers(x[0].T)

    def source(self, f0: Array, seed: int) -> Array:
        """F0 (H,) → the harmonic source (300 H,)."""
        generator = self._model.decoder.generator
        with self._torch.no_grad(), noise(seed):
            upsampled = generator.f0_upsamp(_batch(f0)[:, None]).transpose(1, 2)
            return _numbers(generator.m_source(upsampled)[0][0, :, 0])

    def spectrum(self, source: Array) -> Array:
        """(N,) → (B, 22): magnitudes, then phases."""
        magnitude, phase = self._model.decoder.generator.stft.transform(_batch(source))
        return _numbers(self._torch.cat([magnitude, phase], dim=1)[0].T)

    def generator(self, features: Array, har: Array, style: Array) -> tuple[Array, Array]:
        """Features (H, 512), source spectrum (B, 22) → the last convolution's output (B, 22), audio (N,)."""
        generator, spectrum = self._model.decoder.generator, _batch(har.T)
        seen: list[Array] = []
        hook = generator.conv_post.register_forward_hook(lambda _, __, out: seen.append(_numbers(out[0].T)))
        with self._torch.no_grad(), replaced(generator.stft, "transform", lambda _: spectrum.chunk(2, dim=1)):
            audio = generator(_batch(features.T), _batch(style[:128]), _batch(np.zeros(len(features), np.float32)))
        hook.remove()
        return seen[0], _numbers(audio[0, 0])

    def inverse(self, magnitude: Array, phase: Array) -> Array:
        """(B, 11), (B, 11) → audio (5 B − 5,)."""
        return _numbers(self._model.decoder.generator.stft.inverse(_batch(magnitude.T), _batch(phase.T))[0, 0])


def _batch(x: Array) -> Any:
    import torch

    return torch.from_numpy(np.array(x, np.float32))[None]  # a copy: the reference writes into some of its inputs


def _numbers(x: Any) -> Array:
    copied: Array = x.numpy().copy()
    return copied
