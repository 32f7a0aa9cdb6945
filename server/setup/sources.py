"""Where a model may come from: the interface that every source has, and the order in which they are tried."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from server.config import Settings, path_of
from server.setup.convert import Voices
from server.setup.progress import Report


@dataclass(frozen=True, slots=True)
class Material:
    """What a source gives: a checked model in PyTorch's names, not yet in the port's layout."""

    revision: str
    weights: Mapping[str, NDArray[Any]]
    voices: Voices


@dataclass(frozen=True, slots=True)
class Ready:
    """What a source gives when it already holds the installed files: the folder with them and their manifest."""

    folder: Path


class Source(Protocol):
    """One place to get the model from."""

    @property
    def name(self) -> str:
        """What `LECTERN_MODEL_SOURCE` calls it."""

    def fetch(self, work: Path, report: Report) -> Material | Ready:
        """Get and check the model, keeping downloads in `work`, where a broken one is taken up again.

        Raises SetupError with what went wrong and the way out.
        """


def sources_for(settings: Settings) -> tuple[Source, ...]:
    """The one source that the settings name, or all that need no help, best first."""
    # Imported when it is known which are wanted: the hub's client and ONNX take a second to load.
    from server.setup.folder import FolderSource
    from server.setup.hub import HubSource
    from server.setup.packages import PackagesSource

    chosen = settings.model_source
    if chosen.startswith("dir:"):
        return (FolderSource(path_of(chosen.removeprefix("dir:")).absolute()),)
    if chosen == "hub":
        return (HubSource(),)
    if chosen == "packages":
        return (PackagesSource(),)
    return (HubSource(), PackagesSource())
