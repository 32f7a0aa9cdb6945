"""What one check of the doctor found."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """One finding. `ok` None: it works, or will, but is worth a look. `remedy` None when there is nothing to do."""

    name: str
    ok: bool | None
    detail: str
    remedy: str | None = None
