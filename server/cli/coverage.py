"""`lectern coverage`: what becomes of every character of a book."""

import argparse
import asyncio
from collections import defaultdict
from collections.abc import Iterator

from server.cli.console import Console
from server.cli.exits import OK
from server.config import Settings, path_of
from server.errors import LecternError
from server.render.coverage import CoverageRecord, coverage_record, off, spoken
from server.render.store import Store

EXAMPLES = 3
EXAMPLE_CHARACTERS = 60


def coverage(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    """Print the ledger of a book on the shelf, or of an EPUB."""
    title, record = find(settings, arguments.book)
    if arguments.json:
        console.answer(record.model_dump(mode="json", exclude_none=True))
        return OK
    for line in coverage_lines(title, record):
        console.say(line)
    return OK


def find(settings: Settings, name: str) -> tuple[str, CoverageRecord]:
    """Title and ledger of the EPUB or the book called so. Raises BookRefused, NotFound."""
    path = path_of(name)
    if path.exists():
        from server.library.sandbox import read_book_aside

        book = asyncio.run(read_book_aside(path))
        return book.title, coverage_record(book)
    store = Store(settings.store)
    record = store.find(name)
    ledger = store.coverage(record.id)
    if ledger is None:
        raise LecternError(
            f"“{record.title}” was taken in by an older version, which kept no ledger. "
            f"Give the EPUB instead: lectern coverage PATH/{record.source.name}"
        )
    return record.title, ledger


def coverage_lines(title: str, record: CoverageRecord) -> Iterator[str]:
    """The ledger as a person reads it: the whole, each chapter, each rule with its first examples."""
    read = sum(spoken(chapter) for chapter in record.chapters)
    whole = read + sum(sum(off(chapter).values()) for chapter in record.chapters)
    yield f"“{title}”: {whole:,} characters, {read / whole if whole else 1:.1%} of them are read aloud."
    yield ""
    yield f"{'read':>10}{'silent':>10}"
    for chapter in record.chapters:
        mark = f"  (not read: {chapter.rule})" if chapter.rule is not None else ""
        silent = sum(off(chapter).values())
        yield f"{spoken(chapter):>10,}{silent:>10,}  {chapter.number:>3}  {chapter.title}{mark}"
    yield from _rule_lines(record)
    if record.refused:
        yield ""
        yield "Pages that could not be read:"
        yield from (f"  {page.reason}" for page in record.refused)


def _rule_lines(record: CoverageRecord) -> Iterator[str]:
    sizes: dict[str, int] = defaultdict(int)
    examples: dict[str, list[str]] = defaultdict(list)
    for chapter in record.chapters:
        for rule, characters in off(chapter).items():
            sizes[rule] += characters
        if chapter.rule is not None:
            examples[chapter.rule].append(f"the chapter “{chapter.title}”")
        for silence in chapter.silences:
            if silence.text:
                examples[silence.rule].append(f"“{_short(silence.text)}”")
    if not sizes:
        return
    yield ""
    yield "Silent, by rule:"
    for rule, characters in sorted(sizes.items(), key=lambda item: -item[1]):
        shown = list(dict.fromkeys(examples[rule]))
        more = " …" if len(shown) > EXAMPLES else ""
        yield f"{characters:>10,}  {rule:<14} {', '.join(shown[:EXAMPLES])}{more}".rstrip()


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= EXAMPLE_CHARACTERS else flat[: EXAMPLE_CHARACTERS - 1] + "…"
