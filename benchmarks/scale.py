"""A library of thousands: how long an import, a start and a page of the shelf take, and whether memory stays flat.

    .venv/bin/python -m benchmarks.scale --folder /tmp/scale --books 5000

The books are small EPUBs of a few chapters, each with its own words, written by the tests' own builder. They are read
in this process and put into the store as an import does; `--books` may be reached in several runs, what is there stays.
A few more go the whole way, each through its reading process. Half of the books count as rendered (in the database
only), so that the planner has something to pass over. Nothing is rendered.
"""

import argparse
import asyncio
import gc
import json
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from litestar.testing import TestClient
from sqlalchemy import text

from server.api import create_app
from server.config import Settings
from server.house import House
from server.library.reader import read_book
from server.library.settle import signature_of
from server.render.counting import recount
from tests.epubs import build_epub, page
from tests.fakes.synth import ENGINE

CHAPTERS = 8
SENTENCES = 12  # of a chapter
WHOLE_WAY = 20  # books that go through a reading process
RESCANS = 20
REQUESTS = 40
WORDS = (
    "lamp river stone winter garden letter morning silence harbour window captain shadow orchard thunder copper velvet "
    "journey island mirror candle forest engine feather market anchor willow castle bridge summer needle"
).split()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--books", type=int, default=5000)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/scale.json"))
    given = parser.parse_args()
    settings = Settings(data=given.folder / "data", library=given.folder / "library", sample=False)
    settings.data.mkdir(parents=True, exist_ok=True)
    settings.library.mkdir(exist_ok=True)
    made = asyncio.run(fill(settings, given.books, given.folder / "fill.json"))
    found = {
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        **made,
    }
    found |= asyncio.run(whole_way(settings, given.books))
    found |= asyncio.run(start(settings))
    found |= requests(settings)
    found |= asyncio.run(rescans(settings))
    given.out.write_text(json.dumps(found, indent=2) + "\n")
    given.out.with_suffix(".md").write_text(table(found))
    sys.stdout.write(table(found))


def make_epub(settings: Settings, number: int) -> Path:
    """Book `number`, always the same one; forty books to an author, each author a folder."""
    dice = random.Random(number)
    author = f"Author {number // 40:03} {dice.choice(WORDS).title()}"
    path = settings.library / author / f"Book {number:05}.epub"
    path.parent.mkdir(exist_ok=True)
    pages = {
        f"c{chapter}.xhtml": page(
            f"<h1>Chapter {chapter}</h1>"
            + "".join(f"<p>{' '.join(dice.choices(WORDS, k=12)).capitalize()}.</p>" for _ in range(SENTENCES))
        )
        for chapter in range(1, CHAPTERS + 1)
    }
    title = f"The {dice.choice(WORDS).title()} {dice.choice(WORDS).title()} {number}"
    toc = [(f"Chapter {chapter}", f"c{chapter}.xhtml") for chapter in range(1, CHAPTERS + 1)]
    return build_epub(path, pages, toc=toc, title=title, metadata=f"<dc:creator>{author}</dc:creator>")


async def fill(settings: Settings, books: int, kept: Path) -> dict[str, Any]:
    """Put books into the store until there are so many; what an import costs without its reading process."""
    house = House(settings, ENGINE)
    known = house.files.known()
    spent = json.loads(kept.read_text()) if kept.exists() else {"read": 0.0, "put": 0.0, "books": 0}
    for number in range(books):
        dice = random.Random(number)
        key = f"Author {number // 40:03} {dice.choice(WORDS).title()}/Book {number:05}.epub"
        if key in known:
            continue
        path = make_epub(settings, number)
        begun = time.perf_counter()
        book = read_book(path)
        read = time.perf_counter()
        identity = await house.put_book(book, path)
        signature = signature_of(path)
        house.files.record_book(path, signature.text if signature else "", identity)
        spent["read"] += read - begun
        spent["put"] += time.perf_counter() - read
        spent["books"] += 1
        kept.write_text(json.dumps(spent))
    with house.database.engine.begin() as connection:
        connection.execute(
            text(
                "UPDATE chapter SET rendered = sentences, rendered_characters = characters, audio_samples = 24000 * "
                "sentences WHERE book IN (SELECT id FROM book WHERE substr(id, 1, 1) < '8')"
            )
        )
    house.close()
    return {f"{name}_ms": 1000 * spent[name] / spent["books"] for name in ("read", "put")}


async def whole_way(settings: Settings, books: int) -> dict[str, Any]:
    """Imports as the watcher starts them, one after another."""
    house = House(settings, ENGINE)
    paths = [make_epub(settings, books + number) for number in range(WHOLE_WAY)]
    begun = time.perf_counter()
    for path in paths:
        await house.scanner.look_at(path)
    import_s = (time.perf_counter() - begun) / WHOLE_WAY
    moved = [path.rename(path.with_stem(f"{path.stem} moved")) for path in paths]
    begun = time.perf_counter()
    await house.scanner.look_at(*moved, *paths)
    move_s = (time.perf_counter() - begun) / WHOLE_WAY
    for path in moved:
        book = house.files.known()[house.files.key(path)].book
        await house.delete(book or "", "everything")
    house.close()
    return {"import_s": import_s, "move_ms": 1000 * move_s}


