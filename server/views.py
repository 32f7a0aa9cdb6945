"""Rows and records turned into what the API shows. Pure; times are estimated from measured speed."""

import itertools
from collections.abc import Sequence
from datetime import UTC
from typing import Any

from server.api.editions import edition_views
from server.api.household import (
    BookDetail,
    BookView,
    ChapterView,
    ContributorView,
    Position,
    SentenceCounts,
    cover_url,
    thumbnail_url,
)
from server.api.reports import Now, Queue, QueueItem, WorkerView
from server.library.catalog import Shelved
from server.library.model import Notes
from server.library.shelf import Summary, Totals, totals_of
from server.library.sort_keys import names_sort, title_sort
from server.render.index import SAMPLE_RATE
from server.render.planner import Planner
from server.render.queue import Focus, order, waiting
from server.render.records import BookRecord, SourceFile
from server.render.voices import voice as find_voice
from server.tables import BookRow, ChapterRow, PlaceRow

SAMPLES_A_CHARACTER = 1_600  # 15 characters a second, until the book itself has told
KNOWN_CHARACTERS = 500  # so much must be rendered before the book's own pace is trusted


def book_view(item: Summary, record: BookRecord, speed: float | None) -> BookView:
    return BookView(**_fields(item.book, item.totals, item.place, record, speed))


def book_detail(
    item: Shelved,
    record: BookRecord,
    speed: float | None,
    files: Sequence[str] = (),
    *,
    edition: int = 0,
    notes: Notes = "skipped",
) -> BookDetail:
    return BookDetail(
        **_fields(item.book, totals_of(item.chapters), item.place, record, speed),
        chapters_list=[_chapter_view(chapter) for chapter in item.chapters],
        warnings=list(record.warnings),
        files=sorted(files),
        contributors=[ContributorView(name=c.name, role=c.role) for c in record.contributors or ()],
        publisher=record.publisher,
        published=record.published,
        description=record.description,
        edition=edition,
        editions=edition_views(record),
        notes=notes,
    )


def _fields(
    book: BookRow, totals: Totals, place: PlaceRow | None, record: BookRecord, speed: float | None
) -> dict[str, Any]:
    return {
        "id": book.id,
        "title": record.title,
        "subtitle": record.subtitle,
        "authors": list(record.authors),
        "series": record.series,
        "series_index": record.series_index,
        "title_sort": record.title_sort or title_sort(record.title, record.language),
        "author_sort": record.author_sort or names_sort(record.authors),
        "language": record.language,
        "read_as": record.read_as,
        "words": find_voice(record.voice).speaks.words,
        "cover": cover_url(book.id) if record.cover is not None else None,
        "thumbnail": thumbnail_url(book.id) if record.cover is not None else None,
        "voice": record.voice,
        "added": record.added,
        "state": "missing" if book.missing else "ready",
        "opened": book.opened,
        "chapters": totals.chapters,
        "sentences": SentenceCounts(total=totals.sentences, rendered=totals.rendered, failed=totals.failed),
        "audio_s": totals.audio_samples / SAMPLE_RATE,
        "audio_bytes": totals.audio_bytes,
        "eta_s": _eta(totals.left_characters, speed, _pace(totals)),
        "position": None if place is None else position_view(place),
        "sample": book.sample,
        "paused": book.paused,
    }


def _chapter_view(chapter: ChapterRow) -> ChapterView:
    return ChapterView(
        number=chapter.number,
        title=chapter.title,
        enabled=chapter.enabled,
        rule=chapter.rule,
        sentences=chapter.sentences,
        rendered=chapter.rendered,
        audio_s=chapter.audio_samples / SAMPLE_RATE,
        complete=waiting(chapter) == 0,
    )


def position_view(place: PlaceRow) -> Position:
    return Position(
        chapter=place.chapter,
        sentence=place.sentence,
        word=place.word,
        device=place.device or None,
        updated=place.updated,
    )


def queue_view(shelf: Sequence[Shelved], focus: Focus | None, speed: float | None, *, limit: int, total: int) -> Queue:
    """Chapters in the order in which they are rendered; each tells when it will be done, those before it included."""
    books = {item.book.id: item for item in shelf}
    items: list[QueueItem] = []
    until: float | None = 0.0
    for target in itertools.islice(order(shelf, focus), limit):
        item = books[target.book]
        chapter = next(c for c in item.chapters if c.number == target.chapter)
        left = chapter.characters - chapter.rendered_characters
        eta = _eta(left, speed, _pace(totals_of(item.chapters)))
        until = None if until is None or eta is None else until + eta
        items.append(
            QueueItem(
                book=target.book,
                title=item.book.title,
                chapter=target.chapter,
                remaining_sentences=waiting(chapter),
                eta_s=until,
            )
        )
    return Queue(items=items, total=max(total, len(items)), paused=False)


def worker_view(planner: Planner) -> WorkerView:
    now = planner.now
    return WorkerView(
        state=planner.state,
        detail=planner.detail,
        speed=planner.speed,
        device=planner.device,
        warning=planner.warning,
        now=None if now is None else Now(book=now.book, chapter=now.chapter, sentence=now.sentence, text=now.text),
    )


def _pace(totals: Totals) -> float:
    """Samples of audio per character of text, as this book has shown so far."""
    if totals.paced_characters < KNOWN_CHARACTERS:
        return SAMPLES_A_CHARACTER
    return totals.paced_samples / totals.paced_characters


def _eta(left_characters: int, speed: float | None, pace: float) -> float | None:
    """Seconds of work that are left; None while the speed is not known."""
    if left_characters == 0:
        return 0.0
    return None if not speed else left_characters * pace / SAMPLE_RATE / speed


def stand_in(row: BookRow) -> BookRecord:
    """What the database knows of a book whose record is lost."""
    return BookRecord(
        id=row.id,
        title=row.title,
        authors=tuple(filter(None, row.authors.split("\n"))),
        language="und",
        identifiers=(),
        voice=row.voice,
        rendition=row.rendition,
        source=SourceFile(name="unknown", bytes=0, sha256="0" * 64),
        added=row.added if row.added.tzinfo is not None else row.added.replace(tzinfo=UTC),
        chapters=(),
        warnings=("The files of this book are damaged: delete it and add it again.",),
    )
