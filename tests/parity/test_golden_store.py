"""Stores of every released format are read for ever, by the server and by the stranger, who sees what is wrong."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from server.errors import Conflict
from server.render.store import Store
from server.render.stream import open_chapter_file, open_run
from server.render.verify import Tally, verify
from tests.conftest import ROOT
from tests.parity.store_reader import Chapter, chapters, check, check_chapter_file, decode, playing, utf16

pytestmark = pytest.mark.parity

GOLDEN = sorted((ROOT / "tests" / "data").glob("store-v*"))
NEWEST = GOLDEN[-1]
RMS_DB = 0.1  # decoders differ by less
LOUDEST_SAMPLES = 1


@pytest.fixture(params=GOLDEN, ids=lambda path: path.name)
def golden(request: pytest.FixtureRequest) -> Path:
    folder: Path = request.param
    return folder


def expected(folder: Path) -> Any:
    return json.loads((folder / "expected.json").read_text())


def test_there_is_one_of_every_format() -> None:
    assert [path.name for path in GOLDEN] == ["store-v1", "store-v2"]


def test_the_stranger_finds_what_is_expected(golden: Path) -> None:
    assert check(golden / "store") == []
    assert differences(golden / "store", expected(golden)) == []


def differences(root: Path, want: Any) -> list[str]:
    """What the stranger finds otherwise than `want` says."""
    found = [found_in(one) for one in chapters(root) if playing(one)]
    return list(_unlike("chapters", found, want["chapters"]))


def _unlike(name: str, found: Any, want: Any) -> list[str]:
    """Fields of `want` that `found` does not have so; measured levels may differ a little."""
    if isinstance(want, dict) and isinstance(found, dict):
        return [line for key in want for line in _unlike(f"{name}.{key}", found.get(key), want[key])]
    if isinstance(want, list) and isinstance(found, list) and len(want) == len(found):
        return [line for n, one in enumerate(want) for line in _unlike(f"{name}[{n}]", found[n], one)]
    near = {"rms_dbfs": RMS_DB, "loudest_sample": LOUDEST_SAMPLES}.get(name.rpartition(".")[2], 0.0)
    alike = abs(found - want) <= near if near and found is not None else found == want
    return [] if alike else [f"{name} is {found!r} instead of {want!r}"]


def found_in(chapter: Chapter) -> dict[str, Any]:
    """What the stranger reads, in the form of expected.json."""
    starts, index = chapter.starts(), chapter.index
    sentences = [_found_sentence(chapter, sentence, starts.get(sentence["id"], 0)) for sentence in index["sentences"]]
    joined = chapter.joined() if chapter.joinable and chapter.rendered else None
    return {
        "chapter": index["chapter"],
        "revision": index["revision"],
        "complete": index["complete"],
        "priming": index["priming"],
        "samples_total": index["samples_total"],
        "joined": joined and {"units": len(joined), "sha256": hashlib.sha256(b"".join(joined)).hexdigest()},
        "sentences": sentences,
    }


def _found_sentence(chapter: Chapter, sentence: dict[str, Any], at: int) -> dict[str, Any]:
    text = sentence["text"]
    one: dict[str, Any] = {"id": sentence["id"], "state": "failed" if "failed" in sentence else "waiting"}
    one["utf16_length"] = utf16(text, len(text))
    if "file" not in sentence:
        return one
    heard = chapter.sound(sentence)
    words = [
        {
            "text": text[word["char_start"] : word["char_end"]],
            "utf16": [utf16(text, word["char_start"]), utf16(text, word["char_end"])],
            "sentence_samples": word["start"],
            "time_line_samples": at + word["start"],
            "time_line_s": round((at + word["start"]) / 24_000, 6),
        }
        for word in sentence["words"]
    ]
    return one | {
        "state": "rendered",
        "start": at,
        "sha256": hashlib.sha256(chapter.data(sentence)).hexdigest(),
        "decoded_samples": len(heard),
        "rms_dbfs": 20 * float(np.log10(np.sqrt(np.mean(heard**2)) + 1e-9)),
        "loudest_sample": int(np.abs(heard).argmax()),
        "units_sha256": hashlib.sha256(b"".join(chapter.units(sentence))).hexdigest(),
        "words": words,
    }


def test_the_place_is_where_it_is_expected() -> None:
    want = expected(NEWEST)
    [path] = (NEWEST / "store").glob("books/*/place.json")
    place = json.loads(path.read_text())
    chapter = next(one for one in chapters(NEWEST / "store") if playing(one) and one.index["chapter"] == 3)
    word = next(one for one in chapter.rendered if one["id"] == place["sentence"])["words"][place["word"]]
    assert (place["edition"], place["chapter"]) == (want["edition"], want["place"]["chapter"])
    assert chapter.starts()[place["sentence"]] + word["start"] == want["place"]["time_line_samples"]


def test_the_server_reads_it(golden: Path) -> None:
    store, want = Store(golden / "store"), expected(golden)
    assert store.books() == [want["book"]]
    assert list(verify(store, Tally())) == []
    record = store.book(want["book"])
    assert store.rendition(record.id).voice == record.voice
    assert store.place(record.id) is not None
    for one in want["chapters"]:
        index = store.chapter(record.id, one["chapter"])
        assert (index.complete, index.samples_total) == (one["complete"], one["samples_total"])
        assert index == index.totals()
        assert [entry.id for entry in index.sentences] == [sentence["id"] for sentence in one["sentences"]]
        if not index.joinable:
            with pytest.raises(Conflict, match="cannot be joined"):
                open_run(store, record.id, one["chapter"])
            continue
        run = open_run(store, record.id, one["chapter"])
        assert len(decode_run(store, record.id, one["chapter"])) == run.length_samples
    file = open_chapter_file(store, record.id, 1)
    chapter = next(one for one in chapters(golden / "store") if playing(one) and one.index["chapter"] == 1)
    assert check_chapter_file(chapter, file.read(0, file.size)) == []


def decode_run(store: Store, book: str, number: int) -> Any:
    run = open_run(store, book, number)
    if not run.track.items:
        return ()
    return decode(run.init_segment() + b"".join(run.sentence_segment(item.sid) for item in run.track.items))


Index = dict[str, Any]


def _swap_files(index: Index) -> None:
    one, other = index["sentences"][1], index["sentences"][2]
    one["file"], other["file"] = other["file"], one["file"]


@pytest.mark.parametrize(
    ("number", "spoil", "told"),
    [
        (1, lambda index: index["sentences"][1].update(gap_after_samples=0), "start"),
        (1, lambda index: index["sentences"][1]["words"][0].__setitem__(0, 1_500), "sentence_samples"),
        (1, lambda index: index["sentences"][1]["words"][1].__setitem__(2, 5), "utf16"),
        (1, _swap_files, "loudest_sample"),
        (1, lambda index: index.update(silence="00"), "joined.sha256"),
        (1, lambda index: index["sentences"][2].update(data_offset=700), "units_sha256"),
        (3, lambda index: index.update(revision=90), "state"),
        (4, lambda index: index["sentences"][0].update(samples=8_000), "decoded_samples"),
        (4, lambda index: index.update(priming=1_024), "priming"),
    ],
)
def test_the_vectors_see_what_is_read_otherwise(
    tmp_path: Path, number: int, spoil: Callable[[Index], None], told: str
) -> None:
    root = tmp_path / "store"
    shutil.copytree(NEWEST / "store", root)
    book = json.loads(next(root.glob("books/*/book.json")).read_text())
    path = root / "books" / book["id"] / book["rendition"] / f"chapter-{number:04d}.json"
    index = json.loads(path.read_text())
    spoil(index)
    path.write_text(json.dumps(index) + "\n")
    found = differences(root, expected(NEWEST))
    assert any(told in line for line in found), found
