"""The renditions of a book beside each other: one for each voice, speed and bitrate that it was ever given.

Another voice is written whole beside the one that plays, as text without audio; book.json then turns from one to the
other in one step. The one before stays with its audio: going back to it renders nothing.
"""

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from server.errors import Conflict, LecternError, NotFound
from server.render.choices import Sound
from server.render.files import WriteLock
from server.render.index import Again, ChapterIndex, Engine
from server.render.layout import make_rendition
from server.render.records import BookRecord, RenditionRecord
from server.render.texts import drop_chapters, present, taken_up, write_texts
from server.render.voices import can_read, require_language

if TYPE_CHECKING:
    from server.render.store import Store


@dataclass(frozen=True, slots=True)
class Kept:
    """A rendition that is there: what is rendered of it, what that weighs, and what deleting it would free."""

    record: RenditionRecord
    plays: bool
    current: bool  # it has the text as it is now; else that of an earlier edition
    rendered: int  # sentences of the chapters that are read
    samples: int
    bytes: int
    freed_bytes: int  # less than `bytes` where editions share files


class Renditions:
    """Those of the books of a store. Methods raise NotFound for an unknown book, StoreError."""

    def __init__(self, store: "Store", writing: WriteLock) -> None:
        self._store = store
        self._writing = writing
        self._counted: dict[Path, tuple[object, tuple[int, int]]] = {}  # folder → what it was, sentences and samples

    def of(self, book: str) -> list[Kept]:
        """The one that plays first, then the others that have audio: those of the text as it is now before earlier."""
        record = self._store.book(book)
        playing = self._store.rendition(book).edition
        found = []
        for one in self._all(book):
            plays, current = one.id == record.rendition, one.edition == playing
            sizes = list(_files(self._store.rendition_folder(book, one.id)))
            if plays or sizes:
                rendered, samples = self._count(record, one, current)
                whole, own = (sum(s.st_size for s in sizes if s.st_nlink <= most) for most in (10**6, 1))
                found.append(Kept(one, plays, current, rendered, samples, whole, own))
        return sorted(found, key=lambda kept: (not kept.plays, not kept.current, -(kept.record.edition or 0)))

    def beside(self, book: str) -> int:
        """Bytes of audio on the disk that does not play: in other voices, and of earlier editions where they differ."""
        playing = self._store.book(book).rendition
        folders = [path.parent for path in self._store.book_folder(book).glob("[!.]*/rendition.json")]
        if len(folders) < 2:
            return 0
        plays = {stat.st_ino for folder in folders if folder.name == playing for stat in _files(folder)}
        others = {stat.st_ino: stat.st_size for folder in folders if folder.name != playing for stat in _files(folder)}
        return sum(size for inode, size in others.items() if inode not in plays)

    def turn_to(self, book: str, sound: Sound, engine: Engine) -> BookRecord:
        """Have a book read with another sound from now on, or again with one that it had; give its record.

        Nothing is rendered here. Text, chapters and the listener's place stay. Raises BadRequest where the voice does
        not speak the book's language.
        """
        with self._writing:
            record = self._store.book(book)
            require_language(sound.voice, record.read_as or record.language, record.title)
            # The choice first: the rest is made from it, should this be cut short.
            self._store.change_choices(book, sound=sound)
            return self._turn(record, sound, engine)

    def redo(self, book: str) -> None:
        """Finish a `turn_to` that was cut short."""
        with self._writing:
            sound, record = self._store.choices(book).sound, self._store.book(book)
            if sound is None or not can_read(sound.voice, record.read_as or record.language):
                return
            playing = self._store.rendition(book)
            if sound_of(playing) != sound:
                self._turn(record, sound, playing.engine)

    def _turn(self, record: BookRecord, sound: Sound, engine: Engine) -> BookRecord:
        store, playing = self._store, self._store.rendition(record.id)
        wanted = self._there(record.id, sound, engine, playing.edition)
        if wanted.id == record.rendition:
            return record
        was = present(store, record.id, wanted.id)
        text = {
            chapter.number: _text(store.chapter(record.id, chapter.number), wanted, was.get(chapter.number))
            for chapter in record.chapters
        }
        write_texts(store, record.id, wanted, taken_up(store, record.id, wanted, text))
        turned = record.model_copy(update={"voice": wanted.voice, "rendition": wanted.id})
        store.save_book(turned)
        drop_chapters(store, turned)
        if not _has_audio(store.rendition_folder(record.id, playing.id)):
            store.remove(store.rendition_folder(record.id, playing.id))
        return turned

    def remove(self, book: str, rendition: str) -> int:
        """Delete a rendition with its audio; give the bytes freed. Raises Conflict for the one that plays."""
        with self._writing:
            folder = self._store.rendition_folder(book, rendition)
            if rendition == self._store.book(book).rendition:
                raise Conflict("That is what plays: go to another voice first, or delete all audio of the book.")
            if not (folder / "rendition.json").exists():
                raise NotFound(f"This book has no rendition {rendition}.")
            return self._store.remove(folder)

    def render_again(self, book: str, spots: Mapping[int, Collection[str]], why: Again) -> None:
        """Have the same sentences of the renditions that do not play rendered again, once they play."""
        with self._writing:
            for kept in self.of(book):
                if kept.current and not kept.plays:
                    for number, ids in spots.items():
                        self._store.render_again(book, number, ids, why, kept.record.id)

    def _all(self, book: str) -> Iterator[RenditionRecord]:
        for path in sorted(self._store.book_folder(book).glob("[!.]*/rendition.json")):
            try:
                yield self._store.rendition(book, path.parent.name)
            except LecternError:  # `lectern verify` tells of it
                continue

    def _there(self, book: str, sound: Sound, engine: Engine, edition: int | None) -> RenditionRecord:
        """The rendition with this sound: one that has audio, even of an earlier engine, before a new one."""
        new = make_rendition(**sound.model_dump(), engine=engine, edition=edition)
        found = [
            one
            for one in self._all(book)
            if (sound_of(one), one.edition) == (sound, edition)
            and _has_audio(self._store.rendition_folder(book, one.id))
        ]
        return next((one for one in found if one.id == new.id), found[0] if found else new)

    def _count(self, record: BookRecord, one: RenditionRecord, current: bool) -> tuple[int, int]:
        """Sentences and samples of what is rendered of the chapters that are read."""
        folder = self._store.rendition_folder(record.id, one.id)
        spoken = tuple(chapter.number for chapter in record.chapters if chapter.enabled) if current else None
        stamps = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in folder.glob("chapter-*.json*")]
        version = (spoken, sorted(stamps))
        if (known := self._counted.get(folder)) is None or known[0] != version:
            read = [
                index
                for number, index in present(self._store, record.id, one.id).items()
                if (index.enabled if spoken is None else number in spoken)
            ]
            rendered = sum(entry.rendered for index in read for entry in index.sentences)
            self._counted[folder] = known = version, (rendered, sum(index.samples_total for index in read))
        return known[1]


