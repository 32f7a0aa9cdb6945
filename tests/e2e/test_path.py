"""The whole path with the real server, the real render process and the real voice."""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import httpx
import pytest

from tests.e2e.house import House
from tests.epubs import build_epub
from tests.parity.store_reader import check

pytestmark = [pytest.mark.speech, pytest.mark.timeout(600)]

CHAPTERS = {
    "one.xhtml": "<h1>The Kettle</h1><p>The kettle sang. “Don’t touch it,” said Ada, “it isn’t tea yet.”</p>"
    "<p>Nobody touched it.</p>",
    "two.xhtml": "<h1>The Garden</h1><p>In the garden it had begun to rain. The old dog did not mind.</p>",
}


def small_book(path: Path, title: str = "Ada’s Kettle") -> Path:
    return build_epub(path, CHAPTERS, toc=[("The Kettle", "one.xhtml"), ("The Garden", "two.xhtml")], title=title)


def test_a_dropped_epub_is_heard_with_its_words(house: House, tmp_path: Path) -> None:
    house.start()
    shutil.copy(small_book(tmp_path / "kettle.epub"), house.library)
    book = house.until(house.books, "the book is on the shelf")[0]
    assert (book["title"], book["chapters"], book["state"]) == ("Ada’s Kettle", 2, "ready")
    house.until(lambda: house.rendered(book["id"]) >= 1, "the first sentence is rendered")
    house.until(lambda: house.rendered(book["id"]) == book["sentences"]["total"], "the book is rendered")

    index = house.chapter(book["id"], 1)
    assert index["complete"]
    texts = [sentence["text"] for sentence in index["sentences"]]
    assert texts[:2] == ["The Kettle", "The kettle sang."]
    for sentence in index["sentences"]:
        said = [sentence["text"][start:end] for _, _, start, end in sentence["words"]]
        assert said == re.findall(r"[\w’]+", sentence["text"])
        path = f"/books/{book['id']}/chapters/1/sentences/{sentence['id']}.m4a"
        whole = house.get(path)
        assert hashlib.sha256(whole.content).hexdigest() == sentence["sha256"]
        part = house.get(path, Range="bytes=0-1")
        assert (part.status_code, part.content) == (206, whole.content[:2])
        assert part.headers["content-range"] == f"bytes 0-1/{len(whole.content)}"
    quoted = next(sentence for sentence in index["sentences"] if "Don’t" in sentence["text"])
    words = [quoted["text"][start:end] for _, _, start, end in quoted["words"]]
    assert "Don’t" in words and "isn’t" in words
    assert house.stop() == 0
    assert check(house.data / "store") == []


def test_kills_cost_nothing_that_was_made(house: House, tmp_path: Path) -> None:
    house.start()
    shutil.copy(small_book(tmp_path / "kettle.epub"), house.library)
    book = house.until(house.books, "the book is on the shelf")[0]["id"]
    house.until(lambda: house.rendered(book) >= 1, "something is rendered")

    # First the render process: the server goes on serving, and the rest is rendered by another.
    pids = house.until(house.worker_pids, "there is a render process")
    os.kill(pids[0], signal.SIGKILL)
    assert house.answers()
    assert house.get(f"/books/{book}/chapters/1").status_code == 200
    house.until(lambda: set(house.worker_pids()) - set(pids), "another render process was started")

    # Then the daemon.
    house.until(lambda: house.rendered(book) >= 2, "more is rendered")
    house.kill()
    house.until_alone()
    made = {path: path.stat().st_mtime_ns for path in (house.data / "store").rglob("*.m4a")}
    indexed = _indexed_files(house, book)
    house.start()
    total = house.get(f"/books/{book}").json()["sentences"]["total"]
    house.until(lambda: house.rendered(book) == total, "the book is rendered to its end")
    assert indexed
    for path in indexed:
        assert path.stat().st_mtime_ns == made[path], f"{path.name} was rendered again"
    assert house.stop() == 0
    assert check(house.data / "store") == []
    assert [path for path in (house.data / "store").rglob("*") if path.name.endswith((".tmp", ".part"))] == []


def _indexed_files(house: House, book: str) -> list[Path]:
    """Files that the chapter indexes on disk know; the server is down."""
    from server.render.store import Store

    store = Store(house.data / "store")
    return [
        store.sentence_path(book, number, entry.id)
        for number in (1, 2)
        for entry in store.chapter(book, number).sentences
        if entry.rendered
    ]


def bad_files(folder: Path) -> dict[str, Path]:
    good = small_book(folder / "good.epub").read_bytes()
    made = {name: folder / f"{name}.epub" for name in ("text", "empty", "cut short", "locked")}
    made["text"].write_text("Call me Ishmael, but do not call me an EPUB.")
    made["empty"].write_bytes(b"")
    made["cut short"].write_bytes(good[: len(good) // 2])
    small_book(made["locked"])
    with zipfile.ZipFile(made["locked"], "a") as container:
        container.writestr("META-INF/rights.xml", '<rights xmlns="http://ns.adobe.com/adept"><licenseToken/></rights>')
        container.writestr(
            "META-INF/encryption.xml",
            '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
            'xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData>'
            '<enc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/>'
            '<enc:CipherData><enc:CipherReference URI="OEBPS/one.xhtml"/></enc:CipherData>'
            "</enc:EncryptedData></encryption>",
        )
    return made


def test_bad_files_get_one_sentence_each_and_leave_nothing_behind(house: House, tmp_path: Path) -> None:
    bad = bad_files(tmp_path)
    for name, path in bad.items():
        done = subprocess.run(
            [sys.executable, "-m", "server", "add", str(path)], env=house.environment, capture_output=True, text=True
        )
        assert done.returncode not in (0, 2), name
        lines = done.stderr.strip().splitlines()
        assert len(lines) == 1 and "Traceback" not in done.stderr, (name, done.stderr)
        assert path.name in lines[0]
    assert list((house.data / "store").rglob("book.json")) == []
    assert list(house.library.iterdir()) == []

    house.start()
    for path in bad.values():
        shutil.copy(path, house.library)
    refused = house.until(
        lambda: len(found := house.get("/imports").json()["imports"]) >= 8 and found, "all are refused"
    )
    newest = {refusal["name"]: refusal for refusal in refused[:4]}
    assert newest["text.epub"]["kind"] == "not-epub"
    assert newest["empty.epub"]["kind"] == "empty"
    assert newest["cut short.epub"]["kind"] == "damaged"
    assert newest["locked.epub"]["kind"] == "drm" and "Adobe" in newest["locked.epub"]["reason"]
    answer = httpx.post(
        f"{house.url}/api/v1/books?name=note.epub",
        content=b"not a book",
        headers={"content-type": "application/epub+zip"},
        trust_env=False,
    )
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert "note.epub" in answer.json()["detail"]
    assert house.books() == []
    assert list((house.data / "store").rglob("book.json")) == []
    assert list((house.data / "incoming").iterdir() if (house.data / "incoming").exists() else []) == []
