"""Where each person is in a book: a journal of plain lines beside its audio, and place.json for other readers.

A line is added to the file and synchronised; it is the truth. place.json is the household's own place (the owner's),
written after it. What an older version, or another program, wrote there since counts like a line.
"""

import contextlib
import itertools
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from server.errors import Conflict, NotFound
from server.library.editions import Spot
from server.render.edition import moved
from server.render.files import WriteLock
from server.render.layout import safe_name
from server.render.placefile import PlaceLines, add_line, read_lines, write_lines
from server.render.reconcile import PlaceEntry, Report, Unapplied, folded, judge, latest_of, present
from server.render.records import Place

if TYPE_CHECKING:
    from server.render.store import Store

log = logging.getLogger(__name__)

OWNER: Final = "owner"  # whose place is also place.json
FOLDER: Final = "places"
FOLD_LINES: Final = 400  # a journal longer than this is folded
KEPT_LINES: Final = 150
JUMPS: Final = 50  # so many can be gone back from


@dataclass(frozen=True, slots=True)
class Outcome:
    """The person's place after a report, and the device's own: another one where the report was not applied.

    `before` is where the device was before that.
    """

    now: PlaceEntry
    own: PlaceEntry
    before: PlaceEntry | None
    unapplied: Unapplied | None


@dataclass(frozen=True, slots=True)
class Jump:
    """A step of the place that can be gone back from."""

    left: PlaceEntry
    arrived: PlaceEntry


