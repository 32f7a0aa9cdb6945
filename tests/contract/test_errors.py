"""One shape for every error, on every address; nothing of the inside shows."""

import errno
import logging
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from server import errors
from server.api.household import Books
from server.api.problems import STATUS
from tests.contract.conftest import BOOK
from tests.contract.household import PaperHousehold

Client = TestClient[Litestar]

VALUES = {
    "rendition": "9c41d2a07be3",
    "sentence": "000000000000-1",
    "book": BOOK,
    "number": "1",
    "name": "000000000000-1.m4a",
    "refusal": "1",
    "mark": "0",
    "at": "0",
    "entry": "1",
    "person": "0" * 12,
    "start": "000000000000-1",
    "take": f"{'0' * 32}.wav",
}


def every_operation(client: Client) -> list[tuple[str, str]]:
    document = client.get("/api/v1/openapi.json").json()
    return [(method.upper(), path) for path, item in document["paths"].items() for method in item]


def test_another_host_is_refused_on_every_address(client: Client) -> None:
    operations = every_operation(client)
    assert len(operations) > 15
    for method, path in [*operations, ("GET", "/"), ("GET", "/web/lib/api.js"), ("GET", "/nothing")]:
        reply = client.request(method, path.replace("{", "").replace("}", ""), headers={"host": "evil.example"})
        assert reply.status_code == 421, (method, path)


def test_unknown_book_is_the_same_problem_everywhere(client: Client) -> None:
    for method, path in every_operation(client):
        if "{book}" not in path:
            continue
        url = path.format_map({**VALUES, "book": "f" * 16, "part": "seg-0.m4s"})
        body: Any = {"chapter": 1, "sentence": "000000000000-1"} if method in ("PUT", "POST") else None
        if method == "PATCH":
            body = {"enabled": True} if "/chapters/" in url else {"notes": "inline"}
            body = {"note": "x"} if "/bookmarks/" in url else {} if url.endswith("/about") else body
        elif body is not None and url.endswith("/lexicon"):
            body = {"text": ""}
        elif url.endswith("/back"):
            body = {}
        elif url.endswith("/again"):
            body = {"sentences": [body]}
        elif url.endswith("/ears"):
            body = {"state": "wrong"}
        asked = {"what": "audio"} if method == "DELETE" else None
        if url.endswith("/changes"):
            asked = {"rendition": "9c41d2a07be3", "since": "0"}
        reply = client.request(method, url, json=body, headers={"if-match": "*"}, params=asked)
        assert reply.status_code == 404, (method, url)
        if method != "HEAD":
            assert reply.json()["code"] == "not-found"


@pytest.mark.parametrize(
    "path", ["/nope", "/api/v1", "/api/v1/nope", "/api/v1/openapi", "/api/v1/openapi/redoc", "/schema"]
)
def test_no_such_address(client: Client, path: str) -> None:
    reply = client.get(path)
    assert (reply.status_code, reply.json()["code"]) == (404, "not-found")


def test_wrong_method_names_the_right_ones(client: Client) -> None:
    reply = client.delete("/api/v1/books")
    assert (reply.status_code, reply.json()["code"]) == (405, "method-not-allowed")
    assert set(reply.headers["allow"].split(", ")) == {"GET", "HEAD", "POST", "OPTIONS"}


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"chapter": 0, "sentence": "a-1"}, {"chapter"}),
        ({"chapter": 1}, {"sentence"}),
        ({"chapter": "one", "sentence": "../x", "word": -1, "more": 1}, {"chapter", "sentence", "word", "more"}),
        ([], None),
        ("text", None),
    ],
)
def test_every_field_that_is_wrong_is_named(client: Client, body: Any, where: set[str] | None) -> None:
    reply = client.put(f"/api/v1/books/{BOOK}/position", json=body)
    assert (reply.status_code, reply.json()["code"]) == (400, "bad-request")
    if where is not None:
        assert {error["where"] for error in reply.json()["errors"]} == where


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"null"])
def test_body_that_is_no_json(client: Client, body: bytes) -> None:
    reply = client.put(f"/api/v1/books/{BOOK}/position", content=body, headers={"content-type": "application/json"})
    assert reply.status_code == 400


def test_body_too_large_for_json(client: Client) -> None:
    body = b'{"chapter": 1, "sentence": "' + b"a" * 200_000 + b'"}'
    reply = client.put(f"/api/v1/books/{BOOK}/position", content=body)
    assert (reply.status_code, reply.json()["code"]) == (413, "too-large")


def test_missing_and_bad_query_parameters(client: Client) -> None:
    assert client.delete(f"/api/v1/books/{BOOK}").json()["errors"][0]["where"] == "what"
    assert client.delete(f"/api/v1/books/{BOOK}?what=all").status_code == 400


def all_errors(kind: type[errors.LecternError]) -> list[type[errors.LecternError]]:
    return [kind, *(deeper for sub in kind.__subclasses__() for deeper in all_errors(sub))]


@pytest.mark.parametrize("kind", [k for k in all_errors(errors.LecternError) if k.__module__ == "server.errors"])
def test_every_error_of_the_tree_has_a_status(
    kind: type[errors.LecternError], client: Client, house: PaperHousehold, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kind in STATUS
    error = errors.BookRefused("drm", "It is locked.") if kind is errors.BookRefused else kind("Told /tmp/secret.")

    async def fail(*_: object) -> Books:
        raise error

    monkeypatch.setattr(house, "page", fail)
    client.event_hooks = {}  # a listing never fails like this: the document need not tell of it
    reply = client.get("/api/v1/books")
    assert reply.status_code == STATUS[kind]
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json()["code"] == kind.code
    assert reply.json().get("kind") == ("drm" if kind is errors.BookRefused else None)
    if reply.status_code == 500:
        assert "/tmp/secret" not in reply.text


def test_unexpected_error_is_logged_and_not_shown(
    client: Client, house: PaperHousehold, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(*_: object) -> Books:
        raise ZeroDivisionError("the secret of /tmp/x.py")

    monkeypatch.setattr(house, "page", fail)
    with caplog.at_level(logging.ERROR):
        reply = client.get("/api/v1/books")
    assert (reply.status_code, reply.json()["code"]) == (500, "internal")
    assert "secret" not in reply.text
    assert "ZeroDivisionError" in caplog.text


def test_a_full_disk_is_told_to_whoever_sends_a_book(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("server.api.imports.mkstemp", full)
    reply = client.post("/api/v1/books?name=a.epub", content=b"PK", headers={"content-type": "application/epub+zip"})
    assert (reply.status_code, reply.json()["code"]) == (507, "disk-full")
    assert "free some space" in reply.json()["detail"]
