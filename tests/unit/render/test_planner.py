"""The planner and the supervisor with a real render process, in which only the voice is a stand-in."""

import asyncio
import os
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy

from server.config import Settings
from server.db import Database
from server.events import Event, Hub
from server.library.catalog import Catalog
from server.library.model import Book
from server.render.counting import count_chapter, put_rows, recount
from server.render.index import Engine
from server.render.messages import PassDone, PassRequest, PassStopped, PreviewRequest
from server.render.planner import Planner
from server.render.store import Store
from server.render.supervisor import Supervisor
from tests.fakes.books import make_book
from tests.fakes.synth import ENGINE

WORKER = (sys.executable, "-m", "tests.fakes.worker")


class Bench:
    """A store, a database and a planner in a folder."""

    def __init__(self, data: Path, command: tuple[str, ...] = WORKER, engine: Engine = ENGINE) -> None:
        self.engine = engine
        self.settings = Settings(data=data, library=data / "library")
        self.store = Store(self.settings.store)
        self.database = Database(self.settings.database)
        self.catalog = Catalog(self.database)
        self.hub = Hub()
        self.supervisor = Supervisor(self.settings, engine, command=command)
        self.planner = Planner(self.store, self.catalog, self.supervisor, self.hub)
        self.seen: list[Event] = []
        self.planning: asyncio.Task[None] | None = None

    def put(self, book: Book) -> str:
        record = self.store.put_book(
            book, source=Path(__file__), voice="af_heart", engine=self.engine, bitrate=48_000, added=datetime.now(UTC)
        )
        put_rows(self.store, self.catalog, record)
        return book.id

    def rendered(self, book: str) -> int:
        return sum(chapter.rendered for chapter in self.catalog.book(book).chapters)

    def texts_in_order(self) -> list[str]:
        """First sentences of the passes, as they were begun."""
        return [e.data["now"]["text"] for e in self.seen if e.kind == "render.state" and e.data["now"]]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async def listen() -> None:
            async for event in self.hub.subscribe():
                self.seen.append(event)

        self.planning = asyncio.create_task(self.planner.run())
        tasks = [asyncio.create_task(listen()), self.planning]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.database.close()

    async def until(self, true: Callable[[], bool], seconds: float = 120) -> None:
        async with asyncio.timeout(seconds):
            while not true():
                if self.planning is not None and self.planning.done():
                    await self.planning  # it never ends by itself: this raises what ended it
                await asyncio.sleep(0.02)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


LONG = "This is a sentence of a fair length that says nothing at all."


async def test_a_book_is_rendered_to_its_end_and_the_counters_follow(bench: Bench) -> None:
    book = bench.put(make_book([["One is here. | Two is here.", "Three."], ["Four."]]))
    async with bench.running():
        await bench.until(lambda: bench.planner.state == "idle")
    index = bench.store.chapter(book, 1)
    assert index.complete
    assert [entry.rendered for entry in index.sentences] == [True, True, True]
    assert bench.rendered(book) == 4
    progress = [event.data for event in bench.seen if event.kind == "render.progress"]
    assert sum(len(data["sentences"]) for data in progress) == 4
    assert progress[-1]["rendered"] == progress[-1]["total"] == 4


async def test_what_is_asked_for_again_is_rendered_again_and_counts_as_there_meanwhile(bench: Bench) -> None:
    book = bench.put(make_book([["One is here. | Two is here.", "Three."]]))
    async with bench.running():
        await bench.until(lambda: bench.planner.state == "idle")
        before = bench.store.chapter(book, 1)
        wanted = before.sentences[2].id
        assert bench.store.render_again(book, 1, {wanted}, "asked") == 1
        count_chapter(bench.store, bench.catalog, book, 1)
        assert bench.rendered(book) == 3
        bench.planner.wake()
        await bench.until(lambda: bench.store.chapter(book, 1).sentences[2].again is None)
        await bench.until(lambda: bench.planner.state == "idle")
    assert bench.store.chapter(book, 1).sentences == before.sentences  # the same rules make the same sound
    assert [e.data["sentences"] for e in bench.seen if e.kind == "render.progress"][-1] == [wanted]


