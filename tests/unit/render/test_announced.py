"""A program in a book is announced: the text that is shown stays, and one word is said for the whole of it."""

from pathlib import Path

import pytest

from server.render.announced import announcement
from server.render.g2p import G2P
from server.render.index import SentenceEntry, Source
from server.render.said import asked
from tests.unit.render.test_renderer_lexicon import Shelf

CODE = "def f(x):\n    return x ** 2"
SOURCE = Source(doc="c.xhtml", path="/html/body/pre[1]", char_start=0, char_end=len(CODE))


@pytest.fixture(scope="module")
def g2p() -> G2P:
    return G2P(british=False)


def entry(block: str) -> SentenceEntry:
    return SentenceEntry.model_validate(
        {"id": "0123456789ab-1", "text": CODE, "block": block, "block_index": 0, "source": SOURCE.model_dump()}
    )


def test_only_code_is_announced_in_its_language() -> None:
    assert announcement(entry("paragraph"), "en") == ()
    assert [one.words for one in (*announcement(entry("code"), "en"), *announcement(entry("code"), "es"))] == [
        "Code.",
        "Código.",
    ]


def test_one_word_stands_for_all_of_it(g2p: G2P) -> None:
    (said,) = g2p.sentences([CODE], [False], [announcement(entry("code"), "en")])
    assert said.phonemes == g2p.sentences(["Code."], [False])[0].phonemes
    assert [CODE[word.char_start : word.char_end] for word in said.words if word.ph_end > word.ph_start] == [
        CODE[: said.words[0].char_end]
    ]


def test_it_is_rendered_so(tmp_path: Path, g2p: G2P) -> None:
    shelf = Shelf(tmp_path / "store", ["Here it is, the whole of it, as short as it can be.", CODE], g2p)
    index = shelf.store.chapter(shelf.book.id, 1)
    as_code = index.sentences[1].model_copy(update={"block": "code"})
    wanted = asked(shelf.store, shelf.book.id, [as_code], "af_heart")
    (said,) = shelf.renderer._pronounce(wanted, "af_heart")
    assert said.phonemes == g2p.sentences(["Code."], [False])[0].phonemes
