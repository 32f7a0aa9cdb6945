"""What an older version did not note of a book when it took it in: its pictures, and its ledger (pure)."""

from server.library.model import Book
from server.render.coverage import ChapterCoverage, CoverageRecord, coverage_record
from server.render.records import BookRecord


def is_whole(ledger: CoverageRecord | None) -> bool:
    """Whether a ledger knows of pictures, or that there are none."""
    return ledger is not None and any(chapter.pictures is not None for chapter in ledger.chapters)


def recalled(ledger: CoverageRecord | None, record: BookRecord, book: Book) -> CoverageRecord | None:
    """The ledger with the pictures of the `book` as it is read now; None where there is none and none can be made.

    Pictures stand before blocks of the text: where that is read otherwise by now, there are none until the file is
    added again.
    """
    read = coverage_record(book).model_copy(update={"book": record.id})
    if ledger is None:
        old = [(chapter.number, chapter.title, chapter.sentences) for chapter in record.chapters]
        if old != [(chapter.number, chapter.title, len(chapter.sentences)) for chapter in book.chapters]:
            return None
        rules = {chapter.number: chapter.rule for chapter in record.chapters}
        return read.model_copy(
            update={"chapters": tuple(one.model_copy(update={"rule": rules[one.number]}) for one in read.chapters)}
        )
    same = [_measure(one) for one in ledger.chapters] == [_measure(one) for one in read.chapters]
    pictures = {one.number: one.pictures for one in read.chapters} if same else {}
    return ledger.model_copy(
        update={
            "chapters": tuple(
                one.model_copy(update={"pictures": pictures.get(one.number, ())}) for one in ledger.chapters
            )
        }
    )


def _measure(chapter: ChapterCoverage) -> tuple[int, int]:
    return chapter.number, chapter.characters