async def start(settings: Settings) -> dict[str, Any]:
    """What a start does before anything new is rendered: the rows made true, the folder compared."""
    begun = time.perf_counter()
    house = House(settings, ENGINE)
    opened = time.perf_counter()
    await asyncio.to_thread(recount, house.store, house.catalog)
    counted = time.perf_counter()
    await house.scanner.scan()
    scanned = time.perf_counter()
    next_s = await median_s(house.planner._next)
    house.close()
    return {
        "books": len(house.files.known()),
        "open_s": opened - begun,
        "recount_s": counted - opened,
        "scan_s": scanned - counted,
        "restart_s": scanned - begun,
        "next_pass_ms": 1000 * next_s,
    }


async def median_s(what: Callable[[], Awaitable[object]], times: int = 15) -> float:
    took = []
    for _ in range(times):
        begun = time.perf_counter()
        await what()
        took.append(time.perf_counter() - begun)
    return statistics.median(took)


def requests(settings: Settings) -> dict[str, Any]:
    """Times of answers, from the call to the bytes of the answer, without a network between."""
    house = House(settings, ENGINE)
    asked = {
        "first page": "/books?limit=50",
        "page in the middle": "/books?limit=50&offset=2500&sort=author",
        "by title": "/books?limit=50&offset=1000&sort=title",
        "searched": "/books?limit=50&q=lamp%20river&sort=title",
        "status": "/status",
        "queue": "/queue",
        "all books": "/books",
    }
    found: dict[str, Any] = {}
    house.access.door = lambda _: "loopback"  # type: ignore[method-assign] - this client has no address of its own
    with TestClient(create_app(house), base_url=settings.url) as client:
        for name, path in asked.items():
            took = []
            for _ in range(5 if name == "all books" else REQUESTS):
                begun = time.perf_counter()
                answer = client.get(f"/api/v1{path}")
                took.append(1000 * (time.perf_counter() - begun))
                assert answer.status_code == 200, answer.text
            took.sort()
            found[name] = {
                "median_ms": statistics.median(took),
                "p95_ms": took[int(0.95 * (len(took) - 1))],
                "kilobytes": len(answer.content) / 1000,
            }
    house.close()
    return {"requests": found}


async def rescans(settings: Settings) -> dict[str, Any]:
    """Resident memory over rescans with nothing changed."""
    house = House(settings, ENGINE)
    resident, took = [], []
    for _ in range(RESCANS):
        begun = time.perf_counter()
        await house.scanner.scan()
        await asyncio.to_thread(recount, house.store, house.catalog)
        took.append(time.perf_counter() - begun)
        gc.collect()
        resident.append(resident_mb())
    house.close()
    return {"rescan_s": statistics.median(took), "resident_mb": resident}


def resident_mb() -> float:
    """Resident memory of this process in MB of 2^20 bytes (Linux), its peak elsewhere."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().split("VmRSS:")[1].split()[0]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)


def table(found: dict[str, Any]) -> str:
    resident = found["resident_mb"]
    rows = [
        ("Import, with its reading process", f"{found['import_s']:.2f} s a book"),
        ("… of it reading and putting into the store", f"{found['read_ms']:.0f} + {found['put_ms']:.0f} ms"),
        ("A move or rename of a known book", f"{found['move_ms']:.0f} ms"),
        ("Start: rows made true", f"{found['recount_s']:.2f} s"),
        ("Start: folder compared", f"{found['scan_s']:.2f} s"),
        ("Start in all", f"{found['restart_s']:.2f} s"),
        ("What to render next", f"{found['next_pass_ms']:.1f} ms"),
        *(
            (f"GET, {name}", f"{one['median_ms']:.1f} ms (95%: {one['p95_ms']:.1f}), {one['kilobytes']:.0f} kB")
            for name, one in found["requests"].items()
        ),
        (
            f"Memory over {len(resident)} rescans",
            f"{resident[0]:.0f} MB after the first, {resident[-1]:.0f} at the end",
        ),
    ]
    lines = [f"| {name} | {value} |" for name, value in rows]
    return "\n".join(
        [
            f"# A library of {found['books']:,} books",
            "",
            "`.venv/bin/python -m benchmarks.scale --folder /tmp/scale --books 5000`: books of "
            f"{CHAPTERS} chapters with {SENTENCES} sentences. Answers are timed at the server, JSON included.",
            "",
            "| What | How long |",
            "| --- | --- |",
            *lines,
            "",
        ]
    )


if __name__ == "__main__":
    main()
