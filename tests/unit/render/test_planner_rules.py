"""The planner with the household's rules, policies and power; the supervisor's memory and the machine's sleep."""

import asyncio
import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from server.library.policy import Policy
from server.render.awake import Awake
from server.render.conditions import Conditions, Permit
from server.render.counting import recount
from server.render.houserules import HouseFile, HouseRules, QuietHours
from server.render.memory import resident_mb
from server.render.messages import PassDone, PassRequest
from server.render.planner import Planner
from server.render.power import Power
from server.render.queue import Target
from tests.fakes.books import make_book
from tests.fakes.wire import WireExecutor
from tests.unit.render.test_planner import LONG, Bench

ALL_DAY = (QuietHours(start="01:00", end="12:00"), QuietHours(start="11:00", end="00:00"))
NIGHT = datetime(2026, 6, 1, 3).astimezone(UTC)  # at three by the clock of whatever machine this is


class RulyBench(Bench):
    """A bench whose planner heeds rules, and whose plug can be pulled."""

    def __init__(self, data: Path) -> None:
        super().__init__(data)
        self.power = Power(battery=False)
        self.file = HouseFile(self.store.root)
        conditions = Conditions(self.file, lambda: self.power, lambda: NIGHT)
        self.planner = Planner(self.store, self.catalog, self.supervisor, self.hub, conditions)

    def choose(self, book: str, render: Policy) -> None:
        self.store.change_choices(book, render=render)
        self.catalog.choose(book, render)


@pytest.fixture
def bench(tmp_path: Path) -> RulyBench:
    return RulyBench(tmp_path)


async def test_in_quiet_hours_only_who_listens_is_served(bench: RulyBench) -> None:
    heard = bench.put(make_book([["One is here.", "Two is here."]], title="Heard"))
    other = bench.put(make_book([["Three is here.", "Four is here."]], title="Other"))
    bench.file.write(HouseRules(quiet=ALL_DAY), None)
    async with bench.running():
        await bench.until(lambda: bench.planner.state == "waiting")
        assert (bench.planner.detail or "").startswith("Quiet hours until ")
        assert bench.planner.until is not None and bench.planner.until > NIGHT
        assert not bench.supervisor.running
        bench.planner.hint(heard, 1, None)
        await bench.until(lambda: bench.store.chapter(heard, 1).complete)
        await bench.until(lambda: bench.planner.state == "waiting")
        assert bench.rendered(other) == 0
        bench.file.write(HouseRules(), None)
        bench.planner.wake()
        await bench.until(lambda: bench.planner.state == "idle")
    assert bench.rendered(other) == 2
    states = [event.data for event in bench.seen if event.kind == "render.state"]
    assert any(one["state"] == "waiting" and one["until"] is not None for one in states)


