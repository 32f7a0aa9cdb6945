"""`lectern setup`: ask the sources in turn, convert what the first good one gives, put it in place."""

import fcntl
import logging
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from server.config import Settings
from server.errors import SetupError
from server.setup import manifest as m
from server.setup.convert import Port
from server.setup.files import put_in_place
from server.setup.manifest import Manifest, check_models
from server.setup.pins import LICENCE
from server.setup.progress import Progress, Report
from server.setup.sources import Material, Ready, Source, sources_for

log = logging.getLogger(__name__)

INCOMING: Final = ".incoming"
# The largest source as fetched (327 MB), the converted files (353 MB) and some air.
_NEEDED_BYTES: Final = 900_000_000
_FILES: Final = (m.WEIGHTS, m.VOICES)


def run_setup(
    settings: Settings, report: Report, *, sources: Sequence[Source] | None = None, port: Port | None = None
) -> Manifest:
    """Install the model into `settings.models`, unless a complete one from the wanted source is there already.

    Without a named source they are tried in turn, best first, and the first that succeeds wins. Nothing is replaced
    before everything new is complete. `sources` and `port` stand in for the real ones in tests. Raises SetupError
    saying, for each source tried, why it gave nothing.
    """
    models = settings.models
    given = sources_for(settings) if sources is None else tuple(sources)
    wanted = given[0].name if settings.model_source else ""
    if (there := _installed(models, wanted)) is not None:
        return there
    try:
        models.mkdir(parents=True, exist_ok=True)
        with _only_one(models, report):
            if (there := _installed(models, wanted)) is not None:
                return there
            _require_space(models)
            work = models / INCOMING
            work.mkdir(exist_ok=True)
            manifest = _Installer(models, work, port or Port(), report).first_good(given)
            shutil.rmtree(work, ignore_errors=True)
    except OSError as error:
        raise SetupError(
            f"The model cannot be put into {models} ({error}); set LECTERN_DATA to another place."
        ) from error
    report(Progress(f"Model and voices are in {models}", 1, 1))
    return manifest


def _installed(models: Path, wanted: str) -> Manifest | None:
    """The complete model in `models`, if it comes from the `wanted` source (any, when empty)."""
    try:
        manifest = check_models(models)
    except SetupError:
        return None
    return manifest if wanted in ("", manifest.source) else None


@contextmanager
def _only_one(models: Path, report: Report) -> Iterator[None]:
    """Let one setup at a time work in `models`; the lock ends with its process, however that ends."""
    with (models / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            report(Progress("Waiting for another setup to finish"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _require_space(models: Path) -> None:
    free = shutil.disk_usage(models).free
    if free < _NEEDED_BYTES:
        raise SetupError(
            f"Setting up the model needs about {_NEEDED_BYTES // 1_000_000} MB in {models}, "
            f"{free // 1_000_000} MB are free; make room or set LECTERN_DATA to a roomier place."
        )


@dataclass(frozen=True, slots=True)
class _Installer:
    models: Path
    work: Path
    port: Port
    report: Report

    def first_good(self, sources: Sequence[Source]) -> Manifest:
        reasons: list[str] = []
        for source in sources:
            try:
                return self.install(source)
            except SetupError as error:
                if len(sources) == 1:
                    raise
                log.info("model source %s: %s", source.name, error)
                reasons.append(f"{source.name}: {error}")
                if source is not sources[-1]:
                    self.report(Progress(f"{error} Trying the next source"))
        raise SetupError("No source gave the model. " + " ".join(reasons))

    def install(self, source: Source) -> Manifest:
        given = source.fetch(self.work, self.report)
        revision = self._copy(given) if isinstance(given, Ready) else self._convert(given)
        manifest = Manifest(
            source=source.name,
            revision=revision,
            licence=LICENCE,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            files=m.record(self.work / name for name in _FILES),
        )
        # Without its manifest the old model does not count as installed while its files are being exchanged.
        (self.models / m.MANIFEST).unlink(missing_ok=True)
        for name in _FILES:
            put_in_place(self.work / name, self.models / name)
        m.write_manifest(self.models, manifest)
        return manifest

    def _copy(self, given: Ready) -> str:
        origin = check_models(given.folder, deep=True)
        self.port.check(given.folder / m.WEIGHTS)
        for done, name in enumerate(_FILES):
            self.report(Progress("Copying the model", done, len(_FILES)))
            shutil.copyfile(given.folder / name, self.work / name)
        return origin.revision

    def _convert(self, given: Material) -> str:
        # Where they come from stands in the manifest: the same numbers are to be the same file, whoever gave them.
        facts = {"model": "Kokoro-82M v1.0", "licence": LICENCE}
        self.report(Progress("Converting the model", 0, len(_FILES)))
        self.port.write_weights(given.weights, self.work / m.WEIGHTS, facts)
        self.report(Progress("Converting the model", 1, len(_FILES)))
        self.port.write_voices(given.voices, self.work / m.VOICES, facts)
        self.report(Progress("Converting the model", 2, len(_FILES)))
        return given.revision
