"""The voices of a book in the house: counters, places and events follow, whatever was cut short."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from server.api.renditions import SoundIn
from server.api.spots import PositionIn
from server.config import Settings
from server.errors import SettingsError
from server.house import House, prepare
from server.render.choices import Sound
from server.render.counting import recount
from server.render.places import OWNER
from server.render.recipes import recipe
from tests.epubs import build_epub, page
from tests.fakes.synth import ENGINE
from tests.fakes.synthetic import render
from tests.parity.store_reader import check

EMMA = SoundIn(voice="bf_emma")
NOTED = (
    '<h1>The Lamp</h1><p>The lamp was old.<a epub:type="noteref" href="#n1">1</a> It burned all night.</p>'
    '<p>Nobody came.</p><aside epub:type="footnote" id="n1"><p>It was made of brass.</p></aside>'
)


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    house = House(settings(tmp_path), ENGINE)
    yield house
    house.close()


def settings(folder: Path) -> Settings:
    made = Settings(data=folder / "data", library=folder / "library")
    for path in (made.data, made.library):
        path.mkdir(exist_ok=True)
    return made


async def lamp(house: House) -> str:
    """A book in the library folder, all of it rendered, with a place; gives its id."""
    build_epub(house.settings.library / "lamp.epub", {"c.xhtml": page(NOTED)}, title="The Lamp")
    await house.scanner.scan()
    (book,) = [view.id for view in await house.books()]
    speak(house, book)
    recount(house.store, house.catalog)
    sentence = house.store.chapter(book, 1).sentences[2].id
    await house.places.report(book, PositionIn(chapter=1, sentence=sentence), OWNER)
    return book


def speak(house: House, book: str) -> None:
    render(house.store, house.store.book(book), 1)


async def change(house: House, book: str, asked: SoundIn) -> None:
    await house.voicing.choose(book, await house.voicing.sound(book, asked))


async def test_counters_and_place_follow_the_voice_and_the_house_hears_of_it(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = await lamp(house)
    before = await house.book(book)
    heard: list[tuple[str, str]] = []
    monkeypatch.setattr(house.hub, "publish", lambda kind, **data: heard.append((kind, data["id"])))
    await change(house, book, EMMA)
    detail = await house.book(book)
    assert (detail.voice, detail.sentences.rendered, detail.audio_bytes) == ("bf_emma", 0, 0)
    assert detail.other_bytes == before.audio_bytes == house.shelf.sums()[2]
    assert detail.position == before.position and detail.sentences.total == before.sentences.total
    assert [view.voice for view in await house.books()] == ["bf_emma"]
    await change(house, book, SoundIn(voice="af_heart"))
    after = await house.book(book)
    assert after == before and after.other_bytes == 0
    await change(house, book, SoundIn(speed=1.0))  # as it is already
    assert heard == [("book.changed", book)] * 2


async def test_the_list_says_what_another_voice_costs(house: House) -> None:
    book = await lamp(house)
    house.planner.speed = 2.0
    told = await house.voicing.of(book)
    assert (told.language, told.sentences, len(told.renditions)) == ("en", 4, 1)
    assert told.render_s == pytest.approx(told.speech_s / 2)
    house.planner.speed = None
    assert (await house.voicing.of(book)).render_s is None


async def test_rows_agree_with_the_store_after_a_crash_and_after_a_rebuild(house: House, tmp_path: Path) -> None:
    book = await lamp(house)
    house.store.renditions.turn_to(book, Sound(voice="bf_emma", bitrate=48_000), ENGINE)  # and then the power went
    recount(house.store, house.catalog)
    assert (await house.book(book)).sentences.rendered == 0
    index = house.store.chapter(book, 1)
    render(house.store, house.store.book(book), 1, {index.sentences[0].id})
    house.close()
    for name in ("lectern.db", "lectern.db-wal", "lectern.db-shm"):
        (house.settings.data / name).unlink(missing_ok=True)
    again = House(house.settings, ENGINE)
    try:
        again.store.sweep()
        recount(again.store, again.catalog)
        detail = await again.book(book)
        assert (detail.voice, detail.sentences.rendered) == ("bf_emma", 1)
        assert detail.position is not None
        assert [one.sentences for one in (await again.voicing.of(book)).renditions] == [1, 4]
        assert check(again.store.root) == []
    finally:
        again.close()


async def test_deleting_all_audio_takes_every_voice_and_keeps_the_one_that_was_chosen(house: House) -> None:
    book = await lamp(house)
    await change(house, book, EMMA)
    speak(house, book)
    gone = await house.delete(book, "audio")
    assert gone.freed_bytes > 0 and not [*house.store.root.rglob("*.m4a")]
    assert len((await house.voicing.of(book)).renditions) == 1
    (house.settings.library / "lamp.epub").touch()
    await house.scanner.scan()
    assert (await house.book(book)).voice == "bf_emma"


async def test_what_does_not_play_is_weighed_and_deleted(house: House) -> None:
    book = await lamp(house)
    await change(house, book, EMMA)
    speak(house, book)
    recount(house.store, house.catalog)
    assert house.shelf.sums()[2] == sum(path.stat().st_size for path in house.store.root.rglob("*.m4a"))
    _, other = (await house.voicing.of(book)).renditions
    gone = await house.voicing.delete(book, other.id)
    assert gone.freed_bytes >= other.freed_bytes == other.audio_bytes > 0
    detail = await house.book(book)
    assert (detail.other_bytes, house.shelf.sums()[2]) == (0, detail.audio_bytes)


async def test_another_edition_goes_on_in_the_voice_that_was_chosen(house: House) -> None:
    book = await lamp(house)
    await change(house, book, EMMA)
    detail = await house.choose(book, "inline")  # nothing is rendered in that voice, but in another
    assert (detail.voice, detail.edition, detail.sentences.total) == ("bf_emma", 1, 5)
    await change(house, book, SoundIn(voice="af_heart"))
    detail = await house.book(book)
    assert (detail.edition, detail.sentences.rendered, detail.sentences.total) == (1, 4, 5)
    assert check(house.store.root) == []


async def test_a_rule_that_is_applied_reaches_the_voices_that_do_not_play(house: House) -> None:
    book = await lamp(house)
    await change(house, book, EMMA)
    speak(house, book)
    first = house.store.chapter(book, 1).sentences[0].id
    assert await house.render_again(book, {1: {first}}, "rule") == 1
    assert await house.render_again(book, {1: {house.store.chapter(book, 1).sentences[1].id}}, "asked") == 1
    await change(house, book, SoundIn(voice="af_heart"))
    assert [entry.again for entry in house.store.chapter(book, 1).sentences] == ["rule", None, None, None]


async def test_new_books_may_have_a_blend_by_its_name(house: House, tmp_path: Path) -> None:
    house.store.blends.put("Evening", recipe("af_heart+af_bella"))
    object.__setattr__(house.settings, "voice", "evening")
    assert house.store.book(await lamp(house)).voice == "af_bella*0.5+af_heart*0.5"
    for wrong, said in (("nobody", "no voice 'nobody'"), ("af_heart*0.5+ff_siwis*0.5", "only voices of one language")):
        with pytest.raises(SettingsError, match=said):
            prepare(replace(settings(tmp_path), voice=wrong))
