"""Fifty listeners while a render runs: is every answer right and in time, does memory stay, and what does one cost?

    python -m benchmarks.load [--listeners 50] [--seconds 60] [--requests 20000] [--folder DIR]

The real server, with the real voice, has rendered one small book and goes on rendering a long one at full speed. Each
listener holds an event stream and fetches the sentences of the small book as they are played: the first two bytes, as
Safari does, then the rest. What comes is compared with the file, byte for byte. Then 20,000 requests come one upon the
other, and the server's memory is looked at after each thousand. At last nginx, if there is one, serves the same files
to the same requests, in turn with Lectern, and the CPU time of both server processes is compared. Writes
benchmarks/results/load.json and load.md. It needs Linux, for /proc.
"""

import argparse
import asyncio
import json
import os
import platform
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.kills import own_books
from benchmarks.load_client import Asked, Connection, EventStream, Fault
from benchmarks.load_nginx import Nginx
from server.config import load_settings
from tests.e2e.house import House

RESULTS = Path(__file__).parent / "results"
ROUNDS, ROUND_REQUESTS = 7, 3_000
CONNECTIONS = 8
MEMORY_STEP = 1_000
PROBE_BYTES = 2  # Safari asks for so much first


@dataclass(slots=True)
class Result:
    """What was measured; times in milliseconds, memory in MB of 2**20 bytes, CPU in microseconds a request."""

    machine: str
    listeners: int = 0
    requests: int = 0
    faults: list[str] = field(default_factory=list)
    p50_ms: float = 0.0
    p99_ms: float = 0.0
    worst_ms: float = 0.0
    events: int = 0
    rendered_meanwhile: int = 0
    burst_requests: int = 0
    burst_a_second: float = 0.0
    memory_mb: list[float] = field(default_factory=list)
    lectern_us: list[float] = field(default_factory=list)
    nginx_us: list[float] = field(default_factory=list)


def books(folder: Path) -> tuple[Path, Path]:
    """A small one to listen to and a long one to be rendered meanwhile."""
    small = own_books(folder, 1, chapters=1, sentences=24)[0]
    (more := folder / "more").mkdir(exist_ok=True)
    return small, own_books(more, 2, chapters=8, sentences=60)[1]


def asked_of(house: House, book: str) -> list[Asked]:
    """The sentences of a book in order, with what their files hold."""
    index = house.chapter(book, next(c["number"] for c in house.get(f"/books/{book}").json()["chapters_list"]))
    store = house.data / "store" / "books" / book / index["rendition"]
    return [
        Asked(
            f"/api/v1/books/{book}/chapters/{index['chapter']}/sentences/{entry['id']}.m4a",
            f"/books/{book}/{index['rendition']}/{entry['file']}",
            (store / entry["file"]).read_bytes(),
            (entry["samples"] + entry["gap_after_samples"]) / 24_000,
        )
        for entry in index["sentences"]
    ]


async def listen(port: int, sentences: Sequence[Asked], until: float, at: int, result: Result) -> list[float]:
    """One listener: plays from sentence `at` on, round and round; gives how long each answer took, in ms."""
    times_ms = []
    async with Connection(port) as connection, EventStream(port) as events:
        await asyncio.sleep(random.random() * 2)
        while time.monotonic() < until:
            one = sentences[at % len(sentences)]
            began = time.monotonic()
            for span in ((0, PROBE_BYTES), (0, None)):
                asked = time.monotonic()
                try:
                    await connection.fetch(one, *span)
                except Fault as fault:
                    result.faults.append(str(fault))
                times_ms.append((time.monotonic() - asked) * 1e3)
            at += 1
            await asyncio.sleep(max(0.0, one.length_s - (time.monotonic() - began)))
    if not events.lines:
        result.faults.append("an event stream told nothing")
    result.events += events.events
    return times_ms


