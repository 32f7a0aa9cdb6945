"""Previews over HTTP: what is asked, what is answered, and the sound that is fetched after."""

from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from server.api.previews import LONGEST
from tests.contract.conftest import BOOK
from tests.contract.household import PaperHousehold

Client = TestClient[Litestar]
PREVIEW = "/api/v1/preview"


def test_a_text_is_read_and_said(client: Client) -> None:
    told = client.post(PREVIEW, json={"text": "Hey", "book": BOOK, "rules": "nonsense"}).json()
    (sentence,) = told["sentences"]
    assert sentence["sentence"] == "Hey" and sentence["words"][0]["phonemes"] == "hˈA"
    assert told["problems"] == ["line 1: nonsense"]
    sound = client.get(told["audio"])
    assert sound.content == b"no AAC, only bytes" and sound.headers["content-type"] == "audio/mp4"
    assert "immutable" in sound.headers["cache-control"]
    part = client.get(told["audio"], headers={"range": "bytes=3-5"})
    assert (part.status_code, part.content) == (206, b"AAC")


def test_it_may_be_read_only(client: Client) -> None:
    told = client.post(PREVIEW, json={"text": "Hey", "audio": False}).json()
    assert told["audio"] is None and told["problems"] == []


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"text": ""}, 400),
        ({"text": "x" * (LONGEST + 1)}, 400),
        ({"text": "Hey", "book": "../../etc"}, 400),
        ({"text": "Hey", "book": "f" * 16}, 404),
        ({"text": "Hey", "voice": "xx_nobody"}, 404),
        ({"text": "Hey", "loud": True}, 400),
        ({"text": "Hey", "rules": "x" * 30_000}, 400),
    ],
)
def test_what_cannot_be_is_told(client: Client, body: dict[str, Any], status: int) -> None:
    assert client.post(PREVIEW, json=body).status_code == status


@pytest.mark.parametrize("name", ["f" * 32, "..%2Flectern.db", "x.m4a", "f" * 31, f"..%2F{'f' * 32}"])
def test_only_previews_are_given_away(client: Client, house: PaperHousehold, name: str) -> None:
    (house.settings.data / "previews").mkdir()
    answer = client.get(f"/api/v1/previews/{name}.m4a")
    assert answer.status_code in (400, 404)
