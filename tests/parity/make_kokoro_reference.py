"""Run the PyTorch reference once and keep what the parity tests compare with: data/kokoro_{reference,stages}.npz.

Not part of any test run: it needs torch, which the project never installs. The arrays beside this file were made with

    python3.11 -m venv reference
    reference/bin/pip install torch==2.13.0 numpy onnx transformers huggingface_hub loguru attrs addict regex
    reference/bin/pip install --no-deps kokoro==0.9.4 misaki==0.9.4
    PYTHONPATH=. reference/bin/python -m tests.parity.make_kokoro_reference kokoro_int8.onnx voices.safetensors

on one thread, from the int8 model (sha256 6e742170…, which `lectern setup` gets from a package registry) and the voices
file that `lectern setup` wrote.

The reference's randomness is one draw of normal noise. It is replaced by numpy's PCG64 with a known seed, which the
port draws too, so that both can be given the same noise, and so that other seeds show how far two takes of the
reference are apart. Never by zeros: the phase of an empty bin is rounding error, and an input of the network.

kokoro_reference.npz holds what came out of whole passes, at every stage. kokoro_stages.npz holds single stages: what
the reference had before a stage, rounded to float16 because it must be kept whole, and what the reference's stage makes
of exactly these rounded numbers. Wide outputs are kept as random mixtures of their channels (`measures.projected`),
long ones as windows or every 61st step. With `--voice` one voice's arrays are made anew and the others stay.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from server.kokoro_mlx.voices import load_voices
from tests.parity.cases import CASES, FULL, NOISE_SEEDS, SPOKEN, STAGED, Case
from tests.parity.logmel import distance_db, log_mel
from tests.parity.measures import BIN_STEP, Array, level_db, projected, spectrum, windows
from tests.parity.torch_reference import Stages, exact_phase, noise, reference, replaced

Named = Iterator[tuple[str, Any]]


class Recorder:
    """Runs whole passes and keeps what flowed between the reference's modules, time first."""

    def __init__(self, model: Any) -> None:
        self._model, self.seen = model, dict[str, Array]()
        decoder, generator = model.decoder, model.decoder.generator
        self._keep(model.bert, "bert", lambda _, out: out[0])
        self._keep(model.predictor.text_encoder, "features", lambda _, out: out[0])
        self._keep(model.predictor.duration_proj, "expected", lambda _, out: out[0].sigmoid().sum(-1))
        self._keep(model.text_encoder, "text", lambda _, out: out[0].T)
        decoder.register_forward_pre_hook(lambda _, given: self._take(f0=given[1][0], energy=given[2][0]))
        generator.register_forward_pre_hook(lambda _, given: self._take(decoded=given[0][0].T))
        self._keep(generator.m_source, "source", lambda _, out: out[0][0, :, 0])
        self._keep(generator.noise_convs[0], "har", lambda given, _: given[0][0].T)
        self._keep(generator.conv_post, "post", lambda _, out: out[0].T)

    def _take(self, **tensors: Any) -> None:
        self.seen |= {name: tensor.detach().numpy().copy() for name, tensor in tensors.items()}

    def _keep(self, module: Any, name: str, pick: Any) -> None:
        module.register_forward_hook(lambda _, given, out: self._take(**{name: pick(given, out)}))

    def speak(self, case: Case, style: Array, seed: int) -> Array:
        """Audio (N,); `seen` holds the rest."""
        import torch

        self.seen = {}
        with noise(seed), torch.no_grad():
            out = self._model(case.phonemes, torch.from_numpy(style.copy())[None], 1.0, return_output=True)
        self._take(pred_dur=out.pred_dur)
        audio: Array = out.audio.numpy()
        return audio

    def prosody(self, case: Case, style: Array) -> None:
        """All but the sound, into `seen`."""
        import torch

        with replaced(self._model.decoder.generator, "forward", lambda *_: torch.zeros(1)):
            self.speak(case, style, 0)


def of_passes(cases: list[Case], recorder: Recorder, voices: dict[str, Array]) -> Named:
    """What whole passes give at each stage."""
    for case in cases:
        style = voices[case.voice][len(case.phonemes) - 1]
        if case in SPOKEN:
            yield from _spoken(case, recorder, style)
        else:
            recorder.prosody(case, style)
        seen, key = recorder.seen, case.key
        yield f"{key}/pred_dur", seen["pred_dur"].astype(np.int16)
        yield from ((f"{key}/{name}", seen[name]) for name in ("expected", "f0", "energy"))
        yield from ((f"{key}/{name}", projected(seen[name])) for name in ("bert", "text"))
        print(key, len(seen["f0"]) / 80, "s", flush=True)


