"""`POST /v1/audio/speech`, as OpenAI's clients ask for it: any program that knows that API can use the voice."""

import asyncio
import logging
from typing import Annotated, Any, Final, Literal, Protocol

from litestar import Request, Response, Router, get, post
from litestar.exceptions import HTTPException, ValidationException
from litestar.params import JSONBody
from litestar.types import ExceptionHandlersMap
from pydantic import BaseModel, ConfigDict, Field

from server.api.common import Call, House
from server.api.problems import STATUS, HttpError
from server.errors import LecternError

log = logging.getLogger(__name__)

Format = Literal["mp3", "aac", "flac", "wav", "pcm"]
TYPES: Final[dict[Format, str]] = {
    "mp3": "audio/mpeg",
    "aac": "audio/aac",
    "flac": "audio/flac",
    "wav": "audio/wav",
    "pcm": "audio/pcm",
}
LONGEST: Final = 4_096  # characters, as in OpenAI's own
MODEL: Final = "kokoro"
RETRY_S: Final = 10


class SpeechBusy(HttpError):
    """Listeners, or other programs, leave no time for this; the answer says when to come back."""

    def __init__(self, message: str) -> None:
        super().__init__(503, message, {"retry-after": str(RETRY_S)}, code="busy")


class SpeechIn(BaseModel):
    """What OpenAI's clients send; fields that mean nothing here are passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    model: Annotated[str, Field(max_length=100)] = MODEL
    input: Annotated[str, Field(min_length=1, max_length=LONGEST)]
    voice: Annotated[str, Field(max_length=200)] = ""
    response_format: Format = "mp3"
    speed: Annotated[float, Field(ge=0.5, le=2.0, allow_inf_nan=False)] = 1.0


class Speech(Protocol):
    async def say(self, text: str, voice: str, speed: float, kind: Format) -> bytes:
        """`text` as a sound file, after everybody who listens. Cancelling it ends it.

        Raises NotFound for an unknown voice, BadRequest, RenderError, SpeechBusy, SetupError.
        """


@post("/audio/speech", status_code=200)
async def create_speech(request: Call, house: House, data: JSONBody[SpeechIn]) -> Response[bytes]:
    if data.model not in (MODEL, "tts-1", "tts-1-hd", "gpt-4o-mini-tts"):
        raise HttpError(404, f"There is no model {data.model!r} here; it is called {MODEL!r}.", code="model_not_found")
    saying = asyncio.ensure_future(house.speech.say(data.input, data.voice, data.speed, data.response_format))
    leaving = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({saying, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not saying.done():
            log.info("a program that asked for speech is gone")
            return Response(b"", status_code=499)
        kind = TYPES[data.response_format]
        return Response(saying.result(), media_type=kind, headers={"cache-control": "no-store"})
    finally:
        saying.cancel()
        leaving.cancel()
        await asyncio.gather(saying, leaving, return_exceptions=True)


@get("/models")
async def list_models() -> dict[str, Any]:
    """Clients ask for it before anything else."""
    return {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": "lectern"}]}


async def _gone(request: Call) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _shaped(status: int, message: str, code: str, param: str | None = None, **headers: str) -> Response[dict[str, Any]]:
    kind = "invalid_request_error" if status < 500 else "server_error"
    body = {"error": {"message": message, "type": kind, "param": param, "code": code}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(body, status_code=status, headers={"cache-control": "no-store", **named})


def _from_domain(_: Request[Any, Any, Any], error: LecternError) -> Response[dict[str, Any]]:
    if isinstance(error, HttpError):
        return _shaped(error.status, str(error), error.code, **error.headers)
    status = next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)
    if status in (500, 507):
        log.error("%s: %s", error.code, error, exc_info=error)
        return _shaped(status, "A fault of the server; its log says more.", error.code)
    return _shaped(status, str(error), error.code)


def _from_litestar(_: Request[Any, Any, Any], error: HTTPException) -> Response[dict[str, Any]]:
    found = error.extra if isinstance(error, ValidationException) and isinstance(error.extra, list) else []
    first = next((item for item in found if isinstance(item, dict) and "message" in item), None)
    if error.status_code == 413:
        return _shaped(413, "The request is too large.", "too-large")
    if first is not None:
        return _shaped(400, str(first["message"]), "bad-request", str(first.get("key") or "") or None)
    status = error.status_code if error.status_code < 500 else 500
    return _shaped(status, "The request does not have the form it must have.", "bad-request")


def _from_anything(_: Request[Any, Any, Any], error: Exception) -> Response[dict[str, Any]]:
    log.error("unexpected error while a program asked for speech", exc_info=error)
    return _shaped(500, "A fault of the server; its log says more.", "internal")


HANDLERS: Final[ExceptionHandlersMap] = {
    LecternError: _from_domain,
    HTTPException: _from_litestar,
    Exception: _from_anything,
}


def router() -> Router:
    """Where such clients look for it; it is no part of Lectern's own API, and not in its document."""
    return Router(
        "/v1", route_handlers=[create_speech, list_models], exception_handlers=HANDLERS, include_in_schema=False
    )
