"""What is refused: each kind by its own sentence, which names the file and the way out."""

import json
import os
import random
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from server.errors import BookRefused
from server.library import container, sandbox
from server.library.reader import read_book
from server.library.sandbox import read_book_safely
from tests.epubs import build_epub, page, write_zip

PAGES = {"c1.xhtml": "<h1>One</h1><p>First text.</p>"}
AES = "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
FONT = "http://www.idpf.org/2008/embedding"


def encryption(*entries: tuple[str, str]) -> str:
    data = "".join(
        f'<e:EncryptedData><e:EncryptionMethod Algorithm="{algorithm}"/><e:CipherData><e:CipherReference URI="{uri}"/>'
        "</e:CipherData></e:EncryptedData>"
        for algorithm, uri in entries
    )
    return (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
        f'xmlns:e="http://www.w3.org/2001/04/xmlenc#">{data}</encryption>'
    )


def refusal(path: Path) -> BookRefused:
    with pytest.raises(BookRefused) as caught:
        read_book(path)
    message = str(caught.value)
    assert path.name in message and message.endswith(".") and "\n" not in message and "Traceback" not in message
    return caught.value


@pytest.mark.parametrize(
    ("data", "kind", "says"),
    [
        (b"", "empty", "0 bytes"),
        (b"Just some text.\nAnd more.", "not-epub", "plain text"),
        (b"<!DOCTYPE html><html><body>x</body></html>", "not-epub", "web page"),
        (b"%PDF-1.7 ...", "not-epub", "PDF"),
        (b"\xff\xd8\xff\xe0 jpeg", "not-epub", "JPEG"),
        (b"\x00" * 60 + b"BOOKMOBI" + b"\x00" * 40, "not-epub", "MOBI"),
        (b"Rar!\x1a\x07", "not-epub", "RAR"),
        (bytes(range(256)), "not-epub", "no ZIP"),
        (b"PK\x03\x04" + b"\x00" * 400, "damaged", "cut short"),
    ],
)
def test_what_is_no_epub_says_what_it_is(tmp_path: Path, data: bytes, kind: str, says: str) -> None:
    path = tmp_path / "Odd file.epub"
    path.write_bytes(data)
    refused = refusal(path)
    assert refused.kind == kind and says in str(refused)


def test_a_truncated_book_is_damaged(tmp_path: Path) -> None:
    path = build_epub(tmp_path / "b.epub", PAGES)
    path.write_bytes(path.read_bytes()[:-200])
    assert refusal(path).kind == "damaged"


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"META-INF/rights.xml": '<r xmlns="http://ns.adobe.com/adept"/>'}, "Adobe Adept"),
        ({"META-INF/sinf.xml": "<sinf/>"}, "Apple FairPlay"),
        ({"META-INF/license.lcpl": json.dumps({"id": "x"})}, "Readium LCP"),
        ({"META-INF/rights.xml": "<r>urn:marlin:organization:x</r>"}, "Sony Marlin"),
        ({"META-INF/rights.xml": "<kdrm>kobo</kdrm>"}, "Kobo"),
        ({"META-INF/rights.xml": "<r>barnesandnoble</r>"}, "Barnes & Noble"),
        ({}, "copy-protected:"),
    ],
)
def test_protection_is_named(tmp_path: Path, files: dict[str, str | bytes], says: str) -> None:
    locked: dict[str, str | bytes] = {"META-INF/encryption.xml": encryption((AES, "OEBPS/c1.xhtml")), **files}
    refused = refusal(build_epub(tmp_path / "b.epub", PAGES, files=locked))
    assert refused.kind == "drm" and says in str(refused)


@pytest.mark.parametrize(
    "files",
    [
        {"META-INF/encryption.xml": encryption((FONT, "OEBPS/f.otf"), (AES, "OEBPS/g.woff2"))},
        {"META-INF/encryption.xml": encryption((AES, "OEBPS/film.mp4"))},
        {"META-INF/rights.xml": '<r xmlns="http://ns.adobe.com/adept"/>'},
        {"META-INF/encryption.xml": "<encryption><"},
    ],
)
def test_what_leaves_the_text_open_is_no_protection(tmp_path: Path, files: dict[str, str | bytes]) -> None:
    assert read_book(build_epub(tmp_path / "b.epub", PAGES, files=files)).chapters


@pytest.mark.parametrize(
    ("names", "kind", "says"),
    [
        (["word/document.xml"], "damaged", "Word"),
        (["ppt/slides/slide1.xml"], "not-epub", "slides"),
        (["mimetype", "content.xml"], "not-epub", "OpenDocument"),
        (["inner/book.epub"], "not-epub", "archive with a book"),
        (["OEBPS/c1.xhtml"], "damaged", "package document"),
        (["holiday.txt"], "not-epub", "not an EPUB"),
    ],
)
def test_other_archives_say_what_they_are(tmp_path: Path, names: list[str], kind: str, says: str) -> None:
    write_zip(tmp_path / "b.epub", dict.fromkeys(names, "x"), mimetype=False)
    refused = refusal(tmp_path / "b.epub")
    assert refused.kind == kind and says in str(refused)


