"""Names in the store, and a read book as the records it starts with (pure but for hashing the source file)."""

import hashlib
import json
import re
from datetime import datetime
from pathlib import Path

from server.errors import Conflict, NotFound, StoreError
from server.library.identity import content_sha256, folder_files
from server.library.model import Book, Chapter
from server.render.index import INDEX_FORMAT, SAFE_NAME, ChapterIndex, Engine, SentenceEntry, Source
from server.render.records import BookRecord, ChapterRecord, ContributorRecord, RenditionRecord, SourceFile

BOOK_ID = re.compile(r"[0-9a-f]{16}")
DELETED = ".deleted-"  # starts the name of a folder that is on its way out
_COVERS = {"image/jpeg": "cover.jpg", "image/png": "cover.png", "image/gif": "cover.gif", "image/webp": "cover.webp"}
THUMBNAIL = "thumbnail.jpg"
_RENDITION_DIGITS = 12


def safe_name(name: str, what: str) -> str:
    """`name`, which may come from an address, if it can be a file name and nothing more; else raises NotFound."""
    if SAFE_NAME.fullmatch(name) is None:
        raise NotFound(f"There is no {what} {name!r}.")
    return name


def not_ours(number: int) -> Conflict:
    """A chapter whose audio another program made is asked to have some of it rendered here."""
    return Conflict(
        f"The audio of chapter {number} was made by another program, and is not added to. "
        "Choose a voice to have the book rendered here."
    )


def chapter_name(number: int) -> str:
    """Name of chapter `number` (from 1): of its folder, and with .json of its index."""
    return f"chapter-{number:04d}"


def sentence_file(number: int, sid: str, take: str = "") -> str:
    """Path of a sentence's audio from the folder of its chapter's index.

    `take` tells one that is rendered again from the one before, which stays until the index knows the new one.
    """
    name = f"{sid}-{take}" if take else sid
    return f"{chapter_name(number)}/{safe_name(name, 'sentence')}.m4a"


def cover_name(book: Book) -> str | None:
    """File name of the cover; None when there is none or it is of a kind that browsers do not show."""
    return None if book.cover is None else _COVERS.get(book.cover_type or "")


def check_format(mark: Path) -> None:
    """Raise StoreError when store.json at `mark` is of a format this version does not know. Formats 1 and 2 it does."""
    try:
        found = json.loads(mark.read_bytes())["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(
            f'{mark} is damaged; write {{"format":{INDEX_FORMAT},"sample_rate":24000}} into it.'
        ) from error
    if found not in (1, INDEX_FORMAT):
        raise StoreError(f"{mark} is of format {found}, newer than this version of Lectern knows; update Lectern.")


def make_rendition(
    *, voice: str, engine: Engine, bitrate: int, speed: float = 1.0, edition: int | None = None
) -> RenditionRecord:
    """The rendition that these inputs make; its id is a short hash of them. `edition` is None for the first."""
    made: list[object] = [voice, speed, engine.model_dump(), bitrate]
    inputs = json.dumps(made if edition is None else [*made, edition], sort_keys=True, separators=(",", ":"))
    name = hashlib.sha256(inputs.encode()).hexdigest()[:_RENDITION_DIGITS]
    return RenditionRecord(id=name, voice=voice, speed=speed, engine=engine, bitrate=bitrate, edition=edition)


def text_index(book: Book, chapter: Chapter, rendition: RenditionRecord) -> ChapterIndex:
    """The index of a chapter before anything of it is rendered."""
    sentences = tuple(
        SentenceEntry(
            id=sentence.id,
            text=sentence.text,
            block=sentence.kind,
            block_index=sentence.block,
            source=Source(
                doc=sentence.doc, path=sentence.path, char_start=sentence.char_start, char_end=sentence.char_end
            ),
        )
        for sentence in chapter.sentences
    )
    return ChapterIndex(
        book=book.id,
        rendition=rendition.id,
        chapter=chapter.number,
        title=chapter.title,
        enabled=chapter.enabled,
        rule=chapter.rule,
        engine=rendition.engine,
        voice=rendition.voice,
        breaks=chapter.breaks,
        sentences=sentences,
    )


def book_record(book: Book, source: Path, rendition: RenditionRecord, added: datetime) -> BookRecord:
    """The record of a book read from `source`. Raises OSError when that cannot be read."""
    return BookRecord(
        id=book.id,
        title=book.title,
        subtitle=book.subtitle,
        authors=book.authors,
        series=book.series,
        series_index=book.series_index,
        language=book.language,
        read_as=book.read_as,
        identifiers=book.identifiers,
        cover=cover_name(book),
        voice=rendition.voice,
        rendition=rendition.id,
        source=_source_file(source),
        added=added,
        chapters=tuple(_chapter_record(chapter) for chapter in book.chapters),
        warnings=book.warnings,
        contributors=tuple(ContributorRecord(name=c.name, role=c.role) for c in book.contributors) or None,
        publisher=book.publisher,
        published=book.published,
        description=book.description,
        title_sort=book.title_sort,
        author_sort=book.author_sort,
        thumbnail=None if book.thumbnail is None else THUMBNAIL,
    )


def _source_file(source: Path) -> SourceFile:
    files = folder_files(source) if source.is_dir() else [source]
    return SourceFile(name=source.name, bytes=sum(file.stat().st_size for file in files), sha256=content_sha256(source))


def _chapter_record(chapter: Chapter) -> ChapterRecord:
    return ChapterRecord(
        number=chapter.number,
        title=chapter.title,
        enabled=chapter.enabled,
        rule=chapter.rule,
        sentences=len(chapter.sentences),
        characters=sum(len(sentence.text) for sentence in chapter.sentences),
        skipped=chapter.skipped,
    )
