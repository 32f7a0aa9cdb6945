"""Sentence audio, covers and chapter indexes over HTTP."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from tests.contract.conftest import BOOK
from tests.contract.household import PNG, PaperHousehold, add_audio, make_book

Client = TestClient[Litestar]

CHAPTER = f"/api/v1/books/{BOOK}/chapters/1"


@pytest.fixture
def audio(house: PaperHousehold) -> tuple[str, bytes]:
    """URL and bytes of the first sentence."""
    sid = house.store.chapter(BOOK, 1).sentences[0].id
    return f"{CHAPTER}/sentences/{sid}.m4a", house.store.sentence_path(BOOK, 1, sid).read_bytes()


def test_whole_sentence(client: Client, audio: tuple[str, bytes]) -> None:
    url, data = audio
    reply = client.get(url, headers={"accept-encoding": "gzip, br"})
    assert (reply.status_code, reply.content) == (200, data)
    assert reply.headers["content-type"] == "audio/mp4"
    assert reply.headers["content-length"] == str(len(data))
    assert reply.headers["accept-ranges"] == "bytes"
    assert reply.headers["etag"] == f'"{hashlib.sha256(data).hexdigest()}"'
    assert "content-encoding" not in reply.headers


def test_audio_may_be_kept_for_ever_only_by_its_hash(client: Client, audio: tuple[str, bytes]) -> None:
    """Another edition of the book may have another file at the same address."""
    url, data = audio
    name = hashlib.sha256(data).hexdigest()
    for query, lasting in ((f"?v={name[:8]}", True), (f"?v={name}", True), ("", False), ("?v=", False)):
        assert ("immutable" in client.get(url + query).headers["cache-control"]) is lasting, query
    for query in ("?v=00000000", f"?v={name[:4]}", f"?v={name}0"):
        reply = client.get(url + query)
        assert (reply.status_code, reply.content) == (200, data)
        assert reply.headers["cache-control"] == "private, no-cache", query


@pytest.mark.parametrize(
    ("value", "cut"), [("bytes=0-1", slice(0, 2)), ("bytes=-5", slice(-5, None)), ("bytes=100-", slice(100, None))]
)
def test_part_of_a_sentence(client: Client, audio: tuple[str, bytes], value: str, cut: slice) -> None:
    url, data = audio
    reply = client.get(url, headers={"range": value})
    assert (reply.status_code, reply.content) == (206, data[cut])
    start, stop, _ = cut.indices(len(data))
    assert reply.headers["content-range"] == f"bytes {start}-{stop - 1}/{len(data)}"
    assert reply.headers["content-length"] == str(stop - start)


def test_range_outside_says_the_size(client: Client, audio: tuple[str, bytes]) -> None:
    url, data = audio
    reply = client.get(url, headers={"range": "bytes=999999-"})
    assert reply.status_code == 416
    assert reply.headers["content-range"] == f"bytes */{len(data)}"
    assert reply.json()["code"] == "range-not-satisfiable"


def test_several_ranges_give_the_whole(client: Client, audio: tuple[str, bytes]) -> None:
    url, data = audio
    reply = client.get(url, headers={"range": "bytes=0-1,5-6"})
    assert (reply.status_code, reply.content) == (200, data)


def test_if_range_with_an_old_tag_gives_the_whole(client: Client, audio: tuple[str, bytes]) -> None:
    url, data = audio
    reply = client.get(url, headers={"range": "bytes=0-1", "if-range": '"old"'})
    assert (reply.status_code, reply.content) == (200, data)
    tag = reply.headers["etag"]
    assert client.get(url, headers={"range": "bytes=0-1", "if-range": tag}).status_code == 206


def test_same_tag_is_not_sent_again(client: Client, audio: tuple[str, bytes]) -> None:
    url, _ = audio
    tag = client.get(url).headers["etag"]
    reply = client.get(url, headers={"if-none-match": tag})
    assert (reply.status_code, reply.content) == (304, b"")
    assert reply.headers["etag"] == tag
    assert reply.headers["cache-control"] == "private, no-cache"
    assert client.get(url, headers={"if-match": '"other"'}).status_code == 412


def test_head_gives_the_headers_of_get(client: Client, audio: tuple[str, bytes]) -> None:
    url, data = audio
    told, got = client.head(url), client.get(url)
    assert (told.status_code, told.content) == (200, b"")
    assert told.headers == got.headers
    assert told.headers["content-length"] == str(len(data))
    assert client.head(url, headers={"range": "bytes=0-1"}).status_code == 200


def test_long_file_arrives_whole(client: Client, house: PaperHousehold, tmp_path: Path) -> None:
    """Longer than one read: it goes in pieces, from a thread."""
    book = "f" * 16
    house.add(make_book(book, chapters=1, sentences=1), _source(tmp_path))
    sid = house.store.chapter(book, 1).sentences[0].id
    add_audio(house.store, book, 1, [sid], frames=9_000)
    data = house.store.sentence_path(book, 1, sid).read_bytes()
    assert len(data) > 3 * 256 * 1024
    url = f"/api/v1/books/{book}/chapters/1/sentences/{sid}.m4a"
    assert client.get(url).content == data
    assert client.get(url, headers={"range": "bytes=7-800000"}).content == data[7:800_001]


def open_files() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def test_no_file_stays_open(client: Client, audio: tuple[str, bytes]) -> None:
    url, _ = audio
    client.get(url)
    before = open_files()
    for headers in ({}, {"range": "bytes=0-1"}, {"range": "bytes=999999-"}, {"if-match": '"x"'}):
        for _ in range(10):
            client.get(url, headers=headers)
    assert open_files() <= before + 2


@pytest.mark.parametrize(
    "path",
    [
        f"{CHAPTER}/sentences/000000000000-1.m4a",
        f"{CHAPTER}/sentences/..%2f..%2fbook.json.m4a",
        f"{CHAPTER}/sentences/%00.m4a",
        f"{CHAPTER}/sentences/.m4a",
        f"/api/v1/books/{BOOK}/chapters/0",
        f"/api/v1/books/{BOOK}/chapters/-1",
        f"/api/v1/books/{BOOK}/chapters/3",
        f"/api/v1/books/{BOOK}/chapters/99999999999999999999",
        "/api/v1/books/..%2f..%2fetc/chapters/1",
        "/api/v1/books/0000000000000000/chapters/1",
        "/api/v1/books/0000000000000000/cover",
        "/api/v1/books/0000000000000000",
        "/api/v1/books/nonsense",
    ],
)
def test_what_is_not_there(client: Client, path: str) -> None:
    assert client.get(path).status_code in (400, 404)


def test_sentence_not_rendered_yet(client: Client, house: PaperHousehold) -> None:
    sid = house.store.chapter(BOOK, 2).sentences[3].id
    reply = client.get(f"/api/v1/books/{BOOK}/chapters/2/sentences/{sid}.m4a")
    assert reply.status_code == 404
    assert "not rendered yet" in reply.json()["detail"]


def test_damaged_file_is_a_fault_that_names_no_path(
    client: Client, house: PaperHousehold, audio: tuple[str, bytes]
) -> None:
    sid = house.store.chapter(BOOK, 1).sentences[0].id
    house.store.sentence_path(BOOK, 1, sid).write_bytes(b"short")
    reply = client.get(audio[0])
    assert reply.status_code == 500
    assert reply.json()["code"] == "store"


def test_missing_file_is_not_found(client: Client, house: PaperHousehold, audio: tuple[str, bytes]) -> None:
    sid = house.store.chapter(BOOK, 1).sentences[0].id
    house.store.sentence_path(BOOK, 1, sid).unlink()
    assert client.get(audio[0]).status_code == 404


def test_chapter_index_is_the_stored_file(client: Client, house: PaperHousehold) -> None:
    reply = client.get(CHAPTER)
    assert reply.content == house.store.chapter_path(BOOK, 1).read_bytes()
    assert reply.headers["content-type"] == "application/json"
    assert client.get(CHAPTER, headers={"if-none-match": reply.headers["etag"]}).status_code == 304


def test_chapter_index_is_packed_for_those_who_take_it(client: Client, house: PaperHousehold) -> None:
    plain = client.get(CHAPTER, headers={"accept-encoding": "identity"})
    packed = client.get(CHAPTER, headers={"accept-encoding": "br, gzip"})
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"])
    assert packed.content == plain.content
    assert packed.headers["etag"] != plain.headers["etag"]
    assert packed.headers["vary"] == plain.headers["vary"] == "accept-encoding"
    again = client.get(CHAPTER, headers={"accept-encoding": "gzip", "if-none-match": packed.headers["etag"]})
    assert again.status_code == 304
    assert "content-encoding" not in client.get(CHAPTER, headers={"accept-encoding": "gzip;q=0, br"}).headers


def test_chapter_tag_changes_when_audio_is_made(client: Client, house: PaperHousehold) -> None:
    url = f"/api/v1/books/{BOOK}/chapters/2"
    tag = client.get(url).headers["etag"]
    add_audio(house.store, BOOK, 2, [house.store.chapter(BOOK, 2).sentences[2].id])
    reply = client.get(url, headers={"if-none-match": tag})
    assert reply.status_code == 200
    assert sum("file" in sentence for sentence in reply.json()["sentences"]) == 3


def test_cover(client: Client, house: PaperHousehold, tmp_path: Path) -> None:
    url = client.get(f"/api/v1/books/{BOOK}").json()["cover"]
    reply = client.get(url)
    assert (reply.content, reply.headers["content-type"]) == (PNG, "image/png")
    assert client.get(url, headers={"if-none-match": reply.headers["etag"]}).status_code == 304
    house.add(make_book("f" * 16, cover=False), _source(tmp_path))
    assert client.get(f"/api/v1/books/{'f' * 16}/cover").status_code == 404


def test_a_small_cover_for_the_shelf(client: Client, house: PaperHousehold, tmp_path: Path) -> None:
    small = b"\xff\xd8\xffsmall"
    house.add(replace(make_book("f" * 16), thumbnail=small), _source(tmp_path))
    url = client.get(f"/api/v1/books/{'f' * 16}").json()["thumbnail"]
    reply = client.get(url)
    assert (reply.content, reply.headers["content-type"]) == (small, "image/jpeg")
    assert "max-age" in reply.headers["cache-control"]
    assert client.get(url, headers={"if-none-match": reply.headers["etag"]}).status_code == 304
    assert client.get(url.replace("size=small", "size=full")).content == PNG
    assert client.get(url.replace("size=small", "size=huge")).status_code == 400
    # A book of an older version has no small one: the cover itself is the answer.
    assert client.get(client.get(f"/api/v1/books/{BOOK}").json()["thumbnail"]).content == PNG


def _source(folder: Path) -> Path:
    path = folder / "another.epub"
    path.write_bytes(b"PK another")
    return path
