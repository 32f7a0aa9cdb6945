"""Words that will have to be guessed, found on demand in a whole book by a process of its own."""

import asyncio
import json
import sys
import time
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from server import surveying
from server.surveying import COMMAND, Surveying
from tests.contract.conftest import BOOK
from tests.contract.household import PaperHousehold, make_book

Client = TestClient[Litestar]
URL = f"/api/v1/books/{BOOK}/words"
WORD = {"word": "Pequod", "phonemes": "pˈik", "count": 3, "chapter": 1, "sentence": "0-1", "text": "The Pequod sailed."}


def by(house: PaperHousehold, script: str, **options: Any) -> None:
    """Have books read through by a script, which has the book's id as its first argument."""
    command = (sys.executable, "-c", f"import sys, time\n{script}")
    house.surveying = Surveying(lambda: house.settings, house.store, house.hub, command=command, **options)


def says(*words: dict[str, Any]) -> str:
    return f"print({json.dumps(json.dumps({'words': words}))})"


def done(client: Client, url: str = URL) -> dict[str, Any]:
    end = time.monotonic() + 60
    while (told := client.get(url).json())["state"] == "reading":
        assert time.monotonic() < end
        time.sleep(0.02)
    return dict(told)


def test_words_are_found_listed_and_old_when_the_rules_are_others(client: Client, house: PaperHousehold) -> None:
    by(house, says(WORD))
    assert client.get(URL).json() == {"book": BOOK, "state": "none", "trouble": None, "total": 0, "words": []}
    begun = client.post(URL)
    assert (begun.status_code, begun.json()["state"]) == (202, "reading")
    told = done(client)
    assert (told["state"], told["total"], told["words"]) == ("there", 1, [WORD])
    client.put(f"/api/v1/books/{BOOK}/lexicon", json={"text": "Pequod = PEE-kwod\n"}, headers={"if-match": "*"})
    assert client.get(URL).json()["state"] == "old"
    client.post(URL)
    assert done(client)["state"] == "there"
    client.patch(f"/api/v1/books/{BOOK}/chapters/1", json={"enabled": False})
    assert (client.get(URL).json()["state"], client.get(URL).json()["words"]) == ("old", [WORD])


def test_a_book_is_read_through_as_lectern_words_does_it(client: Client, house: PaperHousehold) -> None:
    house.surveying = Surveying(lambda: house.settings, house.store, house.hub, command=COMMAND)
    client.post(URL)
    told = done(client)
    assert (told["state"], told["trouble"], told["words"]) == ("there", None, [])  # its words are all known


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("sys.exit('lectern: The dictionary is missing.')", "The dictionary is missing."),
        ("sys.stderr.write('lectern: a warning\\n'); raise MemoryError('core')", "could not be read through: try it"),
        ("sys.exit(3)", "could not be read through"),
        ("import os; os.kill(os.getpid(), 9)", "could not be read through"),
        ("print('no JSON')", "could not be read through"),
        ("print('{}')", "could not be read through"),
        ("print('{\"words\": [1]}')", "could not be read through"),
        ("time.sleep(60)", "within a quarter of an hour"),
    ],
)
def test_why_nothing_was_found_is_told_and_it_can_be_tried_again(
    client: Client, house: PaperHousehold, script: str, why: str
) -> None:
    by(house, script, longest_s=1.0)
    client.post(URL)
    told = done(client)
    assert told["state"] == "failed" and why in told["trouble"]
    by_now = client.post(URL)
    assert (by_now.json()["state"], by_now.json()["trouble"]) == ("reading", None)
    assert done(client)["state"] == "failed"


def test_one_book_is_read_at_a_time_and_only_so_many_wait(
    client: Client, house: PaperHousehold, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surveying, "MOST_WAITING", 2)
    for name in ("1" * 16, "2" * 16):
        house.add(make_book(name), house.settings.store / "store.json")
    by(house, f"time.sleep(0.3)\n{says(WORD)}")
    urls = [URL.replace(BOOK, name) for name in (BOOK, "1" * 16, "2" * 16)]
    assert [client.post(url).status_code for url in urls] == [202, 202, 409]
    assert client.post(URL).status_code == 202  # it is being read: nothing is begun twice
    assert [done(client, url)["state"] for url in urls[:2]] == ["there", "there"]
    assert client.get(urls[2]).json()["state"] == "none"


async def test_whoever_watches_is_told(house: PaperHousehold) -> None:
    by(house, says(WORD))
    events = house.hub.subscribe()
    waiting = asyncio.ensure_future(anext(events))
    await asyncio.sleep(0)
    await house.surveying.begin(BOOK)
    async with asyncio.timeout(30):
        event = await waiting
    assert (event.kind, event.data) == ("words.found", {"id": BOOK})
    assert (await house.surveying.view(BOOK)).state == "there"
    await events.aclose()
