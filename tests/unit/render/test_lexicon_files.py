"""Files of rules: whose they are, read again when they change, written whole, and never a reason to stop."""

import os
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.errors import BadRequest, Conflict, NotFound
from server.render.lexicon.files import MAX_BYTES, NO_FILE, Lexicon, read_bytes
from server.render.lexicon.layers import LAYER_ID, Named, belongs, for_name, key, of_book, slug
from server.render.records import BookRecord
from server.render.store import Store
from tests.fakes.books import make_book
from tests.fakes.synth import ENGINE


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "store")
    (source := tmp_path / "a.epub").write_bytes(b"PK")
    store.put_book(
        make_book([["The Pequod sailed."]]), source=source, voice="af_heart", engine=ENGINE, bitrate=48_000,
        added=datetime(2026, 1, 2, tzinfo=UTC),
    )  # fmt: skip
    return store


@pytest.fixture
def record(store: Store) -> BookRecord:
    return store.book(store.books()[0])


def write(store: Store, name: str, text: str | bytes) -> Path:
    path = store.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def said(store: Store, record: BookRecord) -> list[str | None]:
    return [one.phonemes for one in store.lexicon.of_book(record).overrides("The Pequod sailed.")]


# -- names


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Agatha Christie", "agatha-christie"),
        ("  Agatha\u00a0 Christie ", "agatha-christie"),
        ("J. R. R. Tolkien", "j-r-r-tolkien"),
        ("J.R.R. Tolkien", "j-r-r-tolkien"),
        ("Charlotte Brontë", "charlotte-bronte"),
        ("O'Brien, Flann", "flann-o-brien"),
        ("../../etc/passwd", "etc-passwd"),
        ("CON", "con"),
    ],
)
def test_a_plain_name_makes_a_plain_file(name: str, expected: str) -> None:
    assert slug(name) == expected


@pytest.mark.parametrize("name", ["Лев Толстой", "村上春樹", "Łukasz", "x" * 200, "a-12345678", "Ann deadbeef"])
def test_any_other_name_makes_a_file_of_its_own(name: str) -> None:
    assert LAYER_ID.fullmatch(f"author-{slug(name)}")
    assert slug(name)[-9:-8] in ("-", "") and slug(name) != slug(name + "s")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("J.R.R. Tolkien", "Tolkien, J. R. R."),
        ("Charlotte Brontë", "CHARLOTTE BRONTE"),
        ("Flann O’Brien", "O'Brien, Flann"),
    ],
)
def test_one_author_written_in_two_ways(one: str, other: str) -> None:
    assert key(one) == key(other)
    assert belongs(for_name("author", one), for_name("author", other).id, {})


NAMES = st.text(min_size=1, max_size=30).filter(lambda name: key(name) != "")


@given(NAMES, NAMES)
def test_two_people_never_share_a_file(one: str, other: str) -> None:
    assert LAYER_ID.fullmatch(for_name("author", one).id)
    if slug(one) == slug(other):
        assert key(one) == key(other)


def test_a_file_is_of_whom_its_first_comment_names() -> None:
    ann = for_name("author", "Ann Nym")
    assert belongs(ann, "author-whatever", {"author": "Nym, Ann"})
    assert not belongs(ann, "author-ann-nym", {"author": "Somebody Else"})
    assert belongs(ann, "author-ann-nym", {"series": "Ann Nym"})
    assert not belongs(ann, "series-ann-nym", {})


def test_the_layers_of_a_book_are_ordered() -> None:
    layers = of_book(("Ann Nym", "", "Bo", "Ann Nym"), "The Lamp")
    assert [layer.id for layer in layers] == ["household", "author-ann-nym", "author-bo", "series-the-lamp"]
    assert [layer.rank for layer in layers] == [0, 1, 1, 2]
    assert Named("book", "book", "x").rank == 3
    assert [layer.id for layer in of_book((), None)] == ["household"]


# -- files


def test_the_file_of_an_author_is_found_by_its_name_or_by_its_first_comment(store: Store, record: BookRecord) -> None:
    record = record.model_copy(update={"authors": ("Лев Толстой",)})
    path = write(store, "lexicon/author-tolstoy.txt", "# author: Толстой, Лев\nPequod = PEE-kwod\n")
    assert said(store, record) == ["pˈikwɑd"]
    assert store.lexicon.places(record)[1].paths == (path,)
    write(store, "lexicon/author-tolstoy.txt", "Pequod = PEE-kwod\n")
    assert said(store, record) == []


