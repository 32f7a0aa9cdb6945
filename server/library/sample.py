"""The sample book for an empty shelf: our own text, built as an ordinary EPUB 3, the same bytes every time."""

import datetime
import html
import io
import zipfile
from pathlib import Path

from ebooklib import epub

from server.library.sample_cover import cover_png
from server.library.sample_text import AUTHOR, CHAPTERS, IDENTIFIER, SUBTITLE, TITLE

FILE_NAME = f"{TITLE}.epub"
_STAMP = (2026, 1, 1, 0, 0, 0)
_STYLE = """
body { margin: 8% 10%; font-family: serif; line-height: 1.5 }
h1 { text-align: center; font-weight: normal; margin: 2em 0 }
p { margin: 0; text-indent: 1.5em }
h1 + p, hr + p, blockquote p { text-indent: 0 }
hr { width: 20%; margin: 1.5em auto; border: 0; border-top: 1px solid }
"""


def sample_epub(folder: Path) -> Path:
    """Write the sample book into `folder`, which is made when absent, and return its path. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE_NAME
    temporary = folder / f".{FILE_NAME}.part"
    temporary.write_bytes(sample_bytes())
    temporary.replace(path)
    return path


def sample_bytes() -> bytes:
    """The sample book as a file."""
    written = io.BytesIO()
    epub.write_epub(written, _book(), {"mtime": datetime.datetime(*_STAMP, tzinfo=datetime.UTC)})
    return _settled(written)


def _book() -> epub.EpubBook:
    book = epub.EpubBook()
    book.set_identifier(IDENTIFIER)
    book.set_title(TITLE)
    book.set_language("en-GB")
    book.add_author(AUTHOR)
    book.add_metadata("DC", "title", SUBTITLE, {"id": "subtitle"})
    book.add_metadata(None, "meta", "subtitle", {"refines": "#subtitle", "property": "title-type"})
    book.set_cover("cover.png", cover_png(), create_page=False)
    style = epub.EpubItem(uid="style", file_name="style.css", media_type="text/css", content=_STYLE.encode())
    book.add_item(style)
    pages = []
    for number, (title, body) in enumerate(CHAPTERS, start=1):
        page = epub.EpubHtml(uid=f"chapter-{number}", file_name=f"chapter-{number}.xhtml", title=title, lang="en-GB")
        page.content = f"<html><body><h1>{html.escape(title)}</h1>{body}</body></html>"
        page.add_item(style)
        book.add_item(page)
        pages.append(page)
    book.toc = pages
    book.spine = pages
    book.add_item(epub.EpubNcx())
    book.add_item(epub.EpubNav())
    return book


def _settled(written: io.BytesIO) -> bytes:
    """The same ZIP without the time of writing in it."""
    settled = io.BytesIO()
    with zipfile.ZipFile(written) as source, zipfile.ZipFile(settled, "w") as target:
        for entry in source.infolist():
            info = zipfile.ZipInfo(entry.filename, _STAMP)
            info.compress_type = zipfile.ZIP_STORED if entry.filename == "mimetype" else zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            target.writestr(info, source.read(entry))
    return settled.getvalue()
