"""Since when each sentence of a chapter is as it is: what a player that has an older index must be told."""

import threading
from typing import Final

from server.render.index import ChapterIndex, SentenceEntry

_FOLLOWS: Final = {"revision", "complete", "samples_total", "codec_config", "silence", "sentences"}


class History:
    """Of one chapter, from the moment its index was first given to somebody. Safe between threads."""

    def __init__(self, index: ChapterIndex) -> None:
        self._index = index
        self._from = index.revision
        self._changed: dict[str, int] = {}  # sentence → revision by which it was as it is
        self._lock = threading.Lock()

    def since(self, index: ChapterIndex, revision: int) -> list[SentenceEntry] | None:
        """The sentences of `index`, the chapter as it is now, that are not as they were at `revision`.

        None where that cannot be told: it is of before this history, or more than sentences changed.
        """
        with self._lock:
            self._see(index)
            # An index that was read earlier may come later: then it is not the one to compare with.
            if index.revision != self._index.revision or not self._from <= revision <= index.revision:
                return None
            changed = {sentence for sentence, at in self._changed.items() if at > revision}
            return [entry for entry in index.sentences if entry.id in changed]

    def _see(self, index: ChapterIndex) -> None:
        before = self._index
        if index is before or (index.revision <= before.revision and _rest(index) == _rest(before)):
            return
        self._index = index
        order = [entry.id for entry in index.sentences]
        if _rest(index) != _rest(before) or order != [entry.id for entry in before.sentences]:
            self._from, self._changed = index.revision, {}
            return
        for old, new in zip(before.sentences, index.sentences, strict=True):
            if new is not old and new != old:
                self._changed[new.id] = index.revision


def _rest(index: ChapterIndex) -> dict[str, object]:
    """All that a change of sentences leaves as it was."""
    return index.model_dump(exclude=_FOLLOWS)
