"""What two hundred kills did: the stores compared, the work counted, and the page that says so."""

import hashlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.counted import noted
from server.render.store import Store
from server.render.verify import Tally, verify


@dataclass(frozen=True, slots=True)
class Kill:
    """One kill: what was killed, when in its life it was aimed at, and what of a pass was lost with it."""

    victim: str  # daemon or worker
    moment: str  # import, load, pass or write
    sentences: int  # of a pass begun and not kept
    evaluations: int  # of the model, begun in it


@dataclass(frozen=True, slots=True)
class Result:
    """What was found. `calm` and `disturbed` count what was begun: passes, evaluations, sentences in passes."""

    seed: int
    kills: list[Kill]
    calm: dict[str, int]
    disturbed: dict[str, int]
    files: int
    differences: list[str]
    faults: list[str]
    calm_s: float
    disturbed_s: float


def counted(path: Path) -> dict[str, int]:
    """Passes, evaluations and sentences that were begun."""
    lines = noted(path)
    found = {what: sum(line["what"] == what for line in lines) for what in ("pass", "evaluation")}
    return found | {"sentence": sum(len(line["sentences"]) for line in lines if line["what"] == "pass")}


def contents(root: Path) -> dict[str, Any]:
    """All that a store says: hash of every audio file, each record and index without revisions and times of day.

    Books go by their titles: their ids are of the files that they were read from.
    """
    store, found = Store(root), dict[str, Any]()
    for book in store.books():
        record, folder = store.book(book), store.book_folder(book)
        title = record.title
        found[title] = record.model_dump(mode="json", exclude={"added", "id", "source"})
        for path in sorted(folder.rglob("*.m4a")):
            found[f"{title}/{path.relative_to(folder)}"] = hashlib.sha256(path.read_bytes()).hexdigest()
        for chapter in record.chapters:
            index = store.chapter(book, chapter.number)
            found[f"{title}/{chapter.number}"] = index.model_dump(mode="json", exclude={"revision", "book"})
    return found


def differences(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """Names of what is not the same in both."""
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def faults(root: Path) -> list[str]:
    """What `lectern verify` would say, and files that nothing names."""
    store = Store(root)
    found = [f"{fault.path} {fault.what}" for fault in verify(store, Tally())]
    return found + [path.name for path in store.sweep()]


def report(result: Result) -> str:
    """The result as a page."""
    kills, twice = result.kills, {what: result.disturbed[what] - result.calm[what] for what in result.calm}
    met = Counter((kill.victim, kill.moment) for kill in kills)
    rows = [
        f"| {victim} | {moment} | {count} | "
        f"{sum(k.sentences > 0 for k in kills if (k.victim, k.moment) == (victim, moment))} |"
        for (victim, moment), count in sorted(met.items())
    ]
    return "\n".join(
        [
            f"# {len(kills)} kills",
            "",
            f"`python -m benchmarks.kills --kills {len(kills)} --seed {result.seed}`: {result.files} sentences in"
            f" {result.calm['pass']} passes, undisturbed in {result.calm_s:.0f} s, with the kills in"
            f" {result.disturbed_s:.0f} s.",
            "",
            f"- Files, records and indexes that differ from the undisturbed render: {len(result.differences)}.",
            f"- Faults that `lectern verify` finds, and files that nothing names: {len(result.faults)}.",
            f"- A kill lost at most {max(k.evaluations for k in kills)} evaluation of the model,"
            f" {sum(k.evaluations for k in kills) / len(kills):.2f} on average: the pass in flight and nothing else.",
            f"- A pass holds the sentences of a paragraph: at most {max(k.sentences for k in kills)} sentences a kill"
            f" were begun twice, {sum(k.sentences for k in kills) / len(kills):.2f} on average.",
            f"- Begun beyond the undisturbed render: {twice['pass']} passes, {twice['evaluation']} evaluations,"
            f" {twice['sentence']} sentences.",
            "",
            "| killed | while | kills | with a pass in flight |",
            "| --- | --- | --- | --- |",
            *rows,
            "",
        ]
    )