def sound_of(rendition: RenditionRecord) -> Sound:
    return Sound(voice=rendition.voice, speed=rendition.speed, bitrate=rendition.bitrate)


def _files(folder: Path) -> Iterator[os.stat_result]:
    """Of the audio in a rendition's folder."""
    for chapter in folder.glob("chapter-*"):
        if chapter.is_dir():
            with os.scandir(chapter) as entries:
                yield from (entry.stat() for entry in entries if entry.name.endswith(".m4a"))


def _has_audio(folder: Path) -> bool:
    return any(folder.glob("chapter-*/*.m4a"))


def _text(index: ChapterIndex, rendition: RenditionRecord, was: ChapterIndex | None) -> ChapterIndex:
    """The text of a chapter for another rendition; as it `was` there, audio and all, where that has the same text."""
    text = _silent(index, rendition)
    if was is None:
        return text
    if _silent(was, rendition).model_copy(update={"revision": text.revision}) == text:
        return was
    # What this voice could not say is not tried again for coming back to it.
    failed = {entry.id: entry.failed for entry in was.sentences if entry.failed is not None}
    entries = [entry for entry in text.sentences if entry.id in failed]
    return text.with_entries(entry.model_copy(update={"failed": failed[entry.id]}) for entry in entries)


def _silent(index: ChapterIndex, rendition: RenditionRecord) -> ChapterIndex:
    fields = {"rendition": rendition.id, "voice": rendition.voice, "engine": rendition.engine}
    return index.without_audio().model_copy(update=fields)
