"""The house with its scanner and store, on small books; nothing is rendered."""

import asyncio
import contextlib
import os
import shutil
import signal
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlmodel import update

from server.api.spots import PositionIn
from server.app import offer_sample
from server.config import Settings
from server.errors import BadRequest, BookRefused, Conflict, NotFound, StoreError
from server.house import House
from server.library import sandbox
from server.render.counting import recount
from server.render.places import OWNER
from server.tables import BookRow
from tests.epubs import build_epub, page
from tests.fakes.synth import ENGINE


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    settings = Settings(data=tmp_path / "data", library=tmp_path / "library")
    for folder in (settings.data, settings.library):
        folder.mkdir()
    house = House(settings, ENGINE)
    yield house
    house.close()


def epub(path: Path, title: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return build_epub(path, {"c1.xhtml": page(f"<h1>{title}</h1><p>This is {title}.</p>")}, title=title)


async def states(house: House) -> dict[str, str]:
    return {book.title: book.state for book in await house.books()}


async def names(house: House) -> list[str]:
    return [refusal.name for refusal in await house.refusals()]


async def test_a_file_that_becomes_another_book_leaves_the_first_one_missing(house: House) -> None:
    path = epub(house.settings.library / "a.epub", "First")
    first = path.read_bytes()
    await house.scanner.scan()
    epub(path, "Second")
    await house.scanner.look_at(path)
    assert await states(house) == {"First": "missing", "Second": "ready"}
    path.write_text("no book at all")
    await house.scanner.look_at(path)
    assert await states(house) == {"First": "missing", "Second": "missing"}
    path.write_bytes(first)
    await house.scanner.look_at(path)
    assert await states(house) == {"First": "ready", "Second": "missing"}
    assert await names(house) == []


async def test_a_folder_that_cannot_be_looked_into_changes_nothing(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    epub(house.settings.library / "in" / "a.epub", "First")
    await house.scanner.scan()
    scandir = os.scandir

    def closed(path: str) -> object:
        if str(path).endswith("in"):
            raise PermissionError(1, "Operation not permitted", path)
        return scandir(path)

    monkeypatch.setattr("os.scandir", closed)
    await house.scanner.scan()
    assert await states(house) == {"First": "ready"}


async def test_a_full_disk_is_told_and_the_file_is_read_later(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    epub(house.settings.library / "a.epub", "First")
    with monkeypatch.context() as patch:
        patch.setattr(house.store, "put_book", lambda *_, **__: raise_(StoreError("The disk is full.")))
        await house.scanner.scan()
        await house.scanner.scan()
        assert [refusal.reason for refusal in await house.refusals()] == ["The disk is full."]
    await house.scanner.scan()
    assert await states(house) == {"First": "ready"}
    assert await names(house) == []


async def test_a_file_is_read_once_however_many_ask(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    path = epub(house.settings.library / "a.epub", "First")
    started: list[str] = []
    read = house.scanner.read
    monkeypatch.setattr(house.scanner, "read", lambda path, *more: (started.append(path.name), read(path, *more))[1])
    await asyncio.gather(house.scanner.scan(), house.scanner.look_at(path), house.scanner.look_at(path))
    assert started == ["a.epub"]


async def test_one_book_sent_twice_at_once_is_kept_once(house: House, tmp_path: Path) -> None:
    sent = [epub(tmp_path / "a" / "b.epub", "First"), tmp_path / "copy"]
    sent[1].write_bytes(sent[0].read_bytes())
    other = epub(tmp_path / "c" / "b.epub", "Second")
    ids = await asyncio.gather(*(house.import_file("b.epub", path) for path in [*sent, other]))
    assert ids[0] == ids[1] != ids[2]
    assert sorted(path.name for path in house.settings.library.iterdir()) == ["b 2.epub", "b.epub"]


@pytest.mark.parametrize("name", ["Emma", ".Emma.epub", "~Emma.epub", "Emma.epub.part", "Emma.zip"])
async def test_whatever_an_added_file_is_called_its_book_stays(house: House, tmp_path: Path, name: str) -> None:
    await house.import_file(name, epub(tmp_path / "in" / "x.epub", "First"))
    await house.scanner.scan()
    assert await states(house) == {"First": "ready"}


async def test_a_text_that_is_added_stays_whatever_lies_beside_it(house: House, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("README.md", "Emma.txt"):
        (tmp_path / "in" / name).write_text(f"She lit the lamp of {name}.")
        await house.import_file(name, tmp_path / "in" / name)
    epub(house.settings.library / "Emma.epub", "Emma itself")
    (house.settings.library / "Notes.txt").write_text("Buy oil.")
    await house.scanner.scan()
    assert await states(house) == {"README": "ready", "Emma": "ready", "Emma itself": "ready"}
    assert await names(house) == []
    (house.settings.library / "Emma.txt").unlink()
    await house.scanner.scan()
    assert (await states(house))["Emma"] == "missing"


async def test_a_book_that_is_a_folder_can_be_added(house: House, tmp_path: Path) -> None:
    with zipfile.ZipFile(epub(tmp_path / "x.epub", "First")) as archive:
        archive.extractall(tmp_path / "folder.epub")
    await house.import_file("folder.epub", tmp_path / "folder.epub")
    await house.scanner.scan()
    assert await states(house) == {"First": "ready"}
    assert (house.settings.library / "folder.epub" / "mimetype").is_file()


async def test_a_library_that_cannot_be_written_is_said_in_a_sentence(house: House, tmp_path: Path) -> None:
    house.settings.library.rmdir()
    house.settings.library.write_text("in the way")
    with pytest.raises(StoreError, match="could not be written"):
        await house.import_file("a.epub", epub(tmp_path / "x.epub", "First"))
    assert list((house.settings.data / "incoming").iterdir()) == []


async def test_a_sample_that_cannot_be_kept_stops_nothing_and_is_offered_again(house: House) -> None:
    house.settings.library.rmdir()
    house.settings.library.write_text("in the way")
    await offer_sample(house.settings, house)
    house.settings.library.unlink()
    await offer_sample(house.settings, house)
    assert [book.sample for book in await house.books()] == [True]


async def test_a_book_without_its_record_is_shown_and_can_go(house: House, tmp_path: Path) -> None:
    bad = await house.import_file("a.epub", epub(tmp_path / "x.epub", "First"))
    await house.import_file("b.epub", epub(tmp_path / "y.epub", "Second"))
    (house.store.book_folder(bad) / "book.json").write_text("{")
    assert await states(house) == {"First": "ready", "Second": "ready"}
    assert "damaged" in (await house.book(bad)).warnings[0]
    await house.delete(bad, "everything")
    assert await states(house) == {"Second": "ready"}
    assert house.store.books() == [book.id for book in await house.books()]
    with pytest.raises(NotFound):
        await house.delete(bad, "everything")


async def test_pronunciations_outlive_their_book(house: House, tmp_path: Path) -> None:
    book = await house.import_file("a.epub", epub(tmp_path / "drop" / "a.epub", "First"))
    (house.store.book_folder(book) / "overrides.txt").write_text("First = FURST\n", encoding="utf-8")
    told = await house.delete(book, "everything")
    assert told.moved_to == "removed" and not house.store.book_folder(book).exists()
    kept = {path.name: path for path in (house.settings.data / "removed").iterdir()}
    assert set(kept) == {"a.epub", f"{book}-overrides.txt"}
    assert kept[f"{book}-overrides.txt"].read_text(encoding="utf-8") == "First = FURST\n"


async def test_who_stops_waiting_for_a_book_ends_its_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = epub(tmp_path / "x.epub", "First")
    children: list[asyncio.subprocess.Process] = []
    start = asyncio.create_subprocess_exec

    async def started(*given: object, **more: object) -> asyncio.subprocess.Process:
        children.append(await start(*given, **more))  # type: ignore[arg-type]
        os.kill(children[0].pid, signal.SIGSTOP)
        return children[0]

    monkeypatch.setattr(sandbox.asyncio, "create_subprocess_exec", started)
    reading = asyncio.create_task(sandbox.read_book_aside(path))
    while not children:
        await asyncio.sleep(0.01)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert children[0].returncode == -signal.SIGKILL


def test_what_was_on_its_way_in_when_lectern_was_killed_goes(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data", library=tmp_path / "library")
    left = [settings.data / "incoming" / "x" / "a.epub", settings.library / f".{'0af' * 10}12.part"]
    kept = [settings.library / ".mine.part", settings.library / "a.epub"]
    for path in left + kept:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    House(settings, ENGINE).close()
    assert [path.exists() for path in left + kept] == [False, False, True, True]


async def test_a_book_that_no_voice_speaks_is_refused_and_leaves_nothing(house: House, tmp_path: Path) -> None:
    path = foreign(tmp_path / "x.epub", "de")
    with pytest.raises(BookRefused, match="German"):
        await house.import_file("x.epub", path)
    assert await names(house) == ["x.epub"]
    assert list(house.settings.library.iterdir()) == []
    assert house.store.books() == []


async def test_a_book_in_another_language_gets_its_voice_and_says_what_it_lacks(house: House, tmp_path: Path) -> None:
    book = await house.book(await house.import_file("x.epub", foreign(tmp_path / "x.epub", "fr-CA")))
    assert (book.language, book.read_as, book.voice, book.words) == ("fr-CA", None, "ff_siwis", False)
    assert book.warnings[0].startswith("Read in French: ")


async def test_a_language_that_is_chosen_counts_and_is_kept(house: House, tmp_path: Path) -> None:
    with pytest.raises(BookRefused):
        await house.import_file("x.epub", foreign(tmp_path / "x.epub", "de"))
    with pytest.raises(BadRequest, match="German"):
        await house.import_file("x.epub", foreign(tmp_path / "x.epub", "de"), "de-AT")
    id_ = await house.import_file("x.epub", foreign(tmp_path / "x.epub", "de"), "EN")
    book = await house.book(id_)
    assert (book.language, book.read_as, book.voice, book.words) == ("de", "en", "af_heart", True)
    assert await names(house) == []
    os.utime(house.settings.library / "x.epub", (1, 1))  # read again as a changed file
    await house.scanner.scan()
    assert (await house.book(id_)).read_as == "en"
    assert await names(house) == []


async def test_a_refused_file_of_the_folder_is_read_where_it_lies(house: House) -> None:
    foreign(house.settings.library / "x.epub", "de")
    await house.scanner.scan()
    [refusal] = await house.refusals()
    assert (refusal.kind, refusal.here) == ("language", True)
    book = await house.book(await house.read_refused(refusal.id, "en"))
    assert (book.read_as, book.state) == ("en", "ready")
    assert await names(house) == []
    assert [path.name for path in house.settings.library.iterdir()] == ["x.epub"]
    with pytest.raises(NotFound):
        await house.read_refused(refusal.id, "en")


async def test_a_book_with_audio_keeps_its_language(house: House, tmp_path: Path) -> None:
    path = foreign(tmp_path / "x.epub", "fr")
    again = Path(shutil.copy(path, tmp_path / "y.epub"))
    id_ = await house.import_file("x.epub", path)
    index = house.store.chapter(id_, 1)
    house.store.write_sentence(id_, index.rendition, 1, index.sentences[0].id, b"audio")
    with pytest.raises(Conflict, match=r"audio in French already.* English"):
        await house.import_file("x.epub", again, "en")
    assert (await house.book(id_)).voice == "ff_siwis"


def foreign(path: Path, language: str) -> Path:
    return build_epub(path, {"c1.xhtml": page("<p>Guten Tag.</p>")}, language=language)


def raise_(error: Exception) -> None:
    raise error


async def test_everybody_sees_on_the_shelf_where_they_are_themselves(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data", library=tmp_path / "library")
    settings.library.mkdir()
    text = "".join(f"<p>The lamp burned for {number} hours.</p>" for number in range(10, 14))
    path = build_epub(settings.library / "a.epub", {"c1.xhtml": page(text), "c2.xhtml": page(text)}, title="Lamps")
    guest = "f" * 12

    async def shelf(house: House, person: str) -> list[tuple[str, float | None, bool]]:
        books = (await house.page("opened", "", None, 0, "all", person)).books
        return [(one.title, round(one.progress, 2) if one.position else None, one.finished) for one in books]

    with contextlib.closing(House(settings, ENGINE)) as house:
        await house.scanner.look_at(path)
        (book,) = house.store.books()
        last = house.store.chapter(book, 2).sentences
        await house.places.report(book, PositionIn(chapter=2, sentence=last[0].id), OWNER)
        await house.places.report(book, PositionIn(chapter=2, sentence=last[-1].id), guest)
        assert await shelf(house, OWNER) == [("Lamps", 0.57, False)]
        assert await shelf(house, guest) == [("Lamps", 1.0, True)]
        assert await shelf(house, "e" * 12) == [("Lamps", None, False)]
        assert (await house.book(book, guest)).finished
        assert [one.title for one in (await house.page("title", "", None, 0, "finished", guest)).books] == ["Lamps"]
        assert (await house.page("title", "", None, 0, "finished", OWNER)).total == 0
    for file in settings.data.glob("lectern.db*"):
        file.unlink()
    with contextlib.closing(House(settings, ENGINE)) as house:
        recount(house.store, house.catalog)
        assert await shelf(house, OWNER) == [("Lamps", 0.57, False)]
        assert await shelf(house, guest) == [("Lamps", 1.0, True)]
        house.catalog.put_readings(book, [])  # as a database of an older Lectern is brought up to now
        with house.database.writing() as session:
            session.exec(update(BookRow).values(lead=None))
        recount(house.store, house.catalog)
        assert await shelf(house, guest) == [("Lamps", 1.0, True)]
