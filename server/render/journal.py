"""Chapter indexes on disk, each with a journal of what was added since its file was last written.

A pass changes a few sentences of perhaps a thousand. It adds a line to `chapter-0002.jsonl`; when that has grown as
long as the index, both become one file again. So the bytes written grow with the chapter, not with its square
(benchmarks/index_writes.py), and a chapter that is whole is one file.
"""

import os
import re
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from server.errors import StoreError
from server.render.files import Stamp, read_record, stamp_of, sync_file, sync_folder, write_atomically, write_error
from server.render.index import ChapterIndex, Count, HexBytes, Record, SentenceEntry

SMALL_BYTES: Final = 64 * 1024  # an index this small is written whole: that costs no more than a line
_TRIES: Final = 5  # to read index and journal of one moment, while somebody writes them
_MARK_BYTES: Final = 200  # of a line's beginning: its revision is in it, so no two lines of a chapter are alike
_REVISION: Final = re.compile(rb'\{"revision":([0-9]{1,18}),')

_UNKNOWN: Final[Stamp] = (0, 0, 0)  # no file has it


def journal_of(path: Path) -> Path:
    """The journal of the index at `path`."""
    return path.with_suffix(".jsonl")


class Change(Record):
    """A line of a chapter's journal: the sentences that changed with `revision`, whole, and its totals since."""

    revision: Count
    complete: bool
    samples_total: Count
    codec_config: HexBytes | None = None
    silence: HexBytes | None = None
    sentences: tuple[SentenceEntry, ...]

    @classmethod
    def between(cls, before: ChapterIndex, after: ChapterIndex) -> "Change":
        """What leads from one state of a chapter to the next; they have the same sentences in the same order."""
        changed = (new for old, new in zip(before.sentences, after.sentences, strict=True) if new is not old)
        return cls(
            revision=after.revision,
            complete=after.complete,
            samples_total=after.samples_total,
            codec_config=after.codec_config,
            silence=after.silence,
            sentences=tuple(changed),
        )

    def of(self, index: ChapterIndex) -> ChapterIndex:
        """`index` with this change; raises KeyError for a sentence that it does not have."""
        totals = self.model_dump(include={"revision", "complete", "samples_total", "codec_config", "silence"})
        return index.with_entries(self.sentences).model_copy(update=totals)


@dataclass(frozen=True, slots=True)
class _Held:
    """A chapter as index and journal gave it: `stamp` is the index's.

    Of the journal, `journal` is what it was when nothing of it was left to read, and `last` its last line that was
    read, from byte `at` to `offset`. All are empty where it added nothing: then it may be the one of the index before,
    which goes at any moment, and the disk may give its inode to the next.
    """

    stamp: Stamp
    index: ChapterIndex
    journal: Stamp | None = None
    at: int = 0
    offset: int = 0
    last: bytes = b""


class ChapterFiles:
    """Reads and writes chapters; keeps the last few as long as their files stay the same. Safe between threads.

    Whoever writes holds the store's lock.
    """

    def __init__(self, size: int = 12) -> None:
        self._size = size
        self._kept: OrderedDict[Path, _Held] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, path: Path, missing: str) -> ChapterIndex:
        """The chapter whose index is at `path`, with what its journal adds.

        Raises NotFound with the sentence `missing` when there is none, StoreError when it cannot be understood.
        """
        for _ in range(_TRIES):
            stamp = stamp_of(path)
            try:
                held = self._read(path, missing)
            except StoreError:
                if stamp_of(path) == stamp:
                    raise
                continue  # the journal may have been another index's
            # Between two reads a writer may have made one file of both: then what was read is of no one moment.
            if stamp_of(path) == held.stamp:
                self._keep(path, held)
                return held.index
        raise StoreError(f"{path} changes all the time; end what writes to it.")

    def at_hand(self, path: Path) -> ChapterIndex | None:
        """The chapter whose index is at `path`, if that is known without reading a file; None if it must be read."""
        with self._lock:
            held = self._kept.get(path)
        if held is None or stamp_of(path) != held.stamp:
            return None
        return held.index if stamp_of(journal_of(path)) == held.journal else None

    def replace(self, path: Path, index: ChapterIndex) -> None:
        """Write a chapter as one file."""
        journal = journal_of(path)
        if not path.exists():
            journal.unlink(missing_ok=True)  # of an index that was lost: it adds nothing to another
        write_atomically(path, index.to_json().encode())
        # What a crash leaves of it here is older than the index, and counts no more.
        journal.unlink(missing_ok=True)
        self._put(path, index)

    def add(self, path: Path, before: ChapterIndex, after: ChapterIndex) -> None:
        """Write what leads from `before`, which the files hold, to `after`."""
        line = (Change.between(before, after).model_dump_json(exclude_none=True) + "\n").encode()
        journal = journal_of(path)
        stamp, written = stamp_of(path), stamp_of(journal)
        size = stamp[2] if stamp is not None else 0
        grown = (written[2] if written is not None else 0) + len(line)
        old = written is None and _is_old(path)
        # A line does not say how files are coded, but for what the first of them is.
        old = old or (before.priming, before.frame) != (after.priming, after.frame) or _uncoded(before, after)
        if old or size < SMALL_BYTES or grown > size or all(entry.settled for entry in after.sentences):
            self.replace(path, after)
            return
        _append(journal, line)
        self._put(path, after, line)

    def forget(self, path: Path) -> None:
        with self._lock:
            self._kept.pop(path, None)

    def _read(self, path: Path, missing: str) -> _Held:
        stamp, journal = stamp_of(path), journal_of(path)
        with self._lock:
            held = self._kept.get(path)
        if held is not None and held.stamp == stamp and (now := _with_journal(held, journal)) is not None:
            return now
        held = _Held(stamp or _UNKNOWN, read_record(path, ChapterIndex, missing))
        return _with_journal(held, journal) or held

    def _put(self, path: Path, index: ChapterIndex, line: bytes = b"") -> None:
        """Know what was just written, without reading it again; `line` is what was added to the journal."""
        stamp, journal = stamp_of(path), stamp_of(journal_of(path))
        if stamp is None:
            return
        if line and journal is not None:
            self._keep(path, _Held(stamp, index, journal, journal[2] - len(line), journal[2], line[:_MARK_BYTES]))
        else:
            self._keep(path, _Held(stamp, index))

    def _keep(self, path: Path, held: _Held) -> None:
        with self._lock:
            self._kept[path] = held
            self._kept.move_to_end(path)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)


