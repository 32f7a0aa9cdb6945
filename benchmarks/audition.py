"""Does a switch to another voice go on at the same word, and how soon is that voice heard?

    python -m benchmarks.audition FOLDER [--switches 24]

FOLDER holds `data` of a Lectern whose first book has a chapter in several voices (`lectern render BOOK --chapters 1
--voice NAME`, once for each). The real server and the audition page play them in Chromium; number keys are pressed at
random moments, and what the page says is recorded. What was heard before a key and after it is found again in the
sound of the two renditions, so nothing that the page believes is taken for granted. Writes
benchmarks/results/audition.json and audition.md.
"""

import argparse
import json
import random
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Page, expect, sync_playwright

from server.render.aac import decode
from server.render.index import SAMPLE_RATE
from tests.browser.conftest import ARGUMENTS, Daemon
from tests.browser.prepared import serving
from tests.browser.recording import TAP, Recorder, Samples, alike_at

RESULTS = Path(__file__).parent / "results"
BEFORE = SAMPLE_RATE // 2  # of the old voice, up to the key, that is looked for in its rendition
AFTER = SAMPLE_RATE // 2  # of the new one
SETTLED = SAMPLE_RATE // 20  # after the key: by then the one has faded out and the other in
BLOCK = 120  # 5 ms
ALIKE = 0.8  # less than this is not located: too quiet
# Whatever the page's gains hand to the loudspeaker is handed to the worklet too.
HAND = """
  const connect = AudioNode.prototype.connect;
  AudioNode.prototype.connect = function (to, ...rest) {
    if (to instanceof AudioDestinationNode && window.tap && this !== window.tap) connect.call(this, window.tap);
    if (to instanceof AudioDestinationNode) window.sounding = this.context;
    return connect.call(this, to, ...rest);
  };
  window.pressed = [];
  addEventListener("keydown", (event) => {
    const waited_ms = performance.now() - event.timeStamp;
    if (window.sounding) window.pressed.push([Math.round(window.sounding.currentTime * 24000), waited_ms, event.key]);
  }, true);
"""
BEGIN = f"async () => (window.tap = await ({TAP})(window.sounding), undefined)"


@dataclass(frozen=True, slots=True)
class Take:
    """A chapter in one voice: its sound, and when each of its words begins and ends, in samples."""

    voice: str
    pcm: Samples
    words: list[tuple[int, int]]

    def word(self, sample: float) -> int:
        """The word that is said at `sample`; in a pause the next."""
        return next((n for n, (_, end) in enumerate(self.words) if end > sample), len(self.words) - 1)


def takes(page: Page, daemon: Daemon, book: str, chapter: int) -> list[Take]:
    """What the chapter is in each voice that has all of it."""
    found = []
    for one in daemon.get(f"/books/{book}/renditions")["renditions"]:
        path = f"/books/{book}/renditions/{one['id']}/chapters/{chapter}"
        pieces = daemon.get(path)["sentences"]
        if any(piece["audio"] is None for piece in pieces):
            continue
        at, parts, words = 0, list[Samples](), list[tuple[int, int]]()
        for piece in pieces:
            sound = decode(page.request.get(f"{daemon.url}{piece['audio']}").body())
            times = [(word["start_s"], word["end_s"]) for word in piece["words"]]
            words += [(at + round(a * SAMPLE_RATE), at + round(b * SAMPLE_RATE)) for a, b in times]
            parts += [sound, np.zeros(round(piece["gap_s"] * SAMPLE_RATE), np.float32)]
            at += len(sound) + len(parts[-1])
        found.append(Take(one["voice"], np.concatenate(parts), words))
    return found


def located(take: Take, heard: Samples) -> float | None:
    """The sample of the take at which `heard` begins."""
    place, alike = alike_at(heard, take.pcm)
    return place if alike > ALIKE else None


def onset(take: Take, shift: int, recorded: Samples, begin: int) -> int | None:
    """How many samples after `begin` the take is heard, which lies `shift` samples from what is recorded."""
    for at in range(begin, begin + 2 * SAMPLE_RATE, BLOCK):
        heard, meant = recorded[at : at + BLOCK], take.pcm[max(at + shift, 0) : at + shift + BLOCK]
        if len(heard) < BLOCK or len(meant) < BLOCK:
            return None
        if np.mean((heard - meant) ** 2) < 0.25 * np.mean(heard**2) and np.mean(heard**2) > 1e-7:
            return at - begin
    return None