def _spoken(case: Case, recorder: Recorder, style: Array) -> Named:
    first, second = NOISE_SEEDS
    other = log_mel(recorder.speak(case, style, second))
    audio = recorder.speak(case, style, first)  # the last: `seen` is of this one
    seen, key, spoken = recorder.seen, case.key, log_mel(audio)
    yield f"{key}/noise_db", np.float32(distance_db(spoken, other))
    yield f"{key}/log_mel", spoken.astype(np.float16)
    yield f"{key}/level_db", np.float32(level_db(audio))
    yield f"{key}/audio", windows(audio)
    if case == FULL:
        yield f"{key}/har", seen["har"]


def of_stages(cases: list[Case], recorder: Recorder, stages: Stages, voices: dict[str, Array]) -> Named:
    """What single stages make of inputs that are kept with them."""
    for case in cases:
        style = voices[case.voice][len(case.phonemes) - 1]
        audio = recorder.speak(case, style, NOISE_SEEDS[0])
        seen = dict(recorder.seen)
        dur = seen["pred_dur"]
        given = {name: seen[name].astype(np.float16) for name in ("bert", "features", "text", "source")}
        yield from ((f"{case.key}/{name}", array) for name, array in given.items())
        f0, energy = stages.curves(np.repeat(given["features"], dur, axis=0), style)
        features, expected = stages.durations(given["bert"], style)
        decoded = stages.decoder(np.repeat(given["text"], dur, axis=0), seen["f0"], seen["energy"], style)
        with exact_phase():
            exact = stages.source(seen["f0"], NOISE_SEEDS[0])
        made = {
            "features": projected(features),
            "expected": expected,
            "f0": f0,
            "energy": energy,
            "decoded": projected(decoded),
            "source": windows(stages.source(seen["f0"], NOISE_SEEDS[0])),
            "source_exact_phase": windows(exact),
            "spectrum": stages.spectrum(given["source"])[::BIN_STEP],
        }
        yield from ((f"{case.key}/made/{name}", array) for name, array in made.items())
        yield from _generated(case, stages, decoded, given["source"], style)
        assert np.array_equal(stages.generator(seen["decoded"], seen["har"], style)[1], audio)
        print(case.key, "staged", flush=True)


def _generated(case: Case, stages: Stages, decoded: Array, source: Array, style: Array) -> Named:
    if case.about_s < 2:
        decoded = decoded.astype(np.float16)
        yield f"{case.key}/decoded", decoded
    post, audio = stages.generator(decoded, spectrum(source), style)
    yield f"{case.key}/made/post", post[::BIN_STEP]
    yield f"{case.key}/made/audio", windows(audio)
    some = post[:200].astype(np.float16)
    yield f"{case.key}/post", some
    with np.errstate(all="raise"):
        yield f"{case.key}/made/inverse", stages.inverse(np.exp(some[:, :11], dtype=np.float32), some[:, 11:])


def keep(path: Path, arrays: dict[str, Any]) -> None:
    """Put `arrays` into the file at `path`, beside those of other voices."""
    if path.exists():
        with np.load(path) as there:
            voices = {name.partition("/")[0] for name in arrays}
            arrays |= {name: there[name] for name in there.files if name.partition("/")[0] not in voices}
    np.savez_compressed(path, **dict(sorted(arrays.items())))
    print(path, path.stat().st_size, "bytes", flush=True)


def main() -> None:
    import torch

    parser = argparse.ArgumentParser(description="Record the PyTorch reference for the parity tests.")
    parser.add_argument("onnx", type=Path)
    parser.add_argument("voices", type=Path)
    parser.add_argument("--voice", help="only the cases of this voice")
    given = parser.parse_args()
    torch.set_num_threads(1)
    model, voices = reference(given.onnx), load_voices(given.voices)
    staged, passes = ([case for case in cases if given.voice in (None, case.voice)] for cases in (STAGED, CASES))
    recorder, folder = Recorder(model), Path(__file__).parent / "data"
    keep(folder / "kokoro_stages.npz", dict(of_stages(staged, recorder, Stages(model), voices)))
    keep(folder / "kokoro_reference.npz", dict(of_passes(passes, recorder, voices)))


if __name__ == "__main__":
    main()
