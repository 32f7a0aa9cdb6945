"""The planner and the supervisor with a real render process, in which only the voice is a stand-in."""

import asyncio
import os
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy

from server.config import Settings
from server.db import Database
from server.errors import RenderError, StoreError
from server.events import Event, Hub
from server.library.catalog import Catalog
from server.library.model import Book
from server.render.attention import Seen
from server.render.blame import CRASHES, KILLS, Blame, WorkerKilled
from server.render.conditions import Permit
from server.render.counting import count_chapter, put_rows, recount
from server.render.index import Engine
from server.render.messages import PassDone, PassRequest, PassStopped, PreviewRequest
from server.render.planner import Planner
from server.render.queue import Target
from server.render.store import Store
from server.render.supervisor import LINE_BYTES, Supervisor
from server.tables import ChapterRow
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


async def test_kills_change_no_pass_and_give_up_no_sentence(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LECTERN_TEST_PASS_S", "0.3")
    monkeypatch.setattr("server.render.planner.BACK_OFF_S", (0.02,))
    book = bench.put(make_book([[f"{LONG} One. | {LONG} Two. | {LONG} Three.", f"{LONG} Four. | {LONG} Five."]]))
    asked: list[PassRequest] = []
    render = bench.supervisor.render

    async def listen_in(request: PassRequest) -> PassDone | PassStopped:
        asked.append(request)
        return await render(request)

    monkeypatch.setattr(bench.supervisor, "render", listen_in)
    async with bench.running():
        done = 0  # requests that ended in a kill, or before it
        for kills in range(8):  # four of the first pass, of a book without a sentence; then four of the last
            there = 3 if kills >= 4 else 0

            def in_the_middle(done: int = done, there: int = there) -> bool:
                return len(asked) > done and bool(bench.supervisor.in_flight) and bench.rendered(book) >= there

            await bench.until(in_the_middle)
            done = len(asked)
            bench.supervisor.kill()
            await bench.until(lambda: not bench.supervisor.running)
        await bench.until(lambda: bench.store.chapter(book, 1).complete)
    assert [entry.failed for entry in bench.store.chapter(book, 1).sentences] == [None] * 5
    assert {request.size for request in asked[:5]} == {"short"}  # the sound of a sentence depends on its pass
    assert {request.size for request in asked[5:]} == {"usual"}
    assert len(asked) == 3 + 8


def test_what_is_killed_again_and_again_is_blamed_after_all() -> None:
    blame, killed = Blame(), WorkerKilled("It was killed.")
    assert [blame.note("b", "r", 1, "s", killed) for _ in range(KILLS)] == [None] * KILLS
    assert blame.suspected("b", "r", 1, "s")
    assert [blame.note("b", "r", 1, "s", killed) is None for _ in range(CRASHES - 1)] == [True] * (CRASHES - 2) + [
        False
    ]
    blame.note("b", "r", 1, "t", killed)
    assert not blame.suspected("b", "r", 1, "t")
    blame.note("b", "r", 1, "u", RenderError("It failed."))
    assert blame.suspected("b", "r", 1, "u") and not blame.suspected("b", "another voice", 1, "u")


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
        asides = bench.planner.asides
        both = await asyncio.gather(asides.preview(request), asides.preview(replace(request, id=2)))
        assert bench.rendered(book) == 0, "the pass was not broken off"
        await bench.until(lambda: bench.planner.state == "idle")
    assert [done.id for done in both] == [1, 2]
    assert all(done.audio_samples > 0 for done in both)
    assert bench.texts_in_order() == [LONG, LONG] and bench.rendered(book) == 1


async def test_a_program_waits_for_the_pass_in_flight(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LECTERN_TEST_PASS_S", "0.5")
    book = bench.put(make_book([[LONG]]))
    request = PreviewRequest(1, "Hear this.", "af_heart", None, "", inline=False, audio="0" * 32, form=".pcm")
    async with bench.running():
        await bench.until(lambda: bool(bench.supervisor.in_flight))
        done = await bench.planner.asides.speak(request)
        assert bench.rendered(book) == 1, "the pass was broken off"
    assert done.audio_samples > 0 and bench.texts_in_order() == [LONG]
    file = bench.store.root.parent / "previews" / f"{'0' * 32}.pcm"
    assert file.stat().st_size == 2 * done.audio_samples


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


async def test_a_book_that_may_be_tried_again_while_the_next_is_chosen_is_not_forgotten(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.render.planner.AVOIDED_S", 0.3)
    book = bench.put(make_book([["One.", "Two."]]))
    choose = bench.planner.chooser.next
    chosen: list[list[str]] = []

    def slowly(seen: Sequence[Seen], avoided: Collection[str], permit: Permit) -> Target | None:
        chosen.append(list(avoided))
        time.sleep(0.6 if avoided else 0)
        return choose(seen, avoided, permit)

    monkeypatch.setattr(bench.planner.chooser, "next", slowly)
    monkeypatch.setattr(bench.planner.chooser, "newcomer", lambda *_: None)
    path = bench.store.chapter_path(book, 1)
    kept = path.with_suffix(".kept")
    path.rename(kept)
    async with bench.running():
        await bench.until(lambda: [book] in chosen)
        kept.rename(path)
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


@pytest.mark.parametrize("word", ["vanish", "stumble"])
async def test_a_sentence_over_whose_reading_the_process_dies_costs_itself(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    monkeypatch.setattr("server.render.planner.BACK_OFF_S", (0.05,))
    book = bench.put(make_book([[f"One is here. | Two would {word}. | Three is here.", "Four is here."]]))
    async with bench.running():
        await bench.until(lambda: bench.planner.state == "idle")
    entries = bench.store.chapter(book, 1).sentences
    assert [entry.rendered for entry in entries] == [True, False, True, True]
    assert f"failed {CRASHES} times" in (entries[1].failed or "")


async def test_rules_that_are_changed_by_hand_are_noticed_while_nothing_is_to_do(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.render.planner.IDLE_S", 0.2)
    book = bench.put(make_book([["One.", "Two."]]))
    (bench.store.root / "household.json").write_text('{"format":1,"render":"paused"}\n')
    async with bench.running():
        await bench.until(lambda: bench.planner.state == "idle")
        (bench.store.root / "household.json").write_text('{"format":1,"render":"all"}\n')
        await bench.until(lambda: bench.rendered(book) == 2)
    idle = [event for event in bench.seen if event.kind == "render.state" and event.data["state"] == "idle"]
    assert len(idle) <= 2  # it is told once, however often it is looked


async def test_quiet_hours_end_though_the_database_did_not_answer_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.render.planner.LOOK_AGAIN_S", 0.2)
    book = bench.put(make_book([["One.", "Two."]]))
    (bench.store.root / "household.json").write_text('{"format":1,"quiet":[{"start":"22:00","end":"06:00"}]}\n')
    clock = [datetime(2026, 1, 1, 23, 0, tzinfo=UTC)]
    monkeypatch.setattr(bench.planner.conditions, "now", lambda: clock[0])
    line, missed = bench.planner.chooser._lineup.line, []

    def once(listened: Any, avoided: Any, books: int, reach: Any) -> Any:
        if books == 1 and not missed:
            missed.append(1)
            raise StoreError("The database is locked.")
        return line(listened, avoided, books, reach)

    monkeypatch.setattr(bench.planner.chooser._lineup, "line", once)
    async with bench.running():
        await bench.until(lambda: missed and bench.planner.state in ("idle", "waiting"))
        clock[0] = datetime(2026, 1, 2, 7, 0, tzinfo=UTC)
        await bench.until(lambda: bench.rendered(book) == 2)


def test_of_two_counts_of_a_chapter_the_later_one_holds(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    book = bench.put(make_book([["One is here.", "Two is here."]]))
    count, reading, go_on = bench.catalog.count, threading.Event(), threading.Event()

    def slowly(row: ChapterRow) -> None:
        if threading.current_thread().name == "slow":
            reading.set()
            go_on.wait(2)
        count(row)

    monkeypatch.setattr(bench.catalog, "count", slowly)
    counting = partial(count_chapter, bench.store, bench.catalog, book, 1)
    slow = threading.Thread(target=counting, name="slow")
    slow.start()
    assert reading.wait(60)
    first = bench.store.chapter(book, 1).sentences[0]
    bench.store.add_audio(book, bench.store.book(book).rendition, 1, [first.model_copy(update={"failed": "It fell."})])
    later = threading.Thread(target=counting)
    later.start()
    later.join(0.5)  # it waits for the other
    go_on.set()
    slow.join()
    later.join()
    assert bench.catalog.book(book).chapters[0].failed == 1


async def test_a_process_that_hangs_and_lost_its_daemon_keeps_no_other_from_rendering(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LECTERN_TEST_LOCK_S", "1")
    await bench.supervisor.start()
    orphan = bench.supervisor._process
    assert orphan is not None and orphan.stdin is not None
    os.kill(orphan.pid, signal.SIGSTOP)
    orphan.stdin.close()
    other = Supervisor(bench.settings, bench.engine, command=bench.supervisor.command)
    await other.start()
    assert other.pid != orphan.pid and await orphan.wait() == -signal.SIGKILL
    await other.end()


@pytest.mark.parametrize("said", ["'nonsense' + chr(10)", f"'x' * {LINE_BYTES + 1}"])
async def test_a_process_that_says_what_nobody_understands_is_begun_anew(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: str
) -> None:
    monkeypatch.setattr("server.render.planner.BACK_OFF_S", (0.05,))
    program = (
        "import os, pathlib, sys\n"
        f"mark = pathlib.Path({str(tmp_path / 'begun')!r})\n"
        "if mark.exists(): os.execv(sys.executable, [sys.executable, '-m', 'tests.fakes.worker', *sys.argv[1:]])\n"
        f"mark.touch(); sys.stdout.write({said}); sys.stdout.flush(); sys.stdin.read()"
    )
    bench.supervisor.command = (sys.executable, "-c", program)
    book = bench.put(make_book([["One.", "Two."]]))
    async with bench.running():
        await bench.until(lambda: bench.rendered(book) == 2)
    assert "cannot be understood" in str([event.data.get("detail") for event in bench.seen])


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


def test_a_damaged_chapter_keeps_no_other_of_its_book_from_being_counted(bench: Bench) -> None:
    book = bench.put(make_book([["One."], ["Two."], ["Three."]]))
    bench.store.chapter_path(book, 1).write_text("{")
    index = bench.store.chapter(book, 2)
    bench.store.save_chapter(index.model_copy(update={"title": "Another title"}))
    recount(bench.store, bench.catalog)
    assert [chapter.title for chapter in bench.catalog.book(book).chapters][1] == "Another title"
