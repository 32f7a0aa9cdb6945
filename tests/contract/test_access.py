"""Who may ask: Host and Origin; what goes along with every answer; which files the pages are."""

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from server.access.hosts import host_known
from tests.contract.conftest import BASE, BOOK
from tests.contract.household import PaperHousehold

Client = TestClient[Litestar]


class Door:
    """The door of this machine's own port, and that of the home network where it is bound to that."""

    def __init__(self, host: str = "127.0.0.1", port: int = 8484) -> None:
        self.host, self.port = host, port

    def knows(self, host: str) -> bool:
        return any(host_known(host.lower(), via, self.host, self.port, None) for via in ("loopback", "lan"))


gate = Door


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8484", "LOCALHOST:8484", "127.0.0.1", "127.0.0.1:8484", "[::1]", "[::1]:8484"]
)
def test_own_names(host: str) -> None:
    assert gate().knows(host)


@pytest.mark.parametrize(
    "host",
    [
        "", "evil.example", "evil.example:8484", "localhost.evil.example", "127.0.0.1.evil.example:8484", "127.0.0.2",
        "localhost:80", "localhost:8484:8484", "localhost:", "localhost@evil.example", "localhost:84840", "::1", "[::1",
        "192.168.1.5:8484", "localhost:8484.evil.example", "local host",
    ],
)  # fmt: skip
def test_other_names(host: str) -> None:
    assert gate().knows(host) == (host == "localhost:")  # an empty port is the default one (RFC 3986, 3.2.3)


def test_configured_address_is_known() -> None:
    assert gate("100.64.0.7").knows("100.64.0.7:8484")
    assert gate("fd7a::1").knows("[fd7a::1]:8484")
    assert gate("Reader.local").knows("reader.local:8484")
    assert not gate("100.64.0.7").knows("100.64.0.8:8484")


def test_bound_to_every_address_it_takes_addresses_but_no_names() -> None:
    assert gate("0.0.0.0").knows("192.168.1.5:8484")
    assert gate("::").knows("[fe80::1]:8484")
    assert not gate("0.0.0.0").knows("evil.example:8484")


WRITES = [
    ("POST", "/api/v1/books?name=a.epub"),
    ("DELETE", f"/api/v1/books/{BOOK}?what=audio"),
    ("PUT", f"/api/v1/books/{BOOK}/position"),
    ("POST", f"/api/v1/books/{BOOK}/listen"),
    ("DELETE", "/api/v1/imports/1"),
    ("POST", "/api/v1/imports/1/book?language=en"),
]
FOREIGN = [
    {"origin": "http://evil.example"},
    {"origin": "null"},
    {"origin": ""},
    {"origin": "http://localhost:3000"},
    {"origin": "http://127.0.0.1"},
    {"origin": f"{BASE}.evil.example"},
    {"origin": "file://"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_writes_from_another_site_are_refused(client: Client, house: PaperHousehold, headers: dict[str, str]) -> None:
    sid = house.store.chapter(BOOK, 1).sentences[0].id
    for method, path in WRITES:
        reply = client.request(method, path, headers=headers, json={"chapter": 1, "sentence": sid})
        assert (reply.status_code, reply.json()["code"]) == (403, "origin-refused"), (method, path)
    assert (house.hints, house.imported, house.paused) == ([], [], set())
    assert client.get(f"/api/v1/books/{BOOK}/position").status_code == 404


@pytest.mark.parametrize("headers", [{}, {"origin": BASE}, {"sec-fetch-site": "same-origin", "origin": BASE}])
def test_own_pages_and_programs_may_write(client: Client, headers: dict[str, str]) -> None:
    reply = client.post(f"/api/v1/books/{BOOK}/listen", json={"chapter": 1}, headers=headers)
    assert reply.status_code == 202


@pytest.mark.parametrize("path", ["/", "/dashboard", "/web/lib/api.js", "/api/v1/books", "/nothing", "/api/v1/voices"])
@pytest.mark.parametrize("host", ["127.0.0.1:8484", "evil.example"])
def test_security_headers_on_every_answer(client: Client, path: str, host: str) -> None:
    headers = client.get(path, headers={"host": host}).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "default-src" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert "http" not in headers["content-security-policy"]
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers


def test_page_policy(client: Client) -> None:
    policy = client.get("/").headers["content-security-policy"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'self'"
    assert rules["media-src"] == "'self' blob:"
    assert rules["img-src"] == "'self' data: blob:"
    assert rules["frame-ancestors"] == rules["object-src"] == rules["base-uri"] == "'none'"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/dashboard", "text/html; charset=utf-8"),
        ("/web/lib/api.js", "text/javascript; charset=utf-8"),
    ],
)
def test_pages_are_asked_about_anew(client: Client, path: str, kind: str) -> None:
    reply = client.get(path)
    assert (reply.status_code, reply.headers["content-type"]) == (200, kind)
    assert reply.headers["cache-control"] == "private, no-cache"
    assert client.get(path, headers={"if-none-match": reply.headers["etag"]}).status_code == 304
    assert client.head(path).headers["content-length"] == str(len(reply.content))


@pytest.mark.parametrize(
    "path",
    [
        "/web/", "/web/lib", "/web/none.js", "/web/.secret", "/web/link.txt", "/web/lib/../../outside.txt",
        "/web/..%2foutside.txt", "/web/%2e%2e/outside.txt", "/web/lib/%2e%2e/%2e%2e/outside.txt", "/web/%00",
        "/web//etc/passwd", "/web/..\\outside.txt", "/web/lib/api.js/", "/web/" + "a" * 5_000,
    ],
)  # fmt: skip
def test_only_the_files_of_the_pages_are_served(client: Client, path: str) -> None:
    reply = client.get(path)
    assert reply.status_code == 404 or (path.endswith("api.js/") and reply.status_code == 200)
