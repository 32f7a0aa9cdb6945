"""A chapter's rendered sentences as access units in order: what every stream is put together from.

The units of all files without their priming ones, silent units between them for the gaps, decode to the files end to
end with the gaps between them: nothing is encoded again, nothing drifts.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from server.errors import Conflict, StoreError
from server.render.index import FRAME_SAMPLES, ChapterIndex, SentenceEntry


@dataclass(frozen=True, slots=True)
class Item:
    """One rendered sentence: `path` holds `au_sizes` bytes of access units from `offset` on, the priming one first.

    `gap_units` silent units follow it.
    """

    chapter: int
    sid: str
    path: Path
    offset: int
    au_sizes: tuple[int, ...]
    gap_units: int

    @property
    def units(self) -> int:
        """Access units it takes of the time line."""
        return len(self.au_sizes) - 1 + self.gap_units

    def read_units(self, first: int, end: int, silence: bytes) -> list[bytes]:
        """Its access units `[first, end)`, counted without the priming one; past its audio they are `silence`."""
        sizes = self.au_sizes[1 + first : 1 + end]
        silent = [silence] * (end - first - len(sizes))
        if not sizes:
            return silent
        data = read_span(self.path, self.offset + sum(self.au_sizes[: 1 + first]), sum(sizes))
        units, at = [], 0
        for size in sizes:
            units.append(data[at : at + size])
            at += size
        return units + silent


@dataclass(frozen=True)
class Track:
    """Rendered sentences that follow each other, of one chapter or of several in a row.

    `ended`: nothing will be added. `codec_config` and `silence` are empty while `items` is.
    """

    items: tuple[Item, ...]
    codec_config: bytes
    silence: bytes
    ended: bool

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Access unit of the time line at which each item starts, and at last the one where all end."""
        starts = [0]
        for item in self.items:
            starts.append(starts[-1] + item.units)
        return tuple(starts)

    @property
    def units(self) -> int:
        return self.starts[-1]


def chapter_track(index: ChapterIndex, folder: Path, start: str | None = None) -> Track:
    """What is rendered of a chapter from sentence `start` (None: its first) up to the first sentence still to come.

    `folder` is the rendition's. A sentence given up on takes no time. Raises KeyError for an unknown sentence,
    Conflict for files that cannot be joined.
    """
    if not index.joinable:
        raise Conflict(
            f"The audio of chapter {index.chapter} was made by another program, in files that cannot be joined. "
            "Play it sentence by sentence, or choose a voice to have it rendered here."
        )
    first = 0 if start is None else index.position(start)
    items: list[Item] = []
    ended = True
    for entry in index.sentences[first:]:
        if entry.rendered:
            items.append(_item(index, entry, folder))
        elif not entry.settled:
            ended = False
            break
    if items and index.codec_config is None:
        raise StoreError(f"Chapter {index.chapter} of book {index.book} has audio but no codec_config.")
    return Track(tuple(items), bytes.fromhex(index.codec_config or ""), bytes.fromhex(index.silence or ""), ended)


def in_a_row(tracks: Iterable[Track]) -> Track:
    """Tracks of chapters in reading order as one: as far as each before is ended and all are coded alike."""
    items: list[Item] = []
    config = silence = b""
    ended = True
    for track in tracks:
        if items and track.items and (track.codec_config, track.silence) != (config, silence):
            break  # another encoder made it: the stream ends here, and the player opens the next one
        if not items:
            config, silence = track.codec_config, track.silence
        items += track.items
        ended = track.ended
        if not ended:
            break
    return Track(tuple(items), config, silence, ended)


def read_span(path: Path, offset: int, length: int) -> bytes:
    """`length` bytes of a file from `offset` on. Raises StoreError when they are not there."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            data = os.pread(handle, length, offset)
        finally:
            os.close(handle)
    except OSError as error:
        raise StoreError(
            f"{path} could not be read ({error.strerror}); `lectern verify` tells what is missing."
        ) from error
    if len(data) != length:
        raise StoreError(f"{path} is shorter than its index says; `lectern verify` tells what is missing.")
    return data


def joined_sizes(items: Sequence[Item], silence: bytes) -> list[int]:
    """Bytes of every access unit of one stream: the first item's priming one, then all in order."""
    sizes = [items[0].au_sizes[0]]
    for item in items:
        sizes += item.au_sizes[1:]
        sizes += [len(silence)] * item.gap_units
    return sizes


def _item(index: ChapterIndex, entry: SentenceEntry, folder: Path) -> Item:
    # A rendered entry has all its audio fields; `or` only tells the type checker.
    return Item(
        chapter=index.chapter,
        sid=entry.id,
        path=folder / (entry.file or ""),
        offset=entry.data_offset or 0,
        au_sizes=entry.au_sizes or (),
        gap_units=(entry.gap_after_samples or 0) // FRAME_SAMPLES,
    )
