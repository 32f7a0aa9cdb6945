"""A book's bookmarks: a plain file for each person, beside its audio. They follow the text into the next edition.

bookmarks.json is the household's own (the owner's), others' are in bookmarks/<person>.json.
"""

import hashlib
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import AwareDatetime, Field

from server.errors import Conflict, NotFound
from server.library.editions import Spot
from server.render.files import WriteLock, read_or_keep, read_record, write_atomically
from server.render.index import FORMAT, Count, Id, Record
from server.render.layout import safe_name
from server.render.places import OWNER

if TYPE_CHECKING:
    from server.render.store import Store

FOLDER: Final = "bookmarks"
MOST: Final = 10_000  # of one book and person: more is no listener but a program that went wrong
_ID_DIGITS: Final = 12


class Bookmark(Record):
    """A word of a sentence that somebody wants to find again; `edition` as in place.json."""

    id: Id
    chapter: Annotated[int, Field(ge=1)]
    sentence: Id
    word: Count = 0
    text: str
    note: str | None = None
    created: AwareDatetime
    edition: Annotated[int, Field(ge=1)] | None = None


class BookmarksRecord(Record):
    """bookmarks.json or bookmarks/PERSON.json, in the order in which they were made."""

    format: Literal[1] = FORMAT
    bookmarks: tuple[Bookmark, ...] = ()


class Bookmarks:
    """The bookmarks of all books of a store. A method raises NotFound where there is no such book, or StoreError."""

    def __init__(self, store: "Store", writing: WriteLock) -> None:
        self._store = store
        self._writing = writing

    def of(self, book: str, person: str = OWNER) -> tuple[Bookmark, ...]:
        """In the order in which they come in the book, each where its sentence is in the edition that plays."""
        order = {chapter.number: chapter.number for chapter in self._store.book(book).chapters}
        found = self._settled(book, person)
        at = {
            number: _order(self._store, book, number)
            for number in {mark.chapter for mark in found if mark.chapter in order}
        }
        return tuple(
            sorted(found, key=lambda mark: (mark.chapter, at.get(mark.chapter, {}).get(mark.sentence, 0), mark.word))
        )

    def settle(self, book: str) -> None:
        """Take everybody's along into the edition that plays, while the one that they are in is still there.

        A damaged file is put under another name: it must not keep the book from being read.
        """
        with self._writing:
            for person in self.people(book):
                read_or_keep(self._path(book, person), BookmarksRecord)
                self._settled(book, person)

    def any(self, book: str) -> bool:
        return bool(self.people(book))

    def people(self, book: str) -> list[str]:
        """Everybody who has bookmarks in a book."""
        own = [OWNER] if self._path(book, OWNER).exists() else []
        return own + sorted(path.stem for path in (self._store.book_folder(book) / FOLDER).glob("[!.]*.json"))

    def add(
        self, book: str, spot: Spot, word: int, note: str | None, created: datetime, person: str = OWNER
    ) -> tuple[Bookmark, bool]:
        """A bookmark in the edition that plays, and whether it is new: one that is there already is given again.

        Raises NotFound for no such sentence, Conflict where there are too many.
        """
        with self._writing:
            index = self._store.chapter(book, spot.chapter)
            text = next((entry.text for entry in index.sentences if entry.id == spot.sentence), None)
            if text is None:
                raise NotFound(f"Chapter {spot.chapter} has no sentence {spot.sentence}.")
            marks = self._settled(book, person)
            for mark in marks:
                if (mark.chapter, mark.sentence, mark.word) == (*spot, word):
                    return (self.change(book, mark.id, note, person), False) if note is not None else (mark, False)
            if len(marks) >= MOST:
                raise Conflict(f"This book has {MOST:,} bookmarks; remove some of them.")
            edition = self._store.edition(book) or None
            name = f"{book} {spot.chapter} {spot.sentence} {word} {edition} {created.isoformat()}"
            mark = Bookmark(
                id=hashlib.sha256(name.encode()).hexdigest()[:_ID_DIGITS],
                chapter=spot.chapter,
                sentence=spot.sentence,
                word=word,
                text=text,
                note=note or None,
                created=created,
                edition=edition,
            )
            self._save(book, person, (*marks, mark))
            return mark, True

    def change(self, book: str, name: str, note: str | None, person: str = OWNER) -> Bookmark:
        """Note something else with a bookmark. Raises NotFound."""
        with self._writing:
            marks = self._settled(book, person)
            mark = _find(marks, name).model_copy(update={"note": note or None})
            self._save(book, person, tuple(mark if one.id == name else one for one in marks))
            return mark

    def remove(self, book: str, name: str, person: str = OWNER) -> None:
        """Raises NotFound."""
        with self._writing:
            marks = self._settled(book, person)
            _find(marks, name)
            self._save(book, person, tuple(one for one in marks if one.id != name))

    def _settled(self, book: str, person: str) -> tuple[Bookmark, ...]:
        """All of a person's; those of an earlier edition are taken to where their sentence is now."""
        edition = self._store.edition(book) or None
        path = self._path(book, person)
        marks = read_record(path, BookmarksRecord, "").bookmarks if path.exists() else ()
        if all(mark.edition == edition for mark in marks):
            return marks
        with self._writing:
            marks = read_record(path, BookmarksRecord, "").bookmarks
            settled = tuple(self._moved(book, mark, edition) for mark in marks)
            if settled != marks:
                self._save(book, person, settled)
            return settled

    def _moved(self, book: str, mark: Bookmark, edition: int | None) -> Bookmark:
        if mark.edition == edition:
            return mark
        spot = self._store.locate(book, mark.chapter, mark.sentence, mark.edition or 0)
        if spot is None:
            return mark  # its edition is gone with all it said: what it marked stands in its text
        same = spot.sentence.rpartition("-")[0] == mark.sentence.rpartition("-")[0]
        fields = {"chapter": spot.chapter, "sentence": spot.sentence, "word": mark.word if same else 0}
        return mark.model_copy(update={**fields, "edition": edition})

    def _path(self, book: str, person: str) -> Path:
        folder = self._store.book_folder(book)
        return folder / f"{FOLDER}.json" if person == OWNER else folder / FOLDER / f"{safe_name(person, 'person')}.json"

    def _save(self, book: str, person: str, marks: tuple[Bookmark, ...]) -> None:
        write_atomically(self._path(book, person), BookmarksRecord(bookmarks=marks).to_json().encode())


def _find(marks: tuple[Bookmark, ...], name: str) -> Bookmark:
    for mark in marks:
        if mark.id == name:
            return mark
    raise NotFound(f"This book has no bookmark {name!r}; it may have been removed already.")


def _order(store: "Store", book: str, number: int) -> dict[str, int]:
    return {entry.id: at for at, entry in enumerate(store.chapter(book, number).sentences)}
