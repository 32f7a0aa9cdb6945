"""The `dir:PATH` source: a model that is already at hand, recognised by what lies in the folder."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from server.errors import SetupError
from server.setup import manifest as m
from server.setup.convert import Voices, read_arrays
from server.setup.files import require_sha256, sha256_of
from server.setup.pins import PINNED, Pinned
from server.setup.progress import Progress, Report
from server.setup.quantised import read_quantised
from server.setup.sources import Material, Ready
from server.setup.torchfile import flatten, read_torch
from server.setup.voices import SUFFIXES, content_sha256, read_voice

_SAFETENSORS = ("kokoro-v1_0.safetensors", "model.safetensors")
_GET_IT = "fetch it from its publisher again"


class FolderSource:
    """Reads, never changes, one of: an installed model (with its manifest), the hub's .pth or .safetensors, the int8
    .onnx; the last three with the voices beside them or in `voices/`, as .pt, .safetensors or .bin."""

    def __init__(self, folder: Path, *, pinned: Pinned = PINNED) -> None:
        self._folder = folder
        self._pinned = pinned

    @property
    def name(self) -> str:
        return f"dir:{self._folder}"

    def fetch(self, work: Path, report: Report) -> Material | Ready:
        if not self._folder.is_dir():
            raise SetupError(f"{self._folder} is no folder; set LECTERN_MODEL_SOURCE to dir:PATH with the model's.")
        if (self._folder / m.MANIFEST).is_file():
            return Ready(self._folder)
        report(Progress(f"Reading the weights in {self._folder}"))
        kind, weights = self._weights()
        report(Progress(f"Reading the voices in {self._folder}"))
        return Material(kind, weights, self._voices())

    def _weights(self) -> tuple[str, Mapping[str, NDArray[Any]]]:
        """What the weights are, with their sum, and the weights."""
        if (path := self._folder / self._pinned.weights).is_file():
            require_sha256(path, self._pinned.weights_sha256, _GET_IT, discard=False)
            parts = read_torch(path)
            if not isinstance(parts, Mapping):
                raise SetupError(f"{path} holds no weights; {_GET_IT}.")
            return f"{path.name} sha256:{self._pinned.weights_sha256}", flatten(parts)
        for name in _SAFETENSORS:
            # Nobody publishes this file's sum: its names and shapes are checked at conversion, its sum is recorded.
            if (path := self._folder / name).is_file():
                return f"{name} sha256:{sha256_of(path)}", read_arrays(path)
        exports = sorted(self._folder.glob("*.onnx"))
        if len(exports) == 1:
            require_sha256(exports[0], self._pinned.onnx_sha256, "only the int8 export is read", discard=False)
            return f"{exports[0].name} sha256:{self._pinned.onnx_sha256}", read_quantised(exports[0])
        known = ", ".join((m.MANIFEST, self._pinned.weights, _SAFETENSORS[0], "one .onnx"))
        raise SetupError(f"{self._folder} holds no weights; one of these is looked for: {known}.")

    def _voices(self) -> Voices:
        paths = {name: self._voice_path(name) for name in self._pinned.voices}
        if missing := [name for name, path in paths.items() if path is None]:
            raise SetupError(
                f"{len(missing)} of {len(paths)} voices are missing in {self._folder}, {missing[0]} among them; "
                f"they are looked for as voices/{missing[0]}{{{','.join(SUFFIXES)}}}."
            )
        voices: Voices = {}
        for name, path in paths.items():
            if path is None:
                continue
            if path.suffix == ".pt":
                require_sha256(path, self._pinned.voices_sha256[name], _GET_IT, discard=False)
            voices[name] = read_voice(path)
        raw = all(path is not None and path.suffix == ".bin" for path in paths.values())
        if raw and content_sha256(voices) != self._pinned.voices_content_sha256:
            raise SetupError(f"The voices in {self._folder} are not what they should be; {_GET_IT}.")
        return voices

    def _voice_path(self, name: str) -> Path | None:
        for folder in (self._folder / "voices", self._folder):
            for suffix in SUFFIXES:
                if (path := folder / f"{name}{suffix}").is_file():
                    return path
        return None