def switches(page: Page, daemon: Daemon, count: int) -> dict[str, Any]:
    chance = random.Random(9)
    book = daemon.get("/books?limit=1")["books"][0]["id"]
    page.add_init_script(HAND)
    page.goto(f"{daemon.url}/dashboard#/audition")
    page.get_by_role("button", name="From a book …").click()
    expect(page.get_by_label("From this sentence on").locator("option").nth(1)).to_be_attached()
    chapter = int(page.get_by_label("Chapter", exact=True).input_value())
    known = takes(page, daemon, book, chapter)
    assert len(known) > 1, "the chapter must be there in several voices"
    out = page.locator("voice-cast").get_by_role("button", name=re.compile("^Take .* out$"))
    while out.count():
        out.first.click()
    for take in known:
        page.get_by_label("Add a voice").select_option(value=take.voice)
    expect(page.locator(".cast-row[data-state=ready]")).to_have_count(len(known), timeout=120_000)
    page.keyboard.press("1")
    page.keyboard.press("Space")
    recorder = Recorder(page, BEGIN)
    first = page.locator("passage-text .word").nth(1)
    first.click()
    page.locator(".page-title").focus()
    page.evaluate("window.pressed.length = 0")
    turn = 0
    order = []
    for _ in range(count):
        page.wait_for_timeout(chance.uniform(900, 1_900))
        if page.get_by_role("button", name="Play", exact=True).is_visible():
            first.click()  # it has come to its end
            page.wait_for_timeout(1_000)
        other = chance.choice([n for n in range(len(known)) if n != turn])
        page.keyboard.press(str(other + 1))
        order.append((turn, other))
        turn = other
    page.wait_for_timeout(1_000)
    recorder.fetch()
    pressed = [one for one in page.evaluate("window.pressed") if one[2] in "123456789"]
    output_s = page.evaluate("window.sounding.baseLatency + window.sounding.outputLatency")
    return judged(recorder, known, list(zip(pressed, order, strict=True)), output_s)


def judged(recorder: Recorder, known: list[Take], keys: list[Any], output_s: float) -> dict[str, Any]:
    first, pcm = recorder.samples()
    apart, waits, lost = list[int](), list[float](), 0
    for (frame, waited_ms, _), (before, after) in keys:
        at = frame - first
        old = located(known[before], pcm[at - BEFORE : at])
        new = located(known[after], pcm[at + SETTLED : at + SETTLED + AFTER])
        if old is None or new is None:
            lost += 1
            continue
        begun = onset(known[after], round(new) - at - SETTLED, pcm, at)
        if begun is None:
            lost += 1
            continue
        apart.append(known[after].word(new - SETTLED + begun) - known[before].word(old + BEFORE))
        waits.append(waited_ms + 1_000 * begun / SAMPLE_RATE)
    return {
        "voices": [take.voice for take in known],
        "switches": len(keys),
        "located": len(apart),
        "not_located": lost,
        "same_word": sum(one == 0 for one in apart),
        "one_word_off": sum(abs(one) == 1 for one in apart),
        "farther_off": sum(abs(one) > 1 for one in apart),
        "heard_after_p50_ms": round(float(np.percentile(waits, 50)), 1),
        "heard_after_max_ms": round(max(waits), 1),
        "to_the_loudspeaker_ms": round(1_000 * output_s, 1),
    }


def report(result: dict[str, Any]) -> str:
    return f"""# A switch of voices in the middle of a sentence

{result["browser"]}, the real voice ({", ".join(result["voices"])}), a rendered chapter on the audition page.
What was recorded before and after each key is found again in the two renditions (`python -m benchmarks.audition`).

| what | found |
| --- | --- |
| switches | {result["switches"]}, of them {result["not_located"]} in silence, where nothing can be located |
| on the same word | {result["same_word"]} |
| one word off | {result["one_word_off"]} |
| farther off | {result["farther_off"]} |
| from the key to the new voice, median | {result["heard_after_p50_ms"]} ms |
| longest | {result["heard_after_max_ms"]} ms |

The loudspeaker comes {result["to_the_loudspeaker_ms"]} ms later still, by what the browser says. A new voice begins at
the beginning of its word and is faded in over 12 ms; where a word begins with a quiet sound, it counts as heard with
the first 5 ms that are not silent.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--switches", type=int, default=24)
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args()
    path = shutil.which("chromium") or shutil.which("google-chrome")
    with serving(given.folder) as daemon, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        context = browser.new_context(bypass_csp=True, viewport={"width": 1440, "height": 900})
        result = {"browser": f"Chromium {browser.version}", **switches(context.new_page(), daemon, given.switches)}
        browser.close()
    given.results.mkdir(parents=True, exist_ok=True)
    (given.results / "audition.json").write_text(json.dumps(result, indent=1) + "\n")
    (given.results / "audition.md").write_text(report(result))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