async def burst(port: int, sentences: Sequence[Asked], count: int, *, nginx: bool = False) -> list[str]:
    """So many requests one upon the other, over a few connections; gives what was wrong."""
    draw = random.Random(7)
    waiting = [(draw.choice(sentences), draw.random() < 0.5) for _ in range(count)]

    async def one() -> list[str]:
        faults = []
        async with Connection(port) as connection:
            while waiting:
                sentence, part = waiting.pop()
                try:
                    await connection.fetch(sentence, len(sentence.body) // 3 if part else None, None, nginx=nginx)
                except Fault as fault:
                    faults.append(str(fault))
        return faults

    return [fault for faults in await asyncio.gather(*(one() for _ in range(CONNECTIONS))) for fault in faults]


def cpu_s(pids: Sequence[int]) -> float:
    """CPU seconds that processes have used so far."""
    ticks = os.sysconf("SC_CLK_TCK")
    used = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        used += int(fields[11]) + int(fields[12])
    return used / ticks


def memory_mb(pid: int) -> float:
    """Resident memory of a process now."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def measure(folder: Path, listeners: int, seconds: float, requests: int) -> Result:
    result = Result(
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    )
    small, long = books(folder)
    house = House(folder, load_settings().models)
    house.start()
    try:
        shutil.copy(small, house.library / small.name)
        (listed,) = house.until(house.books, "the book is on the shelf")
        total = listed["sentences"]["total"]
        house.until(lambda: house.rendered(listed["id"]) == total, "it is rendered", 1_800)
        shutil.copy(long, house.library / long.name)
        house.until(lambda: len(house.books()) == 2, "the long one is there too")
        other = next(book["id"] for book in house.books() if book["id"] != listed["id"])
        before = house.until(lambda: house.rendered(other), "it is being rendered")
        sentences, port, pid = asked_of(house, listed["id"]), int(house.url.rpartition(":")[2]), house.pid

        until = time.monotonic() + seconds

        async def everybody() -> list[list[float]]:
            return await asyncio.gather(*(listen(port, sentences, until, at, result) for at in range(listeners)))

        times_ms = [one for times in asyncio.run(everybody()) for one in times]
        result.listeners, result.requests = listeners, len(times_ms)
        cuts = statistics.quantiles(times_ms, n=100)
        result.p50_ms, result.p99_ms, result.worst_ms = statistics.median(times_ms), cuts[98], max(times_ms)
        result.rendered_meanwhile = house.rendered(other) - before

        result.memory_mb.append(memory_mb(pid))
        began = time.monotonic()
        for _ in range(max(1, requests // MEMORY_STEP)):
            result.faults += asyncio.run(burst(port, sentences, MEMORY_STEP))
            result.memory_mb.append(memory_mb(pid))
        result.burst_requests = max(1, requests // MEMORY_STEP) * MEMORY_STEP
        result.burst_a_second = result.burst_requests / (time.monotonic() - began)

        compare(house, sentences, result)
    finally:
        house.stop()
    return result


def compare(house: House, sentences: Sequence[Asked], result: Result) -> None:
    """The same requests to both servers in turn, by the CPU time of each."""
    if shutil.which("nginx") is None:
        return
    with Nginx(house.data / "store") as nginx:
        port = int(house.url.rpartition(":")[2])
        for number in range(ROUNDS + 1):
            for told, pids, there, is_nginx in (
                (result.lectern_us, [house.pid], port, False),
                (result.nginx_us, nginx.pids(), nginx.port, True),
            ):
                before = cpu_s(pids)
                result.faults += asyncio.run(burst(there, sentences, ROUND_REQUESTS, nginx=is_nginx))
                if number:  # the first warms both
                    told.append((cpu_s(pids) - before) / ROUND_REQUESTS * 1e6)


def report(result: Result) -> str:
    """The figures in a few lines of Markdown."""
    memory = result.memory_mb
    lines = [
        "# Fifty listeners while a render runs" if result.listeners == 50 else "# Listeners while a render runs",
        "",
        f"{result.machine}; client, server and render process share it.",
        "",
        "| what | |",
        "|---|---|",
        f"| listeners, each with an event stream | {result.listeners} |",
        f"| requests for audio | {result.requests:,} |",
        f"| wrong answers | {len(result.faults)} |",
        "| time of an answer, median / p99 / worst "
        f"| {result.p50_ms:.1f} / {result.p99_ms:.1f} / {result.worst_ms:.0f} ms |",
        f"| events that came | {result.events:,} |",
        f"| sentences rendered meanwhile | {result.rendered_meanwhile} |",
        f"| one upon the other | {result.burst_requests:,} requests, {result.burst_a_second:.0f} a second |",
        "| memory before, after a tenth, at the end "
        f"| {memory[0]:.1f}, {memory[len(memory) // 10]:.1f}, {memory[-1]:.1f} MB |",
    ]
    if result.nginx_us:
        own, peer = statistics.median(result.lectern_us), statistics.median(result.nginx_us)
        lines.append(f"| CPU of a request: Lectern, nginx, ratio | {own:.0f} µs, {peer:.0f} µs, {own / peer:.1f} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--listeners", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--folder", type=Path, help="a folder to work in, which is kept")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lectern-load-") as made:
        folder = options.folder or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        result = measure(folder, options.listeners, options.seconds, options.requests)
    text = report(result)
    (options.out / "load.json").write_text(json.dumps(asdict(result), indent=1) + "\n")
    (options.out / "load.md").write_text(text)
    print(text, *result.faults[:10], sep="\n")


if __name__ == "__main__":
    main()
