"""The engines that are compared, and the packages and model file that each runs on."""

import sys
from dataclasses import dataclass, field
from typing import Any, Final

from benchmarks.engines import models

ONE, ALL, TOGETHER = "one thread", "all cores", "all cores, one process"


@dataclass(frozen=True, slots=True)
class Engine:
    """One line of the comparison. With several processes each renders the pass once, at the same time."""

    family: str
    uses: str  # ONE, ALL, or what else sets it apart
    kind: str  # which function of worker.py runs it
    peer: str  # which requirements it needs; empty for the project's own environment
    model: str  # file or folder among the models
    packages: tuple[str, ...]  # whose versions are told
    threads: int = 1
    processes: int = 1
    slow: bool = False  # takes minutes: short passes, once, unless everything is asked for
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.family}, {self.uses}"


LECTERN, FP32, INT8, PYTORCH, MLX_AUDIO = "lectern", "onnxruntime fp32", "onnxruntime int8", "pytorch", "mlx-audio"
AS_INSTALLED, FAST_BLAS = "as installed", "fast BLAS"
_MLX: Final = ("mlx", "ngsolve-openblas", "ngsolve_openblas", "numpy")


def engines(cores: int) -> list[Engine]:
    """Every engine with one thread and with all of `cores`, ours first; mlx-audio takes no number of threads."""
    # MLX on a GPU has no use for more; on a CPU the cores are used best by a pass each, in one process or in several.
    ours = 1 if sys.platform == "darwin" else cores
    found = [
        Engine(LECTERN, ONE, "lectern", "", models.PORT, _MLX),
        Engine(LECTERN, ALL, "lectern", "", models.PORT, _MLX, processes=ours),
        Engine(LECTERN, TOGETHER, "lectern", "", models.PORT, _MLX, more={"passes": ours}),
    ]
    for uses, threads in ((ONE, 1), (ALL, cores)):
        ort = ("onnxruntime", "onnxruntime", ("onnxruntime", "numpy"))
        found += [
            Engine(INT8, uses, ort[0], ort[1], models.INT8, ort[2], threads),
            Engine(FP32, uses, ort[0], ort[1], models.FP32, ort[2], threads),
            Engine(PYTORCH, uses, "pytorch", "pytorch", models.CHECKPOINT, ("torch", "kokoro", "numpy"), threads),
        ]
    mlx = ("mlx-audio", "mlx-audio", models.CHECKPOINT, ("mlx-audio", *_MLX))
    found.append(Engine(MLX_AUDIO, AS_INSTALLED, *mlx, slow=True))
    if sys.platform == "linux":
        found.append(Engine(MLX_AUDIO, FAST_BLAS, *mlx, slow=True, more={"fast_blas": True}))
    return found
