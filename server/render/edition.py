"""A book put into the store: for the first time, again as it is, or as another edition of itself.

Another edition is written whole beside the old one, as a rendition of its own; book.json then turns from one to the
other in one step. The old folder stays: what was rendered is never thrown away unasked, and an edition that comes back
finds its audio there.
"""

import contextlib
from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from server.errors import LecternError, NotFound
from server.library.editions import Line, Spot, find_place, pair
from server.library.model import Book
from server.render.carry import Chapters, carry, lines, take_along
from server.render.choices import apply
from server.render.coverage import coverage_record
from server.render.files import write_atomically
from server.render.index import ChapterIndex
from server.render.layout import (
    THUMBNAIL,
    book_record,
    chapter_name,
    cover_name,
    make_rendition,
    text_index,
)
from server.render.records import BookRecord, ChapterChange, EditionRecord, RenditionRecord, StoreRecord

if TYPE_CHECKING:
    from server.render.store import Store


def put(store: "Store", book: Book, source: Path, wanted: RenditionRecord, added: datetime) -> BookRecord:
    """Write all of `book` but its audio; give its record. Called with the store's lock held.

    `wanted` is how it would be rendered now: what has audio keeps its own voice and engine.
    """
    chosen = store.choices(book.id)
    book, choices = apply(book, chosen)
    folder = store.book_folder(book.id)
    old = store.book(book.id) if (folder / "book.json").exists() else None
    if old is None:
        record = book_record(book, source, wanted, added)
        _write_texts(store, book.id, wanted, _taken_up(store, book.id, wanted, _texts(book, wanted)))
        _write_about(store, book)
        store.save_book(record)  # last: a folder without it is no book
        _drop_chapters(store, record)
        settle_place(store, book.id)
    else:
        record = _renew(store, book, source, wanted, old)
    if choices != chosen:
        store.save_choices(book.id, choices)
    return record


def _renew(store: "Store", book: Book, source: Path, wanted: RenditionRecord, old: BookRecord) -> BookRecord:
    """A book that is here: what did not change stays as it is, its audio and the listener's place too."""
    rendered = any(store.rendition_folder(book.id, old.rendition).glob("chapter-*/*.m4a"))
    playing = wanted
    if rendered:
        with contextlib.suppress(NotFound):  # lost: what it was made with cannot be told, unless it is as wanted now
            playing = store.rendition(book.id, old.rendition)
    in_place = rendered and playing.id == old.rendition
    there = _present(store, book.id, old.rendition, len(old.chapters))
    text = _texts(book, playing)
    record = book_record(book, source, playing, old.added)
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
    if same or not (rendered or store.place(book.id)):
        # Titles, places in the file, what is off: audio, where there is any, stays where it is.
        kept = {line.spot: line.spot for line in lines(text)} if in_place else {}
        _write_texts(store, book.id, playing, {number: carry(one, kept, there)[0] for number, one in text.items()})
    else:
        edition = _next_edition(playing, len(before))
        _write_edition(store, record, edition, text, there)
        record = record.model_copy(update={"rendition": edition.id})
    _write_about(store, book)
    if record != old:
        store.save_book(record)
    _drop_chapters(store, record)
    settle_place(store, book.id)
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
    for name in dict.fromkeys(edition.rendition for edition in record.before or ()):
        _take_from(store, record.id, name, rendition, indexes, there if name == record.rendition else None)
    _write_texts(store, record.id, rendition, indexes, there)


def _taken_up(
    store: "Store", book: str, rendition: RenditionRecord, text: Mapping[int, ChapterIndex]
) -> dict[int, ChapterIndex]:
    """`text` with the audio that lies in a folder whose book.json was lost."""
    kept, there = {line.spot: line.spot for line in lines(text)}, _present(store, book, rendition.id)
    indexes = {number: carry(index, kept, there)[0] for number, index in text.items()}
    for path in sorted(store.book_folder(book).glob("[!.]*/rendition.json")):
        if path.parent.name != rendition.id:
            _take_from(store, book, path.parent.name, rendition, indexes)
    return indexes


