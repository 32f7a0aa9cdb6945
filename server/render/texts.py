"""The text of a rendition as it is written, with the audio that it and others of the book's renditions have of it."""

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from server.errors import LecternError, NotFound
from server.library.editions import Spot, pair
from server.render.carry import Chapters, carry, lines, take_along
from server.render.index import ChapterIndex
from server.render.journal import journal_of
from server.render.layout import chapter_name
from server.render.records import BookRecord, RenditionRecord

if TYPE_CHECKING:
    from server.render.store import Store


def taken_up(
    store: "Store", book: str, rendition: RenditionRecord, text: Mapping[int, ChapterIndex]
) -> dict[int, ChapterIndex]:
    """`text` with all the audio there is of it, in the folder of `rendition` and in others that sound the same."""
    kept, there = {line.spot: line.spot for line in lines(text)}, present(store, book, rendition.id)
    indexes = {number: carry(index, kept, there)[0] for number, index in text.items()}
    for path in sorted(store.book_folder(book).glob("[!.]*/rendition.json")):
        if path.parent.name != rendition.id:
            take_from(store, book, path.parent.name, rendition, indexes)
    return indexes


def take_from(
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
            # Before its files: what a crash leaves of it is a rendition, which is weighed and deleted as one.
            store.put_file(store.rendition_folder(book, rendition.id) / "rendition.json", rendition)
            was = old if old is not None else present(store, book, name)
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
        indexes[number] = carried.with_entries(entry.without_audio() for entry in lost).ours()


def _gone(moves: list[tuple[str, str]], done: set[str]) -> set[str]:
    return {new for _, new in moves} - done


def write_texts(
    store: "Store", book: str, rendition: RenditionRecord, indexes: Chapters, there: Chapters | None = None
) -> None:
    """The indexes of a rendition, where they are not so already; `there` are those whose revisions they go on from."""
    store.mark()
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


def drop_chapters(store: "Store", record: BookRecord) -> None:
    """Take away the indexes that a longer edition without audio left, once no record names them."""
    for path in store.rendition_folder(record.id, record.rendition).glob("chapter-*.json"):
        if path.stem > chapter_name(len(record.chapters)) and not any(path.with_suffix("").glob("*.m4a")):
            path.unlink()
            journal_of(path).unlink(missing_ok=True)


def present(store: "Store", book: str, rendition: str, count: int | None = None) -> dict[int, ChapterIndex]:
    """The indexes that a rendition has, by number, `count` at most. Raises StoreError for a damaged one."""
    found = {}
    for path in sorted(store.rendition_folder(book, rendition).glob("chapter-*.json")):
        with contextlib.suppress(NotFound, ValueError):
            number = int(path.stem.removeprefix("chapter-"))
            if count is None or number <= count:
                found[number] = store.chapter(book, number, rendition)
    return found
