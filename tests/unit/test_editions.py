"""Corrected files, copies with other metadata, samples and their wholes: which are one book, and what it keeps."""

import asyncio
import errno
import os
import shutil
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from server.api.spots import PositionIn
from server.config import Settings
from server.errors import Conflict
from server.house import House
from server.render.counting import recount
from server.render.places import OWNER
from tests.epubs import build_epub, page
from tests.fakes.synth import ENGINE
from tests.fakes.synthetic import render
from tests.parity.store_reader import check

ISBN = "urn:isbn:9780000000019"
WORDS = ("lamp", "gate", "rain", "hill", "door", "road", "ship", "tree", "well", "bell")
PARTS = (("One", 0), ("Two", 3), ("Three", 6))
STORY = [f"The {one} was old. Nobody had seen the {one} before." for one in WORDS]


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    settings = Settings(data=tmp_path / "data", library=tmp_path / "library")
    for folder in (settings.data, settings.library):
        folder.mkdir()
    house = House(settings, ENGINE)
    yield house
    house.close()


def epub(path: Path, paragraphs: Sequence[str], *, title: str = "The Lamp", identifier: str = ISBN) -> Path:
    """A book of two chapters."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = len(paragraphs) // 2
    pages = {
        f"c{number}.xhtml": page(f"<h1>Part {number}</h1>" + "".join(f"<p>{text}</p>" for text in part))
        for number, part in enumerate((paragraphs[:half], paragraphs[half:]), 1)
    }
    return build_epub(path, pages, title=title, identifier=identifier)


def corrected(at: int = 3, word: str = "lighthouse") -> list[str]:
    return [text.replace(WORDS[at], word, 1) if i == at else text for i, text in enumerate(STORY)]


async def scanned(house: House) -> str:
    """The id of the only book."""
    await house.scanner.scan()
    (book,) = await house.books()
    return book.id


def speak(house: House, book: str) -> None:
    for chapter in house.store.book(book).chapters:
        render(house.store, house.store.book(book), chapter.number)


def silent(house: House, book: str) -> list[str]:
    """Sentences without audio."""
    record = house.store.book(book)
    indexes = [house.store.chapter(book, chapter.number) for chapter in record.chapters]
    return [entry.text for index in indexes for entry in index.sentences if not entry.rendered]


async def test_a_corrected_file_in_its_place_costs_one_sentence(house: House) -> None:
    path = epub(house.settings.library / "lamp.epub", STORY)
    book = await scanned(house)
    speak(house, book)
    place = house.store.chapter(book, 2).sentences[3]
    await house.places.report(book, PositionIn(chapter=2, sentence=place.id, word=1), OWNER)
    epub(path, ["It begins.", *corrected()])
    assert await scanned(house) == book
    assert silent(house, book) == ["It begins.", "The lighthouse was old."]
    detail = await house.book(book)
    assert (detail.edition, detail.state, [(one.new, one.gone) for one in detail.editions]) == (1, "ready", [(2, 1)])
    kept = await house.places.position(book, OWNER)
    assert kept is not None and kept.word == 1
    index = house.store.chapter(book, kept.chapter)
    assert index.sentences[index.position(kept.sentence)].text == place.text
    assert check(house.store.root) == []


async def test_a_corrected_file_beside_the_old_one_is_the_book_from_then_on(house: House) -> None:
    epub(house.settings.library / "z.epub", STORY)
    book = await scanned(house)
    speak(house, book)
    epub(house.settings.library / "a.epub", corrected(), title="The Lamp, Revised")
    assert await scanned(house) == book
    assert (await house.book(book)).title == "The Lamp, Revised" and len(silent(house, book)) == 1
    # The old file is an earlier edition, whenever it is looked at.
    os.utime(house.settings.library / "z.epub")
    assert await scanned(house) == book
    assert (await house.book(book)).edition == 1
    # It is the book again when the new one is gone and it comes back.
    old = (house.settings.library / "z.epub").read_bytes()
    (house.settings.library / "a.epub").unlink()
    (house.settings.library / "z.epub").unlink()
    await house.scanner.scan()
    assert (await house.book(book)).state == "missing"
    (house.settings.library / "back.epub").write_bytes(old)
    assert await scanned(house) == book
    detail = await house.book(book)
    assert (detail.title, detail.state, silent(house, book)) == ("The Lamp", "ready", [])


async def test_the_database_made_anew_knows_the_later_edition(house: House) -> None:
    """Whichever of the files is met first."""
    epub(house.settings.library / "a.epub", STORY)
    book = await scanned(house)
    speak(house, book)
    epub(house.settings.library / "b.epub", corrected())
    await scanned(house)
    house.close()
    for name in ("lectern.db", "lectern.db-wal", "lectern.db-shm"):
        (house.settings.data / name).unlink(missing_ok=True)
    again = House(house.settings, ENGINE)
    try:
        recount(again.store, again.catalog)
        assert await scanned(again) == book
        detail = await again.book(book)
        assert (detail.edition, sorted(detail.files)) == (1, ["a.epub", "b.epub"])
    finally:
        again.close()


async def test_other_metadata_alone_changes_no_audio(house: House, tmp_path: Path) -> None:
    epub(house.settings.library / "lamp.epub", STORY)
    book = await scanned(house)
    speak(house, book)
    sent = epub(tmp_path / "sent.epub", STORY, identifier="urn:uuid:something-else")
    assert await house.import_file("sent.epub", sent) == book
    detail = await house.book(book)
    assert silent(house, book) == [] and detail.edition == 0
    assert [(one.new, one.gone, one.kept > 10) for one in detail.editions] == [(0, 0, True)]
    assert sorted(path.name for path in house.settings.library.iterdir()) == ["lamp.epub", "sent.epub"]


async def test_a_whole_book_follows_its_sample_and_a_sample_never_its_book(house: House) -> None:
    epub(house.settings.library / "sample.epub", STORY[:4])
    book = await scanned(house)
    epub(house.settings.library / "whole.epub", STORY)
    assert await scanned(house) == book and len(silent(house, book)) == 22
    epub(house.settings.library / "sample 2.epub", STORY[:3])
    await house.scanner.scan()
    assert len(await house.books()) == 2


async def test_other_books_with_the_same_name_or_title_stay_other_books(house: House) -> None:
    """Templates give every book one identifier; two authors may choose one title."""
    epub(house.settings.library / "a.epub", STORY)
    epub(house.settings.library / "b.epub", [text.replace("old", "new").replace("seen", "met") for text in STORY])
    await house.scanner.scan()
    assert len(await house.books()) == 2


async def test_a_new_edition_in_another_language_is_another_book(house: House) -> None:
    path = epub(house.settings.library / "a.epub", STORY)
    await scanned(house)
    shutil.copy(path, house.settings.data / "b.epub")
    build_epub(
        house.settings.library / "b.epub",
        {"c1.xhtml": page("".join(f"<p>{text}</p>" for text in STORY))},
        title="The Lamp",
        identifier=ISBN,
        language="fr",
    )
    await house.scanner.scan()
    assert len(await house.books()) == 2


NOTED = page(
    '<h1>Part 1</h1><p>The lamp was old.<a epub:type="noteref" href="#n1">1</a> It burned.</p><p>Nobody came.</p>'
    '<aside epub:type="footnote" id="n1"><p>Of brass.</p></aside>'
)


async def test_notes_are_read_where_somebody_wants_them(house: House) -> None:
    build_epub(house.settings.library / "noted.epub", {"c1.xhtml": NOTED}, title="Noted")
    book = await scanned(house)
    speak(house, book)
    detail = await house.choose(book, "inline")
    texts = [entry.text for entry in house.store.chapter(book, 1).sentences]
    assert texts == ["Part 1", "The lamp was old.", "It burned.", "Of brass.", "Nobody came."]
    assert (detail.notes, detail.edition, silent(house, book)) == ("inline", 1, ["Of brass."])
    assert detail.editions[0].same_file
    # The choice outlives another reading of the file, and goes back at no cost.
    os.utime(house.settings.library / "noted.epub")
    await scanned(house)
    assert [entry.text for entry in house.store.chapter(book, 1).sentences] == texts
    assert (await house.choose(book, "skipped")).notes == "skipped"
    assert silent(house, book) == []
    (house.settings.library / "noted.epub").unlink()
    with pytest.raises(Conflict, match="put noted"):
        await house.choose(book, "end")
    assert (await house.book(book)).notes == "skipped"


async def test_a_chapter_turned_off_stays_off_in_another_edition(house: House) -> None:
    path = epub(house.settings.library / "lamp.epub", STORY)
    book = await scanned(house)
    speak(house, book)
    await house.turn_chapter(book, 2, False)
    assert (await house.book(book)).chapters == 1
    build_epub(
        path,
        {
            "c0.xhtml": page("<h1>Preface</h1><p>It is new.</p>"),
            "c1.xhtml": page("<h1>Part 1</h1>" + "".join(f"<p>{text}</p>" for text in STORY[:5])),
            "c2.xhtml": page("<h1>Part 2</h1>" + "".join(f"<p>{text}</p>" for text in STORY[5:])),
        },
        title="The Lamp",
        identifier=ISBN,
    )
    assert await scanned(house) == book
    listed = {one.title: (one.enabled, one.rule) for one in (await house.book(book)).chapters_list}
    assert listed == {"Preface": (True, None), "Part 1": (True, None), "Part 2": (False, "chosen")}
    await house.turn_chapter(book, 3, True)
    assert house.store.choices(book).chapters == () and (await house.book(book)).chapters == 3


async def test_what_is_chosen_while_a_file_is_read_in_is_kept(house: House) -> None:
    """Whoever chose first waits for the import; another choice that came meanwhile is not undone by that."""
    epub(house.settings.library / "lamp.epub", STORY)
    book = await scanned(house)
    async with house.scanner.one:
        waiting = asyncio.create_task(house.intake.choose_notes(book, "inline"))
        await asyncio.sleep(0.1)
        await house.turn_chapter(book, 2, False)
    await waiting
    assert house.store.choices(book).notes == "inline"
    assert [one.enabled for one in (await house.book(book)).chapters_list] == [True, False]


async def test_a_choice_for_a_chapter_that_is_gone_waits_for_it(house: House) -> None:
    """Whatever is chosen meanwhile for the chapter that has its number, and however few chapters there are."""
    parts = [f"<h1>{name}</h1>" + "".join(f"<p>{text}</p>" for text in STORY[at : at + 3]) for name, at in PARTS]
    path = house.settings.library / "lamp.epub"

    async def read(*pages: str) -> dict[str, bool]:
        build_epub(path, {f"c{n}.xhtml": page(one) for n, one in enumerate(pages)}, title="Lamp", identifier=ISBN)
        await house.scanner.scan()
        (book,) = await house.books()
        return {one.title: one.enabled for one in (await house.book(book.id)).chapters_list}

    assert await read(*parts) == {"One": True, "Two": True, "Three": True}
    (view,) = await house.books()
    speak(house, view.id)
    await house.turn_chapter(view.id, 3, False)
    other = "<h1>Letter</h1><p>My dear, this is new. It is sent to you.</p>"
    assert await read(*parts[:2], other) == {"One": True, "Two": True, "Letter": True}
    await house.turn_chapter(view.id, 3, False)
    await house.turn_chapter(view.id, 3, True)
    house.store.sweep()
    assert await read(parts[0] + parts[1]) == {"One": True}
    house.store.sweep()
    assert await read(*parts) == {"One": True, "Two": True, "Three": False}


@pytest.mark.parametrize("person", [OWNER, "anna"])
async def test_a_book_whose_audio_was_deleted_rests_until_somebody_listens_whatever_becomes_of_the_database(
    house: House, person: str
) -> None:
    epub(house.settings.library / "lamp.epub", STORY)
    book = await scanned(house)
    speak(house, book)
    await house.delete(book, "audio")
    house.close()
    for name in ("lectern.db", "lectern.db-wal", "lectern.db-shm"):
        (house.settings.data / name).unlink(missing_ok=True)
    again = House(house.settings, ENGINE)
    try:
        recount(again.store, again.catalog)
        assert (await again.book(book)).paused
        sentence = again.store.chapter(book, 1).sentences[1].id
        await again.places.report(book, PositionIn(chapter=1, sentence=sentence), person)
        assert not (await again.book(book)).paused and not again.store.choices(book).paused
        again.catalog.pause(book)  # a crash came before the rows
        recount(again.store, again.catalog)
        assert not (await again.book(book)).paused
    finally:
        again.close()


async def test_a_library_that_may_only_be_read_says_so_and_nothing_is_left_half_done(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = epub(house.settings.library / "lamp.epub", STORY)
    book = await scanned(house)
    sent = epub(tmp_path / "sent.epub", ["Something else is told here.", "And here."], identifier="urn:x", title="X")

    def shut(module: object, name: str, which: int) -> None:
        """Have a function refuse where its argument `which` lies in the library folder."""
        real = getattr(module, name)

        def refusing(*given: Any, **named: Any) -> Any:
            if Path(given[which]).is_relative_to(house.settings.library):
                raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(given[which]))
            return real(*given, **named)

        monkeypatch.setattr(module, name, refusing)

    shut(os, "rename", 0)
    shut(os, "unlink", 0)
    shut(shutil, "copyfile", 1)
    with pytest.raises(Conflict, match=r"lamp\.epub cannot be taken out of the library folder"):
        await house.delete(book, "everything")
    assert path.exists() and not list((house.settings.data / "removed").iterdir())
    assert (await house.book(book)).state == "ready"
    with pytest.raises(Conflict, match="may only be read"):
        await house.import_file("sent.epub", sent)
    assert [one.id for one in await house.books()] == [book]
