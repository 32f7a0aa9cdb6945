"""Half an hour in a pocket: does a book go on through its chapters while the page is hidden and its timers stand still?

    python -m benchmarks.locked FOLDER [--minutes 30]

FOLDER holds `data` of a Lectern with a rendered book of more than half an hour in four or more chapters. The real
server and page play it in Chromium from the first chapter on. From the first second until the last the page is as in
a locked phone: it is told that it is hidden, no timer and no frame of it runs, and of the audio element's events only
one in five seconds reaches it. All that is heard is recorded, sample by sample, and compared with the files of the
store. Writes benchmarks/results/locked.json and locked.md.
"""

import argparse
import itertools
import json
import shutil
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Page, sync_playwright

from server.render.index import SAMPLE_RATE
from server.render.store import Store
from tests.browser import pocket
from tests.browser.conftest import ARGUMENTS, Daemon
from tests.browser.prepared import serving, store_in
from tests.browser.recording import BLOCK, Lit, Recorder, Score

RESULTS = Path(__file__).parent / "results"
LOOK_S = 10
REACH = SAMPLE_RATE // 2  # how far a second of sound may have moved
SURE = 0.8


@dataclass(frozen=True, slots=True)
class Locked:
    """What was heard in a pocket."""

    minutes: float
    chapters: tuple[int, ...]
    joins: int  # of sentences
    waits: int  # how often the audio element ran dry
    pauses: int
    slowest: float  # seconds of sound in each second, at the slowest of all looks
    located_blocks: int  # seconds of sound that were found in the store's files
    blocks: int
    worst_shift_samples: float  # of any located second, against the first
    worst_boundary_shift_samples: float  # the same over each chapter's end
    unlocked_word_in_step: bool


def play(daemon: Daemon, store: Store, page: Page, minutes: float) -> Locked:
    book = daemon.get("/books?limit=1")["books"][0]["id"]
    rows = daemon.get(f"/books/{book}")["chapters_list"]
    numbers = [row["number"] for row in rows if row["enabled"] and row["sentences"] == row["rendered"]]
    page.goto(f"{daemon.url}/#/book/{book}")
    page.wait_for_selector(".sentence.spoken")
    first = store.chapter(book, numbers[0]).sentences[0].id
    page.locator(f'[data-sentence="{first}"] .word').first.click()
    recorder = Recorder(page)
    page.get_by_role("button", name="Play").click()
    page.wait_for_selector("book-reader[data-playing]")
    page.wait_for_timeout(1_000)
    pocket.lock(page)
    looks, chapters = [], set()
    end = time.monotonic() + minutes * 60
    while time.monotonic() < end:
        time.sleep(LOOK_S)
        recorder.fetch()
        now = page.evaluate("[performance.now() / 1000, document.querySelector('audio').currentTime]")
        looks.append(now)
        print(f"{now[1]:8.1f} s of sound after {now[0]:8.1f} s", flush=True)
    told = pocket.events(page)
    pocket.unlock(page)
    page.wait_for_timeout(2_000)
    recorder.fetch()
    last = [one for one in recorder.lit if one.playing and one.sentence][-1]
    page.get_by_role("button", name="Pause").click()
    indexes = [store.chapter(book, number) for number in numbers]
    score = Score(store, book, indexes)
    rates = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in itertools.pairwise(looks)]
    shifts, blocks, in_step = compare(recorder, score, last)
    heard_to = max(place for place, _ in shifts)
    bounds = sorted(at for at in score.chapters.values() if 0 < at < heard_to)
    chapters = {n for n, at in score.chapters.items() if at < heard_to}
    return Locked(
        minutes=minutes,
        chapters=tuple(sorted(chapters)),
        joins=sum(0 < at < heard_to for at in score.starts.values()),
        waits=sum(name == "waiting" and at > 0 for name, _, at, _ in told),
        pauses=sum(name == "pause" for name, *_ in told),
        slowest=round(min(rates), 4),
        located_blocks=len(shifts),
        blocks=blocks,
        worst_shift_samples=max(abs(shift) for _, shift in shifts),
        worst_boundary_shift_samples=max((abs(over(shifts, bound)) for bound in bounds), default=0.0),
        unlocked_word_in_step=in_step,
    )


def compare(recorder: Recorder, score: Score, last: Lit) -> tuple[list[tuple[float, float]], int, bool]:
    """Each second that was recorded: its place in the book, and how many samples it has moved against the first."""
    first, pcm = recorder.samples()
    loud = int(np.argmax(np.abs(pcm) > 0.01))
    begun, _ = score.find(pcm[loud : loud + BLOCK], int(np.argmax(np.abs(score.pcm) > 0.01)), 1.0, REACH)
    begun -= loud
    found, blocks = [], 0
    for at in range(loud, len(pcm) - BLOCK, BLOCK):
        place, alike = score.find(pcm[at : at + BLOCK], round(begun + at), 1.0, REACH)
        blocks += 1
        if alike > SURE:
            found.append((place, place - at - begun))
    begin, end = score.span(last.spot, last.word)
    heard = last.frame - first + begun
    slack = 0.05 * SAMPLE_RATE
    return found, blocks, begin - slack <= heard <= end + slack


def over(shifts: list[tuple[float, float]], bound: int) -> float:
    """By how much the sound moved from before a chapter's start to after it, in samples."""
    before = [shift for place, shift in shifts if bound - 10 * BLOCK < place < bound - BLOCK]
    after = [shift for place, shift in shifts if bound <= place < bound + 10 * BLOCK]
    return float(np.median(after) - np.median(before)) if before and after else float("inf")


def report(found: Locked, version: str) -> str:
    word = "the one that was heard" if found.unlocked_word_in_step else "another"
    return f"""# In a pocket

{found.minutes:g} minutes in Chromium {version}, hidden, with its timers and frames standing still and one media event
in five seconds (`python -m benchmarks.locked`): a book in the real voice, from its first chapter on.

| what | found |
| --- | --- |
| chapters heard | {len(found.chapters)}, so {len(found.chapters) - 1} boundaries |
| joins of sentences in it | {found.joins} |
| times the sound ran dry, or stopped | {found.waits}, {found.pauses} |
| slowest ten seconds | {found.slowest:.3f} seconds of sound a second |
| seconds of sound found in the store's files | {found.located_blocks} of {found.blocks}, the rest too quiet to tell |
| furthest that any of them had moved | {found.worst_shift_samples:.0f} samples |
| furthest over a chapter's end | {found.worst_boundary_shift_samples:.0f} samples |
| the lit word when the page was shown again | {word} |

Where the machine is busy with other things, sound comes late, and whole. Chromium is no iPhone: there the system itself
plays the list of the whole book, and no script is needed (docs/device-checklist.md).
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args()
    path = shutil.which("chromium") or shutil.which("google-chrome")
    with serving(given.folder) as daemon, sync_playwright() as playwright:
        allowed = [*ARGUMENTS, "--autoplay-policy=no-user-gesture-required"]
        browser = playwright.chromium.launch(executable_path=path, args=allowed)
        context = browser.new_context(bypass_csp=True)
        context.set_default_timeout(60_000)
        pocket.prepare(context)
        found = play(daemon, store_in(given.folder), context.new_page(), given.minutes)
        version = browser.version
        browser.close()
    result: dict[str, Any] = {"browser": f"Chromium {version}", **asdict(found)}
    given.results.mkdir(parents=True, exist_ok=True)
    (given.results / "locked.json").write_text(json.dumps(result, indent=1) + "\n")
    (given.results / "locked.md").write_text(report(found, version))
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
