"""A chapter as one of its renditions has it, and the audio of its sentences, whether or not that rendition plays."""

from typing import Annotated

from litestar import Response, get, route
from litestar.params import PathParameter, QueryParameter
from pydantic import Field

from server.api.audio import MP4, PARTS, cache_of, opened
from server.api.audition_views import TakeWord
from server.api.common import BookPath, Call, ChapterPath, House, off_loop, plausible
from server.api.household import API, Household
from server.api.media import Media, OpenFile
from server.api.problems import documented
from server.api.ranges import Entity
from server.api.renditions import RenditionPath
from server.api.view import View
from server.errors import NotFound
from server.render.index import SAFE_NAME, SAMPLE_RATE, SentenceEntry

AudioName = Annotated[str, PathParameter(description="Id of the sentence, then `.m4a`.", pattern=r"\.m4a$")]
Version = Annotated[str | None, QueryParameter(description="As with `sentences` of the chapter.")]


class PieceView(View):
    """A sentence of a rendition, with where its audio is."""

    sentence: str
    text: str
    block_index: int
    audio: str | None = Field(description="Address of its audio; null while it is not rendered.")
    audio_s: float
    gap_s: float = Field(description="Silence after it.")
    words: list[TakeWord] = Field(description="Code points of the sentence, seconds of its audio.")


class Pieces(View):
    """A chapter as a rendition has it."""

    rendition: str
    voice: str
    priming_s: float = Field(description="What a decoder gives before the first sample of a file.")
    sentences: list[PieceView]


@get(
    "/books/{book:str}/renditions/{rendition:str}/chapters/{number:int}",
    summary="A chapter as a rendition has it",
    tags=["audition"],
    responses=documented(404),
)
async def get_pieces(house: House, book: BookPath, rendition: RenditionPath, number: ChapterPath) -> Pieces:
    """Its sentences with their audio and times, whether or not that rendition plays."""
    plausible(book, number)
    return await off_loop(_pieces, house, book, _rendition(rendition), number)


@route(
    "/books/{book:str}/renditions/{rendition:str}/chapters/{number:int}/{name:str}",
    http_method=["GET", "HEAD"],
    summary="The audio of a sentence in a rendition",
    tags=["audition"],
    media_type=MP4,
    responses={**documented(404, 412, 416), **PARTS},
)
async def get_piece(
    request: Call,
    house: House,
    book: BookPath,
    rendition: RenditionPath,
    number: ChapterPath,
    name: AudioName,
    v: Version = None,
) -> Response[bytes]:
    """As the audio of a sentence of the book, whether or not that rendition plays."""
    sid = name.removesuffix(".m4a")
    plausible(book, number, sid)
    file, entry = await off_loop(_open_piece, house, book, _rendition(rendition), number, sid)
    return Media(request, Entity(file.size_bytes, f'"{entry.sha256}"'), file.read, MP4, cache_of(entry, v))


def _rendition(name: str) -> str:
    if SAFE_NAME.fullmatch(name) is None:
        raise NotFound("There is no such rendition.")
    return name


def _pieces(house: Household, book: str, rendition: str, number: int) -> Pieces:
    made = house.store.rendition(book, rendition)
    index = house.store.chapter(book, number, rendition)
    base = f"{API}/books/{book}/renditions/{rendition}/chapters/{number}"
    return Pieces(
        rendition=rendition,
        voice=made.voice,
        priming_s=index.priming / SAMPLE_RATE,
        sentences=[_piece(entry, base) for entry in index.sentences],
    )


def _piece(entry: SentenceEntry, base: str) -> PieceView:
    audio = f"{base}/{entry.id}.m4a?v={str(entry.sha256)[:16]}" if entry.rendered else None
    return PieceView(
        sentence=entry.id,
        text=entry.text,
        block_index=entry.block_index,
        audio=audio,
        audio_s=(entry.samples or 0) / SAMPLE_RATE,
        gap_s=(entry.gap_after_samples or 0) / SAMPLE_RATE,
        words=[
            TakeWord(
                char_start=word.char_start,
                char_end=word.char_end,
                start_s=word.start / SAMPLE_RATE,
                end_s=word.end / SAMPLE_RATE,
            )
            for word in entry.words or ()
        ],
    )


def _open_piece(house: Household, book: str, rendition: str, number: int, sid: str) -> tuple[OpenFile, SentenceEntry]:
    path = house.store.sentence_path(book, number, sid, rendition)
    index = house.store.chapter(book, number, rendition)
    entry = index.sentences[index.position(sid)]
    return opened(path, entry), entry
