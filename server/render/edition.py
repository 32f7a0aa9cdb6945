"""A book put into the store: for the first time, again as it is, or as another edition of itself.

Another edition is written whole beside the old one, as a rendition of its own; book.json then turns from one to the
other in one step. The old folder stays: what was rendered is never thrown away unasked, and an edition that comes back
finds its audio there.
"""

import contextlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from server.errors import LecternError, NotFound
from server.library.editions import Line, Spot, find_place, pair
from server.library.model import Book
from server.render.about import About, told, without_lost
from server.render.carry import Chapters, carry, lines
from server.render.choices import apply
from server.render.coverage import coverage_record
from server.render.files import write_atomically
from server.render.index import ChapterIndex
from server.render.layout import (
    THUMBNAIL,
    book_record,
    cover_name,
    make_rendition,
    text_index,
)
from server.render.records import BookRecord, ChapterChange, EditionRecord, RenditionRecord
from server.render.texts import drop_chapters, present, take_from, taken_up, write_texts
from server.render.voices import can_read

if TYPE_CHECKING:
    from server.render.store import Store


def put(store: "Store", book: Book, source: Path, wanted: RenditionRecord, added: datetime) -> BookRecord:
    """Write all of `book` but its audio; give its record. Called with the store's lock held.

    `wanted` is how it would be rendered now: what has audio keeps its own voice and engine.
    """
    chosen = store.choices(book.id)
    folder = store.book_folder(book.id)
    about = without_lost(folder, chosen.about)
    book, choices = apply(book, chosen.model_copy(update={"about": about}))
    if (sound := chosen.sound) is not None and can_read(sound.voice, book.read_as or book.language):
        wanted = make_rendition(**sound.model_dump(), engine=wanted.engine)
    old = store.book(book.id) if (folder / "book.json").exists() else None
    if old is None:
        record = told(book_record(book, source, wanted, added), about)
        write_texts(store, book.id, wanted, taken_up(store, book.id, wanted, _texts(book, wanted)))
        _write_about(store, book)
        store.save_book(record)  # last: a folder without it is no book
        drop_chapters(store, record)
        settle_place(store, book.id)
        store.places.settle(book.id)
        store.bookmarks.settle(book.id)
    else:
        record = _renew(store, book, source, wanted, old, about)
    if choices != chosen:
        store.save_choices(book.id, choices)
    return record


def _renew(
    store: "Store", book: Book, source: Path, wanted: RenditionRecord, old: BookRecord, about: About | None
) -> BookRecord:
    """A book that is here: what did not change stays as it is, its audio and the listener's place too."""
    # Audio in another voice counts: what it says must stay known.
    rendered = any(store.book_folder(book.id).glob("[!.]*/chapter-*/*.m4a"))
    playing = wanted
    if rendered:
        with contextlib.suppress(NotFound):  # lost: what it was made with cannot be told, unless it is as wanted now
            playing = store.rendition(book.id, old.rendition)
    in_place = rendered and playing.id == old.rendition
    there = present(store, book.id, old.rendition, len(old.chapters))
    text = _texts(book, playing)
    record = told(book_record(book, source, playing, old.added), about)
    # An index that was lost is written anew where it was: only others tell whether this is another text.
    same = len(text) == len(old.chapters) and all(
        number in there and _order(one) == _order(there[number])
        for number, one in text.items()
        if number in there or not in_place
    )
    before = old.before or ()
    if not same or record.source.sha256 != old.source.sha256:
        before = (_changes(old, there, text), *before)
    record = record.model_copy(update={"before": before or None})
    if same or not (rendered or store.place(book.id) or store.places.any(book.id) or store.bookmarks.any(book.id)):
        # Titles, places in the file, what is off: audio, where there is any, stays where it is.
        kept = {line.spot: line.spot for line in lines(text)} if in_place else {}
        write_texts(store, book.id, playing, {number: carry(one, kept, there)[0] for number, one in text.items()})
    else:
        edition = _next_edition(playing, len(before))
        _write_edition(store, record, edition, text, there)
        record = record.model_copy(update={"rendition": edition.id})
    _write_about(store, book)
    if record != old:
        store.save_book(record)
    drop_chapters(store, record)
    settle_place(store, book.id)
    store.places.settle(book.id)
    store.bookmarks.settle(book.id)
    if not rendered and record.rendition != old.rendition:
        store.remove(store.rendition_folder(book.id, old.rendition))  # it had no audio
    return record


def _texts(book: Book, rendition: RenditionRecord) -> dict[int, ChapterIndex]:
    return {chapter.number: text_index(book, chapter, rendition) for chapter in book.chapters}


def _write_edition(
    store: "Store", record: BookRecord, rendition: RenditionRecord, text: Chapters, there: Chapters
) -> None:
    """The folder of another edition, with all that earlier ones have of its audio."""
    folder = store.rendition_folder(record.id, rendition.id)
    store.remove(folder)  # of a change that was cut short
    indexes = {number: index.model_copy(update={"rendition": rendition.id}) for number, index in text.items()}
    others = (path.parent.name for path in sorted(store.book_folder(record.id).glob("[!.]*/rendition.json")))
    for name in dict.fromkeys([*(edition.rendition for edition in record.before or ()), *others]):
        take_from(store, record.id, name, rendition, indexes, there if name == record.rendition else None)
    write_texts(store, record.id, rendition, indexes, there)


