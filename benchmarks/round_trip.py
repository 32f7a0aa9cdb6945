"""Is what is hard to read aloud heard? Sixty sentences, spoken in three voices, written down by a listener.

    python -m benchmarks.round_trip [--from 1] [--to 12]

Each paragraph of `hard_text.py` is read and performed as the product does it, with passes, cuts and pauses, and heard
by Whisper tiny: sentence by sentence, and where something is missing once more in its paragraph, because so small a
listener needs company. Prints what was not heard; writes benchmarks/results/round_trip.json and .md, keeping the
paragraphs that were not asked for.
"""

import argparse
import itertools
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.hard_text import PARAGRAPHS
from benchmarks.words import Listener, plain
from server.config import load_settings
from server.render.engine import Synthesizer, kokoro_engine
from server.render.pronouncers import Pronouncers
from server.render.recital import perform, read
from server.render.synth import KokoroSynth
from server.setup import check_models

RESULTS = Path(__file__).parent / "results"
_SIGNS = {
    "'": "",
    "’": "",
    ",": "",
    "$": " dollars ",
    "£": " pounds ",
    "€": " euros ",
    "%": " percent ",
    "°": " degrees ",
}
VOICES = ("af_heart", "am_michael", "bf_emma")


@dataclass(frozen=True, slots=True)
class Heard:
    """A sentence, what a listener wrote of it, and which of the things expected were not in it."""

    paragraph: int
    voice: str
    text: str
    heard: str
    in_paragraph: bool  # whether it took the whole paragraph to be understood
    missing: tuple[str, ...]


def contains(heard: str, ways: str) -> bool:
    """Whether one of the `|`-separated ways to write a thing is in what was heard, figures or words."""
    heard = heard.lower()
    for written, said in _SIGNS.items():
        heard = heard.replace(written, said)
    figures = " ".join(re.findall(r"[a-z0-9]+", heard))
    forms = (f" {figures} ", f" {plain(heard)} ")
    return any(f" {way} " in form for way in ways.split("|") for form in forms)


def listen(number: int, synth: Synthesizer, pronouncers: Pronouncers, listener: Listener) -> list[Heard]:
    """Speak paragraph `number` (from 1) and hear it."""
    paragraph = PARAGRAPHS[number - 1]
    voice = VOICES[number % len(VOICES)]
    lines = read(" ".join(text for text, _ in paragraph), pronouncers(voice))
    spoken = {one.line: one.audio for one in perform(lines, synth, voice)}
    whole = listener.hear(np.concatenate(list(spoken.values())))
    found = []
    sounds = _by_sentence([line.text for line in lines], [text for text, _ in paragraph])
    for (text, expected), members in zip(paragraph, sounds, strict=True):
        alone = listener.hear(np.concatenate([spoken[at] for at in members]))
        missing = tuple(ways for ways in expected if not contains(alone, ways))
        lost = tuple(ways for ways in missing if not contains(whole, ways))
        found.append(Heard(number, voice, text, alone.strip(), bool(missing) and not lost, lost))
    return found


def _by_sentence(lines: Sequence[str], texts: Sequence[str]) -> list[list[int]]:
    """The lines that hold each text, which may be two sentences or a part of one."""
    places, groups = _places(lines), []
    for start, end in _places(texts):
        groups.append([at for at, (begun, ended) in enumerate(places) if begun < end and ended > start])
    return groups


def _places(parts: Sequence[str]) -> list[tuple[int, int]]:
    ends = list(itertools.accumulate(len("".join(part.split())) for part in parts))
    return list(zip([0, *ends], ends, strict=False))


def table(results: Sequence[Heard]) -> str:
    """The results for a reader."""
    things = sum(len(expected) for paragraph in PARAGRAPHS for _, expected in paragraph)
    missing = sum(len(one.missing) for one in results)
    company = sum(one.in_paragraph for one in results)
    clean = sum(not one.missing for one in results)
    lines = [
        "# Sixty hard sentences, spoken and written down",
        "",
        f"{clean} of {len(results)} sentences hold everything expected; {things - missing} of {things} negations, "
        f"numbers, names and words were heard, in {company} sentences in company only. "
        "Whisper tiny, voices " + ", ".join(VOICES) + "; made by `python -m benchmarks.round_trip`.",
        "",
        "| sentence | heard | missing |",
        "|---|---|---|",
    ]
    lines += [f"| {one.text} | {one.heard} | {', '.join(one.missing)} |" for one in results if one.missing]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="first", type=int, default=1)
    parser.add_argument("--to", dest="last", type=int, default=len(PARAGRAPHS))
    options = parser.parse_args()
    models = load_settings().models
    synth = KokoroSynth(models, kokoro_engine(check_models(models).weights_sha256), threads=0)
    pronouncers, listener = Pronouncers(), Listener()
    path = RESULTS / "round_trip.json"
    kept = (
        [Heard(**{**one, "missing": tuple(one["missing"])}) for one in json.loads(path.read_text())]
        if path.exists()
        else []
    )
    for number in range(options.first, options.last + 1):
        found = listen(number, synth, pronouncers, listener)
        kept = sorted([*(one for one in kept if one.paragraph != number), *found], key=lambda one: one.paragraph)
        for one in found:
            mark = f"MISSING {', '.join(one.missing)}" if one.missing else "ok"
            print(f"{number:>2} {one.voice:<10} {mark:<10} {one.text}  →  {one.heard}", flush=True)
        path.write_text(json.dumps([asdict(one) for one in kept], indent=1, ensure_ascii=False) + "\n")
        (RESULTS / "round_trip.md").write_text(table(kept))


if __name__ == "__main__":
    main()
