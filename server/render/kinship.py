"""Which book of the store a file that was read is: one of its own, or another edition of one that is here."""

import contextlib
from collections.abc import Iterator

from server.errors import LecternError
from server.library.editions import LEAST, Line, Spot, is_edition
from server.library.identity import ID_DIGITS
from server.library.languages import spoken
from server.library.model import Book
from server.library.relations import Relations
from server.render.carry import lines
from server.render.records import BookRecord
from server.render.store import Store


class Kinship:
    """Asks the store. Everything blocks: call it in a thread."""

    def __init__(self, store: Store, relations: Relations) -> None:
        self._store = store
        self._relations = relations
        self._caught_up = False

    def whose(self, book: Book, replaced: str | None = None) -> str:
        """Id of the book that `book` is or is an edition of; its own where it is new.

        `replaced` is the book whose file lay where this one lies. What calls itself the same, or has the same title,
        must also say the same.
        """
        self._catch_up()
        if (owner := self._relations.owner(book.id)) is not None and self._is_here(owner):
            return owner
        if self._is_here(book.id):
            return book.id
        for candidate, by_name in self._candidates(book, replaced):
            least = 1 if candidate == replaced else LEAST
            try:
                if self._is_edition(candidate, book, by_name=by_name, least=least):
                    return candidate
            except LecternError:  # a damaged book is nobody's edition
                continue
        return book.id

    def stored(self, sha256: str) -> str | None:
        """The book that was read from exactly the bytes with this hash, if that is how it is in the store."""
        self._catch_up()
        owner = self._relations.owner(sha256[:ID_DIGITS]) or sha256[:ID_DIGITS]
        try:
            return owner if self._store.book(owner).source.sha256 == sha256 else None
        except LecternError:
            return None

    def _catch_up(self) -> None:
        """Know what the store holds, once: the database may be new, or of an older version."""
        if self._caught_up:
            return
        for book in set(self._store.books()) - self._relations.known():
            with contextlib.suppress(LecternError):
                relate(self._relations, self._store.book(book))
        self._caught_up = True

    def _is_here(self, book: str) -> bool:
        try:
            self._store.book(book)
        except LecternError:
            return False
        return True

    def _candidates(self, book: Book, replaced: str | None) -> Iterator[tuple[str, bool]]:
        named = [*([replaced] if replaced is not None else []), *self._relations.namesakes(book)]
        yield from ((one, True) for one in dict.fromkeys(named))
        yield from ((one, False) for one in self._relations.titled(book) if one not in named)

    def _is_edition(self, candidate: str, book: Book, *, by_name: bool, least: int) -> bool:
        record = self._store.book(candidate)
        if spoken(record.read_as or record.language) != spoken(book.read_as or book.language):
            return False
        chapters = {one.number: self._store.chapter(candidate, one.number) for one in record.chapters if one.enabled}
        return is_edition(lines(chapters), _lines(book), by_name=by_name, least=least)


def relate(relations: Relations, record: BookRecord) -> None:
    """Keep what a book was read from and what it calls itself."""
    relations.relate(record.id, files_of(record), record.identifiers)


def files_of(record: BookRecord) -> list[str]:
    """The ids, by content, of the files that a book is and was read from."""
    sources = [record.source, *(edition.source for edition in record.before or ())]
    return [source.sha256[:ID_DIGITS] for source in sources]


def _lines(book: Book) -> list[Line]:
    return [
        Line(Spot(chapter.number, sentence.id), sentence.kind == "heading")
        for chapter in book.chapters
        if chapter.enabled
        for sentence in chapter.sentences
    ]
