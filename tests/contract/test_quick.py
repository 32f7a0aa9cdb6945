"""The short way to a sentence's audio gives what the long one gives, and goes only where all is well."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from server.api.quick import Quick
from tests.contract.conftest import BASE, BOOK
from tests.contract.household import PaperHousehold, add_audio

Client = TestClient[Litestar]
CHAPTER = f"/api/v1/books/{BOOK}/chapters/1"

RANGES = (
    "x" * 300,
    None, "bytes=0-1", "bytes=0-", "bytes=-5", "bytes=7-7", "bytes=5-2", "bytes=0-1,3-4", "bytes=999999-", "bytes=-0",
    "bytes=0-99999999999999999999999", "lines=1-2", "bytes", "bytes=", "bytes=a-b", "BYTES=1-2", "bytes = 1-2",
)  # fmt: skip


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """For each request that came to the short way, whether it was answered there; `ways.closed` closes it."""

    class Ways(list[bool]):
        closed = False

    told, find = Ways(), Quick._find

    def watched(self: Quick, scope: Any) -> Any:
        found = None if told.closed else find(self, scope)
        told.append(found is not None)
        return found

    monkeypatch.setattr(Quick, "_find", watched)
    yield told


def both(client: Client, ways: Any, method: str, url: str, **headers: str) -> httpx.Response:
    """The answer of the short way, which is that of the long one."""
    replies = []
    for ways.closed in (True, False):
        reply = client.request(method, url, headers=headers)
        replies.append((reply.status_code, sorted(reply.headers.items()), reply.content))
    assert replies[0] == replies[1], (method, url, headers)
    return reply


@pytest.fixture
def url(house: PaperHousehold) -> str:
    return f"{CHAPTER}/sentences/{house.store.chapter(BOOK, 1).sentences[0].id}.m4a"


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_both_ways_say_the_same(client: Client, ways: Any, url: str, house: PaperHousehold, method: str) -> None:
    etag = f'"{house.store.chapter(BOOK, 1).sentences[0].sha256}"'
    for value in RANGES:
        both(client, ways, method, url, **({"range": value} if value is not None else {}))
    for name in ("if-none-match", "if-match", "if-range"):
        for value in (etag, f"W/{etag}", "*", '"other"', f'"other", {etag}', "", "x" * 5_000):
            both(client, ways, method, url, **{name: value, "range": "bytes=2-3"})
    for name in ("if-modified-since", "if-unmodified-since"):
        both(client, ways, method, url, **{name: "Sun, 06 Nov 1994 08:49:37 GMT"})
    for query in (f"?v={etag[1:9]}", "?v=", "?v=00000000", "?v=zz", "?w=1", "?v=1&v=2", f"?v={etag[1:-1]}"):
        both(client, ways, method, url + query)
    assert ways.count(True) > len(RANGES)  # most of it went the short way


def test_other_addresses_are_not_taken_for_sentences(client: Client, ways: Any, url: str) -> None:
    sid = url.rpartition("/")[2]
    for path in (
        f"{CHAPTER}/sentences/{sid[:-4]}", f"{CHAPTER}/sentences/none.m4a", f"{CHAPTER}/sentences/..%2f{sid}",
        f"/api/v1/books/{BOOK}/chapters/9/sentences/{sid}",
        f"/api/v1/books/ffffffffffffffff/chapters/1/sentences/{sid}", f"/{url}",
    ):  # fmt: skip
        assert both(client, ways, "GET", path).status_code in (400, 404, 405), path
    assert both(client, ways, "DELETE", url).status_code == 405
    assert not any(ways)
    for path in (url.replace("/1/", "/01/"), f"{url}/"):  # these the framework takes, and nobody asks so
        assert both(client, ways, "GET", path).status_code == 200 and not any(ways)


def test_what_changes_is_seen_at_once(client: Client, ways: Any, house: PaperHousehold) -> None:
    entry = house.store.chapter(BOOK, 2).sentences[2]
    url = f"/api/v1/books/{BOOK}/chapters/2/sentences/{entry.id}.m4a"
    assert both(client, ways, "GET", url).status_code == 404
    add_audio(house.store, BOOK, 2, [entry.id])
    assert both(client, ways, "GET", url).status_code == 200
    assert ways[-1]
    path = house.store.sentence_path(BOOK, 2, entry.id)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])  # damaged
    assert both(client, ways, "GET", url).status_code == 500
    path.write_bytes(whole)
    assert both(client, ways, "GET", url).content == whole
    path.unlink()
    assert both(client, ways, "GET", url).status_code == 404
    house.store.delete_audio(BOOK)
    assert both(client, ways, "GET", url).status_code == 404
    house.store.delete_book(BOOK)
    assert both(client, ways, "GET", url).status_code == 404


def test_strangers_do_not_come_so_far(client: Client, ways: Any, url: str) -> None:
    assert client.get(url, headers={"host": "evil.example"}).status_code == 421
    assert client.get(url.replace(BASE, ""), headers={"x-forwarded-for": "203.0.113.9"}).status_code == 403
    assert ways == []
