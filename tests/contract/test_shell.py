"""What a phone fetches before the player stands there: its size, its parts, and the worker that keeps them."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from server.api.routes import create_app
from server.api.shell import Shell, shell
from server.api.web import WEB, read_web_file, takes_gzip, undocumented
from tests.contract.household import PaperHousehold

Client = TestClient[Litestar]
MOST_BYTES = 150_000
HEAD_BYTES = 300  # of an answer, as browsers count them
DYNAMIC = re.compile(r"\bimport\s*\(\s*[\"'`/.]")


def test_comments_that_document_are_left_out_and_lines_keep_their_numbers() -> None:
    code = b'/** One. */\nlet a = "/** no */"; /** kept: not alone */\n  /**\n   * Two.\n   */\n  f(); // three\n'
    code += b"/** @type {any} */ (f)();\n/** Four. */\n"
    lean = b'\nlet a = "/** no */"; /** kept: not alone */\n\n\n\n  f(); // three\n'
    lean += b"/** @type {any} */ (f)();\n\n"
    assert undocumented(code) == lean
    for path in WEB.rglob("*.js"):
        before, after = path.read_bytes(), undocumented(path.read_bytes())
        assert after.count(b"\n") == before.count(b"\n")
        assert not [line for line in after.splitlines() if line.count(b"`") % 2 and b'"`"' not in line], (
            f"{path} has a literal over lines"
        )


@pytest.fixture(scope="module")
def made() -> Shell:
    return shell(lambda name: read_web_file(WEB, name))


@pytest.fixture
def real(house: PaperHousehold) -> Iterator[Client]:
    """The pages as they are."""
    with TestClient(create_app(house), base_url="http://127.0.0.1:8484") as client:
        yield client


def told(client: Client) -> dict[str, object]:
    first = client.get("/sw.js").text.partition("\n")[0]
    found: dict[str, object] = json.loads(first.removeprefix("self.SHELL = ").removesuffix(";"))
    return found


def test_the_whole_player_is_less_than_150_kb(real: Client, made: Shell) -> None:
    sizes = {}
    for address in made.files:
        answer = real.get(address, headers={"accept-encoding": "gzip"})
        assert answer.status_code == 200, address
        sizes[address] = int(answer.headers["content-length"]) + HEAD_BYTES
    assert len(sizes) > 50
    assert sum(sizes.values()) < MOST_BYTES, sorted(sizes.items(), key=lambda item: -item[1])[:10]


def test_the_shell_is_whatever_the_page_names(made: Shell) -> None:
    assert next(iter(made.files)) == "/"
    for expected in ("/web/player.js", "/web/lib/playback.js", "/web/styles/tokens.css", "/web/manifest.webmanifest"):
        assert expected in made.files
    assert not any("dashboard" in address for address in made.files)


def test_nothing_of_the_player_is_fetched_later(made: Shell) -> None:
    for address in made.files:
        if address.endswith(".js"):
            text = (WEB / address.removeprefix("/web/")).read_text()
            code = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)  # types are imported in comments
            assert not DYNAMIC.search(code), f"{address} may get a file of another version"


def test_the_worker_changes_with_any_file(client: Client, web_folder: Path) -> None:
    (web_folder / "sw.js").write_text("// worker\n")
    (web_folder / "index.html").write_text('<script type="module" src="/web/a.js"></script>')
    (web_folder / "a.js").write_text('import "./lib/b.js";\n')
    (web_folder / "lib" / "b.js").write_text('import {\n  c,\n} from "../c.js";\nexport { d } from "./d.js";\n')
    (web_folder / "c.js").write_text("export const c = 1;\n")
    (web_folder / "lib" / "d.js").write_text("export const d = 1;\n")
    before = told(client)
    assert list(before["files"]) == ["/", "/web/a.js", "/web/lib/b.js", "/web/c.js", "/web/lib/d.js"]  # type: ignore[call-overload]
    (web_folder / "lib" / "api.js").write_text("// nothing of the player\n")
    assert told(client) == before
    (web_folder / "lib" / "d.js").write_text("export const d = 2;\n")
    assert told(client)["version"] != before["version"]


def test_the_worker_is_asked_about_anew(real: Client) -> None:
    answer = real.get("/sw.js")
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert answer.headers["cache-control"] == "private, no-cache"
    assert answer.headers["content-security-policy"].startswith("default-src 'self'")
    assert real.get("/sw.js", headers={"if-none-match": answer.headers["etag"]}).status_code == 304


@pytest.mark.parametrize("broken", ["index.html", "sw.js", "gone"])
def test_a_page_that_is_not_whole_has_no_worker(client: Client, web_folder: Path, broken: str) -> None:
    (web_folder / "sw.js").write_text("// worker\n")
    (web_folder / "index.html").write_text('<script src="/web/gone.js"></script>' if broken == "gone" else "<p>")
    if broken != "gone":
        (web_folder / broken).unlink()
    assert client.get("/sw.js").status_code == 404


def test_text_is_compressed_for_whoever_takes_it(real: Client) -> None:
    packed = real.get("/web/lib/playback.js", headers={"accept-encoding": "br, gzip"})
    plain = real.get("/web/lib/playback.js", headers={"accept-encoding": "identity"})
    assert (packed.headers["content-encoding"], packed.headers["vary"]) == ("gzip", "accept-encoding")
    assert "content-encoding" not in plain.headers
    assert plain.headers["vary"] == "accept-encoding"
    assert packed.content == plain.content == undocumented((WEB / "lib" / "playback.js").read_bytes())
    assert packed.headers["etag"] != plain.headers["etag"]
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 2
    known = {"accept-encoding": "gzip", "if-none-match": packed.headers["etag"]}
    assert real.get("/web/lib/playback.js", headers=known).status_code == 304
    assert real.head("/web/lib/playback.js").headers["content-length"] == packed.headers["content-length"]


def test_pictures_are_sent_as_they_are(real: Client) -> None:
    answer = real.get("/web/icons/icon-192.png", headers={"accept-encoding": "gzip"})
    assert "content-encoding" not in answer.headers


def test_a_range_of_a_compressed_file_is_one_of_what_is_sent(real: Client) -> None:
    address = "/web/lib/playback.js"
    with real.stream("GET", address, headers={"accept-encoding": "gzip"}) as answer:
        whole = b"".join(answer.iter_raw())
    assert gzip.decompress(whole) == undocumented((WEB / "lib" / "playback.js").read_bytes())
    with real.stream("GET", address, headers={"accept-encoding": "gzip", "range": "bytes=10-19"}) as answer:
        assert (answer.status_code, b"".join(answer.iter_raw())) == (206, whole[10:20])


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("gzip", True), ("br, gzip;q=0.5", True), ("GZIP ; q=1.0,br", True), ("x-gzip", True), ("", False),
        ("br", False), ("gzip;q=0", False), ("gzip; q=0.000, br", False), ("gzipped", False),
        ("a" * 5_000 + ",gzip", False),
    ],
)  # fmt: skip
def test_who_takes_gzip(header: str, expected: bool) -> None:
    assert takes_gzip(header) is expected


def test_the_app_can_be_installed(real: Client) -> None:
    page = real.get("/").text
    manifest = real.get(re.findall(r'rel="manifest" href="([^"]+)"', page)[0]).json()
    assert manifest["display"] == "standalone"
    assert (manifest["id"], manifest["start_url"], manifest["scope"]) == ("/", "/", "/")
    icons = {(icon["sizes"], icon.get("purpose", "any")): icon for icon in manifest["icons"]}
    for key in (("192x192", "any"), ("512x512", "any"), ("512x512", "maskable")):
        picture = real.get(icons[key]["src"])
        side = int(key[0].split("x")[0])
        assert picture.headers["content-type"] == "image/png"
        assert picture.content[16:24] == side.to_bytes(4, "big") * 2  # as the file itself says
    assert 'rel="apple-touch-icon"' in page
    assert manifest["name"] and manifest["short_name"] and manifest["theme_color"] and manifest["background_color"]
