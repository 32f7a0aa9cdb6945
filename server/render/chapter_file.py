"""A complete chapter as one .m4a that exists only as a way to answer for any range of its bytes."""

import hashlib
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path

from server.errors import Conflict, NotFound
from server.render.index import ChapterIndex
from server.render.mp4 import Chunk, file_header
from server.render.tracks import Track, chapter_track, joined_sizes, read_span


@dataclass(frozen=True, slots=True)
class _Piece:
    """`length` bytes from `start` of the chapter's media data: at `offset` of `path`, or silent units in a row."""

    start: int
    length: int
    path: Path | None
    offset: int


class ChapterFile:
    """`size` bytes, read in ranges: a computed header, then access units out of the sentences' files.

    `etag` changes whenever a byte does.
    """

    def __init__(self, track: Track, etag: str) -> None:
        self.etag = etag
        self._silence = track.silence
        self._pieces, chunks = _lay_out(track)
        self._starts = [piece.start for piece in self._pieces]
        self.header = file_header(track.codec_config, joined_sizes(track.items, track.silence), chunks)
        self.size = len(self.header) + sum(piece.length for piece in self._pieces)

    def read(self, start: int, end: int) -> bytes:
        """Bytes `[start, end)`, less where the file ends. Raises StoreError when a sentence's file is not whole."""
        parts = [self.header[start:end]]
        low, high = max(0, start - len(self.header)), end - len(self.header)
        first = max(0, bisect_right(self._starts, low) - 1)
        for piece in self._pieces[first:]:
            if piece.start >= high:
                break
            begin, length = max(0, low - piece.start), min(piece.length, high - piece.start)
            if begin < length:
                parts.append(self._read_piece(piece, begin, length))
        return b"".join(parts)

    def _read_piece(self, piece: _Piece, begin: int, end: int) -> bytes:
        if piece.path is not None:
            return read_span(piece.path, piece.offset + begin, end - begin)
        return (self._silence * (piece.length // len(self._silence)))[begin:end]


def chapter_file(index: ChapterIndex, folder: Path) -> ChapterFile:
    """The file of a complete chapter; `folder` is the rendition's. Raises NotFound for one without audio, Conflict."""
    if not index.complete:
        raise Conflict(f"Chapter {index.chapter} is still being rendered; its file can be had when it is complete.")
    track = chapter_track(index, folder)
    if not track.items:
        raise NotFound(f"Chapter {index.chapter} has no audio.")
    made_of = "\n".join(f"{entry.sha256} {entry.gap_after_samples}" for entry in index.sentences if entry.rendered)
    return ChapterFile(track, hashlib.sha256(made_of.encode()).hexdigest())


def _lay_out(track: Track) -> tuple[list[_Piece], list[Chunk]]:
    """Where the bytes of the media data come from, and the runs of access units in them, one a sentence."""
    pieces: list[_Piece] = []
    chunks: list[Chunk] = []
    at = 0
    for position, item in enumerate(track.items):
        priming = item.au_sizes[0] if position else 0  # only the first sentence keeps its priming unit
        chunks.append((item.units if position else item.units + 1, at))
        sound, silent = sum(item.au_sizes) - priming, item.gap_units * len(track.silence)
        pieces.append(_Piece(at, sound, item.path, item.offset + priming))
        pieces.append(_Piece(at + sound, silent, None, 0))
        at += sound + silent
    return [piece for piece in pieces if piece.length], chunks