def _write_about(store: "Store", book: Book) -> None:
    """Cover and ledger."""
    folder = store.book_folder(book.id)
    for name, data in ((cover_name(book), book.cover), (THUMBNAIL, book.thumbnail)):
        if name is not None and data is not None and not _holds(folder / name, data):
            write_atomically(folder / name, data)
    ledger = coverage_record(book).to_json().encode()
    if not _holds(folder / "coverage.json", ledger):
        write_atomically(folder / "coverage.json", ledger)


def _holds(path: Path, data: bytes) -> bool:
    with contextlib.suppress(FileNotFoundError):
        return path.stat().st_size == len(data) and path.read_bytes() == data
    return False


def _order(index: ChapterIndex) -> list[tuple[str, bool]]:
    return [(entry.id, entry.block == "heading") for entry in index.sentences]


def _next_edition(playing: RenditionRecord, edition: int) -> RenditionRecord:
    return make_rendition(
        voice=playing.voice, engine=playing.engine, bitrate=playing.bitrate, speed=playing.speed, edition=edition
    )


def _changes(old: BookRecord, there: Chapters, text: Chapters) -> EditionRecord:
    """What `old` was, and what of its text that is read aloud is otherwise in `text`."""
    before, after = lines(there, aloud=True), lines(text, aloud=True)
    kept = pair(before, after)
    came: defaultdict[int, Counter[int]] = defaultdict(Counter)  # new chapter → old ones, by sentences it has of them
    for now, was in kept.items():
        came[now.chapter][was.chapter] += 1
    back = {was: now for now, was in kept.items()}
    new, gone = _by_chapter(after, kept), _by_chapter(before, back)
    chapters = []
    for number, index in sorted(text.items()):
        once = came[number].most_common(1)[0][0] if came[number] else 0
        if new[number] or gone[once]:
            chapters.append(ChapterChange(number=number, title=index.title, new=new[number], gone=gone.pop(once, 0)))
    return EditionRecord(
        source=old.source,
        rendition=old.rendition,
        until=datetime.now(UTC),
        kept=len(kept),
        new=len(after) - len(kept),
        gone=len(before) - len(kept),
        chapters=tuple(chapters),
    )


def _by_chapter(all_lines: list[Line], kept: Mapping[Spot, Spot]) -> Counter[int]:
    return Counter(line.spot.chapter for line in all_lines if line.spot not in kept)


def settle_place(store: "Store", book: str) -> None:
    """Take the listener's place to where its sentence is now, if another edition moved it."""
    place = store.place(book)
    if place is None or place.edition == (current := store.rendition(book).edition):
        return
    spot = locate(store, book, Spot(place.chapter, place.sentence), place.edition or 0)
    if spot is not None:
        same = spot.sentence.rpartition("-")[0] == place.sentence.rpartition("-")[0]
        fields = {"chapter": spot.chapter, "sentence": spot.sentence, "word": place.word if same else 0}
        store.save_place(book, place.model_copy(update={**fields, "edition": current}))


def locate(store: "Store", book: str, spot: Spot, edition: int | None = None) -> Spot | None:
    """Where a sentence of `edition` (0 is the first one; None: the latest that has it) is in the one that plays.

    None where there is no such sentence. Raises NotFound for an unknown book.
    """
    record = store.book(book)
    current = store.rendition(book).edition or 0
    if edition in (None, current) and _is_in(store, book, record.rendition, spot):
        return spot
    for was in record.before or ():
        with contextlib.suppress(LecternError):
            numbered = store.rendition(book, was.rendition).edition or 0
            if numbered == current or edition not in (None, numbered) or not _is_in(store, book, was.rendition, spot):
                continue
            old = lines(present(store, book, was.rendition))
            now = lines(present(store, book, record.rendition, len(record.chapters)))
            return find_place(old, now, pair(old, now), spot)
    # The text of that edition was deleted with its audio: the same sentence in the same chapter is the best guess.
    return spot if _is_in(store, book, record.rendition, spot) else None


def moved(store: "Store", book: str, edition: int, spots: Iterable[Spot]) -> dict[Spot, Spot]:
    """Where sentences of `edition` (0 is the first one) are in the one that plays; without those that are not known."""
    record = store.book(book)
    for was in record.before or ():
        with contextlib.suppress(LecternError):
            if (store.rendition(book, was.rendition).edition or 0) == edition and was.rendition != record.rendition:
                old = lines(present(store, book, was.rendition))
                now = lines(present(store, book, record.rendition, len(record.chapters)))
                kept = pair(old, now)
                found = {spot: find_place(old, now, kept, spot) for spot in spots}
                return {spot: there for spot, there in found.items() if there is not None}
    return {}


def _is_in(store: "Store", book: str, rendition: str, spot: Spot) -> bool:
    with contextlib.suppress(LecternError):
        index = store.chapter(book, spot.chapter, rendition)
        return any(entry.id == spot.sentence for entry in index.sentences)
    return False