def _take_from(
    store: "Store",
    book: str,
    name: str,
    rendition: RenditionRecord,
    indexes: dict[int, ChapterIndex],
    old: Chapters | None = None,
) -> None:
    """Bring what the rendition `name` has of the audio that `indexes` of `rendition` miss, if it sounds the same.

    `old` are its indexes, where they are known. One that is damaged, or was deleted, has nothing to give.
    """
    with contextlib.suppress(LecternError):
        if _sound(store.rendition(book, name)) == _sound(rendition):
            was = old if old is not None else _present(store, book, name)
            _take(indexes, was, store.rendition_folder(book, name), store.rendition_folder(book, rendition.id))


def _sound(rendition: RenditionRecord) -> RenditionRecord:
    return rendition.model_copy(update={"id": "", "edition": None})


def _take(indexes: dict[int, ChapterIndex], old: Chapters, source: Path, target: Path) -> None:
    missing = {Spot(n, entry.id) for n, index in indexes.items() for entry in index.sentences if not entry.rendered}
    spoken = {Spot(n, entry.id) for n, index in old.items() for entry in index.sentences if entry.rendered}
    wanted = [line for line in lines(indexes) if line.spot in missing]
    kept = {new: was for new, was in pair(lines(old), wanted).items() if was in spoken}
    # A text that comes more often in the old one: whichever has its sound.
    spare = spoken - set(kept.values())
    left = [line for line in wanted if line.spot not in kept]
    kept |= pair([line for line in lines(old) if line.spot in spare], left)
    for number, index in indexes.items():
        carried, moves = carry(index, kept, old)
        done = take_along(moves, source, target)
        lost = [entry for entry in carried.sentences if entry.file is not None and entry.file in _gone(moves, done)]
        indexes[number] = carried.with_entries(entry.without_audio() for entry in lost)


def _gone(moves: list[tuple[str, str]], done: set[str]) -> set[str]:
    return {new for _, new in moves} - done


def _write_texts(
    store: "Store", book: str, rendition: RenditionRecord, indexes: Chapters, there: Chapters | None = None
) -> None:
    """The indexes of a rendition, where they are not so already; `there` are those whose revisions they go on from."""
    store.put_file(store.root / "store.json", StoreRecord())
    folder = store.rendition_folder(book, rendition.id)
    store.put_file(folder / "rendition.json", rendition)
    for number, index in indexes.items():
        if store.chapter_path(book, number, rendition.id).exists():
            now = store.chapter(book, number, rendition.id)
            if now.model_copy(update={"revision": index.revision}) == index.totals():
                continue
        elif there is not None and number in there:
            index = index.model_copy(update={"revision": there[number].revision})
        store.save_chapter(index)


def _drop_chapters(store: "Store", record: BookRecord) -> None:
    """Take away the indexes that a longer edition without audio left, once no record names them."""
    for path in store.rendition_folder(record.id, record.rendition).glob("chapter-*.json"):
        if path.stem > chapter_name(len(record.chapters)) and not any(path.with_suffix("").glob("*.m4a")):
            path.unlink()


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


def _present(store: "Store", book: str, rendition: str, count: int | None = None) -> dict[int, ChapterIndex]:
    """The indexes that a rendition has, by number, `count` at most. Raises StoreError for a damaged one."""
    found = {}
    for path in sorted(store.rendition_folder(book, rendition).glob("chapter-*.json")):
        with contextlib.suppress(NotFound, ValueError):
            number = int(path.stem.removeprefix("chapter-"))
            if count is None or number <= count:
                found[number] = store.chapter(book, number, rendition)
    return found


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
            old = lines(_present(store, book, was.rendition))
            now = lines(_present(store, book, record.rendition, len(record.chapters)))
            return find_place(old, now, pair(old, now), spot)
    # The text of that edition was deleted with its audio: the same sentence in the same chapter is the best guess.
    return spot if _is_in(store, book, record.rendition, spot) else None


def _is_in(store: "Store", book: str, rendition: str, spot: Spot) -> bool:
    with contextlib.suppress(LecternError):
        index = store.chapter(book, spot.chapter, rendition)
        return any(entry.id == spot.sentence for entry in index.sentences)
    return False
