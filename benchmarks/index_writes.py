"""What it costs to keep a chapter's index while it is rendered, pass by pass: bytes, time, and the file at the end.

    .venv/bin/python -m benchmarks.index_writes

The sentences are as long as a novel's; their fields are those of real ones, the audio is not there. Four of them are
added at a time, as a pass does, once with the journal and once, as the peer, by writing the whole index anew. Both in
one run, on one disk.
"""

import argparse
import json
import platform
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from server.render import files, journal
from server.render.index import ChapterIndex, SentenceEntry, Word
from server.render.layout import sentence_file
from server.render.records import BookRecord
from server.render.store import Store
from tests.fakes.synthetic import chapter, put

SIZES = (125, 250, 500, 1_000, 2_000)
PASS = 4  # sentences
RESULTS = Path(__file__).parent / "results"


def texts(count: int) -> list[str]:
    """Sentences of 6 to 40 words and 92 characters on average, as in a novel of the nineteenth century."""
    chance = random.Random(6)
    letters = "etaoinshrdlucmfwyp"
    words = ["".join(chance.choices(letters, k=max(1, round(chance.gauss(4.3, 2))))) for _ in range(3_000)]
    lengths = [min(40, max(6, round(chance.gauss(16.5, 8)))) for _ in range(count)]
    return [f"{number} {' '.join(chance.choices(words, k=length))}." for number, length in enumerate(lengths)]


def spoken(entry: SentenceEntry) -> SentenceEntry:
    """The entry with its audio's fields: 15 characters and 2.5 words a second, 120 bytes an access unit."""
    chance = random.Random(entry.id)
    units = max(8, round(len(entry.text) / 15 * 24_000 / 1_024))
    names, at = entry.text.split(), 0
    words = []
    for number, name in enumerate(names):
        start = 1_624 + number * (units - 4) * 1_024 // len(names)
        words.append(Word(start, start + (units - 4) * 1_024 // len(names) - 300, at, at + len(name)))
        at += len(name) + 1
    return SentenceEntry(
        **entry.without_audio().model_dump(exclude_none=True),
        file=sentence_file(1, entry.id),
        sha256=f"{chance.getrandbits(256):064x}",
        bytes=units * 128,
        samples=units * 1_024,
        speech_start=1_024,
        speech_end=(units - 2) * 1_024,
        gap_after_samples=10_240,
        data_offset=813 + units * 4,
        au_sizes=tuple(chance.randint(90, 210) for _ in range(units + 1)),
        words=tuple(words),
        gate=(),
        provenance=f"{chance.getrandbits(64):016x}",
        seed=chance.randint(0, 9_999),
    )


def measure(folder: Path, count: int, add: Callable[[Store, BookRecord, list[SentenceEntry]], ChapterIndex]) -> Any:
    """Render a chapter of `count` sentences as `add` keeps it."""
    store = Store(folder)
    record = put(store, folder.parent, [chapter(1, texts(count))])
    entries = [spoken(entry) for entry in store.chapter(record.id, 1).sentences]
    written = 0
    whole, append = files.write_atomically, journal._append

    def count_whole(path: Path, data: bytes) -> None:
        nonlocal written
        written += len(data)
        whole(path, data)

    def count_line(journal: Path, line: bytes) -> None:
        nonlocal written
        written += len(line)
        append(journal, line)

    journal.write_atomically, journal._append = count_whole, count_line  # type: ignore[attr-defined]
    began = time.perf_counter()
    try:
        for at in range(0, count, PASS):
            add(store, record, entries[at : at + PASS])
    finally:
        journal.write_atomically, journal._append = whole, append  # type: ignore[attr-defined]
    took_s = time.perf_counter() - began
    path = store.chapter_path(record.id, 1)
    assert Store(folder).chapter(record.id, 1).complete and not journal.journal_of(path).exists()
    return {"written_bytes": written, "work_s": round(took_s, 3), "index_bytes": path.stat().st_size}


def with_journal(store: Store, record: BookRecord, entries: list[SentenceEntry]) -> ChapterIndex:
    return store.add_audio(record.id, record.rendition, 1, entries, codec_config=b"\x13\x08", silence=b"\x01\x18")


def whole_index(store: Store, record: BookRecord, entries: list[SentenceEntry]) -> ChapterIndex:
    return store.save_chapter(store.chapter(record.id, 1).with_entries(entries, codec_config=b"\x13", silence=b"\x01"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            row = {"sentences": size}
            for name, add in (("journal", with_journal), ("whole", whole_index)):
                place = Path(folder) / f"{size}-{name}" / "store"
                place.parent.mkdir()
                row[name] = measure(place, size, add)
            rows.append(row)
            print(json.dumps(row), flush=True)
    (options.results / "index_writes.json").write_text(
        json.dumps({"machine": platform.machine(), "pass_sentences": PASS, "rows": rows}, indent=1) + "\n"
    )
    (options.results / "index_writes.md").write_text(report(rows))


def report(rows: list[dict[str, Any]]) -> str:
    lines = [
        "# Keeping a chapter's index",
        "",
        "Four sentences of a novel's length at a time, to the end of the chapter; `benchmarks/index_writes.py`.",
        "Written: all bytes that went to the disk for the index and its journal. Whole: the index written anew for",
        "every pass.",
        "",
        "| sentences | index at the end | written, journal | written, whole | time, journal | time, whole |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        ours, peer = row["journal"], row["whole"]
        lines.append(
            f"| {row['sentences']:,} | {ours['index_bytes'] / 1e6:.2f} MB | {ours['written_bytes'] / 1e6:.1f} MB "
            f"| {peer['written_bytes'] / 1e6:.1f} MB | {ours['work_s']:.2f} s | {peer['work_s']:.2f} s |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
