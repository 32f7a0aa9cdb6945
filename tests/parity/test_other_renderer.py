"""A store of another renderer, with Apple's priming and odd lengths, is read as the format says (section 8.1)."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from server.api import create_app
from server.config import Settings
from server.errors import Conflict
from server.house import House
from server.render.aac import decode
from server.render.records import BookRecord
from server.render.store import Store
from server.render.stream import open_loose
from server.render.verify import Tally, verify
from tests.fakes.other import PRIMING, Loose, put_other
from tests.fakes.synth import ENGINE
from tests.fakes.synthetic import render
from tests.parity.store_reader import chapters, check
from tests.parity.test_hour import lag

pytestmark = pytest.mark.parity


@pytest.fixture
def made(tmp_path: Path) -> tuple[Store, BookRecord, dict[str, Loose]]:
    store = Store(tmp_path / "data" / "store")
    record, files = put_other(store, tmp_path)
    return store, record, files


@pytest.fixture
def client(made: tuple[Store, BookRecord, dict[str, Loose]], tmp_path: Path) -> Iterator[TestClient[Litestar]]:
    house = House(Settings(data=tmp_path / "data", library=tmp_path / "library"), ENGINE)
    house.access.door = lambda _: "loopback"  # type: ignore[method-assign] - this client has no address of its own
    with TestClient(create_app(house), base_url="http://127.0.0.1") as client:
        yield client
    house.close()


def test_the_stranger_reads_it(made: tuple[Store, BookRecord, dict[str, Loose]]) -> None:
    store, _, files = made
    assert check(store.root) == []
    [chapter] = chapters(store.root)
    starts, at = chapter.starts(), 0
    for sentence in chapter.index["sentences"]:
        said = files[sentence["id"]].pcm
        heard = chapter.sound(sentence)
        assert len(heard) == len(said) == sentence["samples"]
        assert lag(heard, said) == 0 and np.corrcoef(heard, said)[0, 1] > 0.98
        assert starts[sentence["id"]] == at
        at += len(said) + sentence["gap_after_samples"]
    assert at == chapter.index["samples_total"] and at % 1_024


def test_verify_finds_nothing_wrong_and_a_wrong_priming(made: tuple[Store, BookRecord, dict[str, Loose]]) -> None:
    store, record, _ = made
    assert list(verify(store, Tally(), decode=lambda data: len(decode(data)))) == []
    index = store.chapter(record.id, 1)
    store.save_chapter(index.model_copy(update={"priming": 1_024}))
    found = list(verify(store, Tally()))
    assert len(found) == 4 and all("hides 2112 samples" in fault.what for fault in found)
    assert any("hides 2112" in problem for problem in check(store.root))


def test_single_files_are_served_and_joins_are_refused_in_words(
    made: tuple[Store, BookRecord, dict[str, Loose]], client: TestClient[Litestar]
) -> None:
    _, record, files = made
    base = f"/api/v1/books/{record.id}/chapters/1"
    told = client.get(base)
    assert told.status_code == 200, told.text
    assert told.json()["priming"] == PRIMING
    for sid, file in files.items():
        assert client.get(f"{base}/sentences/{sid}.m4a").content == file.data
    first = next(iter(files))
    for path in (f"stream/{first}/playlist.m3u8", f"stream-on/{first}/seg-0.m4s", "chapter.m4a"):
        refused = client.get(f"{base}/{path}")
        assert refused.status_code == 409, path
        assert "cannot be joined" in refused.json()["detail"]
    assert client.get(f"{base}/stream/{first}/init.mp4").status_code == 200
    assert client.get(f"{base}/stream/{first}/s-{first}.m4s").status_code == 200
    assert client.get(f"{base}/stream/{first}/s-nothing.m4s").status_code == 404


def test_a_fragment_is_the_sentence_with_its_priming_before_and_silence_behind(
    made: tuple[Store, BookRecord, dict[str, Loose]],
) -> None:
    store, record, files = made
    index = store.chapter(record.id, 1)
    loose = open_loose(store, record.id, 1, index.sentences[0].id)
    assert loose is not None
    for entry in index.sentences:
        heard = decode(loose.init_segment() + loose.sentence_segment(entry.id))[PRIMING:]
        assert len(heard) >= entry.length_samples
        assert lag(heard[: entry.samples], files[entry.id].pcm) == 0
        quiet = heard[(entry.samples or 0) + 2_048 : entry.length_samples]
        assert not len(quiet) or float(np.abs(quiet).max()) < 1e-4


def test_nothing_of_ours_is_added_to_it(made: tuple[Store, BookRecord, dict[str, Loose]]) -> None:
    store, record, _ = made
    before = store.chapter(record.id, 1)
    with pytest.raises(Conflict, match="another program"):
        render(store, record, 1, [before.sentences[0].id])
    assert store.chapter(record.id, 1) == before
