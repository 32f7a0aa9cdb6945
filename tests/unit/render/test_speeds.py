"""How fast was rendered: counted by the hour, kept over a restart, bounded, and never in anybody's way."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from server.render import speeds
from server.render.speeds import KEPT_D, Speeds
from tests.fakes.books import make_book
from tests.unit.render.test_planner import LONG, Bench

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
SECOND = 24_000


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


def told(kept: Speeds) -> list[tuple[int, float, float]]:
    """(hours after noon, seconds of audio, seconds of work)"""
    return [
        (round((hour.at - NOON).total_seconds() / 3600), hour.samples / SECOND, hour.work_s) for hour in kept.hours()
    ]


def test_passes_of_an_hour_are_added_up_and_kept_over_a_restart(tmp_path: Path) -> None:
    clock = Clock()
    kept = Speeds(tmp_path / "speed.json", clock)
    kept.count(30 * SECOND, 10)
    clock.now = NOON + timedelta(minutes=59)
    kept.count(10 * SECOND, 5.5)
    clock.now = (NOON + timedelta(hours=3)).astimezone(timezone(timedelta(hours=9)))  # wherever the clock is
    kept.count(SECOND, 1)
    assert told(kept) == [(0, 40, 15.5), (3, 1, 1)]
    assert not (tmp_path / "speed.json").exists()  # not a file for each pass
    kept.close()
    again = Speeds(tmp_path / "speed.json", clock)
    again.count(SECOND, 2)
    assert told(again) == [(0, 40, 15.5), (3, 2, 3)]


def test_a_minute_later_it_is_written_and_old_hours_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speeds, "SAVE_S", 0.0)
    clock = Clock()
    kept = Speeds(tmp_path / "speed.json", clock)
    for _ in range((KEPT_D + 3) * 24):
        kept.count(SECOND, 1)
        clock.now += timedelta(hours=1)
    assert len(kept.hours()) == KEPT_D * 24
    there = Speeds(tmp_path / "speed.json", clock)
    assert told(there) == told(kept)
    assert (tmp_path / "speed.json").stat().st_size < 60_000


def test_a_clock_that_was_wrong_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speeds, "SAVE_S", 0.0)
    clock = Clock()
    kept = Speeds(tmp_path / "speed.json", clock)
    kept.count(SECOND, 1)
    for wrong in (timedelta(hours=5), timedelta(days=9_000)):
        clock.now = NOON + wrong
        kept.count(SECOND, 2)
    for right in (timedelta(hours=1), timedelta(hours=2)):
        clock.now = NOON + right
        kept.count(SECOND, 3)
    assert told(kept) == [(1, 1, 3), (2, 1, 3)]  # in the far future even noon was old
    assert b"2051" not in (tmp_path / "speed.json").read_bytes()
    for year in (1, 9999):
        clock.now = datetime(year, 12, 31, 23, tzinfo=UTC)
        kept.count(SECOND, 1)
        assert len(kept.hours()) == 1


DAMAGED = [
    b"",
    b"{",
    b'{"format":1,"hours":[{"at":"x"}]}',
    b'{"format":2}',
    b'{"hours":[{"at":"9999-12-31T23:00:00-23:00","samples":1,"work_s":1}]}',
    b'{"hours":[{"at":"2026-06-01T11:00:00","samples":1,"work_s":1}]}',
    b'{"hours":[{"at":"2026-06-01T11:00:00Z","samples":1,"work_s":Infinity}]}',
]


@pytest.mark.parametrize("data", DAMAGED)
def test_a_damaged_file_is_begun_anew(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "speed.json").write_bytes(data)
    kept = Speeds(tmp_path / "speed.json", Clock())
    assert kept.hours() == []
    kept.count(SECOND, 1)
    kept.close()
    assert told(Speeds(tmp_path / "speed.json", Clock())) == [(0, 1, 1)]


def test_where_it_cannot_be_written_rendering_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speeds, "SAVE_S", 0.0)
    (tmp_path / "file").touch()
    kept = Speeds(tmp_path / "file" / "speed.json", Clock())
    kept.count(SECOND, 1)
    kept.close()
    assert told(kept) == [(0, 1, 1)]


async def test_the_planner_counts_each_pass(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.planner.speeds = kept = Speeds(tmp_path / "speed.json")
    book = bench.put(make_book([[f"{LONG} {n}." for n in range(4)]]))
    async with bench.running():
        await bench.until(lambda: bench.planner.state == "idle")
    samples = sum(entry.length_samples for entry in bench.store.chapter(book, 1).sentences)
    made = sum(hour.samples for hour in kept.hours())
    assert 0 < made <= samples  # the silence between sentences is no sound that was made
    assert sum(hour.work_s for hour in kept.hours()) > 0
