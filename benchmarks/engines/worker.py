"""One engine in one process, run by its own environment's Python: `python -m benchmarks.engines.worker '{…}'`.

It loads the model, says so, and renders the pass once for each line `run` on its standard input. Answers go out on its
standard output, one JSON object a line; whatever the engines print there goes to standard error instead. Nothing of the
project is imported but for its own engine: the peers' processes hold what the peers brought.
"""

import importlib
import json
import os
import resource
import sys
import time
import types
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

Render = Callable[[], int]
"""Renders the pass and gives the number of samples, which are 1/24000 s each."""


def lectern(order: Mapping[str, Any]) -> Render:
    """This port, as the render process uses it; with `passes`, the same pass so many times at once."""
    from server.kokoro_mlx import Pass, load, load_voices

    model = load(Path(order["model"]), threads=order["threads"])
    passes = [Pass(order["phonemes"], load_voices(Path(order["voices"]))[order["voice"]])] * order.get("passes", 1)
    return lambda: sum(take.audio.size for take in model.render_together(passes))


def onnxruntime(order: Mapping[str, Any]) -> Render:
    """The graph with ONNX Runtime's own settings but for the number of threads, as kokoro-onnx runs it."""
    ort = importlib.import_module("onnxruntime")
    options = ort.SessionOptions()
    options.intra_op_num_threads = order["threads"]
    session = ort.InferenceSession(order["model"], options, providers=["CPUExecutionProvider"])
    given = {
        "tokens": np.array([[0, *order["ids"], 0]], np.int64),
        "style": _style(order),
        "speed": np.ones(1, np.float32),
    }
    return lambda: int(session.run(None, given)[0].size)


def pytorch(order: Mapping[str, Any]) -> Render:
    """The reference's KModel."""
    # kokoro imports misaki's English front end, and spaCy with it, which a phoneme string has no use for.
    for name in ("misaki.en", "misaki.espeak"):
        sys.modules[name] = types.ModuleType(name)
    misaki = importlib.import_module("misaki")
    torch: Any = importlib.import_module("torch")
    for part in ("en", "espeak"):
        setattr(misaki, part, sys.modules[f"misaki.{part}"])
    misaki.en.MToken = importlib.import_module("misaki.token").MToken
    kokoro, tensors = importlib.import_module("kokoro.model"), importlib.import_module("safetensors.torch")
    torch.set_num_threads(order["threads"])
    folder = Path(order["model"])
    load, torch.load = torch.load, lambda *_, **__: {}  # no pickled checkpoint: the weights come below
    try:
        model = kokoro.KModel(repo_id="none", config=str(folder / "config.json"), model="none").eval()
    finally:
        torch.load = load
    lacking, unknown = model.load_state_dict(tensors.load_file(folder / "model.safetensors"), strict=False)
    # the identity norms of AdaIN are not in the ONNX file
    if unknown or any(".norm." not in name for name in lacking):
        raise ValueError(f"the checkpoint is not the model's: {unknown[:3]} {lacking[:3]}")
    style = torch.from_numpy(_style(order))
    return lambda: int(model(order["phonemes"], style, 1.0).numel())


def mlx_audio(order: Mapping[str, Any]) -> Render:
    """mlx-audio's Kokoro through its own loader; with `fast_blas`, over the BLAS that this port brings to MLX."""
    if order.get("fast_blas"):
        importlib.import_module("server.kokoro_mlx")
    mx, tts = importlib.import_module("mlx.core"), importlib.import_module("mlx_audio.tts")
    model, style = tts.load(Path(order["model"])), mx.array(_style(order))
    return lambda: int(np.array(model(order["phonemes"], style, 1.0)).size)


ENGINES: dict[str, Callable[[Mapping[str, Any]], Render]] = {
    "lectern": lectern,
    "onnxruntime": onnxruntime,
    "pytorch": pytorch,
    "mlx-audio": mlx_audio,
}


def measured(render: Render) -> dict[str, float]:
    """One run: wall and CPU seconds, the latter of all threads, and how much audio came out."""
    wall, cpu = time.perf_counter(), time.process_time()
    samples = render()
    return {"cpu_s": time.process_time() - cpu, "wall_s": time.perf_counter() - wall, "audio_s": samples / 24_000}


def _style(order: Mapping[str, Any]) -> Any:
    return np.array(order["style"], np.float32)[None]


def _peak_rss_mb() -> float:
    if sys.platform == "darwin":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    # not ru_maxrss: on Linux a process begins with its parent's, which outlives exec
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")) / 2**10


def _versions(names: list[str]) -> dict[str, str]:
    installed = {distribution.metadata["Name"]: distribution.version for distribution in metadata.distributions()}
    return {name: installed[name] for name in names if name in installed}


def main() -> None:
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(**facts: Any) -> None:
        out.write(json.dumps(facts) + "\n")
        out.flush()

    order = json.loads(sys.argv[1])
    began = time.perf_counter()
    render = ENGINES[order["kind"]](order)
    answer(load_s=time.perf_counter() - began, versions=_versions(order["packages"]))
    for line in sys.stdin:
        if line.strip() != "run":
            break
        answer(**measured(render), peak_rss_mb=_peak_rss_mb())


if __name__ == "__main__":
    main()
