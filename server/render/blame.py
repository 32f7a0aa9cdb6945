"""Which sentence is to blame for a pass that failed, and when it is given up."""

from collections import Counter
from collections.abc import Iterable

from server.errors import RenderError, WorkerLost
from server.render.messages import Quarantine

CRASHES = 3  # so often one sentence may end the process, or be refused, before it is given up
KILLS = 10  # and so often it may be in flight when the process is killed, before that counts as its doing


class Blame:
    """Counts failures against the sentence that was in flight, and says when it is to be given up.

    A rendition is on trial by itself: what one voice cannot say another may.
    """

    def __init__(self) -> None:
        self._failures: Counter[tuple[str, str, int, str]] = Counter()
        self._kills: Counter[tuple[str, str, int, str]] = Counter()

    def suspected(self, book: str, rendition: str, chapter: int, sentence: str) -> bool:
        """Did it fail before? Then it is tried alone, so that the right one is blamed."""
        return self._failures[book, rendition, chapter, sentence] > 0

    def acquit(self, book: str, rendition: str, chapter: int, sentences: Iterable[str]) -> None:
        """These were rendered after all: whatever failed before was not their doing."""
        for sentence in sentences:
            self._failures.pop((book, rendition, chapter, sentence), None)
            self._kills.pop((book, rendition, chapter, sentence), None)

    def note(self, book: str, rendition: str, chapter: int, sentence: str, error: Exception) -> Quarantine | None:
        """One more failure; the order to give the sentence up when it is one too many."""
        key = (book, rendition, chapter, sentence)
        if isinstance(error, WorkerKilled):
            # The pass is rendered as before: cut otherwise, it would sound otherwise than undisturbed.
            self._kills[key] += 1
            if self._kills[key] < KILLS:
                return None
        self._failures[key] += 1
        if self._failures[key] < CRASHES:
            return None
        del self._failures[key]
        return Quarantine(book, rendition, chapter, sentence, f"Rendering failed {CRASHES} times: {error}")


class PassRefused(RenderError):
    """The render process is well but could not render the pass; `sentences` were in it.

    No sentences: it was none of them, but the disk or the store.
    """

    def __init__(self, sentences: tuple[str, ...], message: str) -> None:
        super().__init__(message)
        self.sentences = sentences


class WorkerKilled(WorkerLost):
    """The render process was killed from outside: no sentence did that, unless it happens again and again."""
