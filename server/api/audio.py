"""Audio of single sentences, with byte ranges: what a download or a native player fetches."""

from pathlib import Path
from typing import Annotated, Final, Literal

from litestar import Response, route
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import PathParameter, QueryParameter

from server.api.common import BookPath, Call, ChapterPath, House, off_loop, plausible
from server.api.household import API, Household
from server.api.media import IMMUTABLE, REVALIDATE, Media, OpenFile
from server.api.problems import documented
from server.api.ranges import Entity
from server.errors import NotFound, StoreError
from server.render.index import ChapterIndex, SentenceEntry, Take

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
Which = Annotated[
    Literal["earlier"] | None, QueryParameter(description="The audio that it had before it was rendered again.")
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
    request: Call,
    house: House,
    book: BookPath,
    number: ChapterPath,
    name: FileName,
    v: Version = None,
    take: Which = None,
) -> Response[bytes]:
    """AAC in MP4, byte ranges; its entity tag is the SHA-256 of the file. 404 while it is not rendered."""
    sid = name.removesuffix(".m4a")
    plausible(book, number, sid)
    file, heard = await off_loop(_open_sentence, house, book, number, sid, take == "earlier")
    return Media(request, Entity(file.size_bytes, f'"{heard.sha256}"'), file.read, MP4, cache_of(heard, v))


def sentence_url(book: str, number: int, entry: SentenceEntry, *, earlier: bool = False) -> str:
    """The address of a sentence's audio, or of the audio that it had before, with the version of it."""
    heard = entry.earlier if earlier else entry
    version = ((heard.sha256 if heard else None) or "")[:16]
    take = "&take=earlier" if earlier else ""
    return f"{API}/books/{book}/chapters/{number}/sentences/{entry.id}.m4a?v={version}{take}"


def cache_of(entry: SentenceEntry | Take, version: str | None) -> str:
    """How long a sentence's audio may be kept that was asked for with this version of it."""
    # Another edition, or a new render, may have other audio at this address.
    asked = version and len(version) >= _VERSION and str(entry.sha256).startswith(version)
    return IMMUTABLE if asked else REVALIDATE


def _open_sentence(
    house: Household, book: str, number: int, sid: str, earlier: bool
) -> tuple[OpenFile, SentenceEntry | Take]:
    index = house.store.chapter(book, number)
    path = house.store.sentence_path(book, number, sid, index.rendition)
    heard: SentenceEntry | Take = index.sentences[index.position(sid)]
    if earlier:
        heard, path = _earlier(house, index, sid)
    return opened(path, heard), heard


def opened(path: Path, heard: SentenceEntry | Take) -> OpenFile:
    """The file of a sentence. Raises NotFound where it is gone, StoreError where it is not what the index tells of."""
    try:
        file = OpenFile(path)
    except FileNotFoundError:
        raise NotFound("The audio of this sentence has just been deleted.") from None
    except OSError as error:
        raise StoreError(f"{path} cannot be read.") from error
    if file.size_bytes != heard.bytes:
        # An entity tag must not vouch for bytes that are not what was rendered.
        raise StoreError(f"{path} is not the file its index tells of; `lectern verify --mend` has it rendered again.")
    return file


def _earlier(house: Household, index: ChapterIndex, sid: str) -> tuple[Take, Path]:
    take = index.sentences[index.position(sid)].earlier
    if take is None:
        raise NotFound("This sentence has no earlier audio.")
    return take, house.store.rendition_folder(index.book, index.rendition) / take.file