def test_bombs_are_refused_before_they_unpack(tmp_path: Path) -> None:
    swollen: dict[str, str | bytes] = {"OEBPS/c1.xhtml": page("<p>" + "a" * (8 << 20) + "</p>")}
    assert refusal(build_epub(tmp_path / "b.epub", PAGES, files=swollen)).kind == "too-large"


def test_more_entries_than_a_book_has_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "MAX_ENTRIES", 20)
    many: dict[str, str | bytes] = {f"x/{n}": "" for n in range(30)}
    assert refusal(build_epub(tmp_path / "b.epub", PAGES, files=many)).kind == "too-large"


def test_entities_never_grow_a_document(tmp_path: Path) -> None:
    subset = '<!ENTITY a "ha">' + "".join(
        f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    bomb = f"<!DOCTYPE html [{subset}]><html><body><p>Laugh &a; &i;.</p></body></html>"
    book = read_book(build_epub(tmp_path / "b.epub", {"a.xhtml": bomb}))
    assert [sentence.text for sentence in book.chapters[0].sentences] == ["Laugh ha ."]


def test_the_child_reads_as_the_parent_would(tmp_path: Path) -> None:
    path = build_epub(tmp_path / "b.epub", PAGES, metadata="<dc:creator>Zoë — “Q”</dc:creator>")
    assert read_book_safely(path) == read_book(path)


def test_the_child_refuses_with_kind_and_sentence(tmp_path: Path) -> None:
    path = tmp_path / "b.epub"
    path.write_bytes(b"%PDF-1.4")
    with pytest.raises(BookRefused, match="PDF") as refused:
        read_book_safely(path)
    assert refused.value.kind == "not-epub"


def test_a_child_that_hangs_is_a_refusal(tmp_path: Path) -> None:
    pipe = tmp_path / "b.epub"
    build_epub(pipe, PAGES)
    with pytest.raises(BookRefused) as refused:
        read_book_safely(pipe, seconds=0.01)
    assert refused.value.kind == "timeout"


def test_a_child_without_memory_is_a_refusal(tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(6_000_000).hex()
    path = build_epub(tmp_path / "b.epub", {"a.xhtml": f"<p>{noise}</p>"})
    with pytest.raises(BookRefused) as refused:
        read_book_safely(path, memory_bytes=90_000_000)
    assert refused.value.kind in ("too-large", "unreadable")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "b.epub"
    os.mkfifo(pipe)
    assert refusal(pipe).kind == "not-epub"


def test_the_child_never_loads_the_machine_room() -> None:
    code = "import sys, server.library.sandbox, server.library.reader; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"mlx", "spacy", "numpy", "av", "misaki", "litestar"} & set(loaded)
    assert sandbox.__name__ in loaded


def test_mutated_books_are_read_or_refused_and_nothing_else(tmp_path: Path) -> None:
    """Bytes changed at random: no exception but BookRefused."""
    whole = build_epub(tmp_path / "b.epub", PAGES, toc=[("One", "c1.xhtml")]).read_bytes()
    chance = random.Random(7)
    path = tmp_path / "m.epub"
    outcomes = set()
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 12)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(data)
        try:
            read_book(path)
            outcomes.add("read")
        except BookRefused as refused:
            outcomes.add(refused.kind)
    assert "read" in outcomes and len(outcomes) > 1


def test_mutated_markup_is_read_or_refused_and_nothing_else(tmp_path: Path) -> None:
    """Pieces of the XML cut, doubled and swapped inside a sound ZIP."""
    source = build_epub(tmp_path / "b.epub", PAGES, toc=[("One", "c1.xhtml")])
    with zipfile.ZipFile(source) as opened:
        entries = {name: opened.read(name) for name in opened.namelist() if name != "mimetype"}
    chance = random.Random(11)
    for _ in range(150):
        mutated: dict[str, str | bytes] = dict(entries)
        name = chance.choice(list(entries))
        data = entries[name]
        a, b = sorted(chance.randrange(len(data) + 1) for _ in range(2))
        mutated[name] = chance.choice(
            [data[:a] + data[b:], data[:b] + data[a:], data[a:], data[:a] + b"<&\0" + data[a:]]
        )
        write_zip(tmp_path / "m.epub", mutated)
        try:
            read_book(tmp_path / "m.epub")
        except BookRefused:
            continue


def test_a_folder_that_is_no_book_is_called_a_folder(tmp_path: Path) -> None:
    (folder := tmp_path / "Holiday").mkdir()
    (folder / "beach.jpg").write_bytes(b"\xff\xd8")
    found = refusal(folder)
    assert found.kind == "not-epub" and "folder" in str(found)
