"""Pronunciation rules: the files of each layer, what is wrong with them, and what a change of them would change."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from litestar import Response, get, put
from litestar.params import HeaderParameter, JSONBody, PathParameter, QueryParameter
from pydantic import BaseModel, ConfigDict, Field

from server.api.common import BookPath, House, off_loop, plausible
from server.api.household import BookId, Household, View
from server.api.problems import HttpError, documented
from server.api.ranges import Entity, PreconditionFailed, precondition_failed
from server.errors import Conflict, LecternError
from server.render.index import BookRecord
from server.render.lexicon.files import MAX_BYTES, Lexicon, Place, RuleFile, read_bytes, replaced
from server.render.lexicon.grammar import Rule
from server.render.lexicon.match import affected

MAX_BODY_BYTES: Final = 6 * MAX_BYTES + 1_000  # JSON may write a character in six
COUNT_S: Final = 10.0  # a household with hundreds of books is not counted to the end while somebody waits

LayerPath = Annotated[str, PathParameter(description="`household`, or the id of another layer that is listed.")]
DryRun = Annotated[bool, QueryParameter(name="dry_run", description="Write nothing, only tell what would change.")]
IfMatch = Annotated[
    str | None,
    HeaderParameter(
        name="If-Match", description="The ETag of the rules that were edited; `*` to overwrite whatever is there."
    ),
]


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
    """Sentences of a book that are said otherwise; those that are rendered keep their sound until rendered anew."""

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
    books: list[LexiconBookChange] = Field(description="Books of which a sentence is said otherwise.")
    uncounted: list[BookId] = Field(description="Books that were not looked into, because it would take too long.")


@dataclass(frozen=True, slots=True)
class _Desk:
    """A place that is edited, with the books that it is for."""

    lexicon: Lexicon
    place: Place
    records: list[BookRecord]


@get("/lexicon", summary="Layers of pronunciations", tags=["pronunciation"], responses=documented())
async def list_lexicon(house: House) -> LexiconLayers:
    """The household's, those of the authors and series on the shelf, and every other file that is there."""
    return await off_loop(_list, house)


@get("/lexicon/{layer:str}", summary="Rules of a layer", tags=["pronunciation"], responses=documented(404))
async def get_lexicon(house: House, layer: LayerPath) -> Response[LexiconFile]:
    """A layer of which there is no file yet is empty."""
    return await off_loop(lambda: _answer(_desk(house, layer)))


@get("/books/{book:str}/lexicon", summary="Rules of a book", tags=["pronunciation"], responses=documented(404))
async def get_book_lexicon(house: House, book: BookPath) -> Response[LexiconFile]:
    """Its own; those of the layers around it hold too."""
    plausible(book)
    return await off_loop(lambda: _answer(_book_desk(house, book)))


@put(
    "/lexicon/{layer:str}",
    summary="Write the rules of a layer",
    tags=["pronunciation"],
    request_max_body_size=MAX_BODY_BYTES,
    responses=documented(403, 404, 412, 413, 428, 507),
)
async def put_lexicon(
    house: House, layer: LayerPath, data: JSONBody[LexiconIn], dry_run: DryRun = False, if_match: IfMatch = None
) -> Response[LexiconChange]:
    """Bad lines are told and passed over, not refused. What is rendered after this is said by the new rules."""
    return await _put(house, await off_loop(_desk, house, layer), data.text, dry_run, if_match)


@put(
    "/books/{book:str}/lexicon",
    summary="Write the rules of a book",
    tags=["pronunciation"],
    request_max_body_size=MAX_BODY_BYTES,
    responses=documented(403, 404, 412, 413, 428, 507),
)
async def put_book_lexicon(
    house: House, book: BookPath, data: JSONBody[LexiconIn], dry_run: DryRun = False, if_match: IfMatch = None
) -> Response[LexiconChange]:
    """As for the other layers."""
    plausible(book)
    return await _put(house, await off_loop(_book_desk, house, book), data.text, dry_run, if_match)


