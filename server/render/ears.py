"""Sentences that somebody should listen to: what a listener or the gate says of one, and what becomes of it (pure)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from server.errors import Conflict
from server.render.index import Again, Opinion, SentenceEntry, Take

_OPEN: Final = ("listener", "redone")  # a person is still waiting for it to be good


def asked_again(entry: SentenceEntry, why: Again) -> SentenceEntry:
    """`entry` to be rendered again; one that was given up is tried once more."""
    if entry.rendered:
        return entry.model_copy(update={"again": why})
    return entry.without_audio() if entry.failed is not None else entry


def sounds_wrong(entry: SentenceEntry, note: str | None, at: datetime) -> SentenceEntry:
    """What a listener says of it; what somebody said before stands unless there is a new note.

    Raises Conflict where there is nothing to hear.
    """
    _heard(entry)
    if entry.ears == "listener":
        return entry.model_copy(update={"note": note, "complained": at}) if note else entry
    thought = Opinion(ears=entry.ears, note=entry.note, complained=entry.complained) if entry.ears else None
    note = note or entry.note
    return entry.model_copy(update={"ears": "listener", "note": note, "complained": at, "thought": thought})


def withdrawn(entry: SentenceEntry) -> SentenceEntry:
    """Nobody says that it sounds wrong after all: what was thought of it before holds. Raises Conflict."""
    if entry.ears != "listener":
        raise Conflict("Nobody says of this sentence that it sounds wrong, so there is nothing to take back.")
    before = entry.thought.model_dump() if entry.thought is not None else dict.fromkeys(Opinion.model_fields)
    return entry.model_copy(update={**before, "thought": None})


def accepted(entry: SentenceEntry) -> SentenceEntry:
    """It is good as it is; whatever was asked for is not wanted any more. Raises Conflict."""
    _heard(entry)
    again = None if entry.again == "ears" else entry.again
    good = {**dict.fromkeys(("note", "complained", "thought")), "ears": "accepted"}
    earlier = entry.earlier
    if again == "rule" and earlier is not None:
        earlier = earlier.model_copy(update=good)  # it may be what comes back: no complaint does with it
    return entry.model_copy(update={**good, "again": again, "earlier": earlier})


def rendered_otherwise(entry: SentenceEntry, at: datetime) -> SentenceEntry:
    """It is to be rendered once more, with another result. Raises Conflict."""
    _heard(entry)
    return entry.model_copy(update={"again": "ears", "complained": entry.complained or at})


def taken_back(entry: SentenceEntry) -> SentenceEntry:
    """With the audio that it had before, and what was thought of that; what it has now is kept in its stead.

    Raises Conflict.
    """
    if entry.earlier is None:
        raise Conflict("This sentence has no earlier audio.")
    fields = {name: getattr(entry.earlier, name) for name in Take.model_fields}
    return entry.model_copy(update={**fields, "earlier": kept(entry), "again": None})


def reverted(entry: SentenceEntry) -> SentenceEntry:
    """As `taken_back`, because a rule was: whoever waits for the sentence to be good goes on waiting."""
    back = taken_back(entry)
    if entry.ears not in _OPEN or back.ears in _OPEN:
        return back
    return back.model_copy(update={"ears": "redone", "note": entry.note, "complained": entry.complained})


@dataclass(frozen=True, slots=True)
class Taken:
    """A sentence that was rendered: its entry as the pass began, and with the new audio."""

    begun: SentenceEntry
    made: SentenceEntry


def renewed(before: SentenceEntry, taken: Taken, *, outdated: bool = False) -> SentenceEntry:
    """The entry with the new audio, instead of `before`, as it is now: with what becomes of the old audio, and of what
    was said of that. `outdated`: the rules have changed while it was spoken.
    """
    made = taken.made
    if before.sha256 == made.sha256:
        accepted_ = {"ears": "accepted"} if before.ears == "accepted" else {}
        made = made.model_copy(update={"earlier": before.earlier, **accepted_})
    elif before.rendered:
        made = made.model_copy(update={"earlier": kept(before)})
    if before.again is not None and before.again != taken.begun.again:
        # Asked for in the meantime, for another reason than this was spoken for: that is still to be done.
        opinion = {name: getattr(before, name) for name in (*Opinion.model_fields, "again", "thought")}
        return made.model_copy(update=opinion)
    if before.ears in _OPEN or before.again == "ears":
        made = made.model_copy(update={"ears": "redone", "note": before.note, "complained": before.complained})
    return made.model_copy(update={"again": "rule"}) if outdated else made


def kept(entry: SentenceEntry) -> Take:
    """The audio of a rendered sentence, to be put back perhaps."""
    return Take(**{name: getattr(entry, name) for name in Take.model_fields})


def _heard(entry: SentenceEntry) -> None:
    if not entry.rendered:
        raise Conflict("This sentence has no audio yet, so nobody can have heard it.")
