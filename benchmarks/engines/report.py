"""From measurements to what is kept: a list of figures, the ratios that were asked for, and a table to read."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.engines.catalogue import (
    ALL,
    AS_INSTALLED,
    FAST_BLAS,
    FP32,
    INT8,
    LECTERN,
    MLX_AUDIO,
    ONE,
    PYTORCH,
    TOGETHER,
)
from benchmarks.engines.rounds import Measurement


@dataclass(frozen=True, slots=True)
class Figures:
    """Medians of one engine on one length; MB are 2^20 bytes, those of all its processes together."""

    engine: str
    length_s: int
    realtime_factor: float
    cpu_s_per_audio_s: float
    peak_rss_mb: float
    threads: int
    processes: int
    audio_s: float
    load_s: float
    runs: int
    warmed_up: bool
    walls_s: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """What is asked of ours against a peer: a quotient of one figure, and which side of a bound it has to be on."""

    said: str
    figure: str
    ours: str
    theirs: str
    bound: float
    at_least: bool

    def met(self, ratio: float) -> bool:
        return ratio >= self.bound if self.at_least else ratio <= self.bound


@dataclass(frozen=True, slots=True)
class Ratio:
    """A claim on one length."""

    claim: str
    engine: str
    peer: str
    length_s: int
    ratio: float
    reached: bool


def _name(family: str, uses: str) -> str:
    return f"{family}, {uses}"


def _claims() -> list[Claim]:
    speed, cpu = "realtime_factor", "cpu_s_per_audio_s"
    found = []
    for uses in (ONE, ALL):
        theirs = _name(MLX_AUDIO, AS_INSTALLED)
        found.append(Claim("realtime factor, at least 60 times", speed, _name(LECTERN, uses), theirs, 60, True))
    for uses in (ONE, ALL):
        theirs = _name(MLX_AUDIO, FAST_BLAS)
        found.append(Claim("realtime factor, at least that", speed, _name(LECTERN, uses), theirs, 1, True))
    for peer in (FP32, INT8):
        for uses in (ONE, ALL):
            ours, theirs = _name(LECTERN, uses), _name(peer, uses)
            found.append(Claim("CPU-seconds per audio-second, no more", cpu, ours, theirs, 1, False))
    for uses in (ONE, ALL):
        ours, theirs = _name(LECTERN, uses), _name(PYTORCH, uses)
        found.append(Claim("realtime factor, at least that", speed, ours, theirs, 1, True))
    return found


CLAIMS = _claims()


def figures(measurements: Iterable[Measurement]) -> list[Figures]:
    """Medians of every measurement that did not fail."""
    return [_figures(one) for one in measurements if one.samples and not one.failure]


def _figures(one: Measurement) -> Figures:
    audio_s = median(sample.audio_s for sample in one.samples)
    return Figures(
        engine=one.engine.name,
        length_s=one.length_s,
        realtime_factor=round(median(sample.audio_s / sample.wall_s for sample in one.samples), 5),
        cpu_s_per_audio_s=round(median(sample.cpu_s / sample.audio_s for sample in one.samples), 5),
        peak_rss_mb=round(one.peak_rss_mb, 1),
        threads=one.engine.threads,
        processes=one.engine.processes,
        audio_s=round(audio_s, 3),
        load_s=round(one.load_s, 2),
        runs=len(one.samples),
        warmed_up=not one.engine.slow,
        walls_s=tuple(round(sample.wall_s, 3) for sample in one.samples),
    )


def ratios(found: Iterable[Figures]) -> list[Ratio]:
    """Each claim on each length on which both sides were measured."""
    by = {(one.engine, one.length_s): one for one in found}
    made = []
    for claim in CLAIMS:
        for length_s in sorted({length_s for _, length_s in by}):
            ours, theirs = by.get((claim.ours, length_s)), by.get((claim.theirs, length_s))
            if ours is not None and theirs is not None:
                ratio = getattr(ours, claim.figure) / getattr(theirs, claim.figure)
                reached = claim.met(ratio)
                made.append(Ratio(claim.said, claim.ours, claim.theirs, length_s, round(ratio, 3), reached))
    return made


def other_lengths(results: Path, lengths: Collection[int]) -> list[Figures]:
    """What an earlier run found of the lengths that are not among these."""
    if not results.exists():
        return []
    told = json.loads(results.read_text())["engines"]
    return [_told(one) for one in told if one["length_s"] not in lengths]


def _told(one: Mapping[str, Any]) -> Figures:
    return Figures(**{**one, "walls_s": tuple(one["walls_s"])})


def failures(measurements: Iterable[Measurement]) -> dict[str, str]:
    """Engines that failed on a length, with why."""
    return {f"{one.engine.name}, {one.length_s} s": one.failure for one in measurements if one.failure}


def as_json(
    found: Sequence[Figures], missing: Mapping[str, str], machine: Mapping[str, Any], versions: Mapping[str, str]
) -> dict[str, Any]:
    """What results/engines.json holds, but for the time."""
    return {
        "engines": [asdict(one) for one in found],
        "ratios": [asdict(one) for one in ratios(found)],
        "missing": dict(missing),
        "machine": dict(machine),
        "versions": dict(versions),
    }


def as_table(result: Mapping[str, Any]) -> str:
    """The same in Markdown."""
    found = [_told(one) for one in result["engines"]]
    made = [Ratio(**one) for one in result["ratios"]]
    lines = ["# Kokoro-82M, engine beside engine", "", *_heading(result), ""]
    for title, figure, digits in (
        ("Realtime factor: seconds of audio in a second (more is better)", "realtime_factor", 2),
        ("CPU-seconds for a second of audio (less is better)", "cpu_s_per_audio_s", 2),
        ("Peak resident memory, MB (less is better)", "peak_rss_mb", 0),
    ):
        lines += [f"## {title}", "", *_grid(found, figure, digits), ""]
    lines += ["## What is asked for", "", *_verdicts(made), "", "## Notes", "", *_notes(found, result["missing"])]
    if again := result.get("again"):
        told = ", ".join(f"{length_s} s" for length_s in again)
        lines.append(f"- Measured later than the other lengths, each in a run of its own: {told}.")
    return "\n".join(lines) + "\n"


def _heading(result: Mapping[str, Any]) -> list[str]:
    machine = result["machine"]
    where = f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gb']} GB, {machine['system']}"
    versions = ", ".join(f"{name} {version}" for name, version in sorted(result["versions"].items()))
    return [f"{where}; {result['when']}. Made by `make bench`.", "", f"Versions: {versions}."]


def _grid(found: Sequence[Figures], figure: str, digits: int) -> list[str]:
    lengths = sorted({one.length_s for one in found})
    by = {(one.engine, one.length_s): f"{getattr(one, figure):.{_enough(one, figure, digits)}f}" for one in found}
    rows = [
        f"| {name} | " + " | ".join(by.get((name, length_s), "–") for length_s in lengths) + " |"
        for name in dict.fromkeys(one.engine for one in found)
    ]
    head = "| engine | " + " | ".join(f"{length_s} s" for length_s in lengths) + " |"
    return [head, "|---" * (len(lengths) + 1) + "|", *rows]


def _enough(one: Figures, figure: str, digits: int) -> int:
    """Digits after the point: a figure below a tenth keeps one more, or it would say nothing."""
    return digits + 1 if digits and getattr(one, figure) < 0.1 else digits


def _verdicts(made: Sequence[Ratio]) -> list[str]:
    lines = ["| ours | theirs | asked | ratio | verdict |", "|---|---|---|---|---|"]
    for claim in CLAIMS:
        of = [one for one in made if (one.claim, one.engine, one.peer) == (claim.said, claim.ours, claim.theirs)]
        told = ", ".join(f"{one.ratio:.2f} at {one.length_s} s" for one in of) or "–"
        lines.append(f"| {claim.ours} | {claim.theirs} | {claim.said} | {told} | {verdict(of)} |")
    return lines


def verdict(of: Sequence[Ratio]) -> str:
    """In words, whether a claim is reached on all lengths, on some, or on none."""
    reached = [f"{one.length_s} s" for one in of if one.reached]
    not_reached = [f"{one.length_s} s" for one in of if not one.reached]
    if not of:
        return "not measured"
    if not reached:
        return "not reached"
    if not not_reached:
        return "reached"
    return f"reached at {', '.join(reached)}; not at {', '.join(not_reached)}"


def _notes(found: Sequence[Figures], missing: Mapping[str, str]) -> list[str]:
    notes = [
        "- Every engine has the same weights, phonemes, voice and style; one fresh process for each engine and length. "
        "All of a length run in turn, round by round; medians, the first run dropped.",
        "- CPU-seconds are those of all threads; memory is the whole process's (MB of 2^20 bytes).",
    ]
    if any(one.engine == _name(LECTERN, TOGETHER) for one in found):
        notes.append(f"- {LECTERN}, {TOGETHER}: one process renders the pass once for each core at the same time.")
    if several := sorted({(one.engine, one.processes) for one in found if one.processes > 1}):
        notes += [
            f"- {engine}: {count} processes of one thread each render the pass at the same time; all their audio over "
            "the time until the last is done, their memory added up."
            for engine, count in several
        ]
    if cold := sorted({one.engine for one in found if not one.warmed_up}):
        notes.append(
            f"- {'; '.join(cold)}: run once, without warming up, for each takes minutes; on long passes only with "
            "`make bench FULL=1`."
        )
    return notes + [f"- Not measured: {name}: {why}." for name, why in missing.items()]