async def _put(
    house: Household, desk: _Desk, text: str, dry_run: bool, if_match: str | None
) -> Response[LexiconChange]:
    try:
        encoded = await off_loop(desk.lexicon.draft, desk.place, text)
    except UnicodeEncodeError:
        raise HttpError(400, "The text holds half of a character (a lone surrogate), which no file can hold.") from None
    if len(encoded) > MAX_BYTES:
        raise HttpError(413, f"The rules are longer than {MAX_BYTES // 1_000_000} MB, the most that a file may have.")
    new = read_bytes(encoded)
    tag = await off_loop(_expected, desk, dry_run, if_match)
    books, uncounted = await off_loop(_count, house, desk, new)
    if not dry_run:
        try:
            new = await off_loop(desk.lexicon.write, desk.place, text, tag)
        except Conflict as error:
            raise PreconditionFailed(str(error)) from error
        layer = desk.place.layer
        house.hub.publish("lexicon.changed", layer=layer.id, book=desk.records[0].id if layer.kind == "book" else None)
    change = LexiconChange(
        written=not dry_run,
        file=_file_view(desk, new),
        sentences=sum(one.sentences for one in books),
        rendered=sum(one.rendered for one in books),
        books=books,
        uncounted=uncounted,
    )
    return Response(change, headers=_headers(desk.lexicon.read(desk.place.paths[0])))


def _expected(desk: _Desk, dry_run: bool, if_match: str | None) -> str | None:
    """The tag that the file must still have when it is written, None for any. Raises HttpError, PreconditionFailed."""
    if dry_run or (if_match or "").strip() == "*":
        return None
    if if_match is None:
        raise HttpError(428, "Send If-Match with the ETag of the rules that you edited, so that nobody's work is lost.")
    tag = desk.lexicon.read(desk.place.paths[0]).tag
    if precondition_failed({"if-match": if_match}, Entity(0, f'"{tag}"')):
        raise PreconditionFailed("The rules have been changed in the meantime; read them again.")
    return tag


def _count(house: Household, desk: _Desk, new: RuleFile) -> tuple[list[LexiconBookChange], list[str]]:
    until = time.monotonic() + COUNT_S
    counted: list[LexiconBookChange] = []
    uncounted: list[str] = []
    for record in desk.records:
        if all(place.layer != desk.place.layer for place in desk.lexicon.places(record)):
            continue
        if time.monotonic() > until:
            uncounted.append(record.id)
            continue
        try:
            change = _change(house, desk, record, new)
        except LecternError:  # a damaged chapter hinders no rule
            uncounted.append(record.id)
            continue
        if change.sentences:
            counted.append(change)
    return counted, uncounted


def _change(house: Household, desk: _Desk, record: BookRecord, new: RuleFile) -> LexiconBookChange:
    old = desk.lexicon.of_book(record)
    rules = replaced(old, desk.place, new.parsed)
    sentences = rendered = 0
    for chapter in (chapter for chapter in record.chapters if chapter.enabled):
        entries = house.store.chapter(record.id, chapter.number).sentences
        touched = affected([entry.text for entry in entries], old, rules, british=record.voice.startswith("b"))
        sentences += len(touched)
        rendered += sum(entries[at].rendered for at in touched)
    return LexiconBookChange(book=record.id, title=record.title, sentences=sentences, rendered=rendered)


def _records(house: Household) -> Iterator[BookRecord]:
    for book in house.store.books():
        try:
            yield house.store.book(book)
        except LecternError:  # one damaged book does not hide the others
            continue


def _desk(house: Household, layer: str) -> _Desk:
    records = list(_records(house))
    return _Desk(house.store.lexicon, house.store.lexicon.place(layer, records), records)


def _book_desk(house: Household, book: str) -> _Desk:
    record = house.store.book(book)
    return _Desk(house.store.lexicon, house.store.lexicon.book(record), [record])


def _list(house: Household) -> LexiconLayers:
    lexicon = house.store.lexicon
    return LexiconLayers(layers=[_layer_view(lexicon, place) for place in lexicon.known(list(_records(house)))])


def _answer(desk: _Desk) -> Response[LexiconFile]:
    file = desk.lexicon.read(desk.place.paths[0])
    return Response(_file_view(desk, file), headers=_headers(file))


def _headers(file: RuleFile) -> dict[str, str]:
    return {"etag": f'"{file.tag}"', "cache-control": "private, no-cache"}


def _layer_view(lexicon: Lexicon, place: Place, file: RuleFile | None = None) -> LexiconLayer:
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


def _file_view(desk: _Desk, file: RuleFile) -> LexiconFile:
    return LexiconFile(
        **_layer_view(desk.lexicon, desk.place, file).model_dump(),
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
