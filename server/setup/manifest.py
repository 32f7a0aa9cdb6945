"""models/manifest.json: which model is installed, where it came from and what its files must be."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from server.errors import SetupError
from server.setup.files import sha256_of, write_whole

FORMAT: Final = 1
WEIGHTS: Final = "kokoro.safetensors"
VOICES: Final = "voices.safetensors"
MANIFEST: Final = "manifest.json"
REMEDY: Final = "run `lectern setup`"


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What one installed file must be."""

    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """The installed model. `source` is the source's name, `revision` says exactly what it gave."""

    source: str
    revision: str
    licence: str
    created: str
    files: dict[str, FileRecord]
    format: int = FORMAT

    @property
    def weights_sha256(self) -> str:
        """SHA-256 of the weights file: what a rendered sentence records as the engine's weights."""
        return self.files[WEIGHTS].sha256


def record(paths: Iterable[Path]) -> dict[str, FileRecord]:
    """Records of the files at `paths`, by file name."""
    return {path.name: FileRecord(sha256_of(path), path.stat().st_size) for path in paths}


def write_manifest(models: Path, manifest: Manifest) -> None:
    """Write manifest.json; its presence says that the other files are complete, so it goes last."""
    write_whole(models / MANIFEST, (json.dumps(asdict(manifest), indent=2) + "\n").encode())


def read_manifest(models: Path) -> Manifest:
    """Read manifest.json; raises SetupError when it is missing or cannot be understood."""
    path = models / MANIFEST
    try:
        given: dict[str, Any] = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise SetupError(f"There is no model in {models}; {REMEDY}.") from None
    except (OSError, ValueError) as error:
        raise SetupError(f"{path} cannot be read ({error}); {REMEDY}.") from error
    try:
        if given["format"] != FORMAT:
            raise SetupError(f"{path} has format {given['format']}, this version reads {FORMAT}; {REMEDY}.")
        files = {str(name): FileRecord(str(f["sha256"]), int(f["bytes"])) for name, f in given["files"].items()}
        source, revision, licence, created = (str(given[key]) for key in ("source", "revision", "licence", "created"))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise SetupError(f"{path} is not a manifest of a model; {REMEDY}.") from None
    if not {WEIGHTS, VOICES} <= files.keys() or any(Path(name).name != name for name in files):
        raise SetupError(f"{path} does not list the weights and the voices; {REMEDY}.")
    return Manifest(source, revision, licence, created, files)


def check_models(models: Path, *, deep: bool = False) -> Manifest:
    """The manifest of a complete model in `models`; `deep` also reads and hashes every file.

    Raises SetupError that names the file that is missing, short or changed.
    """
    manifest = read_manifest(models)
    for name, wanted in manifest.files.items():
        path = models / name
        if not path.is_file():
            raise SetupError(f"{path} is missing; {REMEDY}.")
        if (size := path.stat().st_size) != wanted.bytes:
            raise SetupError(f"{path} has {size:,} bytes instead of {wanted.bytes:,}; {REMEDY}.")
        if deep and sha256_of(path) != wanted.sha256:
            raise SetupError(f"{path} has changed since it was installed; {REMEDY}.")
    return manifest
