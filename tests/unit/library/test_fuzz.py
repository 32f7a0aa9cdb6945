"""Damaged files: every one becomes a book or a refusal. `python -m benchmarks.fuzz` tries thousands."""

import zipfile
from pathlib import Path

import pytest

from server.errors import BookRefused
from server.library import wire
from server.library.reader import read_book
from tests.epubs import build_epub
from tests.fakes.mutants import mutants, wholes

COUNT = 300


@pytest.mark.parametrize("seed", [11, 12])
def test_whatever_is_damaged_is_read_or_refused(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "mutant.epub"
    read = refused = 0
    for data in mutants(wholes(tmp_path), seed, COUNT):
        path.write_bytes(data)
        try:
            book = read_book(path)
        except BookRefused as refusal:
            assert str(refusal).endswith(".") and path.name in str(refusal)
            refused += 1
        else:
            assert book.chapters and wire.load(wire.dump(book)) == book
            read += 1
    assert read > COUNT / 4 and refused > COUNT / 8, "the damage is too small, or too large, to tell anything"


def test_a_nameless_entry_costs_nothing(tmp_path: Path) -> None:
    path = build_epub(tmp_path / "b.epub", {"c.xhtml": "<p>It is here.</p>"}, toc=[("One", "c.xhtml")])
    data = path.read_bytes()
    with zipfile.ZipFile(path) as source:
        names = source.namelist()
    assert "META-INF/container.xml" in names
    with zipfile.ZipFile(path, "a") as target:
        target.writestr("extra", b"nothing")
    # The name's length in the directory becomes 0: the entry is there and has no name.
    data = path.read_bytes()
    at = data.rindex(b"PK\x01\x02")
    path.write_bytes(data[: at + 28] + b"\x00\x00" + data[at + 30 : at + 46] + data[at + 46 + len("extra") :])
    try:
        assert read_book(path).chapters
    except BookRefused as refusal:
        assert refusal.kind == "damaged"
