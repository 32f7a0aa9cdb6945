"""The rules on disk reach what is rendered: with the next pass, for the right book, and with words where they stand."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from server.cli import main
from server.library.model import Book
from server.render.ears import accepted, sounds_wrong
from server.render.engine import Take
from server.render.g2p import G2P
from server.render.index import SentenceEntry
from server.render.renderer import Renderer
from server.render.renditions import sound_of
from server.render.said import stale
from server.render.store import Store
from server.render.verify import Tally, verify
from server.render.worker import give_up
from tests.fakes.books import make_book
from tests.fakes.synth import ENGINE, FakeSynth
from tests.parity.store_reader import check

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
        self.pronouncer = pronouncer
        self.synth = Listened()
        self.renderer = Renderer(self.store, self.synth, lambda _: pronouncer)

    @property
    def rendition(self) -> str:
        return self.store.book(self.book.id).rendition

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


def test_a_rule_that_is_changed_while_a_sentence_is_spoken_counts_for_it(shelf: Shelf) -> None:
    own = f"books/{shelf.book.id}/overrides.txt"

    def once(meanwhile: str) -> SentenceEntry:
        shelf.renderer.render(
            shelf.book.id, 1, None, size="usual", begun=lambda *_: shelf.write(own, meanwhile), stop=lambda: False
        )
        return shelf.store.chapter(shelf.book.id, 1).sentences[0]

    # As somebody who sees no sentence with that rule yet, or one that waits for the rule before, would: nobody says so.
    first = once("Quillarn = kwi-LARN\n")
    assert first.rendered and first.again == "rule"
    second = once("Quillarn = KWIL-un\n")
    assert second.again == "rule" and second.sha256 != first.sha256
    last = once("Quillarn = KWIL-un\n")
    assert last.again is None and "kwˈɪlən" in shelf.synth.heard[-1]
    while shelf.renderer.render(
        shelf.book.id, 1, None, size="usual", begun=lambda *_: None, stop=lambda: False
    ).sentences:
        pass
    assert stale(shelf.store, shelf.book.id, shelf.pronouncer) == {}


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


THREE = [
    "The Quillarn sailed at dawn, and nobody aboard the ship had slept that night.",
    "Nobody on the quay had seen her go, and nobody asked where she was bound.",
    "“Is that the Quillarn’s bell?” asked the harbour master of the two old pilots.",
]


def wrong(shelf: Shelf) -> list[str]:
    """What an independent reader finds wrong; the name of the book is not of its file here."""
    return [problem for problem in check(shelf.store.root) if "book.json is of" not in problem]


class TestAgain:
    """A rule costs the sentences that it touches and no others; what plays stays whole until the new is."""

    def once(self, shelf: Shelf) -> tuple[str, ...]:
        return shelf.renderer.render(
            shelf.book.id, 1, None, size="usual", begun=lambda *_: None, stop=lambda: False
        ).sentences

    def ruled(self, tmp_path: Path, american: G2P) -> tuple[Shelf, tuple[SentenceEntry, ...]]:
        """A book rendered whole, and then a rule for two of its three sentences."""
        shelf = Shelf(tmp_path / "store", THREE, american)
        before = shelf.render()
        shelf.write("lexicon/household.txt", "Quillarn = kwi-LARN\n")
        touched = {before[0].id, before[2].id}
        assert shelf.store.render_again(shelf.book.id, 1, touched, "rule") == 2
        return shelf, before

    def test_only_what_is_asked_for_is_rendered_again(self, tmp_path: Path, american: G2P) -> None:
        shelf, before = self.ruled(tmp_path, american)
        waiting = shelf.store.chapter(shelf.book.id, 1)
        assert waiting.complete  # it plays as it is
        assert [entry.again for entry in waiting.sentences] == ["rule", None, "rule"]
        while self.once(shelf):
            pass
        after = shelf.store.chapter(shelf.book.id, 1).sentences
        assert after[1] == before[1]
        assert [entry.again for entry in after] == [None, None, None]
        assert [one.provenance == two.provenance for one, two in zip(before, after, strict=True)] == [
            False,
            True,
            False,
        ]

    def test_it_ends_as_a_book_that_was_always_said_so(self, tmp_path: Path, american: G2P) -> None:
        shelf, _ = self.ruled(tmp_path, american)
        while self.once(shelf):
            pass
        always = Shelf(tmp_path / "always" / "store", THREE, american)
        always.write("lexicon/household.txt", "Quillarn = kwi-LARN\n")
        once = shelf.store.chapter(shelf.book.id, 1).sentences
        assert [entry.sha256 for entry in once] == [entry.sha256 for entry in always.render()]

    def test_the_old_sound_is_whole_until_the_index_knows_the_new(
        self, tmp_path: Path, american: G2P, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shelf, _ = self.ruled(tmp_path, american)
        with monkeypatch.context() as patch:
            patch.setattr(Store, "add_audio", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                self.once(shelf)
        assert wrong(shelf) == []
        # Killed there, the new file is one that no index knows, and it is made anew.
        assert len(shelf.store.sweep()) >= 1
        while self.once(shelf):
            pass
        assert wrong(shelf) == []
        assert list(verify(shelf.store, Tally())) == []
        files = list(shelf.store.root.glob("books/*/*/*/*.m4a"))
        assert len(files) == 5  # those before are kept, should the rule be taken back

    def test_what_comes_out_the_same_stays_the_same_file(self, tmp_path: Path, american: G2P) -> None:
        shelf = Shelf(tmp_path / "store", THREE, american)
        before = shelf.render()
        assert shelf.store.render_again(shelf.book.id, 1, {before[0].id}, "asked") == 1
        assert shelf.store.render_again(shelf.book.id, 1, {before[0].id}, "asked") == 0
        while self.once(shelf):
            pass
        assert shelf.store.chapter(shelf.book.id, 1).sentences == before

    def test_what_is_said_of_a_sentence_outlives_a_rule_that_comes_and_goes(
        self, tmp_path: Path, american: G2P
    ) -> None:
        shelf = Shelf(tmp_path / "store", THREE, american)
        first = shelf.render()[0].id

        def turn(text: str) -> None:
            shelf.write("lexicon/household.txt", text)
            shelf.store.render_again(shelf.book.id, 1, {first}, "rule")

        def finish() -> SentenceEntry:
            while self.once(shelf):
                pass
            return shelf.store.chapter(shelf.book.id, 1).sentences[0]

        def say(change: Callable[[SentenceEntry], SentenceEntry]) -> None:
            shelf.store.change_sentence(shelf.book.id, 1, first, change)

        wrong = partial(sounds_wrong, note="It says Quill.", at=datetime(2026, 1, 3, tzinfo=UTC))
        say(wrong)
        turn("Quillarn = kwi-LARN\n")
        assert finish().ears == "redone"
        turn("")
        say(accepted)  # while the sound before is still to come back
        back = finish()
        assert (back.ears, back.note, back.again) == ("accepted", None, None)
        turn("Quillarn = kwi-LARN\n")
        say(wrong)  # while the other sound, which nobody complains about, is to come
        waits = finish()
        assert waits.sha256 != back.sha256 and (waits.ears, waits.note) == ("redone", "It says Quill.")
        turn("")
        again = finish()
        assert again.sha256 == back.sha256 and (again.ears, again.note) == ("listener", "It says Quill.")

    def test_what_would_be_said_otherwise_is_found_by_what_it_was_said_by(
        self, tmp_path: Path, american: G2P, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("LECTERN_DATA", str(tmp_path))
        monkeypatch.setenv("LECTERN_PORT", "1")  # where no server can be
        shelf = Shelf(tmp_path / "store", THREE, american)
        before = shelf.render()
        assert stale(shelf.store, shelf.book.id, american) == {}
        assert main(["again", "Dawn"]) == 0 and "said as it would be now" in capsys.readouterr().out
        shelf.write("lexicon/household.txt", "Quillarn = kwi-LARN\n")
        touched = {before[0].id, before[2].id}
        assert stale(shelf.store, shelf.book.id, american) == {1: touched}
        assert main(["again", "Dawn", "--dry-run"]) == 0 and "2 sentences" in capsys.readouterr().out
        assert not any(entry.again for entry in shelf.store.chapter(shelf.book.id, 1).sentences)
        assert main(["again", "Dawn", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert {spot["sentence"] for spot in told["sentences"]} == touched and told["asked"]
        while self.once(shelf):
            pass
        assert stale(shelf.store, shelf.book.id, american) == {}

    def test_what_would_be_said_otherwise_is_found_in_every_voice(
        self, tmp_path: Path, american: G2P, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("LECTERN_DATA", str(tmp_path))
        monkeypatch.setenv("LECTERN_PORT", "1")  # where no server can be
        shelf = Shelf(tmp_path / "store", THREE, american)
        before = shelf.render()
        heart = sound_of(shelf.store.rendition(shelf.book.id))
        adam = heart.model_copy(update={"voice": "am_adam"})
        shelf.store.renditions.turn_to(shelf.book.id, adam, shelf.store.rendition(shelf.book.id).engine)
        while self.once(shelf):
            pass
        shelf.write("lexicon/household.txt", "Quillarn = kwi-LARN\n")
        assert main(["again", "Dawn", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert (len(told["sentences"]), [one["sentences"] for one in told["others"]]) == (2, [2])
        marked = [entry.again for entry in shelf.store.chapter(shelf.book.id, 1).sentences]
        shelf.store.renditions.turn_to(shelf.book.id, heart, shelf.store.rendition(shelf.book.id).engine)
        assert [entry.again for entry in shelf.store.chapter(shelf.book.id, 1).sentences] == marked
        assert marked == ["rule" if one in (0, 2) else None for one in range(len(before))]

    def test_one_that_cannot_be_rendered_again_keeps_what_it_has(self, tmp_path: Path, american: G2P) -> None:
        shelf, before = self.ruled(tmp_path, american)
        give_up(shelf.store, shelf.book.id, shelf.rendition, 1, before[0].id, "It failed too often.")
        assert shelf.store.chapter(shelf.book.id, 1).sentences[0] == before[0]

    def test_one_that_was_given_up_is_tried_once_more(self, tmp_path: Path, american: G2P) -> None:
        shelf = Shelf(tmp_path / "store", THREE, american)
        first = shelf.store.chapter(shelf.book.id, 1).sentences[0].id
        give_up(shelf.store, shelf.book.id, shelf.rendition, 1, first, "It failed too often.")
        assert shelf.store.render_again(shelf.book.id, 1, {first}, "asked") == 1
        while self.once(shelf):
            pass
        assert all(entry.rendered for entry in shelf.store.chapter(shelf.book.id, 1).sentences)
