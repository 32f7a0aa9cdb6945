"""Pronunciation rules as the API shows them, and what a change of them would change."""

import contextlib
import time
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from server.api.spots import BookId
from server.api.view import View
from server.errors import LecternError, NotFound
from server.render.index import SAMPLE_RATE
from server.render.lexicon.files import MAX_BYTES, Lexicon, Place, RuleFile, replaced
from server.render.lexicon.grammar import Rule
from server.render.lexicon.match import affected
from server.render.records import BookRecord
from server.render.store import Store
from server.render.voices import voice as find_voice

COUNT_S: Final = 10.0  # a household with hundreds of books is not counted to the end while somebody waits


class LexiconRule(View):
    """A rule as it was understood."""

    line: int
    written: str
    kind: Literal["words", "phonemes", "stress", "skip", "default"]
    words: str | None = Field(description="What is read in its place.")
    american: str | None = Field(description="Phonemes for American voices.")
    british: str | None = Field(description="Phonemes for British voices.")
    stress: int | None = Field(description="The syllable that is stressed, 0 for none.")
    scope: Literal["word", "anywhere", "regex"]
    case: Literal["smart", "exact", "any"]
    inflected: bool = Field(description="Whether plural, possessive and the like follow.")
    accent: Literal["american", "british"] | None = Field(description="The only voices it is for.")


class LexiconProblem(View):
    """Why a line is passed over; line 0 is the whole file."""

    line: int
    message: str


class LexiconLayer(View):
    """A layer. The book's own goes before its series, that before its author, and that before the household."""

    id: str
    kind: Literal["household", "author", "series", "book"]
    name: str
    file: str = Field(description="Path of the file that is written, in the store.")
    exists: bool
    rules: int
    problems: int


class LexiconLayers(View):
    layers: list[LexiconLayer]


class LexiconFile(LexiconLayer):
    """The rules of a layer. `ETag` in the headers names this version of them."""

    text: str
    lines: list[LexiconRule]
    complaints: list[LexiconProblem]


class LexiconIn(BaseModel):
    """The whole text of a layer's rules, one a line. See docs/pronunciations.md."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str = Field(max_length=MAX_BYTES)


class LexiconBookChange(View):
    """Sentences of a book that are said otherwise; those that are rendered keep their sound until rendered again."""

    book: BookId
    title: str
    sentences: int
    rendered: int


class LexiconChange(View):
    """What a change of rules does: the rules as they are understood, and whom they touch."""

    written: bool
    file: LexiconFile
    sentences: int
    rendered: int
    render_s: float | None = Field(
        description="Seconds that it takes to render those again; null while the speed is not known."
    )
    applied: int = Field(description="So many are rendered again.")
    books: list[LexiconBookChange] = Field(description="Books of which a sentence is said otherwise.")
    uncounted: list[BookId] = Field(description="Books that were not looked into, because it would take too long.")


@dataclass(frozen=True, slots=True)
class Touched:
    """A book that other rules change: what of it, and where its sentences stand that are said otherwise."""

    view: LexiconBookChange
    spots: dict[int, set[str]]
    audio_s: float


@dataclass(frozen=True, slots=True)
class Desk:
    """A place that is edited, with the books of the shelf that it may be for."""

    store: Store
    place: Place
    records: list[BookRecord]

    @property
    def lexicon(self) -> Lexicon:
        return self.store.lexicon


def count_changes(desk: Desk, new: RuleFile) -> tuple[list[Touched], list[str]]:
    """The books that other rules would have said otherwise, and those that were not looked into."""
    until = time.monotonic() + COUNT_S
    counted: list[Touched] = []
    uncounted: list[str] = []
    for record in desk.records:
        if all(desk.place.paths[0] not in place.paths for place in desk.lexicon.places(record)):
            continue
        if time.monotonic() > until:
            uncounted.append(record.id)
            continue
        try:
            change = _change(desk, record, new)
        except LecternError:  # a damaged chapter hinders no rule
            uncounted.append(record.id)
            continue
        if change.view.sentences:
            counted.append(change)
    return counted, uncounted


def _change(desk: Desk, record: BookRecord, new: RuleFile) -> Touched:
    old = desk.lexicon.of_book(record)
    rules = replaced(old, desk.place, new.parsed)
    try:
        voice = find_voice(record.voice)
        british, only_text = voice.british, not voice.english
    except NotFound:  # a store that another program rendered
        british, only_text = False, False
    sentences, rendered, samples = 0, 0, 0
    spots: dict[int, set[str]] = {}
    for chapter in (chapter for chapter in record.chapters if chapter.enabled):
        entries = desk.store.chapter(record.id, chapter.number).sentences
        touched = affected([entry.text for entry in entries], old, rules, british=british, only_text=only_text)
        sentences += len(touched)
        if touched:
            spots[chapter.number] = {entries[at].id for at in touched}
        heard = [entries[at] for at in touched if entries[at].rendered]
        rendered += len(heard)
        samples += sum(entry.samples or 0 for entry in heard)
    view = LexiconBookChange(book=record.id, title=record.title, sentences=sentences, rendered=rendered)
    return Touched(view, spots, samples / SAMPLE_RATE)


def heard(desk: Desk, touched: Touched) -> dict[int, set[str]]:
    """Those of the sentences that are rendered by now: it went on while they were counted."""
    found = {}
    for number, ids in touched.spots.items():
        with contextlib.suppress(LecternError):  # taken away, or damaged, since
            entries = desk.store.chapter(touched.view.book, number).sentences
            found[number] = {entry.id for entry in entries if entry.rendered and entry.id in ids}
    return found


def layer_view(lexicon: Lexicon, place: Place, file: RuleFile | None = None) -> LexiconLayer:
    """A layer with the files that are there, or with `file` alone."""
    read = [file] if file is not None else [lexicon.read(path) for path in place.paths]
    return LexiconLayer(
        id=place.layer.id,
        kind=place.layer.kind,
        name=place.layer.name,
        file=lexicon.relative(place.paths[0]),
        exists=place.paths[0].exists(),
        rules=sum(len(one.parsed.rules) for one in read),
        problems=sum(len(one.parsed.problems) for one in read),
    )


def file_view(desk: Desk, file: RuleFile) -> LexiconFile:
    """What is written for a layer, as it is understood."""
    return LexiconFile(
        **layer_view(desk.lexicon, desk.place, file).model_dump(),
        text=file.text,
        lines=[_rule_view(rule) for rule in file.parsed.rules],
        complaints=[LexiconProblem(line=one.line, message=one.message) for one in file.parsed.problems],
    )


def _rule_view(rule: Rule) -> LexiconRule:
    sounds = rule.sounds
    return LexiconRule(
        line=rule.line,
        written=rule.written,
        kind=rule.kind,
        words=rule.words if rule.kind == "words" else None,
        american=None if sounds is None else sounds.american,
        british=None if sounds is None else sounds.british,
        stress=rule.stress if rule.kind == "stress" else None,
        scope=rule.scope,
        case=rule.case,
        inflected=rule.inflected,
        accent=rule.accent,
    )