async def test_a_listener_in_quiet_hours_is_served_a_little_ahead(
    bench: RulyBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.render.conditions.LITTLE", 24_000 * 8)  # two sentences
    book = bench.put(make_book([[f"{LONG} Number {n}." for n in range(12)]]))
    bench.file.write(HouseRules(quiet=ALL_DAY), None)
    async with bench.running():
        bench.planner.hint(book, 1, None)
        await bench.until(lambda: bench.rendered(book) > 0 and bench.planner.state == "waiting")
        before = bench.rendered(book)
        assert before < 8
        bench.planner.follow(book, 1, bench.store.chapter(book, 1).sentences[before - 1].id)
        await bench.until(lambda: bench.rendered(book) > before and bench.planner.state == "waiting")
        assert bench.rendered(book) < 12


async def test_it_goes_on_when_the_plug_is_in_again(bench: RulyBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.render.planner.LOOK_AGAIN_S", 0.1)
    bench.power = Power(battery=True)
    book = bench.put(make_book([["One is here."]]))
    async with bench.running():
        await bench.until(lambda: bench.planner.state == "waiting")
        assert (bench.planner.detail, bench.planner.until) == ("The computer runs on its battery.", None)
        assert bench.planner.outlook().wall_s(1) is None
        bench.power = Power(battery=False)
        await bench.until(lambda: bench.planner.state == "idle")
    assert bench.rendered(book) == 1


async def test_with_nothing_to_render_nothing_is_waited_for(bench: RulyBench) -> None:
    bench.file.write(HouseRules(quiet=ALL_DAY), None)
    async with bench.running():
        await bench.until(lambda: bench.planner.state == "idle")


async def test_a_sample_is_of_the_first_chapter_that_has_something_to_say(bench: RulyBench) -> None:
    book = bench.put(make_book([[], [f"{LONG} One {n}." for n in range(2)], [f"{LONG} Two."]], title="Sample"))
    bench.choose(book, "sample")
    async with bench.running():
        await bench.until(lambda: bench.store.chapter(book, 2).complete)
        await bench.until(lambda: bench.planner.state == "idle")
    assert bench.rendered(book) == 2


async def test_policies_are_obeyed_and_a_change_is_heeded(bench: RulyBench) -> None:
    two = [[f"{LONG} One {n}." for n in range(2)], [f"{LONG} Two {n}." for n in range(2)]]
    paused, sample = bench.put(make_book(two, title="Paused")), bench.put(make_book(two, title="Sample"))
    bench.choose(paused, "paused")
    bench.choose(sample, "sample")
    async with bench.running():
        await bench.until(lambda: bench.planner.state == "idle")
        assert (bench.rendered(paused), bench.rendered(sample)) == (0, 2)
        bench.planner.hint(paused, 2, None)  # somebody listens: just ahead of them
        await bench.until(lambda: bench.store.chapter(paused, 2).complete)
        await bench.until(lambda: bench.planner.state == "idle")
        assert not bench.store.chapter(paused, 1).complete
        bench.choose(sample, "all")
        bench.planner.wake()
        await bench.until(lambda: bench.store.chapter(sample, 2).complete)
    bench.catalog.remove(paused)
    recount(bench.store, bench.catalog)  # as after the database was lost
    assert bench.catalog.book(paused).book.render == "paused"


async def test_a_share_of_the_machine_is_left_to_others_unless_somebody_waits(bench: RulyBench) -> None:
    planner = bench.planner
    planner.permit = Permit(share=0.25)

    async def rests(target: Target, disturb: Callable[[], None] = lambda: None) -> bool:
        planner._worked_s = 600.0
        rest = asyncio.create_task(planner._breathe(target))
        await asyncio.sleep(0.05)
        disturb()
        await asyncio.sleep(0.05)
        resting = not rest.done()
        rest.cancel()
        return resting

    book = bench.put(make_book([["One."]]))
    target = Target(book, 1, None)
    assert await rests(target)
    assert not await rests(Target(book, 1, None, urgent=True))
    assert not await rests(target, lambda: planner.hint(book, 1, None))
    planner.attention.leave(book)
    planner._hurry.clear()
    assert await rests(target, lambda: planner.follow(book, 1, None))  # who only goes on listening disturbs no rest
    planner.permit = Permit()
    assert not await rests(target)
    bench.database.close()


async def test_a_process_that_takes_too_much_memory_is_changed_for_another(
    bench: RulyBench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    chapters = [[f"{LONG} Number {n}." for n in range(4)]]
    undisturbed = Bench(tmp_path / "other")
    expected = undisturbed.put(make_book(chapters))
    async with undisturbed.running():
        await undisturbed.until(lambda: undisturbed.planner.state == "idle")
    monkeypatch.setattr("server.render.supervisor.RECYCLE_PASSES", 2)
    monkeypatch.setattr("server.render.supervisor.resident_mb", lambda _pid: 1e6)
    book = bench.put(make_book(chapters))
    async with bench.running():
        await bench.until(lambda: bench.planner.state == "idle")
        assert bench.supervisor.recycled == 1
    made = [entry.sha256 for entry in bench.store.chapter(book, 1).sentences]
    assert None not in made
    assert made == [entry.sha256 for entry in undisturbed.store.chapter(expected, 1).sentences]


def test_the_memory_of_a_process_is_measured() -> None:
    mine = resident_mb(os.getpid())
    assert mine is not None and 10 < mine < 100_000
    assert resident_mb(2**22 + 1) is None


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def caffeinate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A command of that name which writes down how it is called, and stays; gives what it writes into."""
    folder, told = tmp_path / "bin", tmp_path / "told"
    folder.mkdir()
    script = folder / "caffeinate"
    script.write_text(f'#!/bin/sh\necho "$$ $@" >> {told}\nexec sleep 600\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return told


class Told(Awake):
    """Waits until the command has written down how it was called: it may be ended before that, and nothing is wrong."""

    def __init__(self, told: Path) -> None:
        super().__init__(("caffeinate", "-i", "-w"))
        self._told = told

    async def hold(self, pid: int | None) -> None:
        await super().hold(pid)
        until = time.monotonic() + 60
        while not self._told.exists() or f" {pid}\n" not in self._told.read_text():
            assert time.monotonic() < until
            await asyncio.sleep(0.02)


async def test_the_machine_is_kept_awake_while_there_is_something_to_render(bench: RulyBench, caffeinate: Path) -> None:
    bench.supervisor.awake = Told(caffeinate)
    book = bench.put(make_book([["One is here.", "Two is here."]]))
    async with bench.running():
        await bench.until(lambda: bench.planner.state == "idle")
        (line,) = caffeinate.read_text().splitlines()
        pid, *asked = line.split()
        assert asked == ["-i", "-w", str(bench.supervisor.pid)]
        await bench.until(lambda: not alive(int(pid)))
    assert bench.rendered(book) == 2


async def test_a_machine_without_the_command_renders_all_the_same(bench: RulyBench) -> None:
    bench.supervisor.awake = Awake(("no-such-command-here",))
    book = bench.put(make_book([["One is here."]]))
    async with bench.running():
        await bench.until(lambda: bench.planner.state == "idle")
    assert bench.rendered(book) == 1


async def test_what_keeps_awake_follows_the_process(caffeinate: Path) -> None:
    awake = Told(caffeinate)
    await awake.hold(1)
    await awake.hold(1)
    await awake.hold(2)
    lines = caffeinate.read_text().splitlines()
    assert [line.split()[1:] for line in lines] == [["-i", "-w", "1"], ["-i", "-w", "2"]]
    await awake.release()
    await awake.release()
    assert not any(alive(int(line.split()[0])) for line in lines)


async def test_an_executor_behind_a_wire_renders_the_same(
    bench: RulyBench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    chapters = [[f"{LONG} One. | {LONG} Two.", "“Three,” it said: naïve 😀."]]
    near = Bench(tmp_path / "near")
    here = near.put(make_book(chapters))
    async with near.running():
        await near.until(lambda: near.planner.state == "idle")
    monkeypatch.setenv("LECTERN_TEST_WIRE", "1")  # the passes of the process go through bytes as well
    book = bench.put(make_book(chapters))
    far = WireExecutor(bench.supervisor)
    bench.planner = Planner(bench.store, bench.catalog, far, bench.hub)
    async with bench.running():
        await bench.until(lambda: bench.planner.state == "idle")
    assert far.bytes > 0 and bench.texts_in_order() == near.texts_in_order()
    assert bench.store.chapter(book, 1).sentences == near.store.chapter(here, 1).sentences


async def test_an_order_given_twice_makes_nothing_twice(bench: RulyBench) -> None:
    book = bench.put(make_book([[f"{LONG} One. | {LONG} Two.", f"{LONG} Three.", f"{LONG} Four."]]))
    first = bench.store.chapter(book, 1).sentences[0].id
    request = PassRequest(1, book, 1, first, "usual")
    done = await bench.supervisor.render(request)
    assert isinstance(done, PassDone) and first in done.sentences
    before = {sid: bench.store.sentence_path(book, 1, sid).stat().st_mtime_ns for sid in done.sentences}
    while (again := await bench.supervisor.render(request)) and isinstance(again, PassDone) and again.sentences:
        assert not set(again.sentences) & before.keys()  # it goes on from there
    await bench.supervisor.end()
    assert {sid: bench.store.sentence_path(book, 1, sid).stat().st_mtime_ns for sid in before} == before
    assert bench.store.chapter(book, 1).complete
    bench.database.close()
