"""What is heard where one sentence ends and the next begins: is a sample lost, or added?

    python -m benchmarks.joins FOLDER [--seconds 300]

FOLDER holds `data` of a Lectern with a rendered book. The real server and page play it in Chromium from shortly before
the end of the first chapter on; what the page's audio element says is recorded, and each join found in it is compared
with the store's own samples on both sides. Writes benchmarks/results/joins.json and joins.md.
"""

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from server.render.store import Store
from tests.browser.conftest import ARGUMENTS, Daemon
from tests.browser.measuring import joins, worst
from tests.browser.prepared import serving, store_in
from tests.browser.recording import Recorder, Score

RESULTS = Path(__file__).parent / "results"
BEFORE = -4  # the sentence of the first chapter at which it begins


def listen(page: Page, daemon: Daemon, store: Store, seconds: float) -> dict[str, Any]:
    book = daemon.get("/books?limit=1")["books"][0]["id"]
    rows = daemon.get(f"/books/{book}")["chapters_list"]
    numbers = [row["number"] for row in rows if row["enabled"] and row["sentences"] == row["rendered"]]
    score = Score(store, book, [store.chapter(book, number) for number in numbers])
    page.goto(f"{daemon.url}/#/book/{book}")
    page.wait_for_selector(".sentence.spoken")
    spot = [one for one in score.starts if one.chapter == numbers[0]][BEFORE]
    page.locator(f'[data-sentence="{spot.sentence}"] .word').first.click()
    recorder = Recorder(page)
    page.get_by_role("button", name="Play").click()
    page.wait_for_selector("book-reader[data-playing]")
    page.wait_for_timeout(seconds * 1_000)
    recorder.fetch()
    found = joins(recorder, score, spot)
    return {
        "seconds": seconds,
        "joins": len(found),
        "of_chapters": sum(one.chapter for one in found),
        "largest_hole_samples": worst(found),
        "largest_difference_db": round(max(one.difference_db for one in found), 1),
    }


def report(result: dict[str, Any]) -> str:
    return f"""# Joins

{result["browser"]}, the real voice, {result["seconds"]:g} seconds recorded from the page's audio element
(`python -m benchmarks.joins`).

| what | found |
| --- | --- |
| joins of sentences | {result["joins"]}, of them {result["of_chapters"]} from a chapter to the next |
| largest hole, or doubled sound | {result["largest_hole_samples"]:g} samples |
| furthest from the store's own samples, over all joins | {result["largest_difference_db"]} dB of full scale |
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args()
    path = shutil.which("chromium") or shutil.which("google-chrome")
    with serving(given.folder) as daemon, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        context = browser.new_context(bypass_csp=True)
        context.set_default_timeout(60_000)
        found = listen(context.new_page(), daemon, store_in(given.folder), given.seconds)
        result = {"browser": f"Chromium {browser.version}", **found}
        browser.close()
    given.results.mkdir(parents=True, exist_ok=True)
    (given.results / "joins.json").write_text(json.dumps(result, indent=1) + "\n")
    (given.results / "joins.md").write_text(report(result))
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
