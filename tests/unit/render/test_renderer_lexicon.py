"""The rules on disk reach what is rendered: with the next pass, for the right book, and with words where they stand."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from server.library.model import Book
from server.render.engine import Take
from server.render.g2p import G2P
from server.render.index import SentenceEntry
from server.render.renderer import Renderer
from server.render.store import Store
from tests.fakes.books import make_book
from tests.fakes.synth import ENGINE, FakeSynth

TEXTS = ["The Quillarn sailed at dawn, and nobody aboard the ship had slept that night.",
         "“Is that the Quillarn’s bell?” asked the harbour master of the two old pilots."]  # fmt: skip


class Listened(FakeSynth):
    """Tones, and what was to be said."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def render(self, phonemes: str, voice: str, *, speed: float, seed: int, stop: Callable[[], bool]) -> Take:
        self.heard.append(phonemes)
        return super().render(phonemes, voice, speed=speed, seed=seed, stop=stop)


class Shelf:
    """A store with one book of some paragraphs, and a renderer that is never begun anew."""

    def __init__(self, root: Path, texts: list[str], pronouncer: G2P) -> None:
        root.mkdir(parents=True)
        self.store = Store(root)
        self.book: Book = make_book([texts], title="Dawn")
        (source := root.parent / "dawn.epub").write_bytes(b"PK")
        self.store.put_book(
            self.book, source=source, voice="af_heart", engine=ENGINE, bitrate=48_000,
            added=datetime(2026, 1, 2, tzinfo=UTC),
        )  # fmt: skip
        self.synth = Listened()
        self.renderer = Renderer(self.store, self.synth, lambda _: pronouncer)

    def write(self, name: str, text: str) -> None:
        path = self.store.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def render(self) -> tuple[SentenceEntry, ...]:
        def once() -> tuple[str, ...]:
            return self.renderer.render(
                self.book.id, 1, None, size="usual", begun=lambda *_: None, stop=lambda: False
            ).sentences

        self.store.delete_audio(self.book.id)
        self.synth.heard.clear()
        while once():
            pass
        return self.store.chapter(self.book.id, 1).sentences

    def say(self) -> str:
        """All that the voice is asked to say of the book, rendered anew."""
        self.render()
        return " ".join(self.synth.heard)


@pytest.fixture(scope="module")
def american() -> G2P:
    return G2P(british=False)


@pytest.fixture
def shelf(tmp_path: Path, american: G2P) -> Shelf:
    return Shelf(tmp_path / "store", TEXTS, american)


def test_a_rule_that_is_changed_on_disk_counts_from_the_next_pass_on(shelf: Shelf) -> None:
    before = shelf.say()
    own = f"books/{shelf.book.id}/overrides.txt"
    shelf.write(own, "Quillarn = kwi-LARN\n")
    after = shelf.say()
    assert "kwɪlˈɑɹn " in after and "kwɪlˈɑɹnz" in after and after != before
    shelf.write(own, "Quillarn = KWIL-un\n")
    assert "kwˈɪlən" in shelf.say()
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
        said.append(shelf.say().split()[1])
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
    plain = Shelf(tmp_path / "a" / "store", texts, american).render()
    ruled = Shelf(tmp_path / "b" / "store", texts, american)
    ruled.write("lexicon/household.txt", "Quillarn = kwi-LARN\n")
    assert [one.provenance == two.provenance for one, two in zip(plain, ruled.render(), strict=True)] == [False, True]
