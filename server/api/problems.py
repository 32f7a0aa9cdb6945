"""Errors as HTTP sees them: every one becomes a problem document of RFC 9457, none shows a path or a stack."""

import logging
import re
from http import HTTPStatus
from typing import Any, Final

from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException
from litestar.openapi.datastructures import ResponseSpec
from litestar.types import ExceptionHandlersMap
from pydantic import BaseModel, ConfigDict, Field

from server.api.ranges import PreconditionFailed, Unsatisfiable
from server.errors import (
    BackupRefused,
    BadRequest,
    BookRefused,
    Conflict,
    DeviceWrong,
    DiskFull,
    LecternError,
    NotFound,
    NotSpeech,
    OutOfMemory,
    PictureRefused,
    RenderError,
    SettingsError,
    SetupError,
    StoreError,
    WorkerLost,
)

log = logging.getLogger(__name__)

MEDIA_TYPE: Final = "application/problem+json"

# Looked up along the class hierarchy: a subclass without a line of its own takes its parent's.
STATUS: Final[dict[type[LecternError], int]] = {
    BookRefused: 422,
    PictureRefused: 422,
    BackupRefused: 422,
    NotFound: 404,
    Conflict: 409,
    BadRequest: 400,
    SettingsError: 500,
    StoreError: 500,
    DiskFull: 507,
    OutOfMemory: 503,
    SetupError: 503,
    RenderError: 422,  # a text that the voice cannot say
    NotSpeech: 422,
    DeviceWrong: 503,
    WorkerLost: 503,
    PreconditionFailed: 412,
    Unsatisfiable: 416,
    LecternError: 500,
}

CODES: Final = {
    400: "bad-request",
    401: "token-wanted",
    403: "forbidden",
    404: "not-found",
    405: "method-not-allowed",
    413: "too-large",
    415: "unsupported-media-type",
    421: "host-refused",
    428: "precondition-required",
    429: "too-many-attempts",
    500: "internal",
}

_MEANING: Final = {
    400: "The request cannot be understood.",
    401: "A device of the home network has not shown the token yet.",
    403: "Somebody who is not let in, or may not do this; or a write that another web site asked for.",
    404: "There is no such thing.",
    409: "Right, but not now.",
    412: "If-Match or If-Unmodified-Since does not hold.",
    413: "The upload is larger than is accepted.",
    415: "The body is of a type that is not accepted.",
    416: "The range lies outside the file; Content-Range tells its size.",
    421: "The Host header does not name this server.",
    422: "The file will not become a book, and `kind` says why; it is no cover or backup; or the text cannot be said.",
    428: "A write that must say, by If-Match, which version it was made from.",
    429: "Too many wrong tokens, or too many requests; Retry-After says when to try again.",
    500: "A fault of the server; its log says more.",
    503: "Tailscale does not answer, so that nobody can be told apart; or what renders is not ready.",
    507: "The disk is full: free some space and try again.",
}
_MISSING: Final = re.compile(r"Missing required \w+ parameter '([\w-]+)'")  # the framework says it in words only
_EVERYWHERE: Final = (400, 401, 403, 421, 429, 500, 503)


class FieldError(BaseModel):
    """What is wrong with one part of the request."""

    model_config = ConfigDict(frozen=True)

    where: str = Field(description="Name of the parameter, or path of the field in the body.")
    message: str


class Problem(BaseModel):
    """Problem details (RFC 9457). `detail` is one sentence for people, `code` a word for programs."""

    model_config = ConfigDict(frozen=True)

    type: str = "about:blank"
    title: str = Field(description="The name of the status.")
    status: int
    detail: str
    code: str
    kind: str | None = Field(default=None, description="For `book-refused`: the kind of refusal.")
    errors: list[FieldError] | None = Field(default=None, description="For a request that fails its checks.")


