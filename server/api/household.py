"""What the HTTP layer asks of the house behind it: one protocol, and the views that become JSON.

The views are the public API: a field here is a field in the OpenAPI document, its description included. Audio time is
in seconds here and nowhere else; inside, everything counts samples.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from pydantic import Field

from server.access.keeper import Keeper
from server.api.editions import EditionView
from server.api.reports import Check, Queue, Refusal, Status
from server.api.spots import BookId, Position
from server.api.view import View
from server.audition.stage import Audition
from server.config import Settings
from server.events import Hub
from server.library.model import Notes
from server.library.policy import Policy
from server.library.search import Search
from server.library.shelf import Show, Sort
from server.render.index import Again
from server.render.places import OWNER
from server.render.records import BookRecord
from server.render.store import Store

if TYPE_CHECKING:
    from server.api.backups import Keeping
    from server.api.configuration import Configuration
    from server.api.ears import Ears
    from server.api.positions import Placing
    from server.api.previews import Preview, PreviewIn
    from server.api.rendering import Rendering
    from server.api.renditions import Voicing
    from server.api.speech import Speech
    from server.api.telling import Telling
    from server.api.wordlist import Surveying

API = "/api/v1"

Deletion = Literal["audio", "everything"]


class SentenceCounts(View):
    """Sentences of the enabled chapters."""

    total: int
    rendered: int
    failed: int


class BookView(View):
    """A book on the shelf."""

    id: BookId
    title: str
    subtitle: str | None
    authors: list[str]
    series: str | None = Field(default=None, description="The series that it belongs to, where the book tells.")
    series_index: float | None = Field(default=None, description="Its place in the series.")
    title_sort: str = Field(description="What the title is put in order by, such as `Hobbit, The`.")
    author_sort: str | None = Field(description="The same for the authors; null when the book names none.")
    language: str = Field(description="BCP 47 tag of the language that the book says it is in.")
    read_as: str | None = Field(description="The language that somebody chose to have it read in instead.")
    words: bool = Field(description="Whether single words are timed; else only sentences are.")
    cover: str | None = Field(description="URL of the cover, relative to the server; null when the book has none.")
    thumbnail: str | None = Field(description="The same for a small picture of it, at most 480 pixels wide.")
    voice: str
    added: datetime
    state: Literal["ready", "missing"] = Field(description="`missing`: its file is no longer in the library folder.")
    file: str = Field(default="", description="Name of the file that its text was read from.")
    copies: list[str] = Field(
        default=[], description="Where its files lie in the library folder, where they are several; else empty."
    )
    opened: datetime | None = Field(description="When whoever asks last listened to it.")
    chapters: int = Field(description="Chapters that are read aloud.")
    sentences: SentenceCounts
    audio_s: float = Field(description="Seconds of audio made so far.")
    length_s: float = Field(default=0, description="Seconds that it takes to hear all of it; in part estimated.")
    progress: float = Field(default=0, description="Which share of it stands before the place, 0 to 1.")
    finished: bool = Field(default=False, description="The place is at its end.")
    audio_bytes: int
    other_bytes: int = Field(default=0, description="Its audio in other voices and of earlier editions, on the disk.")
    eta_s: float | None = Field(description="Seconds until the rest is rendered; null when it cannot be told.")
    position: Position | None = Field(description="Where whoever asks is in it.")
    sample: bool = Field(description="The book that comes with Lectern.")
    paused: bool = Field(description="Its audio was deleted; nothing is rendered until somebody listens again.")
    render: Policy = Field(
        default="all",
        description="How much of it is rendered. `all`; `ahead`: so many minutes past the listener's place, as the "
        "household's rules say; `sample`: the beginning of its first chapter; `paused`: nothing. Whoever listens is "
        "served in any case.",
    )
    render_chosen: bool = Field(
        default=False, description="Somebody chose that for this book; else it is the household's rule."
    )


class ChapterView(View):
    """A chapter in the list of a book."""

    number: int
    title: str
    enabled: bool
    rule: str | None = Field(description="The rule that turned the chapter off.")
    sentences: int
    rendered: int
    audio_s: float
    complete: bool


class ContributorView(View):
    """Somebody besides the authors who had a part in a book."""

    name: str
    role: str = Field(description="MARC relator code: `edt`, `trl`, `ill`, `nrt`, `aui`, `ctb` …")


class OwnView(View):
    """What a book says of itself, where a person wrote something else."""

    title: str
    subtitle: str | None
    authors: list[str]
    series: str | None
    series_index: float | None
    cover: bool = Field(description="Whether it has a cover of its own.")


class BookDetail(BookView):
    """A book with its chapters."""

    chapters_list: list[ChapterView]
    warnings: list[str]
    files: list[str] = Field(
        default=[], description="Where its file lies in the library folder; the same file may lie there twice."
    )
    contributors: list[ContributorView] = Field(default=[], description="Editors, translators, illustrators ….")
    publisher: str | None = None
    published: str | None = Field(
        default=None, description="YYYY, YYYY-MM or YYYY-MM-DD; what the book says where that is no such date."
    )
    description: str | None = Field(default=None, description="Plain text; an empty line between paragraphs.")
    edition: int = Field(default=0, description="Grows when the book's text changes; its chapters may move then.")
    rendition: str = Field(default="", description="Which rendition plays: changes with its voice, and with its text.")
    editions: list[EditionView] = Field(default=[], description="What changed each time, latest first.")
    notes: Notes = Field(default="skipped", description="Where its notes are read.")
    by_hand: list[str] = Field(
        default=[], description="Which of `title`, `subtitle`, `authors`, `series`, `cover` a person wrote or chose."
    )
    own: OwnView | None = Field(default=None, description="What the book says of these itself; null while none is.")


class Books(View):
    """Books of the shelf, or the part of them that was asked for."""

    books: list[BookView]
    total: int = Field(description="How many there are in all: of those that were searched for, where some were.")


class Deleted(View):
    """What a deletion did."""

    deleted: Deletion
    freed_bytes: int
    moved_to: str | None = Field(description="Name of the folder that the EPUB was moved to, when it was.")


class Household(Protocol):
    """The house behind the HTTP layer. Every method may raise from the tree in `server.errors`."""

    @property
    def store(self) -> Store: ...

    @property
    def search(self) -> Search: ...

    @property
    def hub(self) -> Hub: ...

    @property
    def settings(self) -> Settings: ...

    @property
    def access(self) -> Keeper: ...

    @property
    def ears(self) -> "Ears": ...

    @property
    def places(self) -> "Placing": ...

    @property
    def speech(self) -> "Speech": ...

    @property
    def surveying(self) -> "Surveying": ...

    @property
    def telling(self) -> "Telling": ...

    @property
    def voicing(self) -> "Voicing": ...

    @property
    def audition(self) -> Audition: ...

    @property
    def configuration(self) -> "Configuration": ...

    @property
    def keeping(self) -> "Keeping": ...

    @property
    def rendering(self) -> "Rendering": ...

    async def status(self) -> Status: ...

    async def page(
        self, sort: Sort, query: str, limit: int | None, offset: int, show: Show = "all", person: str = OWNER
    ) -> Books:
        """Books in the order `sort`, from the one number `offset` (from 0) on: at most `limit`, None for all.

        With a `query` only those that hold all its words in title, authors or series; with `show` those of which that
        holds for `person`.
        """

    async def book(self, book: str, person: str = OWNER) -> BookDetail:
        """One book, with the place of `person`. Raises NotFound."""

    async def import_file(self, name: str, path: Path, language: str | None = None) -> str:
        """Take the file at `path` (same disk as the data folder, may be moved) into the library under `name`.

        `language` counts for more than what the book says. Returns the book's id; a book that is already there gives
        its id again. Raises BookRefused, Conflict, BadRequest for a language that nothing reads.
        """

    async def read_refused(self, refusal: int, language: str) -> str:
        """Read a refused file of the library folder in `language`; gives the book's id.

        Raises NotFound, BookRefused, Conflict, BadRequest.
        """

    async def delete(self, book: str, what: Deletion) -> Deleted:
        """Delete the audio, or book and audio and place. Raises NotFound, Conflict."""

    async def choose(self, book: str, notes: Notes) -> BookDetail:
        """Read a book anew with its notes elsewhere. Raises NotFound, Conflict without its file, BookRefused."""

    async def turn_chapter(self, book: str, number: int, enabled: bool) -> BookDetail:
        """Have a chapter read, or not. Raises NotFound."""

    async def render_again(self, book: str, spots: Mapping[int, Collection[str]], why: Again) -> int:
        """Have sentences, by chapter, rendered again; gives how many. Raises NotFound for an unknown chapter."""

    def hint(self, book: str, chapter: int, sentence: str | None) -> None:
        """Render from here next; `sentence` None is the chapter's start. Never moves a place, never raises."""

    async def preview(self, asked: "PreviewIn") -> "Preview":
        """Read a text, and say it if that is wanted. Raises NotFound, BadRequest, RenderError, SetupError."""

    async def queue(self) -> Queue: ...

    async def refusals(self) -> list[Refusal]:
        """Refused files, newest first."""

    async def dismiss(self, refusal: int) -> None:
        """Forget one refusal. Raises NotFound."""

    async def doctor(self) -> list[Check]: ...


def cover_urls(record: BookRecord) -> tuple[str | None, str | None]:
    """The URLs that a `BookView` carries: of its cover, and of a small picture of it.

    A picture that was chosen has an address of its own: what a browser kept of the one before is not shown for it.
    """
    if record.cover is None:
        return None, None
    version = record.cover.removeprefix("cover-").partition(".")[0] if record.cover.startswith("cover-") else ""
    url = f"{API}/books/{record.id}/cover"
    return (f"{url}?v={version}" if version else url), f"{url}?size=small" + (f"&v={version}" if version else "")


def own_view(record: BookRecord) -> OwnView | None:
    if record.own is None:
        return None
    told = record.own.model_dump(include={"title", "subtitle", "series", "series_index"})
    return OwnView(**told, authors=list(record.own.authors), cover=record.own.cover is not None)
