"""Rows and records turned into what the API shows. Pure; times are estimated from measured speed."""

from collections.abc import Sequence
from typing import Any

from server.api.household import (
    BookDetail,
    BookView,
    ChapterView,
    ContributorView,
    Now,
    Position,
    Queue,
    QueueItem,
    SentenceCounts,
    WorkerView,
    cover_url,
    thumbnail_url,
)
from server.library.catalog import Shelved
from server.library.sort_keys import names_sort, title_sort
from server.render.index import SAMPLE_RATE, BookRecord
from server.render.planner import Planner
from server.render.queue import Focus, order, waiting
from server.render.voices import voice as find_voice
from server.tables import ChapterRow, PlaceRow

SAMPLES_A_CHARACTER = 1_600  # 15 characters a second, until the book itself has told
KNOWN_CHARACTERS = 500  # so much must be rendered before the book's own pace is trusted


def book_view(item: Shelved, record: BookRecord, speed: float | None) -> BookView:
    return BookView(**_fields(item, record, speed))


def book_detail(item: Shelved, record: BookRecord, speed: float | None, files: Sequence[str] = ()) -> BookDetail:
    return BookDetail(
        **_fields(item, record, speed),
        chapters_list=[_chapter_view(chapter) for chapter in item.chapters],
        warnings=list(record.warnings),
        files=sorted(files),
        contributors=[ContributorView(name=c.name, role=c.role) for c in record.contributors or ()],
        publisher=record.publisher,
        published=record.published,
        description=record.description,
    )


def _fields(item: Shelved, record: BookRecord, speed: float | None) -> dict[str, Any]:
    book, spoken = item.book, item.spoken
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
        "chapters": len(spoken),
        "sentences": SentenceCounts(
            total=sum(chapter.sentences for chapter in spoken),
            rendered=sum(chapter.rendered for chapter in spoken),
            failed=sum(chapter.failed for chapter in spoken),
        ),
        "audio_s": sum(chapter.audio_samples for chapter in item.chapters) / SAMPLE_RATE,
        "audio_bytes": sum(chapter.audio_bytes for chapter in item.chapters),
        "eta_s": _eta(spoken, speed, _pace(spoken)),
        "position": None if item.place is None else position_view(item.place),
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


def queue_view(shelf: Sequence[Shelved], focus: Focus | None, speed: float | None) -> Queue:
    """Chapters in the order in which they are rendered; each tells when it will be done, those before it included."""
    books = {item.book.id: item for item in shelf}
    items: list[QueueItem] = []
    until: float | None = 0.0
    for target in order(shelf, focus):
        item = books[target.book]
        chapter = next(c for c in item.chapters if c.number == target.chapter)
        eta = _eta([chapter], speed, _pace(item.chapters))
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
    return Queue(items=items, paused=False)


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


def _pace(chapters: Sequence[ChapterRow]) -> float:
    """Samples of audio per character of text, as this book has shown so far."""
    characters = sum(chapter.rendered_characters for chapter in chapters)
    if characters < KNOWN_CHARACTERS:
        return SAMPLES_A_CHARACTER
    return sum(chapter.audio_samples for chapter in chapters) / characters


def _eta(chapters: Sequence[ChapterRow], speed: float | None, pace: float) -> float | None:
    """Seconds of work that are left; None while the speed is not known."""
    left = sum(c.characters - c.rendered_characters for c in chapters if waiting(c) > 0)
    if left == 0:
        return 0.0
    return None if not speed else left * pace / SAMPLE_RATE / speed
