"""Two hundred kills at random moments: does a render end as if nothing had happened?

    python -m benchmarks.kills [--kills 200] [--seed 6]

The real server and the real voice render four small books twice. One render is left alone; in the other the daemon or
the render process is killed (SIGKILL) while a book comes in, while the model loads, in the middle of a pass and in the
middle of a write, and what died is started again. At the end both stores must hold the same: every audio file byte by
byte, every record and index but for revisions and times of day. Nothing may lie about, and what was begun twice is
counted. Writes benchmarks/results/kills.json and kills.md.
"""

import argparse
import itertools
import json
import os
import random
import shutil
import signal
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.counted import COUNT, noted
from benchmarks.kill_results import Kill, Result, contents, counted, differences, faults, report
from server.config import load_settings
from tests.e2e.house import House
from tests.epubs import build_epub

LONG_S = 3_600.0
COUNTED, SECONDS, MET = "count.jsonl", "seconds", "kills.jsonl"
RESULTS = Path(__file__).parent / "results"
TITLES = ("The Lamp", "The Ferry", "The Orchard", "The Clock")
WHO = "the baker|an old sailor|my aunt|the girl with the kite|nobody|the postman|her brother|the last guest".split("|")
DID = "opened|had forgotten|would not sell|mended|looked for|carried|painted|counted".split("|")
WHAT = "the door|a broken chair|seven candles|the map|her umbrella|the smallest boat|every letter|a green hat".split(
    "|"
)
WHEN = "before breakfast|in the rain|without a word|twice|on Sunday|as the bell rang|again|by the river".split("|")


@dataclass(frozen=True, slots=True)
class Pace:
    """What the undisturbed render needed: seconds for a pass while nothing else ran, and passes."""

    pass_s: float
    passes: int


def own_books(folder: Path, count: int = len(TITLES), chapters: int = 2, sentences: int = 8) -> list[Path]:
    """Small books of our own words: a heading a chapter, paragraphs of one to three sentences. Those there are kept."""
    draw, made = random.Random(17), []
    for title in TITLES[:count]:
        pages = {}
        for number in range(1, chapters + 1):
            said = [_sentence(draw) for _ in range(sentences)]
            body = f"<h1>{title}, part {number}</h1>"
            while said:
                taken = draw.randint(1, 3)
                body += f"<p>{' '.join(said[:taken])}</p>"
                del said[:taken]
            pages[f"c{number}.xhtml"] = body
        path = folder / f"{title.split()[-1].lower()}.epub"
        made.append(path if path.exists() else build_epub(path, pages, title=title, identifier=title))
    return made


def _sentence(draw: random.Random) -> str:
    words = " ".join(draw.choice(some) for some in (WHO, DID, WHAT, WHEN))
    return words[0].upper() + words[1:] + "."


