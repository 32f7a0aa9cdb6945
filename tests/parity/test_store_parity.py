"""A stranger who knows only docs/store-format.md reads what the server writes."""

import ast
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from server.render.index import SentenceEntry
from server.render.records import BookRecord, Place
from server.render.store import Store
from server.render.stream import open_chapter_file, open_run
from tests.fakes.synthetic import put, render
from tests.parity import store_reader
from tests.parity.store_reader import WORD, check, check_chapter_file, check_stream, utf16

pytestmark = pytest.mark.parity


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, BookRecord]:
    """A chapter that is complete, one with a sentence given up on and some still to come, one without audio."""
    folder = tmp_path_factory.mktemp("parity")
    store = Store(folder / "store")
    record = put(store, folder)
    render(store, record, 2)
    third = store.chapter(record.id, 3)
    render(store, record, 3, [entry.id for entry in third.sentences[:5] if entry != third.sentences[1]])
    lost = SentenceEntry(**third.sentences[1].model_dump(exclude_none=True), failed="It could not be spoken.")
    store.add_audio(record.id, record.rendition, 3, [lost])
    place = Place(chapter=2, sentence=third.sentences[0].id, word=1, device="phone", updated=datetime.now(UTC))
    store.save_place(record.id, place)
    return store, record


def chapter_of(store: Store, number: int) -> store_reader.Chapter:
    return next(one for one in store_reader.chapters(store.root) if one.index["chapter"] == number)


def test_the_reader_shares_nothing_with_the_server() -> None:
    tree = ast.parse(Path(store_reader.__file__).read_text())
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert names and not [name for name in names if name.split(".")[0] in ("server", "tests")]


def test_nothing_is_wrong_with_a_rendered_store(made: tuple[Store, BookRecord]) -> None:
    store, _ = made
    assert check(store.root) == []
    assert [len(one.rendered) for one in store_reader.chapters(store.root)] == [0, 7, 4]


@pytest.mark.parametrize(("number", "first"), [(2, 0), (2, 3), (2, 6), (3, 0)])
def test_the_stream_is_the_files(made: tuple[Store, BookRecord], number: int, first: int) -> None:
    store, record = made
    chapter = chapter_of(store, number)
    run = open_run(store, record.id, number, chapter.rendered[first]["id"])

    def fetch(name: str) -> bytes:
        return run.init_segment() if name == "init.mp4" else run.segment(int(name[4:-4]))

    assert check_stream(chapter, run.playlist(), fetch, first) == []


def test_sentence_fragments_are_the_files(made: tuple[Store, BookRecord]) -> None:
    store, record = made
    chapter = chapter_of(store, 2)
    run = open_run(store, record.id, 2)
    playlist = '#EXT-X-MAP:URI="init.mp4"\n#EXT-X-ENDLIST\n'
    playlist += f"#EXTINF:{chapter.index['samples_total'] / 24_000},\n"
    playlist += "\n".join(sentence["id"] for sentence in chapter.rendered)

    def fetch(name: str) -> bytes:
        return run.init_segment() if name == "init.mp4" else run.sentence_segment(name)

    assert check_stream(chapter, playlist, fetch) == []


def test_the_chapter_file_is_the_files(made: tuple[Store, BookRecord]) -> None:
    store, record = made
    file = open_chapter_file(store, record.id, 2)
    step = 10_007  # as a player would, piece by piece
    data = b"".join(file.read(at, min(at + step, file.size)) for at in range(0, file.size, step))
    assert check_chapter_file(chapter_of(store, 2), data) == []


def test_positions_in_utf16() -> None:
    text = "“Go 😀 𝔄lpha"
    for n in range(len(text) + 1):
        assert utf16(text, n) == len(text[:n].encode("utf-16-le")) // 2


Spoil = Callable[[dict[str, Any], dict[str, Any]], None]  # gets the chapter and its third sentence


def _set(name: str, value: Any) -> Spoil:
    return lambda chapter, sentence: sentence.update({name: value})


def _word(at: int, name: str, value: int) -> Spoil:
    return lambda chapter, sentence: sentence["words"][at].__setitem__(WORD.index(name), value)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda chapter, sentence: chapter.update(samples_total=0), "samples_total"),
        (lambda chapter, sentence: chapter.update(complete=False), "complete"),
        (lambda chapter, sentence: chapter.update(silence=None), "None"),
        (lambda chapter, sentence: chapter.update(codec_config="1388"), "coded as"),
        (lambda chapter, sentence: chapter["sentences"].pop(), "another chapter"),
        (lambda chapter, sentence: sentence.pop("seed"), "seed"),
        (lambda chapter, sentence: sentence.update(au_sizes=sentence["au_sizes"][:-2]), "access units"),
        (lambda chapter, sentence: chapter.update(priming=0), "hides"),
        (_set("au_sizes", "04"), "too few"),
        (_set("samples", 1_024), "do not fit"),
        (_set("gap_after_samples", 1_000), "multiple"),
        (_set("data_offset", 900), "end where the file ends"),
        (_set("sha256", "0" * 64), "another one"),
        (_set("file", "chapter-0002/other.m4a"), "missing"),
        (_set("speech_end", 1 << 30), "speech is not inside"),
        (_word(0, "start", 0), "inside the speech"),
        (_word(1, "start", 1_024), "inside the speech"),
        (_word(0, "char_end", 500), "inside the text"),
        (_word(1, "char_start", 0), "inside the text"),
    ],
)
def test_the_reader_sees_what_is_wrong(tmp_path: Path, spoil: Spoil, told: str) -> None:
    store = Store(tmp_path / "store")
    record = put(store, tmp_path)
    render(store, record, 2)
    path = store.chapter_path(record.id, 2)
    chapter = json.loads(path.read_text())
    spoil(chapter, chapter["sentences"][2])
    path.write_text(json.dumps(chapter) + "\n")
    problems = check(store.root)
    assert problems and any(told in problem for problem in problems), problems


def test_the_reader_hears_a_wrong_join(made: tuple[Store, BookRecord]) -> None:
    store, _ = made
    chapter = chapter_of(store, 2)
    wrong = store_reader.Chapter(
        {**chapter.index, "silence": chapter.units(chapter.rendered[0])[3].hex()}, chapter.folder
    )
    assert store_reader._join_problems(chapter) == []
    assert "differs" in store_reader._join_problems(wrong)[0]
