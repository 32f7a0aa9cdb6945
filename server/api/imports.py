"""Books coming in by HTTP, and those that were refused."""

import contextlib
import logging
import os
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkstemp
from typing import Annotated, BinaryIO, Final

from litestar import Response, delete, get, post
from litestar.exceptions import InternalServerException
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import OpenAPIMediaType, Operation, RequestBody, Schema
from litestar.openapi.spec.enums import OpenAPIFormat, OpenAPIType
from litestar.params import PathParameter, QueryParameter

from server.api.common import Call, House, off_loop
from server.api.household import API, BookDetail
from server.api.problems import HttpError, documented
from server.api.reports import Dismissed, Refusals
from server.config import Settings
from server.errors import BookRefused
from server.library.kinds import BOOK_SUFFIXES, HINTS, READ, suffix_of
from server.render.files import write_error

log = logging.getLogger(__name__)

MAX_UPLOAD_BYTES: Final = 512_000_000
WRITE_BYTES: Final = 1_000_000  # gathered before a write, so that the disk never stops the event loop
ACCEPTED: Final = ("application/epub+zip", "application/octet-stream", "application/zip")

# The pattern is for readers of the document: another name is refused in words, not for its form.
FileName = Annotated[
    str,
    QueryParameter(
        description="Name of the file, ending in .epub, .txt, .md, .html or .docx.",
        max_length=1_000,
        schema_extra={"pattern": r"^[0-9A-Za-z][^/\\:]*\.(epub|txt|md|markdown|html?|xhtml|docx)$"},
    ),
]

Language = Annotated[
    str | None,
    QueryParameter(
        description="The language to read it in, whatever the book says of itself; a BCP 47 tag such as `en`.",
        max_length=40,
    ),
]

_NAME_BYTES: Final = 200  # file systems allow 255; leaves room for what the library may add
_UNSAFE = re.compile(r"[\x00-\x1f\x7f/\\:]+")


@dataclass
class _Upload(Operation):
    """The body is read as it comes, which the framework cannot document by itself."""

    def __post_init__(self) -> None:
        content = OpenAPIMediaType(schema=Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.BINARY))
        self.request_body = RequestBody(required=True, content=dict.fromkeys(ACCEPTED, content))


@post(
    "/books",
    summary="Add a book",
    tags=["books"],
    operation_class=_Upload,
    request_max_body_size=None,  # counted here, with a sentence of our own
    responses={
        **documented(403, 409, 413, 415, 422, 507),
        200: ResponseSpec(BookDetail, generate_examples=False, description="It was on the shelf already."),
    },
)
async def add_book(
    request: Call,
    house: House,
    name: FileName,
    language: Language = None,
) -> Response[BookDetail]:
    """The body is the file itself, an EPUB or another text that is read.

    The answer comes when it is read in; its audio is made after that.
    """
    _check_type(request.headers.get("content-type"))
    file_name = safe_name(name)
    try:
        with incoming(house.settings) as (path, file):
            await receive(request, file, MAX_UPLOAD_BYTES, "file")
            before = await off_loop(house.store.books)
            book = await house.import_file(file_name, path, language)
    except OSError as error:
        raise write_error(house.settings.data, error) from error
    status = 200 if book in before else 201
    return Response(await house.book(book), status_code=status, headers={"location": f"{API}/books/{book}"})


@get("/imports", summary="Refused files", tags=["books"], responses=documented())
async def list_imports(house: House) -> Refusals:
    """Files that did not become books, newest first, each with the reason."""
    return Refusals(imports=await house.refusals())


@delete(
    "/imports/{refusal:int}",
    summary="Forget a refused file",
    tags=["books"],
    status_code=200,
    responses=documented(403, 404),
)
async def dismiss_import(
    house: House, refusal: Annotated[int, PathParameter(description="Id of the entry.")]
) -> Dismissed:
    await house.dismiss(refusal)
    return Dismissed(dismissed=refusal)


@post(
    "/imports/{refusal:int}/book",
    summary="Read a refused file in another language",
    tags=["books"],
    status_code=201,
    responses=documented(403, 404, 409, 422, 507),
)
async def read_import(
    house: House,
    refusal: Annotated[int, PathParameter(description="Id of the entry.")],
    language: Annotated[
        str, QueryParameter(description="The language to read it in; a BCP 47 tag such as `en`.", max_length=40)
    ],
) -> Response[BookDetail]:
    """For a file in the library folder that was refused for its language, which the book may have wrong."""
    book = await house.read_refused(refusal, language)
    return Response(await house.book(book), status_code=201, headers={"location": f"{API}/books/{book}"})


def safe_name(name: str) -> str:
    """`name` as a plain file name with the ending of a book. Raises BookRefused for another ending."""
    plain = _UNSAFE.sub(" ", unicodedata.normalize("NFC", name.replace("\\", "/").rsplit("/", 1)[-1])).strip(" .")
    suffix = suffix_of(plain)
    if suffix in HINTS:
        what, remedy = HINTS[suffix]
        raise BookRefused("not-epub", f"{plain} is {what}, which Lectern does not read: {remedy}.")
    stem = plain.rpartition(".")[0].strip(" .")
    if not stem or suffix not in BOOK_SUFFIXES:
        raise BookRefused(
            "not-epub",
            f"{plain or 'The file'} is no book by its name; Lectern reads {READ}.",
        )
    return f"{stem.encode()[:_NAME_BYTES].decode(errors='ignore')}{suffix}"


def clear_incoming(settings: Settings) -> None:
    """Remove what uploads left behind when the server died under them."""
    for path in (settings.data / "incoming").glob("*.part"):
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def incoming(settings: Settings) -> Iterator[tuple[Path, BinaryIO]]:
    """A temporary file in the data folder, so that the library can take it by renaming; removed if it is left."""
    folder = settings.data / "incoming"
    folder.mkdir(parents=True, exist_ok=True)
    handle, name = mkstemp(suffix=".part", dir=folder)
    path = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield path, file
    finally:
        path.unlink(missing_ok=True)


async def receive(request: Call, file: BinaryIO, most_bytes: int, what: str) -> None:
    """Write the body, which is a `what`, to `file`. Raises HttpError when it is too large or breaks off."""
    length = request.headers.get("content-length", "")
    _check_size(int(length) if length.isdecimal() else 0, most_bytes, what)
    total, held = 0, bytearray()
    try:
        async for chunk in request.stream():
            total += len(chunk)
            _check_size(total, most_bytes, what)
            held += chunk
            if len(held) >= WRITE_BYTES:
                await off_loop(file.write, bytes(held))
                held.clear()
    except InternalServerException as error:  # the framework's name for a client that went away
        log.info("an upload broke off after %d bytes", total)
        raise HttpError(400, "The upload broke off.") from error
    await off_loop(file.write, bytes(held))
    file.flush()


def _check_size(size_bytes: int, most_bytes: int, what: str) -> None:
    if size_bytes > most_bytes:
        raise HttpError(413, f"The {what} is larger than {most_bytes // 1_000_000} MB, the most that is accepted.")


def _check_type(content_type: str | None) -> None:
    kind = (content_type or ACCEPTED[0]).partition(";")[0].strip().lower()
    if kind not in ACCEPTED:
        raise HttpError(415, f"The body is {kind}; send the book itself as application/octet-stream.")
