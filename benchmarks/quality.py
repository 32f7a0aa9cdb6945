"""How good renders measure up: what quality.py measures on them, how often it finds one odd, how loud each voice is.

    python -m benchmarks.quality FOLDER [--seconds N]

renders (or finds in FOLDER) our own text, three sentences in every voice and up to eighty in several, as long as it is
allowed, and writes benchmarks/results/quality.json and quality.md of what is there. The levels are those of
server/render/levels.py, the limits those of server/render/quality.py.
"""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.onset_text import FIT, FIT_MORE, HELD_OUT, sentences
from benchmarks.takes import Paragraph, Studio
from server.config import load_settings
from server.render.levels import level_db
from server.render.quality import judge, measure
from server.render.timing import Part, cut_points, join_pieces, part
from server.render.voices import VOICES

EVERY = (
    "Before noon, the harbour was empty. | Two boats, both of them old, lay on the shingle. | Nobody knew her name.",
)
SEVERAL = ("af_heart", "bf_emma", "am_michael", "bm_george")
RESULTS = Path(__file__).parent / "results"
PERCENT = (0, 1, 5, 50, 95, 99, 100)


def work() -> list[tuple[str, str]]:
    """Voice and paragraph; what tells most comes first."""
    every = [(voice.id, text) for text in EVERY for voice in VOICES]
    return every + [(voice, text) for text in (*HELD_OUT, *FIT_MORE, *FIT) for voice in SEVERAL]


def whole(studio: Studio, paragraph: Paragraph) -> list[Part]:
    """The audio of each sentence of a paragraph."""
    found: dict[int, list[Part]] = defaultdict(list)
    for one in paragraph.passes:
        take = studio.take(one.phonemes, paragraph.voice)
        cuts = cut_points(take.audio, take.pred_dur, one.phonemes, one.pieces)
        for piece, cut in zip(one.pieces, cuts, strict=True):
            words = paragraph.said[piece.sentence].words
            found[piece.sentence].append(part(take.audio, take.pred_dur, one.phonemes, cut, piece, words))
    return [join_pieces(found[at]) for at in sorted(found)]


def judged(studio: Studio, until: float) -> Iterator[dict[str, Any]]:
    for voice, text in work():
        paragraph = studio.paragraph(sentences(text), voice)
        if time.monotonic() > until and not all(studio.has(one.phonemes, voice) for one in paragraph.passes):
            continue
        for at, heard in enumerate(whole(studio, paragraph)):
            said = paragraph.said[at]
            verdict = judge(heard, said, level_db(voice))
            peak = float(np.abs(heard.audio).max())
            told = {"voice": voice, "text": paragraph.texts[at], "found": list(verdict.findings), "peak": peak}
            yield told | asdict(measure(heard, said))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=100.0)
    options = parser.parse_args()
    studio = Studio(options.folder, load_settings().models, threads=1)
    rows = list(judged(studio, time.monotonic() + options.seconds))
    signs = [name for name, value in rows[0].items() if isinstance(value, float)]
    spread = {name: np.percentile([row[name] for row in rows], PERCENT).round(3).tolist() for name in signs}
    levels: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        levels[row["voice"]].append(row["level_db"])
    loud = {voice: round(float(np.median(found)), 1) for voice, found in sorted(levels.items())}
    odd = [{name: row[name] for name in ("voice", "text", "found")} for row in rows if row["found"]]
    told = {"sentences": len(rows), "percent": PERCENT, "signs": spread, "level_db": loud, "odd": odd}
    (RESULTS / "quality.json").write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n")
    lines = [
        f"# {len(rows)} sentences in {len(loud)} voices; {len(odd)} are found odd",
        "",
        "| sign | " + " | ".join(f"{at} %" for at in PERCENT) + " |",
        "|---" * (len(PERCENT) + 1) + "|",
        *(f"| {name} | " + " | ".join(f"{value:.3g}" for value in values) + " |" for name, values in spread.items()),
        "",
        *(f"- {row['voice']}, “{row['text']}”: {', '.join(row['found'])}" for row in odd),
    ]
    (RESULTS / "quality.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    print(loud)


if __name__ == "__main__":
    main()
