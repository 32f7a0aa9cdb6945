"""A book as JSON and back: what the reading process hands to its parent. JSON, since a pickle could run code."""

import base64
import json
from typing import Any

from server.library.model import Book, Chapter, Contributor, Figure, Refused, Sentence, Silence

BOOK = b"B"  # first byte of the reading process's answer, before a book
REFUSAL = b"R"  # … before its kind and its sentence


def dump(book: Book) -> bytes:
    """The book as one line of JSON."""
    fields = {
        "id": book.id,
        "title": book.title,
        "subtitle": book.subtitle,
        "authors": book.authors,
        "language": book.language,
        "cover": _dump_bytes(book.cover),
        "cover_type": book.cover_type,
        "warnings": book.warnings,
        "identifiers": book.identifiers,
        "read_as": book.read_as,
        "series": book.series,
        "series_index": book.series_index,
        "refused": [(page.doc, page.reason) for page in book.refused],
        "contributors": [(person.name, person.role) for person in book.contributors],
        "publisher": book.publisher,
        "published": book.published,
        "description": book.description,
        "title_sort": book.title_sort,
        "author_sort": book.author_sort,
        "thumbnail": _dump_bytes(book.thumbnail),
        "chapters": [_dump_chapter(chapter) for chapter in book.chapters],
    }
    return json.dumps(fields).encode()


def load(data: bytes) -> Book:
    """The book that `dump` wrote. Raises ValueError, KeyError or TypeError for anything else."""
    fields = json.loads(data)
    cover, thumbnail = _load_bytes(fields.pop("cover")), _load_bytes(fields.pop("thumbnail"))
    chapters = tuple(_load_chapter(chapter) for chapter in fields.pop("chapters"))
    for name in ("authors", "warnings", "identifiers"):
        fields[name] = tuple(fields[name])
    refused = tuple(Refused(*values) for values in fields.pop("refused"))
    contributors = tuple(Contributor(*values) for values in fields.pop("contributors"))
    return Book(
        refused=refused, contributors=contributors, cover=cover, thumbnail=thumbnail, chapters=chapters, **fields
    )


def _dump_bytes(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def _load_bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def _dump_chapter(chapter: Chapter) -> dict[str, Any]:
    return {
        "number": chapter.number,
        "title": chapter.title,
        "enabled": chapter.enabled,
        "rule": chapter.rule,
        "breaks": chapter.breaks,
        "silences": [(s.rule, s.characters, s.text, s.doc, s.before) for s in chapter.silences],
        "figures": [(f.path, f.alt, f.before, f.width, f.height) for f in chapter.figures],
        "sentences": [
            (s.id, s.text, s.block, s.kind, s.doc, s.path, s.char_start, s.char_end) for s in chapter.sentences
        ],
    }


def _load_chapter(fields: dict[str, Any]) -> Chapter:
    sentences = tuple(Sentence(*values) for values in fields.pop("sentences"))
    silences = tuple(Silence(*values) for values in fields.pop("silences"))
    figures = tuple(Figure(*values) for values in fields.pop("figures"))
    breaks = tuple(fields.pop("breaks"))
    return Chapter(breaks=breaks, sentences=sentences, silences=silences, figures=figures, **fields)