async def test_words_point_at_the_text_and_lie_in_the_speech(bench: Bench) -> None:
    book = bench.put(make_book([["Naïve cafés, élan! | And a second one."]]))
    async with bench.running():
        await bench.until(lambda: bench.planner.state == "idle")
    first, second = bench.store.chapter(book, 1).sentences
    assert [first.text[word.char_start : word.char_end] for word in first.words or ()] == ["Naïve", "cafés", "élan"]
    assert [second.text[word.char_start : word.char_end] for word in second.words or ()] == [
        "And",
        "a",
        "second",
        "one",
    ]
    assert all(word.end > word.start for word in (*(first.words or ()), *(second.words or ())))


async def test_a_jump_is_served_with_the_next_pass(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LECTERN_TEST_PASS_S", "0.2")
    book = bench.put(make_book([[f"{LONG} Number {n}." for n in range(12)], [f"{LONG} Later {n}." for n in range(12)]]))
    wanted = bench.store.chapter(book, 2).sentences[6]
    async with bench.running():
        await bench.until(lambda: bench.rendered(book) >= 1)
        begun = len(bench.texts_in_order())
        bench.planner.hint(book, 2, wanted.id)
        await bench.until(lambda: bench.store.chapter(book, 2).sentences[6].rendered)
    # At most the pass in flight comes before it.
    assert wanted.text in bench.texts_in_order()[begun - 1 : begun + 2]


async def test_a_new_book_is_heard_after_one_pass_though_another_is_being_rendered(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LECTERN_TEST_PASS_S", "0.2")
    long = bench.put(make_book([[f"{LONG} Number {n}." for n in range(30)]]))
    bench.planner.follow(long, 1, None)
    async with bench.running():
        await bench.until(lambda: bench.rendered(long) >= 2)
        before = bench.rendered(long)
        new = [bench.put(make_book([[f"{LONG} New {n}.", LONG]], title=f"New {n}")) for n in range(3)]
        await bench.until(lambda: bench.rendered(new[0]) >= 1)
        assert bench.rendered(long) <= before + 2  # the pass in flight, and one that had been chosen
        await bench.until(lambda: all(bench.rendered(book) >= 1 for book in new))
        # They took turns with the book that is listened to, and have their first sentences alone.
        assert bench.rendered(long) >= before + 2
        assert bench.rendered(long) < 30


async def test_a_killed_render_process_costs_nothing_that_was_made(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LECTERN_TEST_PASS_S", "0.1")
    monkeypatch.setattr("server.render.planner.BACK_OFF_S", (0.05,))
    book = bench.put(make_book([[f"{LONG} Number {n}." for n in range(8)]]))
    async with bench.running():
        await bench.until(lambda: bench.rendered(book) >= 2)
        before = {e.id: e.sha256 for e in bench.store.chapter(book, 1).sentences if e.rendered}
        times = {sid: bench.store.sentence_path(book, 1, sid).stat().st_mtime_ns for sid in before}
        assert bench.supervisor.pid is not None
        os.kill(bench.supervisor.pid, signal.SIGKILL)
        await bench.until(lambda: bench.store.chapter(book, 1).complete)
    index = bench.store.chapter(book, 1)
    assert all(entry.rendered for entry in index.sentences)
    assert {sid: bench.store.sentence_path(book, 1, sid).stat().st_mtime_ns for sid in before} == times
    assert bench.store.sweep() == []


async def test_a_sentence_that_ends_the_process_is_given_up_and_the_rest_goes_on(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.render.planner.BACK_OFF_S", (0.05,))
    book = bench.put(make_book([["Before it. | Here we crash. | After it.", "Then on."]]))
    async with bench.running():
        await bench.until(lambda: bench.planner.state == "idle")
    entries = bench.store.chapter(book, 1).sentences
    assert [entry.rendered for entry in entries] == [True, False, True, True]
    assert entries[1].failed is not None and "3 times" in entries[1].failed
    assert bench.catalog.book(book).chapters[0].failed == 1


async def test_a_sentence_the_engine_refuses_is_given_up_without_a_crash(bench: Bench) -> None:
    book = bench.put(make_book([["We refuse this.", "This is fine."]]))
    async with bench.running():
        await bench.until(lambda: bench.store.chapter(book, 1).complete)
    entries = bench.store.chapter(book, 1).sentences
    assert [entry.rendered for entry in entries] == [False, True]
    assert "refuses" in (entries[0].failed or "")


async def test_a_full_disk_is_no_sentences_fault(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.render.planner.BACK_OFF_S", (0.05,))
    monkeypatch.setattr("server.render.planner.AVOIDED_S", 0.05)
    monkeypatch.setenv("LECTERN_TEST_DISK_FULL", str(bench.settings.data / "full"))
    (bench.settings.data / "full").touch()
    book = bench.put(make_book([["One is here.", "Two is here."]]))
    async with bench.running():
        await bench.until(lambda: bench.planner.state == "down")
        await asyncio.sleep(0.5)  # many tries
        await bench.until(lambda: "disk is full" in (bench.planner.detail or ""))
        (bench.settings.data / "full").unlink()
        await bench.until(lambda: bench.store.chapter(book, 1).complete)
    assert [entry.failed for entry in bench.store.chapter(book, 1).sentences] == [None, None]


async def test_a_damaged_book_does_not_keep_the_others_waiting(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.render.planner.BACK_OFF_S", (0.05,))
    damaged = bench.put(make_book([["One."]], title="Damaged"))
    well = bench.put(make_book([["Two."]], title="Well"))
    bench.store.chapter_path(damaged, 1).write_text("{")
    async with bench.running():
        await bench.until(lambda: bench.store.chapter(well, 1).complete)


async def test_a_chapter_taken_out_of_the_store_is_passed_over_and_tried_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.render.planner.AVOIDED_S", 0.3)
    torn = bench.put(make_book([["One."], ["Two."]], title="Torn"))
    well = bench.put(make_book([["Three."]], title="Well"))
    path = bench.store.chapter_path(torn, 2)
    kept = path.read_bytes()
    path.unlink()
    passes = []
    attempt = bench.planner._attempt
    monkeypatch.setattr(bench.planner, "_attempt", lambda target: (passes.append(target), attempt(target))[1])
    async with bench.running():
        await bench.until(lambda: "has no chapter 2" in (bench.planner.detail or ""))
        assert bench.store.chapter(torn, 1).complete
        assert bench.store.chapter(well, 1).complete
        await asyncio.sleep(0.7)
        assert len(passes) < 10  # it is not tried over and over
        path.write_bytes(kept)
        await bench.until(lambda: bench.store.chapter(torn, 2).complete)
        await bench.until(lambda: bench.planner.state == "idle")


async def test_a_book_the_process_cannot_read_does_not_keep_the_others_waiting(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.render.planner.BACK_OFF_S", (0.05,))
    torn = bench.put(make_book([["One.", "Two."]], title="Torn"))
    well = bench.put(make_book([["Three.", "Four."]], title="Well"))
    (bench.store.chapter_path(torn, 1).parent / "rendition.json").unlink()
    bench.planner.follow(torn, 1, None)
    async with bench.running():
        await bench.until(lambda: bench.store.chapter(well, 1).complete)


async def test_who_asks_for_a_preview_does_not_wait_for_the_pass(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LECTERN_TEST_PASS_S", "1")
    book = bench.put(make_book([[LONG]]))
    request = PreviewRequest(1, "Hear this.", "af_heart", None, "", inline=False, audio="0" * 32)
    async with bench.running():
        await bench.until(lambda: bool(bench.supervisor.in_flight))
        both = await asyncio.gather(bench.planner.preview(request), bench.planner.preview(replace(request, id=2)))
        assert bench.rendered(book) == 0, "the pass was not broken off"
        await bench.until(lambda: bench.planner.state == "idle")
    assert [done.id for done in both] == [1, 2]
    assert all(done.audio_samples > 0 for done in both)
    assert bench.texts_in_order() == [LONG, LONG] and bench.rendered(book) == 1


async def test_who_jumps_while_a_pass_runs_gets_a_short_one_next(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LECTERN_TEST_PASS_S", "0.3")
    book = bench.put(make_book([[f"{LONG} Number {n}." for n in range(8)]]))
    wanted = bench.store.chapter(book, 1).sentences[6].id
    asked: list[PassRequest] = []
    render = bench.supervisor.render

    async def listen_in(request: PassRequest) -> PassDone | PassStopped:
        asked.append(request)
        return await render(request)

    monkeypatch.setattr(bench.supervisor, "render", listen_in)
    async with bench.running():
        await bench.until(lambda: len(asked) == 2 and bench.planner.state == "rendering")
        await asyncio.sleep(0.1)
        bench.planner.hint(book, 1, wanted)
        await bench.until(lambda: len(asked) >= 4)
    assert [(request.start == wanted, request.size) for request in asked[2:4]] == [(True, "short"), (False, "usual")]


async def test_a_database_that_cannot_be_written_is_waited_for(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.render.planner.BACK_OFF_S", (0.05,))
    monkeypatch.setattr("server.render.planner.AVOIDED_S", 0.1)
    book = bench.put(make_book([["One.", "Two."]]))
    full = True

    def refuse(connection: sqlite3.Connection, cursor: object, statement: str, *_: object) -> None:
        if full and statement.startswith(("UPDATE", "INSERT")):
            raise sqlite3.OperationalError("database or disk is full")

    sqlalchemy.event.listen(bench.database.engine, "before_cursor_execute", refuse)
    async with bench.running():
        await bench.until(lambda: "disk is full" in (bench.planner.detail or ""))
        full = False
        await bench.until(lambda: bench.rendered(book) == 2)


async def test_a_broken_off_render_ends_as_an_undisturbed_one(bench: Bench, tmp_path: Path) -> None:
    chapters = [[f"{LONG} One {n}. | {LONG} Two {n}. | Three {n}." for n in range(3)]]
    book = bench.put(make_book(chapters))
    async with bench.running():
        await bench.until(lambda: bench.planner.state == "idle")
    other = Bench(tmp_path / "other")
    other.put(make_book(chapters))
    async with other.running():
        await other.until(lambda: other.rendered(book) >= 1)
    again = Bench(tmp_path / "other")
    async with again.running():
        await again.until(lambda: again.planner.state == "idle")
    whole, broken = bench.store.chapter(book, 1), again.store.chapter(book, 1)
    assert [entry.sha256 for entry in whole.sentences] == [entry.sha256 for entry in broken.sentences]


async def test_quiet_ends_the_pass_in_flight_and_holds_the_next(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LECTERN_TEST_PASS_S", "0.1")
    book = bench.put(make_book([[f"{LONG} Number {n}." for n in range(8)]]))
    async with bench.running():
        await bench.until(lambda: bench.rendered(book) >= 1)
        async with bench.planner.quiet():
            before = bench.store.chapter(book, 1).revision
            await asyncio.sleep(0.5)
            assert bench.store.chapter(book, 1).revision == before
        await bench.until(lambda: bench.planner.state == "idle")


async def hang_within_a_pass(bench: Bench) -> None:
    """Stop the render process, as a hang would, at a moment when a pass is with it."""
    while True:
        await bench.until(lambda: bool(bench.supervisor.in_flight) and bench.supervisor.pid is not None)
        pid = bench.supervisor.pid or 0
        os.kill(pid, signal.SIGSTOP)
        await asyncio.sleep(0.2)  # what it said before it was stopped is heard by now
        if bench.supervisor.in_flight:
            return
        os.kill(pid, signal.SIGCONT)  # between two passes: nobody would wait for it


async def test_quiet_does_not_wait_for_a_process_that_hangs(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.render.planner.STOP_S", 0.3)
    monkeypatch.setattr("server.render.planner.BACK_OFF_S", (0.05,))
    monkeypatch.setenv("LECTERN_TEST_PASS_S", "0.2")
    book = bench.put(make_book([[f"{LONG} Number {n}." for n in range(8)]]))
    async with bench.running():
        await hang_within_a_pass(bench)
        async with asyncio.timeout(20), bench.planner.quiet():
            assert not bench.supervisor.running
        await bench.until(lambda: bench.store.chapter(book, 1).complete)


def test_rows_are_made_again_from_the_store(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    book = bench.put(make_book([["One.", "Two."]]))
    bench.database.close()
    (tmp_path / "lectern.db").unlink()
    catalog = Catalog(Database(tmp_path / "lectern.db"))
    recount(bench.store, catalog)
    assert catalog.ids() == [book]
    assert catalog.book(book).chapters[0].sentences == 2
