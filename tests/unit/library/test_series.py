"""Which series a book belongs to, as EPUB 3 and as calibre write it; and that it reaches the store."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from server.library.reader import read_book
from server.library.series import series_of
from server.library.wire import dump, load
from server.render.records import BookRecord
from server.render.store import Store
from tests.epubs import build_epub
from tests.fakes.synth import ENGINE

COLLECTION = (
    '<meta property="belongs-to-collection" id="c1">The Lamp Books</meta>'
    '<meta refines="#c1" property="collection-type">series</meta>'
    '<meta refines="#c1" property="group-position">2</meta>'
)
CALIBRE = '<meta name="calibre:series" content="The Lamp Books"/><meta name="calibre:series_index" content="2.5"/>'


@pytest.mark.parametrize(
    ("metas", "found"),
    [
        ([], (None, None)),
        ([("The Lamp Books", {"property": "belongs-to-collection"})], ("The Lamp Books", None)),
        ([("", {"property": "belongs-to-collection"})], (None, None)),
        ([(None, {"name": "calibre:series", "content": "Lamps"})], ("Lamps", None)),
        ([(None, {"name": "calibre:series", "content": ""})], (None, None)),
        ([(None, {"name": "calibre:series", "content": "L"}),
          (None, {"name": "calibre:series_index", "content": "x"})], ("L", None)),
        ([(None, {"name": "calibre:series", "content": "L"}),
          (None, {"name": "calibre:series_index", "content": "nan"})], ("L", None)),
        # The omnibus that it was sold in is no series; the series may be named after it.
        ([("Ten Great Tales", {"property": "belongs-to-collection", "id": "a"}),
          ("set", {"refines": "#a", "property": "collection-type"}),
          ("Lamps", {"property": "belongs-to-collection", "id": "b"}),
          ("series", {"refines": "#b", "property": "collection-type"}),
          ("7", {"refines": "#b", "property": "group-position"})], ("Lamps", 7.0)),
        ([("Ten Great Tales", {"property": "belongs-to-collection", "id": "a"}),
          ("set", {"refines": "#a", "property": "collection-type"})], (None, None)),
    ],
)  # fmt: skip
def test_a_series_is_what_the_package_calls_one(
    metas: list[tuple[str | None, dict[str, str]]], found: tuple[str | None, float | None]
) -> None:
    assert series_of(metas) == found


@pytest.mark.parametrize(("metadata", "index"), [(COLLECTION, 2.0), (CALIBRE, 2.5)], ids=["epub 3", "calibre"])
def test_the_series_of_an_epub_reaches_the_store(tmp_path: Path, metadata: str, index: float) -> None:
    path = build_epub(tmp_path / "lamp.epub", {"one.xhtml": "<p>She lit the lamp.</p>"}, metadata=metadata)
    book = load(dump(read_book(path)))
    assert (book.series, book.series_index) == ("The Lamp Books", index)
    record = Store(tmp_path / "store").put_book(
        book, source=path, voice="af_heart", engine=ENGINE, bitrate=48_000, added=datetime(2026, 1, 2, tzinfo=UTC)
    )
    assert Store(tmp_path / "store").book(book.id) == record
    assert (record.series, record.series_index) == ("The Lamp Books", index)


def test_a_record_from_before_series_were_known_is_read(tmp_path: Path) -> None:
    path = build_epub(tmp_path / "lamp.epub", {"one.xhtml": "<p>She lit the lamp.</p>"})
    record = Store(tmp_path / "store").put_book(
        read_book(path),
        source=path,
        voice="af_heart",
        engine=ENGINE,
        bitrate=48_000,
        added=datetime(2026, 1, 2, tzinfo=UTC),
    )
    assert "series" not in record.to_json()
    assert BookRecord.model_validate_json(record.to_json()).series is None
