"""Sentences of a chapter whose files cannot be joined, one fragment each: another renderer made them.

A fragment begins with the file's priming units and starts on the time line where the sentence does: the player leaves
the chapter's `priming` samples out, and ends where the gap does. Web players can, with an append window.
"""

from pathlib import Path
from typing import Final

from server.errors import NotFound, StoreError
from server.render.index import ChapterIndex, SentenceEntry
from server.render.mp4 import fragment, stream_header
from server.render.tracks import read_span

# An access unit of AAC-LC, mono, in which nothing sounds: for gaps of streams that bring none of their own.
SILENT_UNIT: Final = bytes.fromhex("01182007")


class Loose:
    """The sentences of `index` from `start` on (None: its first); `folder` is the rendition's."""

    def __init__(self, index: ChapterIndex, folder: Path, start: str | None = None) -> None:
        first = 0 if start is None else index.position(start)
        self._entries = [entry for entry in index.sentences[first:] if entry.rendered]
        self._index, self._folder = index, folder

    def init_segment(self) -> bytes:
        """What a player reads before any fragment. Raises NotFound while nothing is rendered, StoreError."""
        if not self._entries:
            raise NotFound("Nothing is rendered from this sentence on yet.")
        if self._index.codec_config is None:
            raise StoreError(f"Chapter {self._index.chapter} has audio but no codec_config.")
        return stream_header(bytes.fromhex(self._index.codec_config))

    def sentence_segment(self, sid: str) -> bytes:
        """A sentence with its priming, and silence to the end of its gap. Raises NotFound, StoreError."""
        start = 0
        for number, entry in enumerate(self._entries, 1):
            if entry.id == sid:
                return fragment(number, start, self._units(entry))
            start += entry.length_samples
        raise NotFound(f"Sentence {sid} is not rendered yet.")

    def _units(self, entry: SentenceEntry) -> list[bytes]:
        sizes, frame = entry.au_sizes or (), self._index.frame
        data = read_span(self._folder / (entry.file or ""), entry.data_offset or 0, sum(sizes))
        units, at = [], 0
        for size in sizes:
            units.append(data[at : at + size])
            at += size
        wanted = -(-(self._index.priming + entry.length_samples) // frame)
        return units + [SILENT_UNIT] * (wanted - len(units))
