"""HEAD and entity tags on every address; limits on how much anybody asks."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from server.access.model import Identity
from server.api.identity import SCOPE
from server.api.limits import MOST_HEADER_BYTES, Allowance, Buckets, Limits
from server.api.routes import create_app
from tests.contract.conftest import BASE, BOOK
from tests.contract.household import PaperHousehold

Client = TestClient[Litestar]


TAKE = {"text": "Hello.", "voice": "paper:thin"}
CHANGING = ("/queue", "/status", "/doctor", "/machine", "/log")


def addresses(client: Client, house: PaperHousehold) -> Iterator[tuple[str, bool]]:
    """Every address that GET knows, of things that are there; and whether its answer may be kept."""
    entry = house.store.chapter(BOOK, 1).sentences[0]
    preview = client.post("/api/v1/preview", json={"text": "Hello.", "audio": True}).json()["audio"]
    values = {
        "book": BOOK,
        "number": "1",
        "name": f"{entry.id}.m4a",
        "start": entry.id,
        "part": f"s-{entry.id}.m4s",
        "layer": "household",
        "at": "0",
        "rendition": house.store.book(BOOK).rendition,
        "take": client.post("/api/v1/audition/takes", json=TAKE).json()["audio"].rpartition("/")[2],
    }
    client.put(f"/api/v1/books/{BOOK}/position", json={"chapter": 1, "sentence": entry.id})
    document = client.get("/api/v1/openapi.json").json()
    for path, item in document["paths"].items():
        if "get" not in item:
            continue
        url = preview if "/previews/" in path else path.format_map(values)
        if path.endswith("/search"):
            url += "?q=sentence"
        if path.endswith("/changes"):
            url += f"?rendition={house.store.book(BOOK).rendition}&since=0"
        yield url, not path.endswith(("/events", "/address.svg", "/address/qr"))
    for page in ("/", "/dashboard", "/web/lib/api.js"):
        yield page, True


def test_every_address_answers_head_and_knows_what_did_not_change(client: Client, house: PaperHousehold) -> None:
    seen = 0
    for url, kept in list(addresses(client, house)):
        if url.endswith("/events"):
            told = client.head(url)
            assert (told.status_code, told.content) == (200, b"")
            assert told.headers["content-type"].startswith("text/event-stream")
            continue
        got = client.get(url)
        if got.status_code != 200:
            # Without a tailnet there is no address, and this book has no pictures.
            assert "address" in url or "/pictures/" in url, (url, got.text)
            continue
        told = client.head(url)
        assert (told.status_code, told.content) == (200, b""), url
        changing = {"etag", "content-length"} if url.endswith(CHANGING) else set()
        assert {n: v for n, v in told.headers.items() if n not in changing} == {
            n: v for n, v in got.headers.items() if n not in changing
        }, url
        if not kept or "no-store" in got.headers["cache-control"] or changing:
            continue
        tag = got.headers["etag"]
        for given in (tag, f'W/{tag}, "other"', "*"):
            for ask in (client.get, client.head):
                again = ask(url, headers={"if-none-match": given})
                assert (again.status_code, again.content) == (304, b""), (url, given)
                assert again.headers["etag"] == tag
                assert "content-type" not in again.headers and again.headers["cache-control"]
        assert client.get(url, headers={"if-none-match": '"other"'}).content == got.content
        seen += 1
    assert seen > 25


def test_a_tag_is_that_of_the_content(client: Client, house: PaperHousehold) -> None:
    url = f"/api/v1/books/{BOOK}/bookmarks"
    before = client.get(url).headers["etag"]
    sentence = house.store.chapter(BOOK, 1).sentences[0].id
    client.post(url, json={"chapter": 1, "sentence": sentence})
    after = client.get(url, headers={"if-none-match": before})
    assert after.status_code == 200 and after.headers["etag"] != before


def test_head_of_what_is_not_there_is_the_same_problem(client: Client) -> None:
    url = "/api/v1/books/0000000000000000/bookmarks"
    told, got = client.head(url), client.get(url)
    assert (told.status_code, told.content, got.status_code) == (404, b"", 404)
    assert told.headers == got.headers


class TestLimits:
    @pytest.fixture
    def strict(self, house: PaperHousehold, web_folder: Path) -> Iterator[Client]:
        now = iter(range(10_000))

        def limited(app: Any) -> Limits:
            # The clock goes on by a second with each question.
            return Limits(app, Allowance(3, 0.25), Allowance(2, 0.25), clock=lambda: next(now))

        with TestClient(create_app(house, web_folder=web_folder, limited=limited), base_url=BASE) as made:
            yield made

    def test_who_writes_too_much_is_told_when_to_go_on(self, strict: Client) -> None:
        put: Callable[[], Any] = lambda: strict.put(f"/api/v1/books/{BOOK}/position", json={})  # noqa: E731
        assert [put().status_code for _ in range(3)] == [400] * 3
        codes = [put() for _ in range(6)]
        assert [reply.status_code for reply in codes].count(429) >= 3
        refused = next(reply for reply in codes if reply.status_code == 429)
        assert refused.json()["code"] == "too-many-requests"
        assert 1 <= int(refused.headers["retry-after"]) <= 5
        assert strict.get("/api/v1/books").status_code == 200  # who reads is not kept waiting by that

    def test_expensive_questions_have_a_bucket_of_their_own(self, strict: Client) -> None:
        codes = [strict.get("/api/v1/search?q=a").status_code for _ in range(8)]
        assert codes[:2] == [200, 200] and 429 in codes
        assert all(strict.get("/api/v1/books").status_code == 200 for _ in range(20))

    def test_one_device_does_not_use_up_what_another_has(self) -> None:
        buckets = Buckets(Allowance(1, 1), lambda: 0.0)
        assert buckets.take("a") == 0.0 and buckets.take("a") == 1.0 and buckets.take("b") == 0.0

    def test_a_bucket_fills_again(self) -> None:
        moments = iter([0.0, 0.0, 0.5, 1.0, 100.0, 100.0])
        buckets = Buckets(Allowance(1, 1), lambda: next(moments))
        assert [buckets.take("a") for _ in range(4)] == [0.0, 1.0, 0.5, 0.0]
        assert buckets.take("a") == 0.0 and buckets.take("a") == 1.0

    def test_strangers_without_number_take_no_memory(self) -> None:
        buckets = Buckets(Allowance(1, 1), lambda: 0.0)
        for number in range(5_000):
            buckets.take(str(number))
        assert len(buckets._levels) == 1_000

    async def test_the_key_is_the_device_and_not_the_proxy_in_front(self) -> None:
        passed: list[str] = []

        async def app(scope: Any, receive: Any, send: Any) -> None:
            passed.append(scope[SCOPE].device)

        async def send(message: Any) -> None: ...

        limits = Limits(app, Allowance(1, 0.001), clock=lambda: 0.0)
        for device in ("phone", "phone", "tablet"):
            who = Identity("owner", "owner", "You", "serve", device=device)
            scope: Any = {"type": "http", "method": "POST", "path": "/", "headers": [], "query_string": b"", SCOPE: who}
            await limits({**scope, "client": ("127.0.0.1", 1), "raw_path": b"/"}, None, send)  # type: ignore[arg-type]
        assert passed == ["phone", "tablet"]

    def test_no_player_comes_near_them(self) -> None:
        """A day of reports, and a shelf of books dropped at once."""
        now = [0.0]
        buckets = Buckets(Allowance(600, 20), lambda: now[0])
        assert all(buckets.take("upload") == 0.0 for _ in range(600))
        for _ in range(1_000):
            now[0] += 1.0
            assert all(buckets.take("player") == 0.0 for _ in range(20))

    def test_headers_and_address_are_bounded(self, client: Client) -> None:
        client.event_hooks = {}
        long = client.get("/api/v1/books", headers={"x-long": "a" * MOST_HEADER_BYTES})
        assert (long.status_code, long.json()["code"]) == (431, "headers-too-large")
        far = client.get("/api/v1/search?q=" + "a" * 9_000)
        assert (far.status_code, far.json()["code"]) == (414, "address-too-long")
