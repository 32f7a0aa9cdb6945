"""`POST /v1/audio/speech` as other programs ask for it: their shape of question, of answer and of error."""

import asyncio
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from server.api.speech import SpeechBusy
from server.errors import NotFound, SetupError, StoreError
from tests.contract.household import PaperHousehold

Client = TestClient[Litestar]

SPEECH = "/v1/audio/speech"
HELLO = {"model": "kokoro", "input": "Hello there.", "voice": "af_heart"}


@pytest.mark.parametrize(
    ("kind", "media_type"),
    [("mp3", "audio/mpeg"), ("wav", "audio/wav"), ("aac", "audio/aac"), ("flac", "audio/flac"), ("pcm", "audio/pcm")],
)
def test_a_text_is_said_in_the_format_asked_for(
    client: Client, house: PaperHousehold, kind: str, media_type: str
) -> None:
    reply = client.post(SPEECH, json=HELLO | {"response_format": kind, "speed": 1.25, "instructions": "calm"})
    assert (reply.status_code, reply.content) == (200, f"{kind} of Hello there.".encode())
    assert reply.headers["content-type"] == media_type
    assert reply.headers["cache-control"] == "no-store"
    assert house.speech.asked == [("Hello there.", "af_heart", 1.25, kind)]


def test_what_clients_leave_out_is_as_they_expect(client: Client, house: PaperHousehold) -> None:
    assert client.post(SPEECH, json={"model": "tts-1", "input": "Hello.", "voice": "alloy"}).status_code == 200
    assert house.speech.asked == [("Hello.", "alloy", 1.0, "mp3")]
    assert client.get("/v1/models").json()["data"][0]["id"] == "kokoro"


@pytest.mark.parametrize(
    ("change", "status", "param"),
    [
        ({"input": ""}, 400, "input"),
        ({"input": "a" * 4_097}, 400, "input"),
        ({"response_format": "opus"}, 400, "response_format"),
        ({"speed": 9}, 400, "speed"),
        ({"speed": "NaN"}, 400, "speed"),
        ({"input": 5}, 400, "input"),
        ({"model": "whisper-1"}, 404, None),
    ],
)
def test_errors_have_the_shape_that_clients_know(
    client: Client, house: PaperHousehold, change: dict[str, Any], status: int, param: str | None
) -> None:
    client.event_hooks = {}
    reply = client.post(SPEECH, json=HELLO | change)
    error = reply.json()["error"]
    assert (reply.status_code, error["param"]) == (status, param)
    assert error["message"] and error["type"] == "invalid_request_error" and error["code"]
    assert house.speech.asked == []


@pytest.mark.parametrize(
    ("error", "status", "shown"),
    [
        (NotFound("There is no voice 'xx'."), 404, True),
        (SpeechBusy("Somebody listens."), 503, True),
        (SetupError("The model is missing."), 503, True),
        (StoreError("/secret/place is damaged."), 500, False),
        (ZeroDivisionError("/secret/place.py"), 500, False),
    ],
)
def test_what_goes_wrong_is_told_and_the_inside_is_not(
    client: Client, house: PaperHousehold, error: Exception, status: int, shown: bool
) -> None:
    client.event_hooks = {}
    house.speech.error = error
    reply = client.post(SPEECH, json=HELLO)
    assert (reply.status_code, str(error) == reply.json()["error"]["message"]) == (status, shown)
    assert "secret" not in reply.text
    assert ("retry-after" in reply.headers) is isinstance(error, SpeechBusy)


def test_a_body_that_is_none_and_another_site(client: Client) -> None:
    client.event_hooks = {}
    assert client.post(SPEECH, content=b"{", headers={"content-type": "application/json"}).json()["error"]["message"]
    assert client.post(SPEECH, json=HELLO, headers={"origin": "https://evil.example"}).status_code == 403
    assert client.post(SPEECH, json=HELLO | {"user": "a" * 200_000}).status_code == 413


async def test_it_is_broken_off_when_the_client_goes(app: Litestar, house: PaperHousehold) -> None:
    house.speech.takes_s = 60.0
    body = b'{"model":"kokoro","input":"Hello.","voice":"af_heart"}'
    headers = [(b"host", b"127.0.0.1:8484"), (b"content-type", b"application/json")]
    scope: dict[str, Any] = {
        "type": "http", "method": "POST", "path": SPEECH, "raw_path": SPEECH.encode(), "query_string": b"",
        "headers": [*headers, (b"content-length", str(len(body)).encode())], "client": ("127.0.0.1", 5),
        "server": ("127.0.0.1", 8484), "scheme": "http", "root_path": "", "http_version": "1.1", "asgi": {},
    }  # fmt: skip
    gone = asyncio.Event()
    sent: list[Any] = []
    given = False

    async def receive() -> Any:
        nonlocal given
        if not given:
            given = True
            return {"type": "http.request", "body": body, "more_body": False}
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    asking = asyncio.create_task(app(scope, receive, send))  # type: ignore[arg-type]
    async with asyncio.timeout(10):
        while not house.speech.asked:
            await asyncio.sleep(0.01)
        assert house.speech.broken_off == 0
        gone.set()
        await asking
    assert house.speech.broken_off == 1
