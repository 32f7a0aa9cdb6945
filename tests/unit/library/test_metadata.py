"""What a package says of its book: people and their parts, dates, descriptions, and what all of it is sorted by."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from server.library.metadata import plain_date
from server.library.model import Contributor
from server.library.plain import DESCRIPTION_LIMIT, plain_text
from server.library.reader import read_book
from server.library.sort_keys import name_sort, title_sort
from server.library.wire import dump, load
from server.render.store import Store
from tests.epubs import build_epub
from tests.fakes.synth import ENGINE

EPUB_2 = """
<dc:creator opf:role="aut" opf:file-as="Writer, Anna">Anna Writer</dc:creator>
<dc:creator opf:role="trl">Tom Translator</dc:creator>
<dc:contributor opf:role="ill">Ida Drawer</dc:contributor>
<dc:contributor>Paul Helper</dc:contributor>
<dc:contributor opf:role="bkp">calibre (7.0) [https://calibre-ebook.com]</dc:contributor>
<dc:publisher>A &amp; B House</dc:publisher>
<dc:date opf:event="modification">2021-02-03</dc:date>
<dc:date opf:event="publication">1926-3-4T00:00:00+00:00</dc:date>
<dc:description>
&lt;p&gt;First &amp;amp; best.&lt;/p&gt;&lt;p&gt;Second &lt;i&gt;part&lt;/i&gt;.&lt;/p&gt;
</dc:description>
<meta name="calibre:title_sort" content="Small Book, A"/>
"""
EPUB_3 = """
<dc:creator id="a">Anna Writer</dc:creator>
<meta refines="#a" property="role" scheme="marc:relators">aut</meta>
<meta refines="#a" property="role" scheme="marc:relators">ill</meta>
<meta refines="#a" property="file-as">Writer, Anna</meta>
<dc:contributor id="n">Nora Reader</dc:contributor>
<meta refines="#n" property="role">Narrator</meta>
<dc:publisher>House</dc:publisher>
<dc:date>1926</dc:date>
<dc:description>One line
of a paragraph.

Another.</dc:description>
"""


def epub(tmp_path: Path, metadata: str, version: str = "3.0") -> Path:
    pages = {"one.xhtml": "<p>She lit the lamp.</p>"}
    return build_epub(tmp_path / "book.epub", pages, metadata=metadata, version=version)


def test_epub_2_names_parts_dates_and_a_description(tmp_path: Path) -> None:
    book = load(dump(read_book(epub(tmp_path, EPUB_2, "2.0"))))
    assert book.authors == ("Anna Writer",)
    assert book.contributors == (
        Contributor("Tom Translator", "trl"),
        Contributor("Ida Drawer", "ill"),
        Contributor("Paul Helper", "ctb"),
    )
    assert (book.publisher, book.published) == ("A & B House", "1926-03-04")
    assert book.description == "First & best.\n\nSecond part."
    assert (book.title_sort, book.author_sort) == ("Small Book, A", "Writer, Anna")


def test_epub_3_refines_what_it_names(tmp_path: Path) -> None:
    book = read_book(epub(tmp_path, EPUB_3))
    assert book.authors == ("Anna Writer",)
    assert book.contributors == (Contributor("Anna Writer", "ill"), Contributor("Nora Reader", "nrt"))
    assert book.published == "1926"
    assert book.description == "One line of a paragraph.\n\nAnother."
    assert book.author_sort == "Writer, Anna"
    assert book.title_sort == "Small Book, A"


def test_a_book_without_an_author_has_its_editor_named_as_such(tmp_path: Path) -> None:
    book = read_book(epub(tmp_path, '<dc:creator opf:role="edt">Ed Itor</dc:creator>', "2.0"))
    assert book.authors == ("Ed Itor",) and book.contributors == (Contributor("Ed Itor", "edt"),)


def test_all_of_it_reaches_the_store(tmp_path: Path) -> None:
    path = epub(tmp_path, EPUB_2, "2.0")
    record = Store(tmp_path / "store").put_book(
        read_book(path),
        source=path,
        voice="af_heart",
        engine=ENGINE,
        bitrate=48_000,
        added=datetime(2026, 1, 2, tzinfo=UTC),
    )
    kept = Store(tmp_path / "store").book(record.id)
    assert kept.contributors is not None and kept.contributors[0].model_dump() == {
        "name": "Tom Translator",
        "role": "trl",
    }
    assert (kept.publisher, kept.published, kept.author_sort) == ("A & B House", "1926-03-04", "Writer, Anna")


def test_thousands_of_people_are_no_book_data(tmp_path: Path) -> None:
    many = "".join(f"<dc:creator>Person {n}</dc:creator><dc:identifier>urn:x:{n}</dc:identifier>" for n in range(3_000))
    book = read_book(epub(tmp_path, many))
    assert 1 < len(book.authors) < 100 and 1 < len(book.identifiers) < 100


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("<p>One</p><script>alert(1)</script><style>p{}</style><p hidden='hidden'>no</p><p>Two</p>", "One\n\nTwo"),
        ("One<br/>Two", "One Two"),
        ("<ul><li>One</li><li>Two</li></ul>", "One\n\nTwo"),
        ("Fish &amp; chips &mdash; daily", "Fish & chips — daily"),
        ("AT&T, where 1 < 2 and 3 > 2", "AT&T, where 1 < 2 and 3 > 2"),
        ("&lt;b&gt;Bold&lt;/b&gt; claim", "Bold claim"),
        ("right\u202eto left\x00", "rightto left"),
        ("<p> </p>", None),
        ("", None),
    ],
)
def test_a_description_is_plain_text(written: str, plain: str | None) -> None:
    assert plain_text(written) == plain


def test_a_long_description_is_cut_at_a_word() -> None:
    text = plain_text("word " * 5_000)
    assert text is not None and len(text) <= DESCRIPTION_LIMIT and text.endswith("word…")


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("1926", "1926"),
        ("1926-3", "1926-03"),
        ("19260304", "1926-03-04"),
        ("1926-03-04T05:06:07Z", "1926-03-04"),
        ("1926-13-40", "1926"),
        ("March 1926", "March 1926"),
        ("0101-01-01T00:00:00+00:00", None),
    ],
)
def test_dates_are_iso_or_the_books_own_words(written: str, date: str | None) -> None:
    assert plain_date(written) == date


@pytest.mark.parametrize(
    ("title", "language", "key"),
    [
        ("The Lamp", "en", "Lamp, The"),
        ("A Lamp", "en-GB", "Lamp, A"),
        ("A is for Lamp", "en", "A is for Lamp"),
        ("Theory", "en", "Theory"),
        ("The", "en", "The"),
        ("Die Lampe", "de", "Lampe, Die"),
        ("Die Another Way", "en", "Die Another Way"),
        ("L’Ampoule", "fr", "Ampoule, L’"),
        ("Las lámparas", "es", "lámparas, Las"),
        ("O Candeeiro", "pt-BR", "Candeeiro, O"),
    ],
)
def test_titles_are_sorted_without_the_article_of_their_language(title: str, language: str, key: str) -> None:
    assert title_sort(title, language) == key


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Jules Verne", "Verne, Jules"),
        ("Verne, Jules", "Verne, Jules"),
        ("Homer", "Homer"),
        ("Ludwig van Beethoven", "Beethoven, Ludwig van"),
        ("Thomas De Quincey", "De Quincey, Thomas"),
        ("Daphne du Maurier", "du Maurier, Daphne"),
        ("Ursula K. Le Guin", "Le Guin, Ursula K."),
        ("José Ortega y Gasset", "Ortega y Gasset, José"),
        ("Martin Luther King, Jr.", "King, Martin Luther, Jr."),
        ("Sir Arthur Conan Doyle", "Doyle, Arthur Conan, Sir"),
        ("Mrs. Gaskell", "Mrs. Gaskell"),
        ("The Society of Lamps", "The Society of Lamps"),
        ("夏目漱石", "夏目漱石"),
    ],
)
def test_names_are_sorted_by_the_last_name(name: str, key: str) -> None:
    assert name_sort(name) == key