def _with_journal(held: _Held, path: Path) -> _Held | None:
    """What the journal at `path` adds to what is known of its chapter; None where it is not the one that was read.

    Raises StoreError.
    """
    try:
        with path.open("rb") as stream:
            status = os.fstat(stream.fileno())
            stream.seek(held.at)
            data = stream.read()
    except FileNotFoundError:
        return held if not held.last else None
    except OSError as error:
        raise StoreError(f"{path} could not be read ({error.strerror}); check the disk.") from error
    known = held.offset - held.at
    if len(data) < known or not data.startswith(held.last):
        return None
    end = data.rfind(b"\n") + 1  # a line that a crash cut short has no end
    index = _applied(held.index, data[known:end], path, held.offset)
    if index.revision == held.index.revision and not held.last:
        return held
    at = data.rfind(b"\n", 0, end - 1) + 1
    # What was written while it was read is still to be read.
    whole = held.at + end == status.st_size
    journal = (status.st_ino, status.st_mtime_ns, status.st_size) if whole else _UNKNOWN
    return _Held(held.stamp, index, journal, held.at + at, held.at + end, data[at:end][:_MARK_BYTES])


def _applied(index: ChapterIndex, lines: bytes, path: Path, offset: int) -> ChapterIndex:
    """`index` with the lines of the journal at `path` from `offset` on that it does not have. Raises StoreError."""
    for number, line in enumerate(lines.splitlines(), 1):
        if (said := _REVISION.match(line)) is not None and int(said[1]) <= index.revision:
            continue  # it has them already: whatever else it says counts no more
        try:
            change = Change.read(line)
            index = change.of(index) if change.revision > index.revision else index
        except (ValidationError, KeyError) as error:
            what = error.errors(include_url=False)[0]["msg"] if isinstance(error, ValidationError) else str(error)
            raise StoreError(
                f"{path} is damaged, {number} lines from byte {offset} on: {what}. Put it back from a backup, or "
                "remove it: what it lists is rendered again."
            ) from error
    return index


def _uncoded(before: ChapterIndex, after: ChapterIndex) -> bool:
    return before.codec_config is not None and after.codec_config is None


def _is_old(path: Path) -> bool:
    """Whether an index is of format 1, which knows no journal."""
    try:
        with path.open("rb") as stream:
            return b'"format":1,' in stream.read(64)
    except OSError:
        return True  # lost: it is written


def _append(journal: Path, line: bytes) -> None:
    """Add a line, and see to it that it stays. Raises StoreError."""
    try:
        new = not journal.exists()
        with journal.open("ab+") as stream:
            _cut_torn_line(stream.fileno())
            stream.write(line)
            stream.flush()
            sync_file(stream.fileno())
        if new:
            sync_folder(journal.parent)
    except OSError as error:
        raise write_error(journal, error) from error


def _cut_torn_line(handle: int) -> None:
    """Take away what a crash, or a full disk, left of a line."""
    size = os.fstat(handle).st_size
    if size == 0 or os.pread(handle, 1, size - 1) == b"\n":
        return
    end = os.pread(handle, size, 0).rfind(b"\n") + 1
    os.ftruncate(handle, end)