class Places:
    """The places of all persons in all books of a store. Methods raise NotFound for an unknown book, StoreError."""

    def __init__(self, store: "Store", writing: WriteLock) -> None:
        self._store = store
        self._writing = writing

    def now(self, book: str, person: str = OWNER) -> PlaceEntry | None:
        """The person's place, None before the first."""
        return present(self.entries(book, person))

    def of_device(self, book: str, person: str, device: str) -> PlaceEntry | None:
        """Where a device was last."""
        return latest_of(self.entries(book, person), device)

    def any(self, book: str) -> bool:
        return any(self._folder(book).glob("[!.]*.jsonl"))

    def people(self, book: str) -> list[str]:
        """Everybody who has a place in a book."""
        kept = [OWNER] if self._store.place(book) is not None else []
        return sorted({*kept, *(path.stem for path in self._folder(book).glob("[!.]*.jsonl"))})

    def jumps(self, book: str, person: str = OWNER) -> list[Jump]:
        """What can be gone back from, the latest first."""
        placed = [entry for entry in self.entries(book, person) if not entry.aside]
        found = [Jump(a, b) for a, b in itertools.pairwise(placed) if _is_step(a, b)]
        return found[::-1][:JUMPS]

    def report(self, book: str, person: str, report: Report) -> Outcome:
        """Take a report, which is in the edition that plays. Raises Conflict for an unexplained jump to zero."""
        with self._writing:
            self._store.book(book)
            lines = self._load(book, person)
            entries = lines.entries
            before = latest_of(entries, report.device) or (present(entries) if report.device is None else None)
            verdict = judge(entries, report, lambda chapter, sentence: self.ordinal(book, chapter, sentence))
            if verdict.refused:
                log.warning("a jump to the beginning that nobody asked for is refused")
                raise Conflict(
                    "That would put the place back to the beginning, though nobody went there. "
                    'To start the book over, say so with "reason": "jump".'
                )
            current = present(entries)
            if verdict.unapplied == "stale" and current is not None and before is not None:
                return Outcome(current, before, before, "stale")
            made = PlaceEntry(
                entry=lines.next_number,
                book=book,
                chapter=report.chapter,
                sentence=report.sentence,
                word=report.word,
                time=report.time,
                device=report.device,
                counter=report.counter,
                reason=verdict.reason,
                edition=self._store.edition(book) or None,
                aside=True if verdict.unapplied else None,
            )
            self._add(self._path(book, person), lines, made)
            if made.aside and current is not None:
                return Outcome(current, made, before, verdict.unapplied)
            if person == OWNER:
                self._store.save_place(book, _place(made))
            return Outcome(made, made, before, None)

    def back(self, book: str, person: str, entry: int, report: Report) -> Outcome:
        """Go back from the jump that `entry` is the end of; `report` says when and from which device.

        Raises NotFound for no such jump.
        """
        with self._writing:
            jump = next((jump for jump in self.jumps(book, person) if jump.arrived.entry == entry), None)
            if jump is None:
                raise NotFound("That jump is no longer known; ask for the list again.")
            left = jump.left
            to = replace(report, chapter=left.chapter, sentence=left.sentence, word=left.word, reason="undo")
            return self.report(book, person, to)

    def settle(self, book: str) -> None:
        """Take every journal along into the edition that plays, while the one that it is in is still there."""
        with self._writing:
            edition = self._store.edition(book) or None
            for path in sorted(self._folder(book).glob("[!.]*.jsonl")):
                lines = read_lines(path)
                if any(entry.edition != edition for entry in lines.entries):
                    write_lines(path, lines, self._moved(book, folded(lines.entries, KEPT_LINES), edition))
            current, kept = self.now(book), self._store.place(book)
            if current is not None and (kept is None or (kept.updated, kept.device) != (current.time, current.device)):
                self._store.save_place(book, _place(current))  # a crash came between the two files, or it is damaged

    def entries(self, book: str, person: str) -> list[PlaceEntry]:
        """The person's journal, oldest first; the owner's with what place.json knows better."""
        return self._load(book, person).entries

    def _load(self, book: str, person: str) -> PlaceLines:
        """The journal; what place.json knows better is an entry that has not been written yet."""
        lines = read_lines(self._path(book, person))
        if person == OWNER and (kept := self._store.place(book)) is not None and _is_news(kept, lines.entries):
            fields = kept.model_dump(exclude={"format", "updated"})
            entry = PlaceEntry(entry=lines.next_number, book=book, time=kept.updated, reason="moved", **fields)
            lines.entries.append(entry)
        return lines

    def ordinal(self, book: str, chapter: int, sentence: str) -> int | None:
        """How many sentences that are read aloud stand before one; None where there is no such."""
        with contextlib.suppress(NotFound, KeyError):
            at = self._store.chapter(book, chapter).position(sentence)
            chapters = self._store.book(book).chapters
            return at + sum(one.sentences for one in chapters if one.enabled and one.number < chapter)
        return None

    def _add(self, path: Path, lines: PlaceLines, made: PlaceEntry) -> None:
        if len(lines.entries) >= FOLD_LINES:
            write_lines(path, lines, folded([*lines.entries, made], KEPT_LINES))
        elif lines.torn or any(entry.entry not in lines.written for entry in lines.entries):
            write_lines(path, lines, [*lines.entries, made])
        else:
            add_line(path, made)

    def _moved(self, book: str, entries: Sequence[PlaceEntry], edition: int | None) -> list[PlaceEntry]:
        now: dict[tuple[int | None, Spot], Spot] = {}
        for was in {entry.edition for entry in entries} - {edition}:
            spots = {Spot(entry.chapter, entry.sentence) for entry in entries if entry.edition == was}
            found = moved(self._store, book, was or 0, spots)
            now |= {(was, spot): found.get(spot, spot) for spot in spots}
        return [_at(entry, now.get((entry.edition, Spot(entry.chapter, entry.sentence))), edition) for entry in entries]

    def _folder(self, book: str) -> Path:
        return self._store.book_folder(book) / FOLDER

    def _path(self, book: str, person: str) -> Path:
        return self._folder(book) / f"{safe_name(person, 'person')}.jsonl"


def _at(entry: PlaceEntry, spot: Spot | None, edition: int | None) -> PlaceEntry:
    if spot is None:
        return entry
    same = spot.sentence.rpartition("-")[0] == entry.sentence.rpartition("-")[0]
    fields = {"chapter": spot.chapter, "sentence": spot.sentence, "word": entry.word if same else 0}
    return entry.model_copy(update={**fields, "edition": edition})


def _is_news(kept: Place, entries: Sequence[PlaceEntry]) -> bool:
    """Whether another program wrote place.json since the last line.

    What a line says is none, however late: then the clock was put back, and a crash kept the last one from coming here.
    """
    current = present(entries)
    if current is None:
        return True
    return kept.updated > current.time and all((one.time, one.device) != (kept.updated, kept.device) for one in entries)


def _is_step(before: PlaceEntry, after: PlaceEntry) -> bool:
    there = (before.chapter, before.sentence, before.word) != (after.chapter, after.sentence, after.word)
    return there and after.reason != "played"


def _place(entry: PlaceEntry) -> Place:
    fields = entry.model_dump(include={"chapter", "sentence", "word", "device", "edition"})
    return Place(**fields, updated=entry.time)
