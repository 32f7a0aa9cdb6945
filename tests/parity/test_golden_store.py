"""Stores of every released format are read for ever, by the server and by the stranger."""

import json
from pathlib import Path
from typing import Any

import pytest

from server.render.store import Store
from server.render.stream import open_chapter_file, open_run
from tests.conftest import ROOT
from tests.parity.store_reader import Chapter, chapters, check, check_chapter_file, decode, utf16

pytestmark = pytest.mark.parity

GOLDEN = sorted((ROOT / "tests" / "data").glob("store-v*"))


@pytest.fixture(params=GOLDEN, ids=lambda path: path.name)
def golden(request: pytest.FixtureRequest) -> Path:
    folder: Path = request.param
    return folder


def expected(folder: Path) -> Any:
    return json.loads((folder / "expected.json").read_text())


def test_there_is_one_of_every_format() -> None:
    assert [path.name for path in GOLDEN] == ["store-v1"]


def test_the_stranger_finds_what_is_expected(golden: Path) -> None:
    assert check(golden / "store") == []
    assert [found(one) for one in chapters(golden / "store")] == expected(golden)["chapters"]


def found(chapter: Chapter) -> dict[str, Any]:
    """What the stranger reads, in the form of expected.json."""
    starts, sentences = chapter.starts(), []
    for sentence in chapter.index["sentences"]:
        one: dict[str, Any] = {"id": sentence["id"], "state": "failed" if "failed" in sentence else "waiting"}
        if "file" in sentence:
            at, text = starts[sentence["id"]], sentence["text"]
            spans = [(word, word["char_start"], word["char_end"]) for word in sentence["words"]]
            words = [
                {"text": text[a:b], "utf16": [utf16(text, a), utf16(text, b)], "time_line_samples": at + word["start"]}
                for word, a, b in spans
            ]
            samples = len(decode(chapter.data(sentence)))
            one |= {"state": "rendered", "start": at, "decoded_samples": samples, "words": words}
        sentences.append(one)
    index = chapter.index
    return {
        "chapter": index["chapter"],
        "complete": index["complete"],
        "samples_total": index["samples_total"],
        "sentences": sentences,
    }


def test_the_server_reads_it(golden: Path) -> None:
    store, want = Store(golden / "store"), expected(golden)
    assert store.books() == [want["book"]]
    record = store.book(want["book"])
    assert store.rendition(record.id).voice == record.voice
    assert store.place(record.id) is not None
    for one in want["chapters"]:
        index = store.chapter(record.id, one["chapter"])
        assert (index.complete, index.samples_total) == (one["complete"], one["samples_total"])
        assert index == index.totals()
        assert [entry.id for entry in index.sentences] == [sentence["id"] for sentence in one["sentences"]]
        assert (
            len(decode_run(store, record.id, one["chapter"]))
            == open_run(store, record.id, one["chapter"]).length_samples
        )
    file = open_chapter_file(store, record.id, 1)
    assert check_chapter_file(next(chapters(golden / "store")), file.read(0, file.size)) == []


def decode_run(store: Store, book: str, number: int) -> Any:
    run = open_run(store, book, number)
    if not run.track.items:
        return ()
    return decode(run.init_segment() + b"".join(run.sentence_segment(item.sid) for item in run.track.items))
