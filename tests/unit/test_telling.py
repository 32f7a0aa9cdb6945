"""What a person writes of a book: shown everywhere, kept whatever happens to the book, and taken back."""

import io
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from PIL import Image

from server.backup.make import make_backup
from server.backup.restore import restore
from server.config import Settings
from server.errors import NotFound, PictureRefused
from server.house import House
from server.library import covering
from server.render.about import About, told
from server.render.counting import recount
from server.render.store import Store
from tests.epubs import build_epub, page
from tests.fakes.synth import ENGINE
from tests.fakes.synthetic import put, render
from tests.parity.store_reader import check

STORY = ("The lamp was old.", "Nobody had seen the lamp before.", "It burned all night.", "Then it went out.")
LONG = tuple(
    f"The {word} was old, and nobody knew it." for word in "lamp gate rain hill door road ship tree well".split()
)
HAND = {"title": "The Lighthouse", "authors": ("Jane Roe",), "series": "Lights", "series_index": 2.0}


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    settings = Settings(data=tmp_path / "data", library=tmp_path / "library")
    for folder in (settings.data, settings.library):
        folder.mkdir()
    house = House(settings, ENGINE)
    yield house
    house.close()


def picture(kind: str = "JPEG", size: tuple[int, int] = (600, 900), colour: str = "navy") -> bytes:
    target = io.BytesIO()
    Image.new("RGB", size, colour).save(target, kind)
    return target.getvalue()


def epub(path: Path, *sentences: str, identifier: str = "urn:isbn:9780000000019", title: str = "The Lamp") -> Path:
    files = {"OEBPS/cover.jpg": picture()}
    manifest = '<item id="cover" href="cover.jpg" media-type="image/jpeg" properties="cover-image"/>'
    text = page("<h1>One</h1>" + "".join(f"<p>{one}</p>" for one in sentences))
    return build_epub(path, {"c1.xhtml": text}, title=title, identifier=identifier, manifest=manifest, files=files)


async def taken_in(house: House) -> str:
    epub(house.settings.library / "lamp.epub", *STORY)
    await house.scanner.scan()
    (book,) = await house.books()
    return book.id


def file(house: House, data: bytes) -> Path:
    path = house.settings.data / "picture"
    path.write_bytes(data)
    return path


async def test_what_is_written_is_shown_everywhere_and_can_be_taken_back(house: House) -> None:
    book = await taken_in(house)
    before = house.store.book(book)
    await house.telling.write(book, dict(HAND))
    detail = await house.book(book)
    assert (detail.id, detail.title, detail.title_sort) == (book, "The Lighthouse", "Lighthouse, The")
    assert (detail.authors, detail.author_sort, detail.series, detail.series_index) == (
        ["Jane Roe"], "Roe, Jane", "Lights", 2.0,
    )  # fmt: skip
    assert detail.by_hand == ["title", "authors", "series"]
    assert detail.own is not None and (detail.own.title, detail.own.authors) == ("The Lamp", ["A. Nobody"])
    assert [one.title for one in (await house.page("title", "lighthouse roe", 9, 0)).books] == ["The Lighthouse"]
    assert (await house.page("title", "lamp", 9, 0)).books == []
    assert check(house.settings.store) == []
    await house.telling.write(book, {"title": None, "authors": ()})
    detail = await house.book(book)
    assert (detail.title, detail.authors, detail.by_hand) == ("The Lamp", [], ["authors", "series"])
    assert check(house.settings.store) == []
    await house.telling.write(book, dict.fromkeys(("authors", "series", "series_index")))
    assert house.store.book(book) == before
    assert house.store.choices(book).about is None
    with pytest.raises(NotFound):
        await house.telling.write("f" * 16, dict(HAND))


