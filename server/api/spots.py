"""Places in a book as JSON: where somebody is, and what a device reports of it."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from server.api.view import View
from server.render.index import Id
from server.render.reconcile import Reason, Told, Unapplied

SentenceId = Annotated[Id, Field(description="Stable id of a sentence in its chapter.", examples=["3f2a9c01b7de-1"])]
BookId = Annotated[str, Field(description="First 16 hex digits of the SHA-256 of the file.")]


class Spot(View):
    """A place in a book, and which device was there when."""

    chapter: int
    sentence: str
    word: int = Field(description="Index of the word in the sentence, 0 at its start.")
    device: str | None
    updated: datetime


class Position(Spot):
    """The place in a book of whoever asks."""

    reason: Reason | None = Field(default=None, description="Why it is there; `moved`: the device did not say.")
    own: Spot | None = Field(
        default=None, description="Where the device that asks was last, where another one has moved on since."
    )
    applied: bool = Field(default=True, description="In the answer to a report: whether that is the place now.")
    unapplied: Unapplied | None = Field(
        default=None,
        description="Why it is not. `stale`: the device has said more since; `older`: another device has moved "
        "on since; `elsewhere`: another device had moved on, and the listener did not choose yet.",
    )


class PositionIn(View):
    """A new place. It must exist in the book."""

    chapter: int = Field(ge=1, le=99_999)
    sentence: SentenceId
    word: int = Field(default=0, ge=0, le=100_000)
    device: str | None = Field(default=None, max_length=100)
    edition: int | None = Field(
        default=None,
        ge=0,
        le=99_999,
        description="The `edition` of the book that the place is in; without it, the latest that has such a sentence. "
        "A place in an earlier one is kept where its sentence is now.",
    )
    reason: Told | None = Field(
        default=None,
        description="`played`: the voice got there; `jump`: the listener went there; `stay`: another device had moved "
        "on, and the listener chose to stay here.",
    )
    counter: int | None = Field(
        default=None,
        ge=0,
        le=2**53,
        description="Grows with each report of the device, so that one that comes twice or late is told. A device that "
        "counts is asked before it moves the place away from where another one is.",
    )
    age_s: float = Field(
        default=0.0,
        ge=0,
        le=10 * 366 * 86_400,
        allow_inf_nan=False,
        description="How long ago the device was there, for reports that had to wait: seconds by its own clock.",
    )
    heard_s: float | None = Field(
        default=None,
        ge=0,
        le=86_400,
        allow_inf_nan=False,
        description="Seconds of audio heard since the device's last report.",
    )


class ListenIn(View):
    """Where somebody wants to listen now."""

    chapter: int = Field(ge=1, le=99_999)
    sentence: SentenceId | None = None


class Listening(View):
    """From where rendering goes on."""

    book: BookId
    chapter: int
    sentence: str | None
