"""A household without machine room: a real store and hub, books without speech, everything else as simple as can be.

What it does like the real one: an import takes the file at its path away and gives a book; a file that does not start
as a ZIP is refused; a second import of the same file gives the same id; deletion really deletes; a place is kept and
published; a hint is remembered (`hints`); a book whose audio was deleted is paused until the next hint.
Its audio is no AAC, only bytes of the right sizes, so nothing may decode it.
"""

import hashlib
import random
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from server.api import previews
from server.api.editions import edition_views
from server.api.household import (
    BookDetail,
    Books,
    BookView,
    ChapterView,
    Deleted,
    Deletion,
    Position,
    PositionIn,
    SentenceCounts,
    cover_url,
    thumbnail_url,
)
from server.api.reports import Check, Queue, QueueItem, Refusal, Status, WorkerView
from server.config import Settings
from server.errors import BookRefused, Conflict, NotFound
from server.events import Hub
from server.library.languages import chosen
from server.library.model import Book, Chapter, Notes, Sentence, Silence
from server.library.search import Search
from server.library.shelf import Sort
from server.render.index import Again, Engine, SentenceEntry, Word
from server.render.messages import PREVIEWS
from server.render.records import Place
from server.render.store import Store

ENGINE = Engine(name="none", version="1", weights="0" * 8)
ADDED = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
HEADER_BYTES = 600


def make_book(book_id: str, *, chapters: int = 2, sentences: int = 4, cover: bool = True) -> Book:
    """A book of plain paragraphs, one sentence each."""
    return Book(
        id=book_id,
        title="The Lamp",
        subtitle=None,
        authors=("A. Writer",),
        language="en",
        chapters=tuple(_make_chapter(number, sentences) for number in range(1, chapters + 1)),
        cover=PNG if cover else None,
        cover_type="image/png" if cover else None,
        warnings=(),
        identifiers=(),
    )


def _make_chapter(number: int, sentences: int) -> Chapter:
    texts = [f"Sentence {k} of chapter {number}." for k in range(sentences)]
    made = tuple(
        Sentence(sentence_id(text), text, k, "paragraph", "text.xhtml", f"/html/body/p[{k + 1}]", 0, len(text))
        for k, text in enumerate(texts)
    )
    return Chapter(number, f"Chapter {number}", True, None, made, (), (Silence("noteref", 2, "12", "c.xhtml", 1),))


def sentence_id(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12] + "-1"


def add_audio(store: Store, book: str, number: int, sids: list[str], *, frames: int = 20) -> None:
    """Give these sentences `frames` access units of noise, the same for the same sentence."""
    index = store.chapter(book, number)
    entries = [_voiced(store, book, number, index.sentences[index.position(sid)], frames) for sid in sids]
    store.add_audio(book, index.rendition, number, entries, codec_config=b"\x13\x08", silence=b"\x01\x18\x20\x07")


def _voiced(store: Store, book: str, number: int, entry: SentenceEntry, frames: int) -> SentenceEntry:
    noise = random.Random(entry.id)
    sizes = [noise.randrange(80, 160) for _ in range(frames + 1)]
    data = noise.randbytes(HEADER_BYTES + sum(sizes))
    index = store.chapter(book, number)
    path = store.write_sentence(book, index.rendition, number, entry.id, data)
    samples = frames * 1024
    return entry.model_copy(
        update={
            "file": path.relative_to(store.rendition_folder(book, index.rendition)).as_posix(),
            "sha256": hashlib.sha256(data).hexdigest(),
            "bytes": len(data),
            "samples": samples,
            "speech_start": 1024,
            "speech_end": samples - 1024,
            "gap_after_samples": 4096,
            "data_offset": HEADER_BYTES,
            "au_sizes": tuple(sizes),
            "words": (Word(start=1024, end=3000, char_start=0, char_end=8),),
            "gate": (),
            "provenance": "noise",
            "seed": 0,
        }
    )


