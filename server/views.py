"""Rows and records turned into what the API shows. Pure; times are estimated from measured speed."""

from collections.abc import Sequence
from datetime import UTC
from typing import Any

from server.api.editions import edition_views
from server.api.household import (
    BookDetail,
    BookView,
    ChapterView,
    ContributorView,
    SentenceCounts,
    cover_urls,
    own_view,
)
from server.api.reports import Now, Queue, QueueBook, QueueItem, WorkerView
from server.api.spots import Position
from server.library.catalog import Shelved
from server.library.shelf import Progress, Summary, Totals, totals_of
from server.library.sort_keys import names_sort, title_sort
from server.render.choices import Choices
from server.render.eta import Outlook
from server.render.index import SAMPLE_RATE
from server.render.planner import Planner
from server.render.queue import SAMPLES_A_CHARACTER, Listener, order, waiting
from server.render.records import BookRecord, SourceFile
from server.render.voices import times_words
from server.tables import BookRow, ChapterRow, ReadingRow

NOTHING = Choices()
KNOWN_CHARACTERS = 500  # so much must be rendered before the book's own pace is trusted


def book_view(item: Summary, record: BookRecord, outlook: Outlook) -> BookView:
    return BookView(**_fields(item.book, item.totals, item.progress, record, outlook, item.copies))


def book_detail(
    item: Shelved,
    progress: Progress | None,
    record: BookRecord,
    outlook: Outlook,
    files: Sequence[str] = (),
    *,
    edition: int = 0,
    choices: Choices = NOTHING,
) -> BookDetail:
    return BookDetail(
        **_fields(item.book, totals_of(item.chapters), progress, record, outlook, files if len(files) > 1 else ()),
        chapters_list=[_chapter_view(chapter) for chapter in item.chapters],
        warnings=list(record.warnings),
        files=sorted(files),
        contributors=[ContributorView(name=c.name, role=c.role) for c in record.contributors or ()],
        publisher=record.publisher,
        published=record.published,
        description=record.description,
        edition=edition,
        rendition=record.rendition,
        editions=edition_views(record),
        notes=choices.notes or "skipped",
        by_hand=list(choices.about.parts) if choices.about is not None else [],
        own=own_view(record),
    )


def _fields(
    book: BookRow,
    totals: Totals,
    progress: Progress | None,
    record: BookRecord,
    outlook: Outlook,
    copies: Sequence[str],
) -> dict[str, Any]:
    cover, thumbnail = cover_urls(record)
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
        "words": times_words(record.voice),
        "cover": cover,
        "thumbnail": thumbnail,
        "voice": record.voice,
        "added": record.added,
        "state": "missing" if book.missing else "ready",
        "file": record.source.name,
        "copies": sorted(copies),
        "opened": None if progress is None else progress.place.updated,
        "chapters": totals.chapters,
        "sentences": SentenceCounts(total=totals.sentences, rendered=totals.rendered, failed=totals.failed),
        "audio_s": totals.audio_samples / SAMPLE_RATE,
        "audio_bytes": totals.audio_bytes,
        "length_s": (totals.paced_samples + totals.left_characters * _pace(totals)) / SAMPLE_RATE,
        "progress": 0.0 if progress is None else progress.share,
        "finished": progress is not None and progress.finished,
        "other_bytes": book.beside_bytes or 0,
        "eta_s": _eta(book, totals, outlook),
        "position": None if progress is None else position_view(progress.place),
        "sample": book.sample,
        "paused": book.paused,
        "render": outlook.reach.of(book) if not book.paused else book.render or outlook.reach.policy,
        "render_chosen": book.render != "",
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


def position_view(place: ReadingRow) -> Position:
    return Position(
        chapter=place.chapter,
        sentence=place.sentence,
        word=place.word,
        device=place.device or None,
        updated=place.updated,
    )


def queue_view(
    shelf: Sequence[Shelved],
    listeners: Sequence[Listener],
    outlook: Outlook,
    *,
    limit: int,
    total: int,
    samples: int,
    by_hand: int = 0,
) -> Queue:
    """Chapters in the order in which they are rendered; each tells when it will be done, those before it included.

    At most `limit` of them, and all books of `shelf` of which any waits. `total` chapters wait in all, about `samples`
    of audio.
    """
    books = {item.book.id: item for item in shelf}
    paces = {item.book.id: _pace(totals_of(item.chapters)) for item in shelf}
    heard = {one.focus.book for one in listeners}
    items: list[QueueItem] = []
    rows: dict[str, QueueBook] = {}
    shown: set[tuple[str, int]] = set()
    until = 0.0
    for target in order(shelf, listeners, outlook.reach):
        if (target.book, target.chapter) in shown:
            continue
        shown.add((target.book, target.chapter))
        item = books[target.book]
        chapter = next(c for c in item.chapters if c.number == target.chapter)
        until += (chapter.characters - chapter.rendered_characters) * paces[target.book]
        told: dict[str, Any] = {"book": target.book, "title": item.book.title, "eta_s": outlook.wall_s(until)}
        if len(items) < limit:
            items.append(QueueItem(**told, chapter=target.chapter, remaining_sentences=waiting(chapter)))
        before = rows.get(target.book)
        rows[target.book] = QueueBook(
            **told,
            turn=item.book.turn,
            listened=target.book in heard,
            chapter=target.chapter if before is None else before.chapter,
            chapters=1 + (0 if before is None else before.chapters),
            remaining_sentences=waiting(chapter) + (0 if before is None else before.remaining_sentences),
        )
    return Queue(
        items=items,
        books=list(rows.values()),
        by_hand=by_hand,
        total=max(total, len(shown)),
        paused=False,
        eta_s=outlook.wall_s(max(samples, until)) if items else 0.0,
    )


def worker_view(planner: Planner) -> WorkerView:
    now = planner.now
    return WorkerView(
        state=planner.state,
        detail=planner.detail,
        until=planner.until,
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


def _eta(book: BookRow, totals: Totals, outlook: Outlook) -> float | None:
    """Seconds until what its policy asks for is rendered, were it next; None while that cannot be told, or is never."""
    reach = outlook.reach
    left = totals.left_characters * _pace(totals)
    match reach.of(book):
        case "ahead":
            left = min(left, max(0, reach.ahead - (book.lead or 0)))
        case "sample":
            left = min(left, max(0, reach.sample - (book.opening or 0)))
        case "paused":
            return None if left else 0.0
        case "all":
            pass
    return outlook.wall_s(left)


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