class HttpError(LecternError):
    """An error that only HTTP knows: a status, a code for it, and headers that must go along."""

    def __init__(
        self, status: int, message: str, headers: dict[str, str] | None = None, *, code: str | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code or CODES[status]
        self.headers = headers or {}


def problem(status: int, code: str, detail: str, **more: Any) -> Problem:
    return Problem(title=HTTPStatus(status).phrase, status=status, code=code, detail=detail, **more)


def encode(content: Problem) -> bytes:
    return content.model_dump_json(exclude_none=True).encode()


def documented(*statuses: int) -> dict[int, ResponseSpec]:
    """Problem responses for the OpenAPI document: those that every route can give, and `statuses`."""
    return {
        status: ResponseSpec(Problem, generate_examples=False, description=_MEANING[status], media_type=MEDIA_TYPE)
        for status in sorted({*_EVERYWHERE, *statuses})
    }


def _reply(content: Problem, headers: dict[str, str] | None = None) -> Response[bytes]:
    plain = {"cache-control": "no-store", **(headers or {})}
    return Response(encode(content), status_code=content.status, media_type=MEDIA_TYPE, headers=plain)


def from_domain(_: Request[Any, Any, Any], error: LecternError) -> Response[bytes]:
    """Domain errors carry a sentence that may be shown, except those about the server's own disk."""
    if isinstance(error, HttpError):
        return _reply(problem(error.status, error.code, str(error)), error.headers)
    status = next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)
    if status >= 500:
        log.error("%s: %s", error.code, error, exc_info=error)
    if status in (500, 507):
        # Such a sentence may name a file: it is for the owner's log, not for whoever asked.
        return _reply(problem(status, error.code, _MEANING[status]))
    kind = error.kind if isinstance(error, BookRefused) else None
    size = {"content-range": f"bytes */{error.size_bytes}"} if isinstance(error, Unsatisfiable) else None
    return _reply(problem(status, error.code, str(error), kind=kind), size)


def from_litestar(_: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    """What the framework raises: no route, wrong method, a parameter or body that fails its checks."""
    status = error.status_code
    if status >= 500:
        gone = error.detail == "client disconnected prematurely"  # nobody is there to be answered
        log.log(logging.DEBUG if gone else logging.ERROR, "the framework gave %d", status, exc_info=error)
        return _reply(problem(status, CODES[500], _MEANING[500]))
    errors = _field_errors(error) if isinstance(error, ValidationException) else None
    detail = {404: "There is nothing at this address.", 405: "This address does not take that method."}.get(status)
    if status == 400:
        detail = "The request does not have the form it must have."
    code = CODES.get(status, "bad-request")
    allowed = {name: value for name, value in (error.headers or {}).items() if name.lower() == "allow"}
    return _reply(problem(status, code, detail or HTTPStatus(status).description, errors=errors), allowed)


def _field_errors(error: ValidationException) -> list[FieldError] | None:
    if (missing := _MISSING.search(error.detail)) is not None:
        return [FieldError(where=missing[1], message="It is required.")]
    if not isinstance(error.extra, list):
        return None
    found = [item for item in error.extra if isinstance(item, dict) and "message" in item]
    return [FieldError(where=_where(item), message=str(item["message"])) for item in found] or None


def _where(item: dict[str, Any]) -> str:
    return str(item.get("key") or item.get("source") or "body")


def from_recursion(request: Request[Any, Any, Any], error: RecursionError) -> Response[bytes]:
    """JSON nested without end is the asker's fault; the framework's decoder has no error of its own for it."""
    if request.method not in ("POST", "PUT", "PATCH"):
        return from_anything(request, error)
    log.warning("a body was nested too deeply", exc_info=error)
    return _reply(problem(400, CODES[400], "The body is nested too deeply."))


def from_anything(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    log.error("unexpected error at %s %s", request.method, request.url.path, exc_info=error)
    return _reply(problem(500, CODES[500], _MEANING[500]))


HANDLERS: Final[ExceptionHandlersMap] = {
    LecternError: from_domain,
    HTTPException: from_litestar,
    RecursionError: from_recursion,
    Exception: from_anything,
}
