"""Kokoro-82M, a text-to-speech model of 82 million parameters, in MLX. It needs mlx, numpy and nothing else of ours.

    model = load(Path("kokoro.safetensors"))
    voices = load_voices(Path("voices.safetensors"))
    take = model.render("həlˈO wˈɜɹld.", voices["af_heart"])    # take.audio: float32 at 24 kHz

Converting weights (`weights`, `voices`) works with numpy alone: the model, and mlx with it, is imported on first use.
"""

from typing import TYPE_CHECKING, Any

from server.kokoro_mlx import blas
from server.kokoro_mlx.safetensors import WeightsError
from server.kokoro_mlx.vocab import PhonemesError, encode
from server.kokoro_mlx.voices import load_voices, mixed

if TYPE_CHECKING:
    from server.kokoro_mlx.model import Kokoro, Pass, Stopped, Take, load

__all__ = [
    "Kokoro",
    "Pass",
    "PhonemesError",
    "Stopped",
    "Take",
    "WeightsError",
    "blas",
    "encode",
    "load",
    "load_voices",
    "mixed",
]

# Before anything here can import mlx, which binds to whatever BLAS is there at that moment.
blas.load()


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from server.kokoro_mlx import model

    return getattr(model, name)