class PaperHousehold:
    """See the module."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store = Store(settings.store)
        self.hub = Hub()
        self.search = Search(settings.data / "search.db")
        self.hints: list[tuple[str, int, str | None]] = []
        self.refused: list[Refusal] = []
        self.imported: list[str] = []
        self.paused: set[str] = set()

    def add(self, book: Book, source: Path) -> None:
        self.store.put_book(book, source=source, voice="af_heart", engine=ENGINE, bitrate=48_000, added=ADDED)

    async def status(self) -> Status:
        worker = WorkerView(state="idle", detail=None, speed=None, now=None)
        return Status(
            version="0",
            library=str(self.settings.library),
            url=self.settings.url,
            worker=worker,
            books=len(self.store.books()),
            rendered_s=0.0,
            importing=[],
        )

    async def page(self, sort: Sort, query: str, limit: int | None, offset: int) -> Books:
        every = [BookView(**_shared(await self.book(book))) for book in self.store.books()]
        found = [book for book in every if all(word in book.title.casefold() for word in query.casefold().split())]
        if sort == "title":
            found.sort(key=lambda book: book.title_sort)
        return Books(books=found[offset:][:limit], total=len(found))

    async def book(self, book: str) -> BookDetail:
        record = self.store.book(book)
        indexes = [self.store.chapter(book, chapter.number) for chapter in record.chapters]
        sentences = [sentence for index in indexes for sentence in index.sentences]
        return BookDetail(
            id=record.id,
            title=record.title,
            subtitle=record.subtitle,
            authors=list(record.authors),
            title_sort=record.title_sort or record.title,
            author_sort=record.author_sort,
            language=record.language,
            read_as=record.read_as,
            words=True,
            cover=cover_url(book) if record.cover else None,
            thumbnail=thumbnail_url(book) if record.cover else None,
            voice=record.voice,
            added=record.added,
            state="ready",
            opened=None,
            chapters=len(indexes),
            sentences=SentenceCounts(total=len(sentences), rendered=sum(s.rendered for s in sentences), failed=0),
            audio_s=sum(index.samples_total for index in indexes) / 24_000,
            audio_bytes=sum(sentence.bytes or 0 for sentence in sentences),
            eta_s=None,
            position=await self.position(book),
            sample=False,
            paused=book in self.paused,
            chapters_list=[
                ChapterView(
                    number=index.chapter,
                    title=index.title,
                    enabled=index.enabled,
                    rule=index.rule,
                    sentences=len(index.sentences),
                    rendered=sum(sentence.rendered for sentence in index.sentences),
                    audio_s=index.samples_total / 24_000,
                    complete=index.complete,
                )
                for index in indexes
            ],
            warnings=list(record.warnings),
            edition=self.store.edition(book),
            editions=edition_views(record),
            notes=self.store.choices(book).notes or "skipped",
        )

    async def choose(self, book: str, notes: Notes) -> BookDetail:
        if notes == "end":
            raise Conflict("The file of this book is not in the library folder.")
        self.store.save_choices(book, self.store.choices(book).model_copy(update={"notes": notes}))
        return await self.book(book)

    async def turn_chapter(self, book: str, number: int, enabled: bool) -> BookDetail:
        self.store.turn_chapter(book, number, enabled)
        return await self.book(book)

    async def render_again(self, book: str, spots: Mapping[int, Collection[str]], why: Again) -> int:
        return sum(self.store.render_again(book, number, ids, why) for number, ids in spots.items())

    async def import_file(self, name: str, path: Path, language: str | None = None) -> str:
        read_as = chosen(language) if language else None
        data = path.read_bytes()
        if not data.startswith(b"PK"):
            reason = f"{name} is not an EPUB."
            self.refused.insert(
                0, Refusal(id=len(self.refused) + 1, name=name, kind="not-epub", reason=reason, at=ADDED)
            )
            raise BookRefused("not-epub", reason)
        book = hashlib.sha256(data).hexdigest()[:16]
        self.add(replace(make_book(book), read_as=read_as), path)
        path.unlink()
        self.imported.append(name)
        return book

    async def read_refused(self, refusal: int, language: str) -> str:
        read_as = chosen(language)
        if not any(entry.id == refusal and entry.here for entry in self.refused):
            raise NotFound("That file is not in the library folder.")
        source = self.settings.data / "refused.epub"
        source.write_bytes(b"PK")
        self.add(replace(make_book("feedc0de12345678"), read_as=read_as), source)
        return "feedc0de12345678"

    async def delete(self, book: str, what: Deletion) -> Deleted:
        self.paused.add(book)
        freed = self.store.delete_audio(book) if what == "audio" else self.store.delete_book(book)
        return Deleted(deleted=what, freed_bytes=freed, moved_to=None)

    async def position(self, book: str) -> Position | None:
        self.store.book(book)
        if (place := self.store.place(book)) is None:
            return None
        return Position(**place.model_dump(exclude={"format", "edition"}))

    async def set_position(self, book: str, place: PositionIn) -> Position:
        kept = Place(**place.model_dump(exclude={"edition"}), updated=ADDED, edition=place.edition or None)
        self.store.save_place(book, kept)
        self.hub.publish("position", book=book, **place.model_dump(exclude={"edition"}))
        return Position(**place.model_dump(exclude={"edition"}), updated=ADDED)

    async def preview(self, asked: previews.PreviewIn) -> previews.Preview:
        if asked.book is not None:
            self.store.book(asked.book)
        if asked.voice == "xx_nobody":
            raise NotFound("There is no voice 'xx_nobody'.")
        word = previews.Word(word=asked.text, char_start=0, char_end=len(asked.text), phonemes="hˈA")
        sentence = previews.Sentence(
            sentence=asked.text,
            paragraph=0,
            spoken=asked.text,
            phonemes="hˈA.",
            words=[word],
            unknown=[],
            rules=[],
            passes=[0],
            voice="af_heart",
        )
        name = hashlib.sha256(asked.text.encode()).hexdigest()[:32]
        if asked.audio:
            folder = self.settings.data / PREVIEWS
            folder.mkdir(exist_ok=True)
            (folder / f"{name}.m4a").write_bytes(b"no AAC, only bytes")
        return previews.Preview(
            voice="af_heart",
            sentences=[sentence],
            problems=["line 1: nonsense"] if asked.rules else [],
            audio=previews.preview_url(name) if asked.audio else None,
            audio_s=1.5,
        )

    def hint(self, book: str, chapter: int, sentence: str | None) -> None:
        self.paused.discard(book)
        self.hints.append((book, chapter, sentence))

    async def queue(self) -> Queue:
        items = [
            QueueItem(book=book, title="The Lamp", chapter=1, remaining_sentences=4, eta_s=None)
            for book in self.store.books()
        ]
        return Queue(items=items, total=len(items), paused=False)

    async def refusals(self) -> list[Refusal]:
        return self.refused

    async def dismiss(self, refusal: int) -> None:
        if not any(entry.id == refusal for entry in self.refused):
            raise NotFound("There is no such entry.")
        self.refused = [entry for entry in self.refused if entry.id != refusal]

    async def doctor(self) -> list[Check]:
        return [Check(name="model", ok=None, detail="There is no model here.", remedy="Run `make setup`.")]


def _shared(detail: BookDetail) -> dict[str, Any]:
    return {name: getattr(detail, name) for name in BookView.model_fields}
