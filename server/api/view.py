"""The base of everything that goes out and of every body that comes in."""

from pydantic import BaseModel, ConfigDict


class View(BaseModel):
    """Frozen, and a misspelt field is an error here, not a silence there."""

    model_config = ConfigDict(frozen=True, extra="forbid")
