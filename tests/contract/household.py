"""A household without machine room: a real store and hub, books without speech, everything else as simple as can be.

What it does like the real one: an import takes the file at its path away and gives a book; a file that does not start
as a ZIP is refused; a second import of the same file gives the same id; deletion really deletes; a place is kept and
published; a hint is remembered (`hints`); a book whose audio was deleted is paused until the next hint.
Its audio is no AAC, only bytes of the right sizes, so nothing may decode it.
"""

import asyncio
import hashlib
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from server.access.keeper import Keeper
from server.access.model import Arrival, Via
from server.api import previews
from server.api.editions import edition_views
from server.api.household import (
    BookDetail,
    Books,
    BookView,
    ChapterView,
    Deleted,
    Deletion,
    SentenceCounts,
    cover_urls,
    own_view,
)
from server.api.rendering import PowerView, RulesIn, RulesView
from server.api.renditions import RenditionGone, RenditionList, SoundIn
from server.api.reports import Check, Queue, QueueBook, QueueItem, Refusal, Status, WorkerView
from server.api.speech import Format
from server.audition.contract import Declared, EngineVoice, Said
from server.audition.stage import Audition
from server.config import Reading, Settings, read_settings
from server.configuring import Configuring
from server.db import Database
from server.errors import BookRefused, Conflict, NotFound
from server.events import Hub
from server.hearing import Hearing
from server.keeping import Keeping
from server.library.ears import EarsTable
from server.library.languages import chosen
from server.library.model import Book, Chapter, Notes, Sentence, Silence
from server.library.policy import Policy
from server.library.search import Search
from server.library.shelf import Show, Sort
from server.placing import Placing
from server.render.choices import Sound
from server.render.counting import waiting
from server.render.houserules import HouseFile, HouseRules
from server.render.index import Again, Engine, SentenceEntry, Word
from server.render.messages import PREVIEWS
from server.render.places import OWNER
from server.render.speeds import SPEEDS, Hour, Speeds
from server.render.store import Store
from server.surveying import Surveying
from server.telling import Telling
from server.voicing import heard, rendition_view

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


class PaperVoicing:
    """Turns a book to another voice as the real one does; nothing is rendered in it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def of(self, book: str) -> RenditionList:
        kept = self._store.renditions.of(book)
        views = [rendition_view(one) for one in kept]
        return RenditionList(renditions=views, language="en", sentences=8, speech_s=30.0, render_s=None)

    async def sound(self, book: str, asked: SoundIn) -> Sound:
        return heard(self._store, book, asked)

    async def choose(self, book: str, sound: Sound) -> None:
        self._store.renditions.turn_to(book, sound, ENGINE)

    async def delete(self, book: str, rendition: str) -> RenditionGone:
        return RenditionGone(deleted=rendition, freed_bytes=self._store.renditions.remove(book, rendition))


class PaperRendering:
    """Rules in their real file; a choice in the book's; nothing is rendered by them."""

    def __init__(self, store: Store, hub: Hub) -> None:
        self._store = store
        self._hub = hub
        self._file = HouseFile(store.root)

    async def rules(self) -> tuple[RulesView, str]:
        told = self._file.rules.model_dump(exclude={"format", "quiet"})
        power = PowerView(battery=None, low_power=False)
        quiet = list(self._file.rules.quiet)
        view = RulesView(**told, quiet=quiet, warning=self._file.warning, power=power, audio_bytes=0)
        return view, self._file.tag

    async def change(self, rules: RulesIn, tag: str | None) -> None:
        self._file.write(HouseRules(**rules.model_dump()), tag)
        self._hub.publish("rules.changed")

    async def choose(self, book: str, render: Policy | None) -> None:
        self._store.book(book)
        self._store.change_choices(book, render=render)

    async def speeds(self) -> list[Hour]:
        return Speeds(self._store.root.parent / SPEEDS).hours()

    async def arrange(self, books: Sequence[str]) -> None:
        there = self._store.books()
        if gone := [book for book in books if book not in there]:
            raise Conflict(f"There is no book {gone[0]} here any more.")
        for book in there:
            self._store.change_choices(book, turn=books.index(book) + 1 if book in books else None)
        self._hub.publish("queue.changed", books=list(books))


class PaperKeeper(Keeper):
    """The real one, that takes a test client, which has no address, for somebody at this machine."""

    def door(self, arrival: Arrival) -> Via:
        return "loopback" if arrival.peer[0] == "testclient" else super().door(arrival)


class PaperEngine:
    """An engine of the audition that says every sentence as a tenth of a second of silence, and times no words."""

    declared = Declared("paper", "Paper", word_times=False, pronunciation=False)

    def trouble(self) -> str | None:
        return None

    async def voices(self) -> tuple[EngineVoice, ...]:
        return (EngineVoice("thin", "Thin", "en-GB"),)

    async def say(self, sentence: str, voice: str) -> Said:
        if voice != "thin":
            raise NotFound(f"Paper has no voice {voice!r}.")
        return Said(bytes(4_800))


