"""Streams put together from the store: HLS, single-sentence fragments for MediaSource, a chapter as one file."""

import hashlib
import itertools
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Final

from litestar import Response, route
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import PathParameter
from litestar.types import ControllerRouterHandler

from server.api.audio import MP4, PARTS
from server.api.common import BookPath, Call, ChapterPath, House, off_loop, plausible
from server.api.held import Held
from server.api.household import Household
from server.api.media import REVALIDATE, Media, in_memory
from server.api.problems import documented
from server.api.ranges import Entity
from server.errors import NotFound
from server.render.chapter_file import ChapterFile
from server.render.store import Store
from server.render.stream import PLAYLIST_TYPE, Run, open_chapter_file, open_loose, open_run

Start = Annotated[str, PathParameter(description="Id of the sentence the stream starts with.")]
Part = Annotated[
    str, PathParameter(description="`seg-K.m4s`, K from 0, or `s-SENTENCE.m4s`.", pattern=r"^(seg|s)-.+\.m4s$")
]

_PART = re.compile(r"(seg|s)-([0-9A-Za-z_-]{1,64})\.m4s")
_LAST_SEGMENT: Final = 999_999
_CHAPTER: Final = "/books/{book:str}/chapters/{number:int}"


_runs: Final[Held[Run]] = Held(16)
_chapters: Final[Held[ChapterFile]] = Held(8)


def _run(house: Household, book: str, number: int, start: str, follow: bool) -> Run:
    store = house.store
    key = (store.root, book, number, start, follow)
    return _runs.get(
        key, _indexes(store, book, number, follow), lambda: open_run(store, book, number, start, follow=follow)
    )


def _indexes(store: Store, book: str, number: int, follow: bool) -> Iterable[Path]:
    record = store.book(book)
    numbers = [c.number for c in record.chapters if c.number == number or (follow and c.number > number and c.enabled)]
    return itertools.chain.from_iterable(store.chapter_files(book, n, record.rendition) for n in numbers)


def _made(request: Call, body: bytes, media_type: str) -> Media:
    """Parts stay the same as long as the audio does, which may be deleted and made anew: they are asked about."""
    return in_memory(request, body, f'"{hashlib.sha256(body).hexdigest()[:32]}"', media_type, REVALIDATE)


def _follows(request: Call) -> bool:
    return "/stream-on/" in request.url.path


def _paths(last: str) -> list[str]:
    return [f"{_CHAPTER}/{kind}/{{start:str}}/{last}" for kind in ("stream", "stream-on")]


@route(
    _paths("playlist.m3u8"),
    http_method=["GET", "HEAD"],
    summary="HLS playlist",
    tags=["streams"],
    media_type=PLAYLIST_TYPE,
    responses={
        **documented(404, 409, 412, 416),
        206: ResponseSpec(str, generate_examples=False, description="Part of it.", media_type=PLAYLIST_TYPE),
        304: PARTS[304],
    },
)
async def get_playlist(
    request: Call, house: House, book: BookPath, number: ChapterPath, start: Start
) -> Response[bytes]:
    """From a sentence as far as rendering has come. `stream` ends with the chapter, `stream-on` with the book.

    409 for audio that another program made, in files that cannot be joined: take the sentences one by one.
    """
    plausible(book, number, start)
    run = await off_loop(_run, house, book, number, start, _follows(request))
    return _made(request, run.playlist().encode(), PLAYLIST_TYPE)


@route(
    _paths("init.mp4"),
    http_method=["GET", "HEAD"],
    summary="Initialisation segment",
    tags=["streams"],
    media_type=MP4,
    responses={**documented(404, 412, 416), **PARTS},
)
async def get_init(request: Call, house: House, book: BookPath, number: ChapterPath, start: Start) -> Response[bytes]:
    """What a player reads before any segment. 404 while nothing is rendered from this sentence on."""
    plausible(book, number, start)
    body = await off_loop(_read_init, house, book, number, start, _follows(request))
    return _made(request, body, MP4)


@route(
    _paths("{part:str}"),
    http_method=["GET", "HEAD"],
    summary="Segment, or one sentence as a fragment",
    tags=["streams"],
    media_type=MP4,
    responses={**documented(404, 409, 412, 416), **PARTS},
)
async def get_part(
    request: Call, house: House, book: BookPath, number: ChapterPath, start: Start, part: Part
) -> Response[bytes]:
    """`seg-K.m4s` are the segments of the playlist; `s-SENTENCE.m4s` is a sentence with the pause after it."""
    plausible(book, number, start)
    body = await off_loop(_read_part, house, book, number, start, _follows(request), part)
    return _made(request, body, MP4)


def _read_init(house: Household, book: str, number: int, start: str, follow: bool) -> bytes:
    loose = open_loose(house.store, book, number, start)
    return (loose or _run(house, book, number, start, follow)).init_segment()


def _read_part(house: Household, book: str, number: int, start: str, follow: bool, part: str) -> bytes:
    if (match := _PART.fullmatch(part)) is None:
        raise NotFound("A stream has no such part.")
    kind, name = match.groups()
    if kind == "s" and (loose := open_loose(house.store, book, number, start)) is not None:
        return loose.sentence_segment(name)
    run = _run(house, book, number, start, follow)
    if kind == "s":
        return run.sentence_segment(name)
    if not (name.isascii() and name.isdecimal()) or int(name) > _LAST_SEGMENT:
        raise NotFound("A stream has no such segment.")
    return run.segment(int(name))


@route(
    f"{_CHAPTER}/chapter.m4a",
    http_method=["GET", "HEAD"],
    summary="A complete chapter as one file",
    tags=["streams"],
    media_type=MP4,
    responses={**documented(404, 409, 412, 416), **PARTS},
)
async def get_chapter_file(request: Call, house: House, book: BookPath, number: ChapterPath) -> Response[bytes]:
    """Byte ranges. 409 while the chapter is still being rendered, and for files that cannot be joined."""
    plausible(book, number)
    file = await off_loop(_chapter_file, house, book, number)
    return Media(request, Entity(file.size, f'"{file.etag}"'), file.read, MP4, REVALIDATE)


def _chapter_file(house: Household, book: str, number: int) -> ChapterFile:
    store = house.store
    files = _indexes(store, book, number, False)
    return _chapters.get((store.root, book, number), files, lambda: open_chapter_file(store, book, number))


ROUTES: Final[tuple[ControllerRouterHandler, ...]] = (get_playlist, get_init, get_part, get_chapter_file)