async def test_a_cover_is_chosen_and_the_books_own_comes_back(house: House) -> None:
    book = await taken_in(house)
    folder, own = house.store.book_folder(book), house.store.book(book)
    urls = set()
    for kind, suffix in (("PNG", "png"), ("WEBP", "webp"), ("JPEG", "jpg")):
        await house.telling.cover(book, file(house, picture(kind, colour="red")))
        record, detail = house.store.book(book), await house.book(book)
        assert record.cover is not None and record.cover.endswith(f".{suffix}")
        assert {path.name for path in folder.glob("cover[.-]*")} == {"cover.jpg", record.cover}
        assert {path.name for path in folder.glob("thumb*")} == {"thumbnail.jpg", record.thumbnail}
        with Image.open(house.store.cover_path(book, small=True) or "") as small:
            assert small.format == "JPEG" and small.width == 480
        urls |= {detail.cover, detail.thumbnail}
        assert check(house.settings.store) == []
    assert len(urls) == 6  # each picture has an address of its own
    await house.telling.cover(book, file(house, picture(size=(3000, 4500))))
    with Image.open(house.store.cover_path(book) or "") as large:
        assert large.size == (1600, 2400)
    await house.telling.cover(book, None)
    assert house.store.book(book) == own
    assert {path.name for path in folder.glob("*.jpg")} == {"cover.jpg", "thumbnail.jpg"}


def bomb() -> bytes:
    """A PNG of a few bytes that says it has 30,000 by 30,000 pixels."""
    data = bytearray(picture("PNG", (40, 40)))
    data[16:24] = (30_000).to_bytes(4, "big") * 2
    return bytes(data)


HOSTILE = {
    "no picture": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    "a GIF": b"GIF89a" + bytes(90),
    "nothing": b"",
    "broken off": picture()[:3000],
    "only a beginning": b"\x89PNG\r\n\x1a\n" + bytes(20),
    "too small": picture("PNG", (31, 400)),
    "too many pixels": bomb(),
    "another kind inside": b"\xff\xd8\xff" + picture("PNG")[3:],
}


@pytest.mark.parametrize("what", HOSTILE)
async def test_a_picture_that_cannot_be_a_cover_is_refused_and_nothing_changes(house: House, what: str) -> None:
    book = await taken_in(house)
    before = house.store.book(book)
    with pytest.raises(PictureRefused):
        await house.telling.cover(book, file(house, HOSTILE[what]))
    assert house.store.book(book) == before
    assert not list(house.store.book_folder(book).glob("cover-*"))


async def test_what_takes_too_long_is_no_cover(tmp_path: Path) -> None:
    (path := tmp_path / "picture").write_bytes(picture())
    with pytest.raises(PictureRefused):
        await covering.cover_aside(path, seconds=0.001)


async def test_a_book_that_is_read_anew_keeps_what_was_written(house: House) -> None:
    book = await taken_in(house)
    await house.telling.write(book, dict(HAND))
    await house.telling.cover(book, file(house, picture(colour="red")))
    cover = house.store.book(book).cover
    epub(house.settings.library / "lamp.epub", "It begins.", *STORY, title="The Lamps")
    await house.scanner.scan()
    (detail,) = [await house.book(one.id) for one in await house.books()]
    record = house.store.book(book)
    assert (detail.id, detail.title, record.cover) == (book, "The Lighthouse", cover)
    assert record.own is not None and (record.own.title, record.own.cover) == ("The Lamps", "cover.jpg")
    assert check(house.settings.store) == []


async def test_another_edition_is_known_by_the_books_own_title(house: House) -> None:
    epub(house.settings.library / "lamp.epub", *LONG)
    await house.scanner.scan()
    (book,) = [one.id for one in await house.books()]
    await house.telling.write(book, dict(HAND))
    epub(house.settings.library / "corrected.epub", *LONG, "It was over.", identifier="urn:isbn:9780000000026")
    await house.scanner.scan()
    assert [one.id for one in await house.books()] == [book]


async def test_a_new_database_and_a_restore_have_it_again(house: House, tmp_path: Path) -> None:
    book = await taken_in(house)
    await house.telling.write(book, dict(HAND))
    await house.telling.cover(book, file(house, picture(colour="red")))
    cover = house.store.book(book).cover
    house.catalog.remove(book)
    recount(house.store, house.catalog)
    (shelved,) = await house.books()
    assert (shelved.title, shelved.authors, shelved.series) == ("The Lighthouse", ["Jane Roe"], "Lights")
    backup = make_backup(house.settings, tmp_path / "none.toml", tmp_path / "all.lectern-backup", audio=False).path
    elsewhere = Settings(data=tmp_path / "elsewhere", library=tmp_path / "books")
    restore(elsewhere, tmp_path / "none.toml", backup)
    assert Store(elsewhere.store).book(book).title == "The Lighthouse"
    assert (elsewhere.store / "books" / book / str(cover)).is_file()
    assert check(elsewhere.store) == []


