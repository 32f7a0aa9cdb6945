"""How far the sound of words lies from their durations, by voice and by sound, and which rule fits it.

    python -m benchmarks.onsets FOLDER

renders (or finds in FOLDER) our own text in eight voices, measures onsets after pauses by energy and in running
speech by landmarks, fits each rule on one text and judges it on another, and writes benchmarks/results/onsets.*.
The table that it prints is the one in server/render/onsets.py.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.hearing import hear, sound_of, words_of
from benchmarks.landmarks import Landmarks
from benchmarks.onset_text import FIT, FIT_MORE, HELD_OUT, sentences
from benchmarks.takes import Paragraph, Studio
from server.config import load_settings
from server.render.onsets import UNIT_SAMPLES, heard_at, kind_of
from server.render.passes import Pass
from server.render.timing import symbol_starts

VOICES = ("af_heart", "am_michael", "bf_emma", "af_bella", "bm_george", "am_puck", "af_nicole", "am_fenrir")
HELD_OUT_VOICES = VOICES[:6]
RESULTS = Path(__file__).parent / "results"
BREATH_UNITS = 6  # a sound so long before a word is the breath before it
SHARES = (0.0, 0.5, 1.0)
PERCENT = (5, 25, 50, 75, 95)
MS = 1000 / 24_000


@dataclass(frozen=True, slots=True)
class Onset:
    """A measured beginning of a word: samples in its pass; `space` is the length of the space before it."""

    voice: str
    where: str  # "after a pause" or "in speech"
    kind: str
    nominal: int
    space: int
    heard: int
    product: int

    @property
    def units(self) -> float:
        return (self.heard - self.nominal) / UNIT_SAMPLES


Rule = Callable[[Onset], float]  # the sample at which it puts the word


def measure(paragraph: Paragraph, one: Pass, studio: Studio) -> Iterator[Onset]:
    """The onsets that can be measured in a pass."""
    take = studio.take(one.phonemes, paragraph.voice)
    starts, landmarks = symbol_starts(take.pred_dur), Landmarks(one.phonemes, take)
    before: int | None = None
    for word, (_, _, start, end) in zip(hear(paragraph, one, take), words_of(paragraph, one), strict=True):
        found = word.onset
        where = "after a pause"
        if found is None and before is not None:
            found, where = landmarks.onset(before, start), "in speech"
        if found is not None:
            space = starts[start] - starts[len(one.phonemes[:start].rstrip(" "))]
            product = heard_at(one.phonemes, starts, start)
            kind = kind_of(sound_of(word.phonemes))
            yield Onset(paragraph.voice, where, kind, word.nominal, space, found, product)
        before = end


def paragraphs(studio: Studio, texts: Sequence[str], voices: Sequence[str], each: bool) -> Iterator[Paragraph]:
    """`texts` spoken by each of `voices`, or by one after the other."""
    for number, text in enumerate(texts):
        for voice in voices if each else (voices[number % len(voices)],):
            yield studio.paragraph(sentences(text), voice)


def fitted(onsets: Sequence[Onset]) -> dict[str, Rule]:
    """Every rule in question, with what it has to learn learnt from `onsets`."""
    constant = float(np.median([one.units for one in onsets]))
    by_voice = _medians((one.voice, one.units) for one in onsets)
    table = fit_table(onsets)

    def kind(one: Onset) -> float:
        fixed, share = table.get((one.where, one.kind), (constant, 0.0))
        return one.nominal + fixed * UNIT_SAMPLES - share * one.space

    rest = _medians((one.voice, one.heard - kind(one)) for one in onsets)
    return {
        "three units, as the reference": lambda one: one.nominal - 3 * UNIT_SAMPLES,
        "two units, as before": lambda one: one.nominal - 2 * UNIT_SAMPLES,
        f"one constant ({constant:.2f} units)": lambda one: one.nominal + constant * UNIT_SAMPLES,
        "a constant for each voice": lambda one: one.nominal + by_voice[one.voice] * UNIT_SAMPLES,
        "by kind of sound": kind,
        "by kind of sound and voice": lambda one: kind(one) + rest[one.voice],
        "the product": lambda one: one.product,
    }


def fit_table(onsets: Sequence[Onset]) -> dict[tuple[str, str], tuple[float, float]]:
    """Units after the nominal start, and share of the space to take off, for each place and kind."""
    groups: dict[tuple[str, str], list[Onset]] = defaultdict(list)
    for one in onsets:
        groups[one.where, one.kind].append(one)
    table = {}
    for key, members in groups.items():
        options = []
        for share in SHARES:
            rest = np.array([one.units + share * one.space / UNIT_SAMPLES for one in members])
            middle = float(np.median(rest))
            options.append((float(np.abs(rest - middle).mean()), share, middle))
        _, share, middle = min(options)
        table[key] = round(middle, 1), share
    return table


def errors(rule: Rule, onsets: Sequence[Onset]) -> dict[str, float]:
    """How far `rule` is off, in milliseconds."""
    off = np.array([rule(one) - one.heard for one in onsets]) * MS
    size = np.abs(off)
    return {
        "n": len(off),
        "median_ms": round(float(np.median(size)), 1),
        "mean_ms": round(float(size.mean()), 1),
        "p95_ms": round(float(np.percentile(size, 95)), 1),
        "bias_ms": round(float(np.median(off)), 1),
    }


def _medians(pairs: Iterator[tuple[str, float]]) -> dict[str, float]:
    groups: dict[str, list[float]] = defaultdict(list)
    for key, value in pairs:
        groups[key].append(value)
    return {key: float(np.median(values)) for key, values in groups.items()}


def study(studio: Studio) -> dict[str, Any]:
    """All that is measured, and how well each rule does."""
    spoken = {
        "fit": [*paragraphs(studio, FIT, VOICES, True), *paragraphs(studio, FIT_MORE, VOICES[:2], True)],
        "held out": [*paragraphs(studio, HELD_OUT, HELD_OUT_VOICES, False)],
    }
    sets: dict[str, list[Onset]] = {}
    breaths = 0
    for name, several in spoken.items():
        found = [onset for each in several for one in each.passes for onset in measure(each, one, studio)]
        sets[name] = [one for one in found if abs(one.units) <= BREATH_UNITS]
        breaths += len(found) - len(sets[name])
    rules, everything = fitted(sets["fit"]), [*sets["fit"], *sets["held out"]]
    return {
        "breaths_left_out": breaths,
        "voices": _spread(everything, lambda one: one.voice),
        "kinds": _spread(everything, lambda one: f"{one.where}: {one.kind}"),
        "table": {f"{where}: {kind}": found for (where, kind), found in sorted(fit_table(sets["fit"]).items())},
        "rules": {name: {part: errors(rule, onsets) for part, onsets in sets.items()} for name, rule in rules.items()},
        "product_by_voice": {
            voice: errors(rules["the product"], [one for one in everything if one.voice == voice]) for voice in VOICES
        },
        "product_by_place": {
            where: errors(rules["the product"], [one for one in everything if one.where == where])
            for where in ("after a pause", "in speech")
        },
    }


def _spread(onsets: Sequence[Onset], key: Callable[[Onset], str]) -> dict[str, Any]:
    groups: dict[str, list[float]] = defaultdict(list)
    for one in onsets:
        groups[key(one)].append(one.units)
    return {
        name: {"n": len(units), **{f"p{at}": round(float(np.percentile(units, at)), 2) for at in PERCENT}}
        for name, units in sorted(groups.items())
    }


def readable(result: dict[str, Any]) -> str:
    """The result as tables."""
    lines = ["# Where words are heard, against their durations", ""]
    for title, part in (("voice", "voices"), ("place and kind of sound", "kinds")):
        lines += [f"Heard onset less nominal start, units of 25 ms, by {title}:", ""]
        lines += [f"| {title} | n | 5 % | 25 % | median | 75 % | 95 % |", "|---|---|---|---|---|---|---|"]
        lines += [f"| {name} | " + " | ".join(map(str, row.values())) + " |" for name, row in result[part].items()]
        lines.append("")
    lines += ["Error of each rule on the text it was not fitted on (and on the one it was), ms:", ""]
    lines += ["| rule | n | median | mean | 95 % | bias |", "|---|---|---|---|---|---|"]
    for name, parts in result["rules"].items():
        pairs = zip(parts["held out"].values(), parts["fit"].values(), strict=True)
        lines.append(f"| {name} | " + " | ".join(f"{held} ({fit})" for held, fit in pairs) + " |")
    lines += [
        "",
        "Error of the product, both texts, ms:",
        "",
        "| | n | median | mean | 95 % | bias |",
        "|---|---|---|---|---|---|",
    ]
    for name, row in {**result["product_by_place"], **result["product_by_voice"]}.items():
        lines.append(f"| {name} | " + " | ".join(map(str, row.values())) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    result = study(Studio(given.folder, load_settings().models))
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "onsets.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    (RESULTS / "onsets.md").write_text(readable(result))
    print(readable(result))
    for name, (fixed, share) in result["table"].items():
        print(f"{name:40} {fixed:5} {share}")


if __name__ == "__main__":
    main()
