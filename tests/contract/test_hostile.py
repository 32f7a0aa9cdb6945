"""Headers as nobody sends them, at every address that serves media: right answers or plain refusals, never a fault."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from litestar import Litestar
from litestar.testing import TestClient

from server.api.routes import create_app
from tests.contract.conftest import BASE, BOOK
from tests.contract.household import PaperHousehold
from tests.contract.test_ranges import IGNORED

Client = TestClient[Litestar]

NAMES = (
    "range",
    "if-range",
    "if-none-match",
    "if-match",
    "if-modified-since",
    "if-unmodified-since",
    "accept-encoding",
)
# What an HTTP header may hold at all, and what people have tried in them.
TEXT = st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"), max_size=60)
NUMBER = st.one_of(st.integers(0, 10**6), st.integers(0, 10**40)).map(str)
SPEC = st.one_of(
    st.tuples(NUMBER, NUMBER).map("-".join), NUMBER.map(lambda n: f"{n}-"), NUMBER.map(lambda n: f"-{n}"), TEXT
)
RANGE = st.one_of(
    st.lists(SPEC, min_size=1, max_size=40).map(lambda specs: "bytes=" + ",".join(specs)),
    TEXT.map(lambda text: f"bytes={text}"),
    TEXT,
)
DATE = st.sampled_from(["Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "0", "-1", "Mon, 99 Foo 1"])
TAG = st.one_of(st.just("*"), TEXT.map(lambda text: f'"{text}"'), TEXT.map(lambda text: f'W/"{text}"'), TEXT)
VALUES = st.one_of(RANGE, DATE, TAG, TEXT)
HEADERS = st.dictionaries(st.sampled_from(NAMES), VALUES, min_size=1, max_size=4)


@pytest.fixture
def unlimited(house: PaperHousehold, web_folder: Path) -> Iterator[Client]:
    app = create_app(house, web_folder=web_folder, limited=lambda app: app)
    with TestClient(app, base_url=BASE, raise_server_exceptions=False) as made:
        yield made


@pytest.fixture
def media(unlimited: Client, house: PaperHousehold) -> dict[str, bytes]:
    """Every address of media in this household, and what it serves."""
    sid = house.store.chapter(BOOK, 1).sentences[1].id
    chapter = f"/api/v1/books/{BOOK}/chapters/1"
    streams = [f"{chapter}/{kind}/{sid}" for kind in ("stream", "stream-on")]
    urls = [
        f"{chapter}/sentences/{sid}.m4a",
        f"{chapter}/chapter.m4a",
        f"/api/v1/books/{BOOK}/cover",
        chapter,
        "/api/v1/openapi.json",
        "/web/lib/api.js",
        *(f"{stream}/{part}" for stream in streams for part in ("playlist.m3u8", "init.mp4", f"s-{sid}.m4s")),
        unlimited.post("/api/v1/preview", json={"text": "Hello.", "audio": True}).json()["audio"],
    ]
    return {url: unlimited.get(url, headers={"accept-encoding": "identity"}).content for url in urls}


@settings(max_examples=150, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(headers=HEADERS, choice=st.integers(0, 10**6), head=st.booleans())
def test_no_header_makes_a_fault(
    unlimited: Client, media: dict[str, bytes], headers: dict[str, str], choice: int, head: bool
) -> None:
    url = sorted(media)[choice % len(media)]
    whole = media[url]
    given = {"accept-encoding": "identity", **headers}
    raw = [(name.encode(), value.encode("latin-1")) for name, value in given.items()]
    reply = unlimited.request("HEAD" if head else "GET", url, headers=raw)
    assert reply.status_code in (200, 206, 304, 412, 416), (url, headers, reply.text)
    if head or reply.status_code == 304:
        assert reply.content == b""
    elif reply.status_code == 200 and "content-encoding" not in reply.headers:
        assert reply.content == whole
        assert "content-range" not in reply.headers
    elif reply.status_code == 206:
        first, last = reply.headers["content-range"].removeprefix("bytes ").partition("/")[0].split("-")
        size = int(reply.headers["content-range"].rpartition("/")[2])
        assert len(reply.content) == int(last) - int(first) + 1 == int(reply.headers["content-length"])
        if "content-encoding" not in reply.headers:
            assert (size, reply.content) == (len(whole), whole[int(first) : int(last) + 1])
    elif reply.status_code == 416:
        assert reply.headers["content-range"].startswith("bytes */")
    if "/chapters/1" in url and url[-4:] in (".m4a", ".m4s", ".mp4"):
        assert "content-encoding" not in reply.headers


def test_the_table_of_the_rfc_holds_at_every_address(unlimited: Client, media: dict[str, bytes]) -> None:
    """The rows of test_ranges, over HTTP: which bytes arrive, for files of other lengths than its 10,000."""
    for url, whole in media.items():
        for value in [
            "bytes=0-0",
            "bytes=0-1",
            "bytes=-1",
            f"bytes={len(whole) - 1}-",
            "bytes=0-",
            f"bytes=-{len(whole)}",
        ]:
            reply = unlimited.get(url, headers={"range": value, "accept-encoding": "identity"})
            first, last = value.removeprefix("bytes=").split("-")
            cut = whole[int(first) : int(last) + 1 if last else None] if first else whole[-min(int(last), len(whole)) :]
            assert (reply.status_code, reply.content) == (206, cut), (url, value)
        for value in (f"bytes={len(whole)}-", "bytes=-0"):
            reply = unlimited.get(url, headers={"range": value, "accept-encoding": "identity"})
            assert (reply.status_code, reply.headers["content-range"]) == (416, f"bytes */{len(whole)}"), (url, value)
            assert reply.json()["code"] == "range-not-satisfiable"
        for value in [*IGNORED[:4], "bytes=" + "9" * 200 + "-"]:
            reply = unlimited.get(url, headers={"range": value, "accept-encoding": "identity"})
            assert (reply.status_code, reply.content) == (200, whole), (url, value)


def test_if_range_at_every_address(unlimited: Client, media: dict[str, bytes]) -> None:
    for url, whole in media.items():
        plain = {"range": "bytes=0-1", "accept-encoding": "identity"}
        tag = unlimited.get(url, headers={"accept-encoding": "identity"}).headers["etag"]
        for named, status in ((tag, 206), (f"W/{tag}", 200), ('"old"', 200), ("Thu, 01 Jan 1970 00:00:00 GMT", 200)):
            reply = unlimited.get(url, headers=plain | {"if-range": named})
            assert (reply.status_code, len(reply.content)) == (status, 2 if status == 206 else len(whole)), (url, named)