async def test_what_an_older_version_wrote_over_is_put_right_at_the_next_start(house: House) -> None:
    book = await taken_in(house)
    await house.telling.write(book, dict(HAND))
    path = house.store.book_folder(book) / "book.json"
    old = json.loads(path.read_bytes())
    path.write_text(json.dumps({**old, **old.pop("own")}) + "\n")
    store = Store(house.settings.store)
    assert store.book(book).title == "The Lamp"
    recount(store, house.catalog)
    assert (store.book(book).title, check(house.settings.store)) == ("The Lighthouse", [])


async def test_a_chosen_cover_that_is_lost_gives_way_to_the_books_own(house: House) -> None:
    book = await taken_in(house)
    await house.telling.cover(book, file(house, picture(colour="red")))
    for path in house.store.book_folder(book).glob("cover-*"):
        path.unlink()
    shutil.rmtree(house.settings.library)
    house.settings.library.mkdir()
    epub(house.settings.library / "lamp.epub", *STORY, "It was over.")
    await house.scanner.scan()
    assert (house.store.book(book).cover, house.store.choices(book).about) == ("cover.jpg", About())
    assert check(house.settings.store) == []


async def test_the_rules_of_another_author_hold_for_what_is_rendered(house: House) -> None:
    book = await taken_in(house)
    render(house.store, house.store.book(book), 1)
    lexicon = house.settings.store / "lexicon"
    lexicon.mkdir(exist_ok=True)
    (lexicon / "author-roe.txt").write_text("# author: Jane Roe\nlamp = lantern\n")
    await house.telling.write(book, {"title": "The Lighthouse"})
    assert not any(entry.again for entry in house.store.chapter(book, 1).sentences)
    await house.telling.write(book, {"authors": ("Jane Roe",)})
    again = [entry.text for entry in house.store.chapter(book, 1).sentences if entry.again == "rule"]
    assert again == list(STORY[:2])


def test_what_is_written_empty_is_none_and_the_own_is_whole(tmp_path: Path) -> None:
    record = put(Store(tmp_path / "store"), tmp_path)
    own = record.model_copy(update={"subtitle": "Or not", "series": "Walks", "series_index": 3.0})
    shown = told(own, About(subtitle="", authors=(), series=""))
    assert (shown.subtitle, shown.authors, shown.author_sort, shown.series, shown.series_index) == (
        None, (), None, None, None,
    )  # fmt: skip
    assert told(shown, None) == told(shown, About()) == own


async def test_nothing_is_written_of_a_book_that_was_deleted_meanwhile(house: House) -> None:
    book = await taken_in(house)
    folder = house.store.book_folder(book)
    place = house.store.lexicon.book(house.store.book(book))
    house.store.delete_book(book)
    with pytest.raises(NotFound):
        house.store.write_about(book, title="The Lighthouse")
    with pytest.raises(NotFound):
        house.store.put_cover(book, picture(), "image/jpeg", picture())
    with pytest.raises(NotFound):
        house.store.lexicon.write(place, "lamp = LAMP\n", None)
    assert not folder.exists()


async def test_pictures_of_a_choice_that_was_cut_short_go_at_the_next_start(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = await taken_in(house)
    await house.telling.cover(book, file(house, picture(colour="red")))
    folder, shown = house.store.book_folder(book), house.store.book(book)
    with monkeypatch.context() as power:
        power.setattr(house.store, "save_choices", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            await house.telling.cover(book, file(house, picture(colour="green")))
    assert len(list(folder.glob("cover-*"))) == 2
    house.store.sweep()
    assert house.store.book(book) == shown
    assert {path.name for path in folder.glob("*-*.jpg")} == {shown.cover, shown.thumbnail}
    (folder / "choices.json").write_text("{")
    house.store.sweep()
    assert {path.name for path in folder.glob("*-*.jpg")} == {shown.cover, shown.thumbnail}
