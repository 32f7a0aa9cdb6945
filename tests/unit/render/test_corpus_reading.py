"""Handed books to phonemes: nothing silent or unknown, no negation lost (all: benchmarks/corpus_reading.py)."""

from pathlib import Path

import pytest

from benchmarks.corpus_reading import account
from server.library.reader import read_book
from server.render.g2p import G2P

pytestmark = pytest.mark.corpus

BOOKS = [
    "books/pg_alice-wonderland_epubjs.epub",
    "books/pg_incomplete-theft.epub",
    "idpf/wasteland.epub",
    "idpf/georgia-cfi.epub",
    "text/abogen_debug-samples.epub",
    "text/d_all-caps-telegram.epub",
]


@pytest.fixture(scope="module", params=[False, True], ids=["American", "British"])
def g2p(request: pytest.FixtureRequest) -> G2P:
    return G2P(british=request.param)


@pytest.mark.parametrize("file", BOOKS)
def test_a_handed_book_loses_nothing_on_the_way_to_phonemes(g2p: G2P, shared: Path, file: str) -> None:
    found = account(read_book(shared / "corpus" / file), file, g2p)
    assert found.sentences and found.words
    assert found.counts == {}, (found.silent, found.mute, found.symbols, found.lost, found.differing)
    assert found.over_pass == 0
