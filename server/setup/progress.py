"""What setup tells whoever watches it."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """One step on its way: `done` of `total`, in bytes for a download, in files else; `total` None when unknown."""

    step: str
    done: int = 0
    total: int | None = None


Report = Callable[[Progress], None]
