"""Tries the native libraries, in a process of its own: `python -m server.setup.probes`.

`python -m server.setup.probes numbers MODELS COMPUTE` lets the model speak and looks at its numbers instead.

The daemon never imports mlx, and Metal can abort the process that uses it. So each finding is printed as a line of JSON
as soon as it is made, and whoever reads them knows by the missing line which library took the process down.
"""

import importlib
import importlib.metadata
import json
import sys
from collections.abc import Callable
from pathlib import Path

from server.errors import LecternError
from server.render.engine import kokoro_engine
from server.setup.manifest import read_manifest
from server.setup.texttools import check_text_tools


class UnfitError(Exception):
    """A library loads but does not do its work; the message says what came of it."""


def aac() -> str:
    import av

    codec = av.codec.Codec("aac", "w")
    return f"{codec.long_name}, PyAV {av.__version__}"


def text_tools() -> str:
    tools = check_text_tools()
    failed = [f"{tool.name}: {tool.detail}" for tool in tools if not tool.ok]
    if failed:
        raise UnfitError("; ".join(failed))
    return ", ".join(tool.detail for tool in tools)


def mlx() -> str:
    # By name: only the renderer may lean on the port, and a probe is no part of it. It loads the BLAS before mlx.
    blas = importlib.import_module("server.kokoro_mlx.blas")
    device_module = importlib.import_module("server.kokoro_mlx.device")
    import mlx.core as mx
    import numpy as np

    device = mx.default_device()
    numbers = np.linspace(-1, 1, 192 * 192, dtype=np.float32).reshape(192, 192)
    ours = np.array(mx.exp(mx.array(numbers) @ mx.array(numbers.T) / 192))
    theirs = np.exp(numbers @ numbers.T / 192)
    # A release of mlx once computed wrong numbers on chips it took for others, so that the numbers are looked at.
    if not np.allclose(ours, theirs, rtol=1e-2, atol=1e-4):
        raise UnfitError(f"MLX computes wrong numbers on {device}: off by up to {float(abs(ours - theirs).max()):.3g}")
    kind = "GPU" if device.type == mx.DeviceType.gpu else "CPU"
    slower = "" if device_module.fuses() else ". There is no C++ compiler: with g++ it would be faster"
    return f"MLX {importlib.metadata.version('mlx')} on the {kind}, {blas.described()}{slower}"


def numbers(models: Path, compute: str) -> str:
    # By name, as above: this loads the whole model, which no other probe needs.
    synth_module = importlib.import_module("server.render.synth")
    engine = kokoro_engine(read_manifest(models).weights_sha256)
    synth = synth_module.KokoroSynth(models, engine, threads=1, compute=compute)
    if (fault := synth.check()) is not None:
        raise UnfitError(f"{fault}, on {synth.device}")
    return str(synth.device)


PROBES: dict[str, Callable[[], str]] = {"aac": aac, "text": text_tools, "mlx": mlx}


def main(arguments: list[str]) -> int:
    probes = PROBES
    if arguments:
        _, models, compute = arguments
        probes = {"numbers": lambda: numbers(Path(models), compute)}
    for name, probe in probes.items():
        try:
            finding = {"name": name, "ok": True, "detail": probe()}
        except (UnfitError, LecternError) as error:
            finding = {"name": name, "ok": False, "detail": str(error)}
        except (ImportError, OSError, ValueError, RuntimeError, AttributeError) as error:
            finding = {"name": name, "ok": False, "detail": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(finding) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
