"""The rules on disk reach what is rendered: with the next pass, for the right book, and with words where they stand."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from server.library.model import Book
from server.render.g2p import G2P
from server.render.index import SentenceEntry
from server.render.renderer import Renderer
from server.render.store import Store
from tests.fakes.books import make_book
from tests.fakes.synth import ENGINE, FakeSynth

TEXTS = ["The Quillarn sailed at dawn, and nobody aboard the ship had slept that night.",
         "“Is that the Quillarn’s bell?” asked the harbour master of the two old pilots."]  # fmt: skip


class Shelf:
    """A store with one book of some paragraphs, and a renderer that is never begun anew."""

    def __init__(self, root: Path, texts: list[str], pronouncer: Callable[[bool], G2P]) -> None:
        self.store = Store(root)
        self.book: Book = make_book([texts], title="Dawn")
        root.mkdir(parents=True)
        (source := root.parent / "dawn.epub").write_bytes(b"PK")
        self.store.put_book(
            self.book, source=source, voice="af_heart", engine=ENGINE, bitrate=48_000,
            added=datetime(2026, 1, 2, tzinfo=UTC),
        )  # fmt: skip
        self.renderer = Renderer(self.store, FakeSynth(), pronouncer)

    def write(self, name: str, text: str) -> None:
        path = self.store.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def say(self) -> list[str]:
        """Phonemes of every sentence, as the next pass would have them."""
        entries = self.store.chapter(self.book.id, 1).sentences
        return [one.phonemes for one in self.renderer._pronounce(self.book.id, entries, british=False)]

    def render(self) -> tuple[SentenceEntry, ...]:
        def once() -> tuple[str, ...]:
            return self.renderer.render(
                self.book.id, 1, None, size="usual", begun=lambda *_: None, stop=lambda: False
            ).sentences

        while once():
            pass
        return self.store.chapter(self.book.id, 1).sentences


@pytest.fixture(scope="module")
def american() -> G2P:
    return G2P(british=False)


@pytest.fixture
def shelf(tmp_path: Path, american: G2P) -> Shelf:
    return Shelf(tmp_path / "store", TEXTS, lambda _british: american)


def test_a_rule_that_is_changed_on_disk_counts_from_the_next_pass_on(shelf: Shelf) -> None:
    before = shelf.say()
    own = f"books/{shelf.book.id}/overrides.txt"
    shelf.write(own, "Quillarn = kwi-LARN\n")
    after = shelf.say()
    assert "kwɪlˈɑɹn " in after[0] and "kwɪlˈɑɹnz" in after[1]
    shelf.write(own, "Quillarn = KWIL-un\n")
    assert "kwˈɪlən" in shelf.say()[0]
    (shelf.store.root / own).unlink()
    assert shelf.say() == before


def test_the_book_goes_before_its_series_its_author_and_the_household(shelf: Shelf) -> None:
    record = shelf.store.book(shelf.book.id)
    shelf.store.save_book(record.model_copy(update={"series": "Harbour Tales", "authors": ("Ann O’Nym",)}))
    said = []
    for name, syllable in [
        ("lexicon/household.txt", "HOH"), ("lexicon/author-ann-o-nym.txt", "AW"),
        ("lexicon/series-harbour-tales.txt", "SEE"), (f"books/{record.id}/overrides.txt", "BUU"),
    ]:  # fmt: skip
        shelf.write(name, f"Quillarn = {syllable}-lun\n")
        said.append(shelf.say()[0].split()[1])
    assert said == ["hˈOlən", "ˈɔlən", "sˈilən", "bˈʊlən"]


def test_another_book_is_not_touched(shelf: Shelf, tmp_path: Path, american: G2P) -> None:
    before = shelf.say()
    shelf.write("books/0123456789abcdef/overrides.txt", "Quillarn = KWIL-un\n")
    shelf.write("lexicon/author-somebody-else.txt", "Quillarn = KWIL-un\n")
    shelf.write("lexicon/notes.txt", "Quillarn = KWIL-un\n")
    assert shelf.say() == before


def test_words_that_are_said_otherwise_are_lit_where_they_stand(shelf: Shelf) -> None:
    shelf.write("lexicon/household.txt", "Quillarn = ship of many long names\nharbour = {skip}\n")
    entries = shelf.render()
    for entry, text in zip(entries, TEXTS, strict=True):
        assert entry.text == text and entry.words
        written = [text[word.char_start : word.char_end] for word in entry.words]
        assert next(word for word in written if "Quillarn" in word) in ("Quillarn", "Quillarn’s")
    silent = next(w for w in entries[1].words or () if TEXTS[1][w.char_start : w.char_end] == "harbour")
    assert silent.start == silent.end


def test_a_rule_changes_the_provenance_of_the_sentences_it_touches_and_of_no_other(
    tmp_path: Path, american: G2P
) -> None:
    texts = ["The Quillarn sailed at dawn, slowly.", "Nobody aboard had slept that night, not one."]
    plain = Shelf(tmp_path / "a" / "store", texts, lambda _british: american).render()
    ruled = Shelf(tmp_path / "b" / "store", texts, lambda _british: american)
    ruled.write("lexicon/household.txt", "Quillarn = kwi-LARN\n")
    assert [one.provenance == two.provenance for one, two in zip(plain, ruled.render(), strict=True)] == [False, True]