class PaperSpeech:
    """Says nothing, for as long as `takes_s`; what it was asked for, and what was broken off, is remembered."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, float, str]] = []
        self.broken_off = 0
        self.takes_s = 0.0
        self.error: Exception | None = None

    async def say(self, text: str, voice: str, speed: float, kind: Format) -> bytes:
        self.asked.append((text, voice, speed, kind))
        if self.error is not None:
            raise self.error
        try:
            await asyncio.sleep(self.takes_s)
        except asyncio.CancelledError:
            self.broken_off += 1
            raise
        return f"{kind} of {text}".encode()


class PaperHousehold:
    """See the module."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store = Store(settings.store)
        self.hub = Hub()
        self.search = Search(settings.data / "search.db")
        self.hints: list[tuple[str, int, str | None]] = []
        self.refused: list[Refusal] = []
        table = EarsTable(Database(settings.data / "lectern.db"))
        self.ears = Hearing(self.store, table, self.hub, partial(self._count, table), lambda: None)
        self.imported: list[str] = []
        self.paused: set[str] = set()
        self.files: list[str] = []  # of every book, in the library folder
        self.voicing = PaperVoicing(self.store)
        self.speech = PaperSpeech()
        self.audition = Audition(settings.data, [PaperEngine()])
        self.places = Placing(self.store, self.hub, lambda *_: None, lambda *_: None)
        self.rendering = PaperRendering(self.store, self.hub)
        self.config = settings.data / "config.toml"
        self.configuration = Configuring(settings, self.store.blends, self.hub, [self._hold], read=self._read)
        self.telling = Telling(self.store, self.hub, lambda _: None, self.render_again)
        self.surveying = Surveying(lambda: self.settings, self.store, self.hub, command=("false",))
        self.keeping = Keeping(lambda: self.settings, self.hub, lambda: self.configuration, command=("true",))

    @cached_property
    def access(self) -> Keeper:
        return PaperKeeper(self.settings)  # when the app is made: a test may have changed the settings until then

    def _hold(self, settings: Settings) -> None:
        self.settings = settings

    def _read(self) -> Reading:
        self.config.touch()
        told = {"CONFIG": self.config, "DATA": self.settings.data, "LIBRARY": self.settings.library}
        return read_settings({f"LECTERN_{name}": str(value) for name, value in told.items()})

    def add(self, book: Book, source: Path) -> None:
        self.store.put_book(book, source=source, voice="af_heart", engine=ENGINE, bitrate=48_000, added=ADDED)

    def _count(self, table: EarsTable, book: str, number: int) -> None:
        table.keep(book, {number: waiting(self.store.chapter(book, number))})

    async def status(self) -> Status:
        worker = WorkerView(state="idle", detail=None, speed=None, now=None)
        return Status(
            version="0",
            library=str(self.settings.library),
            data=str(self.settings.data),
            url=self.settings.url,
            worker=worker,
            books=len(self.store.books()),
            rendered_s=0.0,
            importing=[],
        )

    async def page(
        self, sort: Sort, query: str, limit: int | None, offset: int, show: Show = "all", person: str = OWNER
    ) -> Books:
        every = [BookView(**_shared(await self.book(book, person))) for book in self.store.books()]
        shown = {"begun": lambda book: book.position, "new": lambda book: not book.position}.get(show, lambda _: True)
        every = [book for book in every if shown(book)]
        found = [book for book in every if all(word in book.title.casefold() for word in query.casefold().split())]
        if sort == "title":
            found.sort(key=lambda book: book.title_sort)
        return Books(books=found[offset:][:limit], total=len(found))

    async def book(self, book: str, person: str = OWNER) -> BookDetail:
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
            series=record.series,
            series_index=record.series_index,
            cover=cover_urls(record)[0],
            thumbnail=cover_urls(record)[1],
            voice=record.voice,
            added=record.added,
            state="ready",
            opened=None,
            chapters=len(indexes),
            sentences=SentenceCounts(total=len(sentences), rendered=sum(s.rendered for s in sentences), failed=0),
            audio_s=sum(index.samples_total for index in indexes) / 24_000,
            audio_bytes=sum(sentence.bytes or 0 for sentence in sentences),
            eta_s=None,
            position=await self.places.position(book, person),
            sample=False,
            paused=book in self.paused,
            render=self.store.choices(book).render or "all",
            render_chosen=self.store.choices(book).render is not None,
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
            files=self.files,
            edition=self.store.edition(book),
            editions=edition_views(record),
            rendition=record.rendition,
            notes=self.store.choices(book).notes or "skipped",
            by_hand=list(about.parts) if (about := self.store.choices(book).about) else [],
            own=own_view(record),
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

    async def preview(self, asked: previews.PreviewIn) -> previews.Preview:
        if asked.book is not None:
            self.store.book(asked.book)
        if asked.voice == "xx_nobody":
            raise NotFound("There is no voice 'xx_nobody'.")
        word = previews.PreviewWord(word=asked.text, char_start=0, char_end=len(asked.text), phonemes="hˈA")
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
        turns = {item.book: self.store.choices(item.book).turn for item in items}
        books = [
            QueueBook(**item.model_dump(), turn=turns[item.book], listened=False, chapters=1)
            for item in sorted(items, key=lambda item: (turns[item.book] is None, turns[item.book]))
        ]
        by_hand = sum(turn is not None for turn in turns.values())
        return Queue(items=items, books=books, by_hand=by_hand, total=len(items), paused=False)

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