class Render:
    """A house with its own data, into which the books are put."""

    def __init__(self, folder: Path, models: Path, books: Sequence[Path]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.count, self.met = folder / COUNTED, folder / MET
        self.house = House(folder, models, module="benchmarks.counted", **{COUNT: str(self.count)})
        self.count_books, self.dropped = len(books), len(list(self.house.library.glob("*.epub")))
        self._books = books

    def drop(self) -> None:
        """Put the next book into the library folder."""
        part = self.house.library / ".book.part"
        shutil.copy(self._books[self.dropped], part)
        part.replace(self.house.library / self._books[self.dropped].name)
        self.dropped += 1

    def whole(self) -> bool:
        """All books that were dropped are on the shelf, and rendered."""
        books = self.house.books()
        return len(books) == self.dropped and all(
            book["sentences"]["rendered"] == book["sentences"]["total"] for book in books
        )

    def loaded(self) -> int:
        """The render process that has loaded the model, once there is one."""

        def found() -> int | None:
            loaded = {line["pid"] for line in noted(self.count) if line["what"] == "loaded"}
            return next((pid for pid in self.house.worker_pids() if pid in loaded), None)

        return int(self.house.until(found, "the model is loaded"))

    def starting(self) -> int:
        """A render process, loaded or not, once there is one."""
        pids: list[int] = self.house.until(self.house.worker_pids, "there is a render process")
        return pids[-1]

    def until_write(self, nth: int, patience_s: float) -> None:
        """Wait for the nth change of a folder that audio and indexes are written to; a temporary file is one."""
        end, seen, before = time.monotonic() + patience_s, 0, self._folders()
        while time.monotonic() < end:
            time.sleep(0.001)
            if (now := self._folders()) != before:
                seen, before = seen + 1, now
                if seen == nth:
                    return

    def _folders(self) -> dict[str, int]:
        found = {}
        for path in (self.house.data / "store" / "books").glob("*/*/"):
            for folder in (path, *path.glob("chapter-*/")):
                try:
                    found[str(folder)] = folder.stat().st_mtime_ns
                except FileNotFoundError:
                    continue
        return found


def pace_of(path: Path) -> Pace:
    """The pace of a render that was noted in `path`."""
    lines = [line for line in noted(path) if line["what"] in ("pass", "kept")]
    took = sorted(kept["at"] - begun["at"] for begun, kept in itertools.pairwise(lines) if kept["what"] == "kept")
    return Pace(took[len(took) // 4], len(took))


def disturb(render: Render, kills: int, seed: int, pace: Pace) -> list[Kill]:
    """Kill `kills` times while the books are rendered; gives what each kill met."""
    met = [Kill(**told) for told in noted(render.met)]  # of a run that was broken off
    draw, in_a_row = random.Random(f"{seed} {len(met)}"), 0
    render.house.start()
    while len(met) < kills and not ((whole := render.whole()) and render.dropped == render.count_books):
        due = len(met) >= kills * render.dropped // render.count_books
        if render.dropped < render.count_books and (due or whole):
            render.drop()
            victim, moment = "daemon", "import"
        else:
            # After three losses in a row the daemon waits for a minute before it starts another process.
            victim = "daemon" if in_a_row >= 2 or draw.random() < 0.4 else "worker"
            moment = draw.choices(("import", "load", "pass", "write"), (1, 2, 6, 4))[0]
        await_moment(render, moment, draw, pace, kills - len(met))
        met.append(kill(render, victim, moment))
        with render.met.open("a") as stream:
            stream.write(json.dumps(asdict(met[-1])) + "\n")
        in_a_row = in_a_row + 1 if victim == "worker" else 0
        if victim == "daemon":
            render.house.start()
        print(f"{len(met)}: {met[-1]}", flush=True)
    return met


def await_moment(render: Render, moment: str, draw: random.Random, pace: Pace, kills_left: int) -> None:
    """Wait until it is time for a kill."""
    if moment == "import":  # a book that was dropped rests for half a second, then is read
        time.sleep(draw.uniform(0, 3))
    elif moment == "load":
        render.starting()
        time.sleep(draw.uniform(0, 4))
    elif moment == "pass":
        render.loaded()
        kept = sum(line["what"] == "kept" for line in noted(render.count))
        # The kills are to be spread over all of the work: so many passes may come between two.
        passes = 1 + 3 * max(0, pace.passes - kept) / kills_left
        time.sleep(draw.uniform(0, passes * pace.pass_s))
    else:
        render.loaded()
        render.until_write(draw.randint(1, 8), 4 * pace.pass_s)


def kill(render: Render, victim: str, moment: str) -> Kill:
    """Kill the daemon or the render process; gives what was lost with it."""
    before = render.house.worker_pids()
    if victim == "daemon":
        render.house.kill()
        render.house.until_alone()
    else:
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        render.house.until(lambda: not set(before) & set(render.house.worker_pids()), "it is dead")
    lines = [line for line in noted(render.count) if line["pid"] in before and line["what"] != "loaded"]
    begun = next((n for n in range(len(lines) - 1, -1, -1) if lines[n]["what"] == "pass"), len(lines))
    lost = lines[begun:] if not any(line["what"] == "kept" for line in lines[begun:]) else []
    return Kill(victim, moment, len(lost[0]["sentences"]) if lost else 0, max(0, len(lost) - 1))


def undisturbed(folder: Path, books: Sequence[Path], models: Path) -> tuple[Path, float]:
    """The books rendered without a kill: where, and in how many seconds. What is there already is taken as it is."""
    calm = folder / "calm"
    if not (calm / SECONDS).exists():
        render = Render(calm, models, books)
        render.house.start()
        begun = time.monotonic()
        for _ in books:
            render.drop()
        render.house.until(render.whole, "the books are rendered", LONG_S)
        seconds = time.monotonic() - begun
        render.house.stop()
        (calm / SECONDS).write_text(f"{seconds:.1f}")
    return calm, float((calm / SECONDS).read_text())


def run(folder: Path, kills: int, seed: int, models: Path, books: Sequence[Path]) -> Result:
    """Both renders, and what became of the second."""
    calm, calm_s = undisturbed(folder, books, models)
    work = counted(calm / COUNTED)
    render = Render(folder / "disturbed", models, books)
    begun = time.monotonic()
    met = disturb(render, kills, seed, pace_of(calm / COUNTED))
    while render.dropped < len(books):
        render.drop()
    render.house.until(render.whole, "the books are rendered to their end", LONG_S)
    wall_s = time.monotonic() - begun
    render.house.stop()
    made = contents(render.house.data / "store")
    return Result(
        seed=seed,
        kills=met,
        calm=work,
        disturbed=counted(render.count),
        files=sum(name.endswith(".m4a") for name in made),
        differences=differences(contents(calm / "data" / "store"), made),
        faults=faults(render.house.data / "store"),
        calm_s=round(calm_s, 1),
        disturbed_s=round(wall_s, 1),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=6)
    parser.add_argument(
        "--folder", type=Path, help="a folder to work in, which is kept: a run that was broken off goes on in it"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        books = own_books(folder)
        result = run(folder, options.kills, options.seed, load_settings().models, books)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "kills.json").write_text(json.dumps(asdict(result), indent=1) + "\n")
    (RESULTS / "kills.md").write_text(report(result))
    print(report(result))


if __name__ == "__main__":
    main()
