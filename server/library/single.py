"""A file that is one text into a book: plain text, Markdown, HTML, Word."""

from pathlib import Path

from server.errors import BookRefused
from server.library.container import Container
from server.library.kinds import Kind
from server.library.model import Book, Notes
from server.library.refusals import nothing_to_read
from server.library.sheet import Sheet, book_of

_DOCS = {"text": "text.txt", "markdown": "text.md", "html": "text.html", "word": "word/document.xml"}


def read_single(
    path: Path,
    kind: Kind,
    stem: str,
    identity: str,
    language: str | None = None,
    notes: Notes = "skipped",
    container: Container | None = None,
) -> Book:
    """Read the file at `path` as `kind`; `stem` is its title where it has none, `container` its ZIP where it is one.

    Raises BookRefused where there is nothing to read in it.
    """
    sheet = _sheet(path, kind, stem, container)
    if sheet is None:
        raise nothing_to_read(path.name, has_images=False, missing=0)
    return book_of(sheet, name=path.name, doc=_DOCS[kind], identity=identity, language=language, notes=notes)


def _sheet(path: Path, kind: Kind, stem: str, container: Container | None) -> Sheet | None:
    # Each reader is loaded when it is needed: most books are EPUBs.
    if kind == "word" and container is not None:
        from server.library.worddoc import read_word

        return read_word(container, stem)
    data = path.read_bytes()
    if kind == "text":
        from server.library.textfile import read_text

        return read_text(data, stem)
    if kind == "markdown":
        from server.library.markdown import read_markdown

        return read_markdown(data, stem)
    if kind == "html":
        from server.library.webpage import read_html

        return read_html(data, stem)
    raise BookRefused("not-epub", f"{path.name} is no book that Lectern reads.")
