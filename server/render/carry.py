"""Audio taken along from one edition of a book to the next: index entries, and the files behind them.

What sounds the same keeps its file, byte for byte. Only the pause after a sentence belongs to its surroundings: where
something else follows now, it is reckoned anew.
"""

import contextlib
import os
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from server.library.editions import Line, Spot
from server.render.files import make_folder, sync_folder, write_error
from server.render.index import FRAME_SAMPLES, SAMPLE_RATE, ChapterIndex, SentenceEntry
from server.render.layout import sentence_file
from server.render.pauses import PAUSES_S, Boundary, boundary, gap_samples
from server.render.timing import TAIL_SAMPLES

Chapters = Mapping[int, ChapterIndex]  # by number
Moves = list[tuple[str, str]]  # paths of an audio file in the old rendition's folder and in the new one's


def lines(chapters: Chapters, *, aloud: bool = False) -> list[Line]:
    """The sentences of an edition in reading order; `aloud`: of the chapters that are read."""
    return [
        Line(Spot(number, entry.id), entry.block == "heading")
        for number, index in sorted(chapters.items())
        if index.enabled or not aloud
        for entry in index.sentences
    ]


def carry(text: ChapterIndex, kept: Mapping[Spot, Spot], old: Chapters) -> tuple[ChapterIndex, Moves]:
    """`text` with the audio that its sentences had in `old`, and which files must come along.

    `kept` tells which old sentence a new one is. Audio of one chapter must be coded in one way: of several the
    commonest counts, the rest is rendered again. What `text` has already stays.
    """
    places = {number: {entry.id: at for at, entry in enumerate(index.sentences)} for number, index in old.items()}
    found: dict[str, tuple[ChapterIndex, int]] = {}
    for entry in text.sentences:
        spot = kept.get(Spot(text.chapter, entry.id))
        if spot is not None and not entry.rendered and spot.sentence in places.get(spot.chapter, ()):
            index, at = old[spot.chapter], places[spot.chapter][spot.sentence]
            if index.sentences[at].rendered:
                found[entry.id] = index, at
    coded = Counter(_coding(index) for index, _ in found.values())
    coding = _coding(text) if text.has_audio or not coded else coded.most_common(1)[0][0]
    sentences = list(text.sentences)
    moves: Moves = []
    for at, entry in enumerate(text.sentences):
        if entry.id not in found or _coding(found[entry.id][0]) != coding:
            continue
        index, was = found[entry.id]
        sentences[at] = _moved(index, was, text, at)
        moves.append((str(index.sentences[was].file), str(sentences[at].file)))
    fields = {"sentences": tuple(sentences), **dict(zip(_CODING, coding, strict=True))}
    return (text.model_copy(update=fields) if moves else text), moves


_CODING = ("codec_config", "silence", "priming", "frame")


def _coding(index: ChapterIndex) -> tuple[object, ...]:
    """What the audio of a chapter has in common; another renderer's has other priming, and no silence to join it."""
    return tuple(getattr(index, name) for name in _CODING)


def _moved(old: ChapterIndex, was: int, text: ChapterIndex, at: int) -> SentenceEntry:
    """The sentence at `at` of `text` with the audio of the one at `was` of `old`.

    Where they are the same chapter's, its files stay what they are called and the take before it stays too.
    """
    before, entry = old.sentences[was], text.sentences[at]
    then, now = (next(iter(index.sentences[i + 1 : i + 2]), None) for index, i in ((old, was), (text, at)))
    left, kind = boundary(before, then, old.breaks), boundary(entry, now, text.breaks)
    same = left == kind and (kind != "sentence" or (then and then.text) == (now and now.text))
    here = (old.rendition, old.chapter) == (text.rendition, text.chapter)
    audio = before.model_dump(include=_AUDIO | (_IN_PLACE if here else set()), exclude_none=True)
    audio.setdefault("file", sentence_file(text.chapter, entry.id))
    audio["gap_after_samples"] = before.gap_after_samples if same else _gap(before, left, kind)
    return SentenceEntry(**{**entry.model_dump(exclude_none=True), **audio})


_IN_PLACE = {"file", "earlier"}  # what names files of the folder that it is in
# Of the text, or found out anew: the rest goes along with the audio.
_AUDIO = set(SentenceEntry.model_fields) - {"id", "text", "block", "block_index", "source", "failed", *_IN_PLACE}


def _gap(entry: SentenceEntry, was: Boundary, now: Boundary) -> int:
    """The gap where another boundary follows: by what the old one tells of the silence that the file ends in."""
    gap = entry.gap_after_samples or 0
    if was != "sentence" and gap:
        return max(0, gap + round((PAUSES_S[now] - PAUSES_S[was]) * SAMPLE_RATE / FRAME_SAMPLES) * FRAME_SAMPLES)
    return gap_samples(now, (entry.samples or 0) - (entry.speech_end or 0) + TAIL_SAMPLES)


def take_along(moves: Sequence[tuple[str, str]], source: Path, target: Path) -> set[str]:
    """Give the files of a rendition's folder a second name in another's; gives the new paths of those that are whole.

    A hard link costs no space, and neither name can harm the other: files are replaced, never written into. Where the
    disk knows none it is a copy. Raises StoreError.
    """
    done: set[str] = set()
    folders: set[Path] = set()
    for old, new in moves:
        path = target / new
        try:
            if path.parent not in folders:
                make_folder(path.parent)
                folders.add(path.parent)
            _link(source / old, path)
        except FileNotFoundError:
            continue  # lost from the old edition: it is rendered again
        except OSError as error:
            raise write_error(path, error) from error
        done.add(new)
    for folder in folders:
        sync_folder(folder)
    return done


def _link(source: Path, path: Path) -> None:
    path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        os.link(source, path)
        return
    with source.open("rb"):  # tells a missing file from a disk without links
        shutil.copyfile(source, path)
