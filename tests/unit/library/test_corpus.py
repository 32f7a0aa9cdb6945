"""The handed corpus: every file is read or refused as its list says, and no text is lost on the way."""

import csv
import json
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from server.errors import BookRefused
from server.library.model import Book
from server.library.reader import read_book
from server.library.sandbox import read_book_safely
from tests.plain_walk import letters, walk

pytestmark = pytest.mark.corpus

# Where the list and we disagree, and why.
ARGUED = {
    "w3c/pub-foreign_bad-fallback.epub": "its reading order is a disk image and a Photoshop file: nothing to read",
    "malformed/ec_e2_opf-manifest-item-missing-error.epub": "its only page holds one missing picture and no word",
    "malformed/ec_e2_opf-fallback-non-resolving-error.epub": "its only page holds one picture and no word",
    "malformed/ec_e3_content-xhtml-referenced-resource-missing-error.epub": "its only page holds one picture",
    "malformed/ec_doc_entities-external-error.epub": "its only page has an empty body",
    "malformed/ec_doc_xml11-error.epub": "its only text is three dots",
    "malformed/ec_doc_entities-no-semicolon-error.epub": "its only text is an ampersand",
    "malformed/ec_doc_title-missing-warning.epub": "its only page has an empty body",
    "text/ec_doc_table-border-valid.epub": "its only page holds two empty tables",
}
# Where a book that is listed as imported without loss has warnings: each of them is true.
WARNED = re.compile(
    r"\d+ files? that the book lists (?:is|are) not in it|\d+ pages? of the book (?:is|are) not in its reading order|"
    r"Read in \w+: sentences light up|The book is in \w+, which no voice speaks|META-INF/container.xml does not lead|"
    r".* is given as seen from the root|The package is of version|The reading order names .* twice|"
    r"\d+ of the \d+ entries in the contents lead to no page|The file does not say that|.* is not well-formed"
)
# Titles and languages that the list leaves out, or that are no title and no language.
NAMED = {
    "full-path-empty": "the package is found by its name", "full-path-missing": "the package is found by its name",
    "legacy-oebps12": "its metadata is where OEB 1.2 had it", "title-missing": "the name of the file is the title",
    "title-empty": "the name of the file is the title", "no-metadata-element": "the name of the file is the title",
    "title-5000-chars": "a title is cut at 500 characters", "language-empty": "English where nothing is said",
    "language-not-well-formed": "English where nothing is said",
}  # fmt: skip
# Where the text of a book is not that of the documents in its reading order.
ELSEWHERE = {
    "w3c/pub-foreign_json-spine.epub": "the order names a data file, its fallback is read",
    "structure/ec_e3_content-xhtml-iframe-basic-valid.epub": "its only page shows another one, which is read",
    "hostile/d_xxe_content.epub": "an entity that leads out of the book stands for nothing",
    "hostile/d_nul-and-control-chars.epub": "a character that is none is left out",
}
# Read in the child process only.
BOMBS = re.compile(r"hostile/.*(?:bomb|laughs|quadratic|nest|30000|one-word)")
PARAGRAPHS = {
    "d_paragraphs.txt": [
        "d_dropcap-span",
        "d_soft-hyphens",
        "d_hyphenated-linebreaks",
        "d_pagebreak-inside-word",
        "d_text-directly-in-body",
    ],
    "d_encodings_paragraphs.txt": [
        "d_cp1252_declared-utf8",
        "d_cp1252_meta-only",
        "d_latin1_xml-decl",
        "d_utf8-bom",
        "d_html4-tagsoup",
    ],
}


