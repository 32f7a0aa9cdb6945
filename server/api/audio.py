"""Audio of single sentences, with byte ranges: what a download or a native player fetches."""

from typing import Annotated, Final

from litestar import Response, route
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import PathParameter, QueryParameter

from server.api.common import BookPath, Call, ChapterPath, House, off_loop, plausible
from server.api.household import Household
from server.api.media import IMMUTABLE, REVALIDATE, Media, OpenFile
from server.api.problems import documented
from server.api.ranges import Entity
from server.errors import NotFound, StoreError
from server.render.index import SentenceEntry

MP4 = "audio/mp4"
_VERSION: Final = 8  # digits that tell one file from another
PARTS = {
    206: ResponseSpec(bytes, generate_examples=False, description="The bytes asked for.", media_type=MP4),
    304: ResponseSpec(None, description="It has not changed."),
}

Version = Annotated[
    str | None,
    QueryParameter(description="The beginning of the file's `sha256`: what is asked for so may be kept for ever."),
]
FileName = Annotated[str, PathParameter(description="Id of the sentence, then `.m4a`.", pattern=r"\.m4a$")]


@route(
    "/books/{book:str}/chapters/{number:int}/sentences/{name:str}",
    http_method=["GET", "HEAD"],
    summary="The audio of a sentence",
    tags=["audio"],
    media_type=MP4,
    responses={**documented(404, 412, 416), **PARTS},
)
async def get_sentence(
    request: Call, house: House, book: BookPath, number: ChapterPath, name: FileName, v: Version = None
) -> Response[bytes]:
    """AAC in MP4, byte ranges; its entity tag is the SHA-256 of the file. 404 while it is not rendered."""
    sid = name.removesuffix(".m4a")
    plausible(book, number, sid)
    file, entry = await off_loop(_open_sentence, house, book, number, sid)
    # Another edition, or a new render, may have other audio at this address.
    cache = IMMUTABLE if v and len(v) >= _VERSION and str(entry.sha256).startswith(v) else REVALIDATE
    return Media(request, Entity(file.size_bytes, f'"{entry.sha256}"'), file.read, MP4, cache)


def _open_sentence(house: Household, book: str, number: int, sid: str) -> tuple[OpenFile, SentenceEntry]:
    index = house.store.chapter(book, number)
    path = house.store.sentence_path(book, number, sid, index.rendition)
    entry = index.sentences[index.position(sid)]
    try:
        file = OpenFile(path)
    except FileNotFoundError:
        raise NotFound("The audio of this sentence has just been deleted.") from None
    except OSError as error:
        raise StoreError(f"{path} cannot be read.") from error
    if file.size_bytes != entry.bytes:
        # An entity tag must not vouch for bytes that are not what was rendered.
        raise StoreError(f"{path} is not the file its index tells of; `lectern doctor` says how to mend it.")
    return file, entry
