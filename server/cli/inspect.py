"""`lectern inspect`: what would become of files, without taking any of them in."""

import argparse
import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from server.cli.books import count
from server.cli.console import Console
from server.cli.exits import OK, REFUSED
from server.config import Settings, path_of
from server.errors import BookRefused, NotFound
from server.library.languages import require_spoken
from server.library.model import Book, Chapter
from server.library.sandbox import read_book_aside
from server.library.walk import look_into


def inspect(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    """Read each file as an import would, and tell of it; exit code 3 when one is refused."""
    refused = 0
    for path in files(arguments.paths, console):
        told = tell(path)
        refused += told["outcome"] == "reject"
        if arguments.json:
            console.say(json.dumps(told, ensure_ascii=False))
        else:
            for line in lines(told):
                console.say(line)
    return REFUSED if refused else OK


def files(given: list[str], console: Console) -> Iterator[Path]:
    """The files, and of folders that are no books the books in them. Raises NotFound."""
    for name in given:
        path = path_of(name)
        if not path.exists():
            raise NotFound(f"There is no file or folder {name}.")
        if not path.is_dir() or path.suffix.lower() == ".epub" or (path / "META-INF").is_dir():
            yield path
            continue
        look = look_into(path, path)
        for shut, reason in look.closed.items():
            if shut.is_symlink():
                continue
            raise NotFound(f"{shut} cannot be looked into ({reason}).")
        for odd, reason in look.unnamed.items():
            console.complain(f"{odd} is passed over: {reason}.")
        yield from look.found


def tell(path: Path) -> dict[str, Any]:
    """One file: its outcome (import, import-warn, reject), why, and what is in it."""
    begun = time.monotonic()
    told: dict[str, Any] = {"file": str(path)}
    try:
        book = asyncio.run(read_book_aside(path))
        told.update(_book(book))
        require_spoken(book.language, path.name)
    except BookRefused as refusal:
        told.update(outcome="reject", kind=refusal.kind, reason=str(refusal))
    told["seconds"] = round(time.monotonic() - begun, 3)
    return told


def _book(book: Book) -> dict[str, Any]:
    return {
        "outcome": "import-warn" if book.warnings else "import",
        "kind": None,
        "reason": None,
        "id": book.id,
        "title": book.title,
        "subtitle": book.subtitle,
        "authors": list(book.authors),
        "contributors": [{"name": one.name, "role": one.role} for one in book.contributors],
        "series": book.series,
        "series_index": book.series_index,
        "publisher": book.publisher,
        "published": book.published,
        "description": book.description,
        "identifiers": list(book.identifiers),
        "language": book.language,
        "chapters": [_chapter(chapter) for chapter in book.chapters],
        "refused": [{"doc": page.doc, "reason": page.reason} for page in book.refused],
        "warnings": list(book.warnings),
    }


def _chapter(chapter: Chapter) -> dict[str, Any]:
    return {
        "number": chapter.number,
        "title": chapter.title,
        "on": chapter.enabled,
        "rule": chapter.rule,
        "sentences": len(chapter.sentences),
        "spoken_characters": chapter.characters if chapter.enabled else 0,
        "skipped_characters": sum(chapter.skipped.values()) + (0 if chapter.enabled else chapter.characters),
        "skipped": chapter.skipped,
    }


def lines(told: dict[str, Any]) -> Iterator[str]:
    """One file as a person reads it."""
    if told["outcome"] == "reject":
        yield f"REFUSED  {told['file']}"
        yield f"         {told['reason']}"
        return
    chapters = told["chapters"]
    on = [chapter for chapter in chapters if chapter["on"]]
    by = f" by {', '.join(told['authors'])}" if told["authors"] else ""
    yield f"{'ok':<7}  {told['file']}"
    yield (
        f"         “{told['title']}”{by}, {told['language']}: {count(len(on), 'chapter')}, "
        f"{count(sum(chapter['sentences'] for chapter in on), 'sentence')}; read in {told['seconds']:.1f} s"
    )
    for chapter in chapters:
        mark = "  " if chapter["on"] else "– "
        why = "" if chapter["on"] else f"  (not read: {chapter['rule']})"
        yield f"         {mark}{chapter['spoken_characters']:>9,}  {chapter['title']}{why}"
    for warning in told["warnings"]:
        yield f"         note: {warning}"
