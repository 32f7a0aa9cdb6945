"""The sample book: ours, whole, and always the same."""

import struct
import zlib
from pathlib import Path

from server.library.reader import read_book
from server.library.sample import sample_bytes, sample_epub
from server.library.sample_cover import HEIGHT, WIDTH, cover_png


def test_sample_is_a_book_with_three_chapters(tmp_path: Path) -> None:
    path = sample_epub(tmp_path / "new")
    book = read_book(path)
    assert path.name == "The Night Ferry.epub" and list(path.parent.iterdir()) == [path]
    assert (book.title, book.language) == ("The Night Ferry", "en-GB") and book.authors and not book.warnings
    assert [chapter.enabled for chapter in book.chapters] == [True] * 3
    words = sum(len(s.text.split()) for chapter in book.chapters for s in chapter.sentences)
    assert 600 <= words <= 900
    assert [len(chapter.breaks) for chapter in book.chapters] == [0, 1, 0]
    assert any(s.kind == "verse" for s in book.chapters[1].sentences)
    assert book.cover_type == "image/png" and book.cover == cover_png()


def test_sample_has_the_same_bytes_at_every_call() -> None:
    assert sample_bytes() == sample_bytes()


def test_cover_is_a_sound_png_with_a_picture_in_it() -> None:
    data = cover_png()
    assert struct.unpack(">2I", data[16:24]) == (WIDTH, HEIGHT)
    length = struct.unpack(">I", data[33:37])[0]
    pixels = zlib.decompress(data[41 : 41 + length])
    assert len(pixels) == HEIGHT * (WIDTH * 3 + 1)
    assert len(set(pixels)) > 50
