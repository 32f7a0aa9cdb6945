"""Streams for players, put together from the store when they are asked for and never kept.

A run starts at a sentence and goes as far as rendering has come. It is offered as HLS (playlist, initialisation
segment, numbered segments that ignore sentence boundaries) and, for MediaSource, as one fragment a sentence.
"""

import logging
from bisect import bisect_right

from server.errors import Conflict, LecternError, NotFound
from server.render.chapter_file import ChapterFile, chapter_file
from server.render.index import FRAME_SAMPLES, SAMPLE_RATE
from server.render.loose import Loose
from server.render.mp4 import fragment, stream_header
from server.render.records import BookRecord
from server.render.store import Store
from server.render.tracks import Track, chapter_track, in_a_row

log = logging.getLogger(__name__)

SEGMENT_UNITS = 141  # 6.016 s: rounds to the target duration of 6 s that HLS asks for
START_SEGMENTS = 3  # a player started with fewer runs dry at once
PLAYLIST_TYPE = "application/vnd.apple.mpegurl"
MEDIA_TYPE = "audio/mp4"


class Run:
    """A time line that starts at 0 with a sentence, and what players fetch of it."""

    def __init__(self, track: Track) -> None:
        self.track = track

    @property
    def ended(self) -> bool:
        """Nothing will be added: the playlist is final."""
        return self.track.ended

    @property
    def length_samples(self) -> int:
        return self.track.units * FRAME_SAMPLES

    @property
    def segments(self) -> int:
        """Segments that can be had: only full ones while the run grows, for a segment once fetched never changes."""
        full, rest = divmod(self.track.units, SEGMENT_UNITS)
        return full + 1 if rest and self.ended else full

    @property
    def ready(self) -> bool:
        """There is enough for a player to start."""
        return self.segments >= START_SEGMENTS or (self.ended and self.segments > 0)

    def playlist(self) -> str:
        """The HLS media playlist: EVENT while the run grows, VOD when it has ended. Addresses are relative to it."""
        lines = [
            "#EXTM3U",
            "#EXT-X-VERSION:7",
            f"#EXT-X-TARGETDURATION:{round(SEGMENT_UNITS * FRAME_SAMPLES / SAMPLE_RATE)}",
            "#EXT-X-MEDIA-SEQUENCE:0",
            f"#EXT-X-PLAYLIST-TYPE:{'VOD' if self.ended else 'EVENT'}",
            "#EXT-X-INDEPENDENT-SEGMENTS",
            "#EXT-X-START:TIME-OFFSET=0,PRECISE=YES",
            '#EXT-X-MAP:URI="init.mp4"',
        ]
        for number in range(self.segments):
            units = min(SEGMENT_UNITS, self.track.units - number * SEGMENT_UNITS)
            lines += [f"#EXTINF:{units * FRAME_SAMPLES / SAMPLE_RATE:.6f},", f"seg-{number}.m4s"]
        if self.ended:
            lines.append("#EXT-X-ENDLIST")
        return "\n".join(lines) + "\n"

    def init_segment(self) -> bytes:
        """What a player reads before any segment or fragment. Raises NotFound while nothing is rendered."""
        if not self.track.items:
            raise NotFound("Nothing is rendered from this sentence on yet.")
        return stream_header(self.track.codec_config)

    def segment(self, number: int) -> bytes:
        """Segment `number`, from 0. Raises NotFound when it is not there (yet)."""
        if not 0 <= number < self.segments:
            raise NotFound(f"Segment {number} is not rendered yet.")
        start = number * SEGMENT_UNITS
        end = min(start + SEGMENT_UNITS, self.track.units)
        return fragment(number + 1, start * FRAME_SAMPLES, self._units(start, end))

    def sentence_segment(self, sid: str, chapter: int | None = None) -> bytes:
        """A sentence and the silence after it as one fragment, at its place on the time line.

        `chapter` tells chapters of the run apart, None takes the first with such a sentence. Raises NotFound when
        the sentence is not in the run.
        """
        for position, item in enumerate(self.track.items):
            if item.sid == sid and chapter in (None, item.chapter):
                start = self.track.starts[position]
                units = item.read_units(0, item.units, self.track.silence)
                return fragment(position + 1, start * FRAME_SAMPLES, units)
        raise NotFound(f"Sentence {sid} is not rendered yet.")

    def _units(self, start: int, end: int) -> list[bytes]:
        """Access units `[start, end)` of the time line."""
        units: list[bytes] = []
        position = bisect_right(self.track.starts, start) - 1
        while start + len(units) < end:
            item, at = self.track.items[position], start + len(units) - self.track.starts[position]
            units += item.read_units(at, min(item.units, at + end - start - len(units)), self.track.silence)
            position += 1
        return units


def open_run(store: Store, book: str, number: int, start: str | None = None, *, follow: bool = False) -> Run:
    """The run of chapter `number` from sentence `start` (None: its first) on; with `follow` into later chapters.

    Chapters that are turned off are passed over. Raises NotFound, StoreError, Conflict where files cannot be joined.
    """
    record = store.book(book)
    tracks = [_track(store, book, number, start)]
    later = _later_chapters(record, number) if follow else []
    for chapter in later:
        if not tracks[-1].ended:
            break
        try:
            tracks.append(_track(store, book, chapter))
        except LecternError as error:  # damaged, lost, or another program's: the stream ends where it begins
            if not isinstance(error, Conflict):
                log.debug("a stream of %s ends before chapter %d: %s", book, chapter, error)
            break
    return Run(in_a_row(tracks))


def open_loose(store: Store, book: str, number: int, start: str) -> Loose | None:
    """The sentences from `start` on of a chapter whose files cannot be joined, else None. Raises NotFound."""
    index = store.chapter(book, number)
    if index.joinable:
        return None
    try:
        return Loose(index, store.rendition_folder(book, index.rendition), start)
    except KeyError:
        raise NotFound(f"Chapter {number} has no sentence {start!r}.") from None


def open_chapter_file(store: Store, book: str, number: int) -> ChapterFile:
    """A complete chapter as one .m4a. Raises NotFound, Conflict while it is not complete, StoreError."""
    index = store.chapter(book, number)
    return chapter_file(index, store.rendition_folder(book, index.rendition))


def _later_chapters(record: BookRecord, number: int) -> list[int]:
    return [chapter.number for chapter in record.chapters if chapter.number > number and chapter.enabled]


def _track(store: Store, book: str, number: int, start: str | None = None) -> Track:
    index = store.chapter(book, number)
    try:
        return chapter_track(index, store.rendition_folder(book, index.rendition), start)
    except KeyError:
        raise NotFound(f"Chapter {number} has no sentence {start!r}.") from None
