"""What a person wrote of a book by hand: its title, its authors, its series, its cover. The book's own stays beside it.

book.json says what is shown, so that a reader that knows nothing of this shows the right thing; what the book says
itself stands in its `own`. The choices have what was written: it is put over whatever the book says when it is read
anew.
"""

import contextlib
import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field

from server.library.sort_keys import names_sort, title_sort
from server.render.files import write_atomically
from server.render.index import Record
from server.render.records import BookRecord, OwnRecord

if TYPE_CHECKING:
    from server.render.store import Store

PICTURES: Final = {"image/jpeg": "jpg", "image/png": "png", "image/webp": "webp"}
_CHOSEN: Final = re.compile(r"(?:cover|thumbnail)-[0-9a-f]{8}\.(?:jpg|png|webp)")  # pictures of ours beside book.json
_DIGITS: Final = 8


class About(Record):
    """What was written of a book; a field that is missing is as the book says, an empty one says that it has none.

    With `series` its number is as written too; with `cover`, its thumbnail.
    """

    title: Annotated[str, Field(min_length=1)] | None = None
    subtitle: str | None = None
    authors: tuple[str, ...] | None = None
    series: str | None = None
    series_index: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    cover: str | None = None
    thumbnail: str | None = None

    @property
    def parts(self) -> tuple[str, ...]:
        """Which of title, subtitle, authors, series and cover were written by hand."""
        return tuple(name for name in PARTS if getattr(self, name) is not None)


PARTS: Final = ("title", "subtitle", "authors", "series", "cover")


def told(record: BookRecord, about: About | None) -> BookRecord:
    """The record of a book as it is shown: what it says itself, and over that what was written."""
    own = itself(record)
    if about is None or not about.parts:
        return own
    shown: dict[str, Any] = {"own": OwnRecord(**{name: getattr(own, name) for name in OwnRecord.model_fields})}
    if about.title is not None:
        shown |= {"title": about.title, "title_sort": title_sort(about.title, own.language)}
    if about.subtitle is not None:
        shown["subtitle"] = about.subtitle or None
    if about.authors is not None:
        shown |= {"authors": about.authors, "author_sort": names_sort(about.authors)}
    if about.series is not None:
        shown |= {"series": about.series or None, "series_index": about.series_index if about.series else None}
    if about.cover is not None:
        shown |= {"cover": about.cover, "thumbnail": about.thumbnail}
    return own.model_copy(update=shown)


def itself(record: BookRecord) -> BookRecord:
    """The record of a book with what it says itself."""
    if record.own is None:
        return record
    return record.model_copy(
        update={**{name: getattr(record.own, name) for name in OwnRecord.model_fields}, "own": None}
    )


def without_lost(folder: Path, about: About | None) -> About | None:
    """What was written, without a picture that is not there any more."""
    if about is None or about.cover is None or all((folder / name).is_file() for name in _pictures(about)):
        return about
    return about.model_copy(update={"cover": None, "thumbnail": None})


def write(store: "Store", book: str, changed: dict[str, Any]) -> BookRecord:
    """Change what was written of a book; give its record. Called with the store's lock held.

    A field that is None goes back to what the book says.
    """
    store.book(book)  # of one that was deleted meanwhile nothing comes back
    choices = store.choices(book)
    about = (choices.about or About()).model_copy(update=changed)
    kept = about if about.parts else None
    if kept != choices.about:
        # The choice first: the record is made from it again, should this be cut short.
        store.save_choices(book, choices.model_copy(update={"about": kept}))
    record = retell(store, book)
    clear(store, book)
    return record


def retell(store: "Store", book: str) -> BookRecord:
    """Have the record of a book say what was written, which an older version or a crash may have kept from it."""
    before = store.book(book)
    record = told(before, without_lost(store.book_folder(book), store.choices(book).about))
    if record != before:
        store.save_book(record)
    return record


def put_picture(folder: Path, data: bytes, media_type: str, thumbnail: bytes) -> dict[str, str]:
    """Write a chosen cover beside book.json; give what `write` is told of it. Their names change with the picture."""
    digits = hashlib.sha256(data).hexdigest()[:_DIGITS]
    names = {"cover": f"cover-{digits}.{PICTURES[media_type]}", "thumbnail": f"thumbnail-{digits}.jpg"}
    write_atomically(folder / names["cover"], data)
    write_atomically(folder / names["thumbnail"], thumbnail)
    return names


def _pictures(about: About) -> list[str]:
    return [name for name in (about.cover, about.thumbnail) if name is not None]


def clear(store: "Store", book: str) -> None:
    """Take pictures away that were chosen before, or whose choice was cut short."""
    record, about = store.book(book), store.choices(book).about or About()
    own = record.own or record
    named = {*_pictures(about), record.cover, record.thumbnail, own.cover, own.thumbnail}
    for path in store.book_folder(book).iterdir():
        if _CHOSEN.fullmatch(path.name) and path.name not in named:
            with contextlib.suppress(OSError):
                path.unlink()