def manifest(shared: Path) -> list[dict[str, str]]:
    with (shared / "corpus" / "MANIFEST.tsv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def outcomes(expected: str) -> set[str]:
    """What the list allows: "import", "refuse" or both."""
    words = expected.lower()
    allowed = set()
    if not words.startswith("nothing") and re.search(r"import|recover|title from file name", words):
        allowed.add("import")
    if words.startswith("nothing") or re.search(r"reject|no-text|drm|unsupported type", words):
        allowed.add("refuse")
    return allowed


def paragraphs(book: Book) -> list[str]:
    """Texts of the blocks that are no heading, white space collapsed."""
    found: dict[tuple[int, int], list[str]] = {}
    for chapter in book.chapters:
        for sentence in chapter.sentences:
            if sentence.kind != "heading":
                found.setdefault((chapter.number, sentence.block), []).append(sentence.text)
    return [" ".join(" ".join(texts).split()) for texts in found.values()]


@pytest.fixture(scope="module")
def readings(shared: Path) -> dict[str, Book | BookRefused]:
    """What became of each file that is no bomb."""
    found: dict[str, Book | BookRefused] = {}
    for row in manifest(shared):
        if BOMBS.match(row["file"]):
            continue
        try:
            found[row["file"]] = read_book(shared / "corpus" / row["file"])
        except BookRefused as refused:
            found[row["file"]] = refused
    return found


def test_every_file_is_read_or_refused_as_listed(shared: Path, readings: dict[str, Book | BookRefused]) -> None:
    wrong = []
    listed = {row["file"]: row["expected_outcome"] for row in manifest(shared)}
    for name, reading in readings.items():
        got = "refuse" if isinstance(reading, BookRefused) else "import"
        if (got in outcomes(listed[name])) == (name in ARGUED):
            wrong.append((name, got, listed[name]))
        if isinstance(reading, BookRefused):
            assert str(reading).startswith(Path(name).name) and str(reading).endswith("."), name
            assert listed[name].startswith("drm") <= (reading.kind == "drm"), name
            if listed[name].startswith(("nothing to read", "no-text")):
                assert reading.kind == "nothing-to-read", name
    assert wrong == []
    assert len(readings) > 280


def test_bombs_are_met_within_limits(shared: Path) -> None:
    for row in manifest(shared):
        if not BOMBS.match(row["file"]):
            continue
        start = time.monotonic()
        try:
            book = read_book_safely(shared / "corpus" / row["file"], memory_bytes=1_000_000_000, seconds=60)
        except BookRefused as refused:
            assert "refuse" in outcomes(row["expected_outcome"]), row["file"]
            assert refused.kind not in ("timeout", "unreadable"), (row["file"], str(refused))
        else:
            assert "import" in outcomes(row["expected_outcome"]), row["file"]
            assert len(book.title) <= 500
        assert time.monotonic() - start < 30, row["file"]


def test_nothing_of_this_machine_is_read(readings: dict[str, Book | BookRefused]) -> None:
    for name, reading in readings.items():
        if isinstance(reading, Book) and name.startswith("hostile/"):
            assert "root:" not in " ".join(s.text for chapter in reading.chapters for s in chapter.sentences), name


@pytest.mark.parametrize(("listed", "file"), [(key, name) for key, names in PARAGRAPHS.items() for name in names])
def test_paragraphs_come_back_word_for_word(shared: Path, listed: str, file: str) -> None:
    wanted = (shared / "corpus" / "expect" / listed).read_text(encoding="utf-8").splitlines()
    book = read_book(shared / "corpus" / "text" / f"{file}.epub")
    assert paragraphs(book) == [" ".join(line.split()) for line in wanted if line.strip()]


def test_loose_and_hidden_text_between_the_paragraphs(shared: Path) -> None:
    wanted = (shared / "corpus" / "expect" / "d_paragraphs.txt").read_text(encoding="utf-8").splitlines()
    loose = paragraphs(read_book(shared / "corpus" / "text" / "d_divs-instead-of-p.epub"))
    assert loose[: len(wanted)] == wanted and len(loose) == len(wanted) + 3
    hidden = paragraphs(read_book(shared / "corpus" / "text" / "d_hidden-and-display-none.epub"))
    assert hidden == wanted[: len(hidden)] and len(hidden) > 3


def expectations(shared: Path) -> Iterator[dict[str, object]]:
    with (shared / "corpus" / "EXPECT.jsonl").open(encoding="utf-8") as stream:
        yield from map(json.loads, stream)


def test_spine_order_and_contents_are_the_books_own(shared: Path, readings: dict[str, Book | BookRefused]) -> None:
    checked = 0
    for expected in expectations(shared):
        name = str(expected["file"])
        book = readings.get(name)
        if not isinstance(book, Book) or not expected.get("spine"):
            continue
        checked += 1
        order = [_plain(str(item["path"])) for item in expected["spine"]]  # type: ignore[attr-defined]
        spoken = list(dict.fromkeys(_plain(s.doc) for chapter in book.chapters for s in chapter.sentences))
        places = [order.index(doc) for doc in spoken if doc in order]
        assert places == sorted(places), name
        titles = " | ".join(_label(chapter.title) for chapter in book.chapters)
        for entry in expected["toc"]:  # type: ignore[attr-defined]
            label = _label(entry["label"] or "")[:200]
            # An entry without text behind it (a cover picture, a missing file) makes no chapter.
            if label and entry["href"] and _plain(entry["href"].partition("#")[0]) in spoken:
                assert label in titles, (name, label)
    assert checked > 200


def _plain(path: str) -> str:
    return unicodedata.normalize("NFC", unquote(path))


def _label(text: str) -> str:
    return " ".join(text.replace("\u00ad", "").split())


def test_titles_and_languages_are_those_of_the_books(shared: Path, readings: dict[str, Book | BookRefused]) -> None:
    wrong = []
    for expected in expectations(shared):
        book = readings.get(str(expected["file"]))
        if not isinstance(book, Book) or any(name in str(expected["file"]) for name in NAMED):
            continue
        if (book.title, book.language) != (expected["title"], expected["lang"]):
            wrong.append((expected["file"], book.title, book.language))
    assert wrong == []


def test_warnings_are_given_where_they_are_listed(shared: Path, readings: dict[str, Book | BookRefused]) -> None:
    wrong = []
    for row in manifest(shared):
        book, listed = readings.get(row["file"]), row["expected_outcome"]
        if not isinstance(book, Book):
            continue
        wanted = "import-warn" in listed and "or import" not in listed
        if wanted and not book.warnings:
            wrong.append((row["file"], "no warning"))
        if "import-warn" not in listed:
            wrong += [(row["file"], warning) for warning in book.warnings if not WARNED.match(warning)]
    assert wrong == []


def test_spoken_and_silent_text_make_up_every_book(shared: Path, readings: dict[str, Book | BookRefused]) -> None:
    """Against a plain walk over the same documents: no letter is lost, none is there twice."""
    wrong: list[tuple[str, object]] = []
    checked = 0
    for expected in expectations(shared):
        name = str(expected["file"])
        book = readings.get(name)
        if not isinstance(book, Book) or not expected.get("spine") or name in ELSEWHERE:
            continue
        checked += 1
        walked = walk(shared / "corpus" / name, [item["path"] for item in expected["spine"]])  # type: ignore[attr-defined]
        characters, found = accounted(book)
        more, fewer = found - walked.letters, walked.letters - found
        # Our commas stand between the cells of tables, and words stand for formulas.
        if not 0 <= characters - walked.characters <= walked.commas + walked.spoken_for:
            wrong.append((name, (characters, walked.characters)))
        if fewer or more.total() > walked.spoken_for:
            wrong.append((name, (fewer, more)))
        if any(re.search(r"html?$", document) for document in walked.unread):
            wrong.append((name, walked.unread))
    assert wrong == []
    assert checked > 250


def accounted(book: Book) -> tuple[int, Counter[str]]:
    """(characters, letters and digits) that are spoken or counted as silent in the bodies of the documents."""
    characters = 0
    found = Counter[str]()
    for chapter in book.chapters:
        characters += chapter.characters
        for sentence in chapter.sentences:
            if sentence.kind != "code":  # which is among what is silent
                found.update(letters(sentence.text))
        for silence in chapter.silences:
            if silence.rule not in ("head", "style", "script"):
                characters += silence.characters
                found.update(letters(silence.text))
    return characters, found


@pytest.mark.parametrize(
    ("file", "on", "off"),
    [
        ("books/se_charles-dickens_great-expectations.epub", 59, {"imprint", "colophon", "copyright"}),
        ("books/pg_alice-wonderland_epubjs.epub", 10, {"toc", "title-page"}),
        ("books/pg_incomplete-theft.epub", 1, {"pg-licence"}),
        ("books/pg_robinson-crusoe.epub", 21, {"pg-licence", "toc"}),
    ],
)
def test_listeners_get_the_chapters_of_the_story(shared: Path, file: str, on: int, off: set[str]) -> None:
    book = read_book(shared / "corpus" / file)
    assert sum(chapter.enabled for chapter in book.chapters) == on
    assert {chapter.rule for chapter in book.chapters if not chapter.enabled} == off
    spoken = " ".join(s.text for chapter in book.chapters if chapter.enabled for s in chapter.sentences)
    assert "Project Gutenberg" not in spoken and "Standard Ebooks" not in spoken
