"""Pronunciation rules: reading, trying and writing the files of each layer."""

from collections.abc import Iterator
from typing import Annotated, Final

from litestar import Response, get, put
from litestar.params import HeaderParameter, JSONBody, PathParameter, QueryParameter

from server.api.common import BookPath, House, off_loop, plausible
from server.api.household import Household
from server.api.lexicon_views import (
    Desk,
    LexiconChange,
    LexiconFile,
    LexiconIn,
    LexiconLayers,
    count_changes,
    file_view,
    heard,
    layer_view,
)
from server.api.problems import HttpError, documented
from server.api.ranges import Entity, PreconditionFailed, precondition_failed
from server.errors import Conflict, LecternError
from server.render.lexicon.files import MAX_BYTES, RuleFile, read_bytes
from server.render.records import BookRecord

MAX_BODY_BYTES: Final = 6 * MAX_BYTES + 1_000  # JSON may write a character in six

LayerPath = Annotated[str, PathParameter(description="`household`, or the id of another layer that is listed.")]
DryRun = Annotated[bool, QueryParameter(name="dry_run", description="Write nothing, only tell what would change.")]
Apply = Annotated[
    bool, QueryParameter(description="Have what is rendered and said otherwise now rendered again, and nothing else.")
]
IfMatch = Annotated[
    str | None,
    HeaderParameter(
        name="If-Match", description="The ETag of the rules that were edited; `*` to overwrite whatever is there."
    ),
]


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
    house: House,
    layer: LayerPath,
    data: JSONBody[LexiconIn],
    dry_run: DryRun = False,
    apply: Apply = False,
    if_match: IfMatch = None,
) -> Response[LexiconChange]:
    """Bad lines are told and passed over, not refused. What is rendered after this is said by the new rules."""
    return await _put(house, await off_loop(_desk, house, layer), data.text, if_match, dry_run=dry_run, apply=apply)


@put(
    "/books/{book:str}/lexicon",
    summary="Write the rules of a book",
    tags=["pronunciation"],
    request_max_body_size=MAX_BODY_BYTES,
    responses=documented(403, 404, 412, 413, 428, 507),
)
async def put_book_lexicon(
    house: House,
    book: BookPath,
    data: JSONBody[LexiconIn],
    dry_run: DryRun = False,
    apply: Apply = False,
    if_match: IfMatch = None,
) -> Response[LexiconChange]:
    """As for the other layers."""
    plausible(book)
    return await _put(house, await off_loop(_book_desk, house, book), data.text, if_match, dry_run=dry_run, apply=apply)


async def _put(
    house: Household, desk: Desk, text: str, if_match: str | None, *, dry_run: bool, apply: bool
) -> Response[LexiconChange]:
    try:
        encoded = await off_loop(desk.lexicon.draft, desk.place, text)
    except UnicodeEncodeError:
        raise HttpError(400, "The text holds half of a character (a lone surrogate), which no file can hold.") from None
    if len(encoded) > MAX_BYTES:
        raise HttpError(413, f"The rules are longer than {MAX_BYTES // 1_000_000} MB, the most that a file may have.")
    new = read_bytes(encoded)
    tag = await off_loop(_expected, desk, dry_run, if_match)
    touched, uncounted = await off_loop(count_changes, desk, new)
    applied = 0
    if not dry_run:
        try:
            new = await off_loop(desk.lexicon.write, desk.place, text, tag)
        except Conflict as error:
            raise PreconditionFailed(str(error)) from error
        layer = desk.place.layer
        house.hub.publish("lexicon.changed", layer=layer.id, book=desk.records[0].id if layer.kind == "book" else None)
        for one in touched if apply else ():
            # What is rendered from here on is said by the new rules.
            applied += await house.render_again(one.view.book, await off_loop(heard, desk, one), "rule")
    audio_s = sum(one.audio_s for one in touched)
    speed = (await house.status()).worker.speed
    change = LexiconChange(
        written=not dry_run,
        file=file_view(desk, new),
        sentences=sum(one.view.sentences for one in touched),
        rendered=sum(one.view.rendered for one in touched),
        render_s=audio_s / speed if speed else None,
        applied=applied,
        books=[one.view for one in touched],
        uncounted=uncounted,
    )
    return Response(change, headers=_headers(desk.lexicon.read(desk.place.paths[0])))


def _expected(desk: Desk, dry_run: bool, if_match: str | None) -> str | None:
    """The tag that the file must still have when it is written, None for any. Raises HttpError, PreconditionFailed."""
    if dry_run or (if_match or "").strip() == "*":
        return None
    if if_match is None:
        raise HttpError(428, "Send If-Match with the ETag of the rules that you edited, so that nobody's work is lost.")
    tag = desk.lexicon.read(desk.place.paths[0]).tag
    if precondition_failed({"if-match": if_match}, Entity(0, f'"{tag}"')):
        raise PreconditionFailed("The rules have been changed in the meantime; read them again.")
    return tag


def _records(house: Household) -> Iterator[BookRecord]:
    for book in house.store.books():
        try:
            yield house.store.book(book)
        except LecternError:  # one damaged book does not hide the others
            continue


def _desk(house: Household, layer: str) -> Desk:
    records = list(_records(house))
    return Desk(house.store, house.store.lexicon.place(layer, records), records)


def _book_desk(house: Household, book: str) -> Desk:
    record = house.store.book(book)
    return Desk(house.store, house.store.lexicon.book(record), [record])


def _list(house: Household) -> LexiconLayers:
    lexicon = house.store.lexicon
    return LexiconLayers(layers=[layer_view(lexicon, place) for place in lexicon.known(list(_records(house)))])


def _answer(desk: Desk) -> Response[LexiconFile]:
    file = desk.lexicon.read(desk.place.paths[0])
    return Response(file_view(desk, file), headers=_headers(file))


def _headers(file: RuleFile) -> dict[str, str]:
    return {"etag": f'"{file.tag}"', "cache-control": "private, no-cache"}