def test_rules_are_parsed_once_and_again_when_their_file_changes(store: Store, record: BookRecord) -> None:
    path = write(store, "lexicon/household.txt", "Pequod = PEE-kwod\n")
    first = store.lexicon.of_book(record)
    assert store.lexicon.of_book(record) is first
    path.write_text("Pequod = PAY-kwod\n")
    os.utime(path, ns=(1, 1))
    assert said(store, record) == ["pˈAkwɑd"]
    path.unlink()
    assert said(store, record) == [] and store.lexicon.read(path).tag == NO_FILE


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"\xff\xfePequod", "no UTF-8 text (see line 1)"),
        (b"a = b\nPequod = \xe9\n", "no UTF-8 text (see line 2)"),
        (b"#" * (MAX_BYTES + 1), "larger than 1 MB"),
    ],
)
def test_a_file_that_is_no_text_has_one_problem(store: Store, record: BookRecord, data: bytes, told: str) -> None:
    write(store, "lexicon/household.txt", data)
    write(store, f"books/{record.id}/overrides.txt", "Pequod = PEE-kwod")
    assert said(store, record) == ["pˈikwɑd"]
    (problem,) = store.lexicon.read(store.root / "lexicon" / "household.txt").parsed.problems
    assert problem.line == 0 and told in problem.message


def test_a_folder_in_place_of_a_file_is_a_problem_and_no_crash(store: Store, record: BookRecord) -> None:
    (store.root / "lexicon" / "household.txt").mkdir(parents=True)
    assert said(store, record) == []
    assert "could not be read" in str(store.lexicon.read(store.root / "lexicon" / "household.txt").parsed.problems[0])


@given(st.binary(max_size=400))
def test_no_file_is_too_odd(data: bytes) -> None:
    read = read_bytes(data)
    assert isinstance(read.text, str) and len(read.tag) == 32


# -- writing


def test_writing_keeps_every_byte_and_leaves_no_leftovers(store: Store, record: BookRecord) -> None:
    place = store.lexicon.book(record)
    text = "# mine\r\n\r\nPequod = PEE-kwod   # so\r\nnonsense\r\n"
    file = store.lexicon.write(place, text, NO_FILE)
    assert place.paths[0].read_bytes() == text.encode() and file.text == text
    assert [problem.line for problem in file.parsed.problems] == [4]
    assert [path.name for path in place.paths[0].parent.iterdir() if path.name.startswith(".")] == []
    assert store.sweep() == [] and place.paths[0].exists()


def test_a_half_written_file_is_swept(store: Store, record: BookRecord) -> None:
    left = write(store, "lexicon/.household.txt.1-1.tmp", "x")
    assert store.sweep() == [left]


def test_what_somebody_else_has_changed_is_not_overwritten(store: Store, record: BookRecord) -> None:
    place = store.lexicon.book(record)
    tag = store.lexicon.write(place, "a = b", None).tag
    place.paths[0].write_text("by = hand")
    with pytest.raises(Conflict, match="read them again"):
        store.lexicon.write(place, "c = d", tag)
    with pytest.raises(BadRequest, match="longer than 1 MB"):
        store.lexicon.write(place, "é" * MAX_BYTES, None)
    assert place.paths[0].read_text() == "by = hand"


def test_of_many_writers_at_once_one_wins(store: Store, record: BookRecord) -> None:
    place, won = store.lexicon.book(record), []

    def write_one(number: int) -> None:
        try:
            store.lexicon.write(place, f"a = {number}", NO_FILE)
            won.append(number)
        except Conflict:
            pass

    writers = [threading.Thread(target=write_one, args=(number,)) for number in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(won) == 1 and place.paths[0].read_text() == f"a = {won[0]}"


def test_an_author_is_one_layer_however_the_books_write_the_name(store: Store, record: BookRecord) -> None:
    books = [record.model_copy(update={"authors": (name,)}) for name in ("J.R.R. Tolkien", "Tolkien, JRR")]
    assert [place.layer.id for place in store.lexicon.known(books)] == ["household", "author-j-r-r-tolkien"]
    store.lexicon.write(store.lexicon.place("author-jrr-tolkien", books), "Pequod = PEE-kwod\n", None)
    assert [said(store, book) for book in books] == [["pˈikwɑd"], ["pˈikwɑd"]]
    one, other = (store.lexicon.place(f"author-{slug(name)}", books) for name in ("J.R.R. Tolkien", "Tolkien, JRR"))
    assert one.paths == other.paths
    with pytest.raises(NotFound):
        store.lexicon.place("author-somebody", books)


def test_a_deleted_book_takes_its_rules_along_and_deleted_audio_does_not(store: Store, record: BookRecord) -> None:
    place = store.lexicon.book(record)
    store.lexicon.write(place, "a = b", None)
    store.delete_audio(record.id)
    assert place.paths[0].exists()
    store.delete_book(record.id)
    assert not place.paths[0].exists()


def test_two_lexicons_see_each_others_changes(store: Store, record: BookRecord) -> None:
    other = Lexicon(store.root)
    store.lexicon.write(store.lexicon.book(record), "Pequod = PEE-kwod", None)
    assert len(other.of_book(record).overrides("Pequod")) == 1
