"""Makes the golden store of a format version: `python -m tests.parity.make_golden_store tests/data/store-v1`.

It is made once, when the format is released, and then kept as it is: later versions must still read it. The speech is
synthetic; `expected.json` says what a reader of any language must find, so that an app can run the same checks.
"""

import json
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from server.render.index import ChapterIndex, SentenceEntry
from server.render.records import BookRecord, Place
from server.render.store import Store
from tests.fakes.synthetic import chapter, put, render

TEXTS = ("The Gate", "“Go, 😀 go!”", "Cafe\u0301 𝔄lpha?", "No.", "It rained.")


def make(folder: Path) -> None:
    """Chapters: one that is complete, one of text only, one with a sentence given up on and one to come."""
    store = Store(folder / "store")
    record = put(store, folder, [chapter(1, TEXTS), chapter(2, TEXTS[:2], enabled=False), chapter(3, TEXTS[::-1])])
    (folder / "walk.epub").unlink()
    render(store, record, 1)
    third = store.chapter(record.id, 3)
    render(store, record, 3, [third.sentences[0].id, third.sentences[2].id])
    lost = SentenceEntry(**third.sentences[1].model_dump(exclude_none=True), failed="It could not be spoken.")
    store.add_audio(record.id, record.rendition, 3, [lost])
    place = Place(chapter=1, sentence=third.sentences[1].id, word=0, updated=datetime(2026, 7, 2, tzinfo=UTC))
    store.save_place(record.id, place)
    expected = {"book": record.id, "chapters": [_expected(store, record, number) for number in (1, 2, 3)]}
    (folder / "expected.json").write_text(json.dumps(expected, indent=1, ensure_ascii=False) + "\n")


def _expected(store: Store, record: BookRecord, number: int) -> dict[str, Any]:
    index: ChapterIndex = store.chapter(record.id, number)
    sentences, at = [], 0
    for entry in index.sentences:
        found: dict[str, Any] = {"id": entry.id, "state": "failed" if entry.failed else "waiting"}
        if entry.rendered:
            words = [_word(entry.text, word.char_start, word.char_end, at + word.start) for word in entry.words or ()]
            found |= {"state": "rendered", "start": at, "decoded_samples": entry.samples, "words": words}
            at += entry.length_samples
        sentences.append(found)
    return {"chapter": number, "complete": index.complete, "samples_total": at, "sentences": sentences}


def _word(text: str, start: int, end: int, at: int) -> dict[str, Any]:
    utf16 = [len(text[:edge].encode("utf-16-le")) // 2 for edge in (start, end)]
    return {"text": text[start:end], "utf16": utf16, "time_line_samples": at}


if __name__ == "__main__":
    target = Path(sys.argv[1])
    if target.exists():
        sys.exit(f"{target} is there already: a golden store is never made again")
    target.mkdir(parents=True)
    try:
        make(target)
    except BaseException:
        shutil.rmtree(target)
        raise
