"""What the house tells of itself: its worker, its queue, what it refused, how it is; the views that become JSON."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from server.api.view import View

WorkerState = Literal["starting", "idle", "rendering", "waiting", "down", "no-model"]


class Now(View):
    """The sentence that is being rendered."""

    book: str
    chapter: int
    sentence: str
    text: str


class WorkerView(View):
    """The render process."""

    state: WorkerState
    detail: str | None = Field(description="One sentence on the state, when there is something to say.")
    until: datetime | None = Field(
        default=None, description="When the state ends, where that is known: when quiet hours are over."
    )
    speed: float | None = Field(description="Seconds of audio made in a second of work, lately.")
    device: str | None = Field(default=None, description="What it computes on, in words; null before it has started.")
    warning: str | None = Field(
        default=None, description="One sentence where the device computed wrong numbers and something else computes."
    )
    now: Now | None


class Status(View):
    """The house at a glance."""

    version: str
    library: str = Field(description="The folder that is watched; empty for a listener.")
    data: str = Field(default="", description="The data folder; empty for a listener.")
    url: str
    worker: WorkerView
    books: int
    rendered_s: float = Field(description="Seconds of audio in the store.")
    audio_bytes: int = Field(default=0, description="How much that weighs.")
    space: str | None = Field(
        default=None, description="One sentence where that is more than the household's rules allow."
    )
    ears: int = Field(default=0, description="Sentences that somebody should listen to.")
    importing: list[str] = Field(description="Names of the files that are being read in.")
    waiting: int = Field(default=0, description="New files in the library folder that are read in after that.")
    notice: str | None = Field(
        default=None, description="One sentence where the library folder is out of reach, in part or as a whole."
    )
    polled: str | None = Field(
        default=None, description="One sentence where the folder is looked at again and again: on a network disk."
    )


class QueueItem(View):
    """A chapter that waits for its audio."""

    book: str
    title: str
    chapter: int
    remaining_sentences: int
    eta_s: float | None


class QueueBook(View):
    """A book of which something waits."""

    book: str
    title: str
    turn: int | None = Field(description="Which in line it is, where the owner put books in order; null as usual.")
    listened: bool = Field(description="Somebody listens to it: ten minutes ahead of them go before any order.")
    chapter: int = Field(description="The chapter that comes first.")
    chapters: int = Field(description="How many of its chapters wait.")
    remaining_sentences: int
    eta_s: float | None = Field(description="Seconds until that is rendered, what comes before it included.")


class Queue(View):
    """What is rendered next, first item first."""

    items: list[QueueItem] = Field(description="The first of them.")
    books: list[QueueBook] = Field(default=[], description="The first books, in the order in which each comes up.")
    by_hand: int = Field(
        default=0, description="How many books the owner put in order, those included of which nothing waits."
    )
    total: int = Field(description="How many chapters wait in all.")
    paused: bool
    eta_s: float | None = Field(
        default=None, description="Seconds until all of it is rendered, quiet hours included; null when unknown."
    )


class Refusal(View):
    """A file that did not become a book, and why."""

    id: int
    name: str
    kind: str
    reason: str
    at: datetime
    here: bool = Field(default=False, description="It lies in the library folder, and can be read in another language.")


class Refusals(View):
    imports: list[Refusal]


class Check(View):
    """One finding of the doctor. `ok` is null when it could not be told."""

    name: str
    ok: bool | None
    detail: str
    remedy: str | None


class Checks(View):
    checks: list[Check]


class Dismissed(View):
    dismissed: int


class VoiceView(View):
    """A voice of the model."""

    id: str
    name: str
    language: str = Field(description="BCP 47 tag of the language it was made for.")
    speaks: str = Field(description="Code of the language that it reads: `en`, `es`, `fr` …")
    gender: Literal["female", "male"]
    grade: str | None = Field(description="The model's authors' own grade, A to F; null where they gave none.")


class ShareView(View):
    """A voice in a blend."""

    voice: str
    weight: float = Field(description="Its share: all of a blend's add up to 1.")


class BlendView(View):
    """A recipe under a name of the household's own."""

    name: str
    voice: str = Field(description="The recipe, as `voice` of a book says it; what is rendered keeps it.")
    speaks: str = Field(description="Code of the language that it reads.")
    shares: list[ShareView] = Field(description="The heaviest first, whose accent it has.")


class Voices(View):
    voices: list[VoiceView]
    blends: list[BlendView]
