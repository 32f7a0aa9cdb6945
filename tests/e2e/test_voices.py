"""Another voice for a book, with the real server and the real voice: killed in between, heard, and gone back from."""

import contextlib
import hashlib
import json
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.house import House
from tests.epubs import build_epub, page
from tests.parity.store_reader import check

pytestmark = [pytest.mark.speech, pytest.mark.timeout(900)]

TEXT = "<h1>The Kettle</h1><p>The kettle sang. Ada did not touch it.</p><p>Nobody minded.</p>"
MIX = "af_heart*0.6+bf_emma*0.4"


def put_in(house: House, tmp_path: Path) -> str:
    """A short book on the shelf; gives its id."""
    build_epub(tmp_path / "new.epub", {"one.xhtml": page(TEXT)}, title="Kettle").replace(house.library / "kettle.epub")
    return str(house.until(house.books, "the book is on the shelf")[0]["id"])


def change(house: House, book: str, body: dict[str, Any]) -> httpx.Response:
    return httpx.patch(f"{house.url}/api/v1/books/{book}", json=body, trust_env=False, timeout=60)


def whole(house: House, book: str) -> bool:
    counts = house.get(f"/books/{book}").json()["sentences"]
    return bool(counts["rendered"] == counts["total"] > 0)


def audio(folder: Path) -> dict[str, str]:
    """Everything of a rendition, by its hash: its index too."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def faults(house: House) -> list[Any]:
    command = [sys.executable, "-m", "server", "verify", "--sound", "--json"]
    told = subprocess.run(command, env=house.environment, capture_output=True)
    found: list[Any] = json.loads(told.stdout)["faults"]
    return found


def test_a_mix_of_voices_is_rendered_beside_and_going_back_costs_nothing(house: House, tmp_path: Path) -> None:
    house.start()
    book = put_in(house, tmp_path)
    house.until(lambda: whole(house, book), "the book is rendered")
    old = house.get(f"/books/{book}").json()
    place = house.chapter(book, 1)["sentences"][2]["id"]
    house.put(f"/books/{book}/position", {"chapter": 1, "sentence": place, "word": 1})
    folder = house.data / "store" / "books" / book / old["rendition"]
    before = audio(folder)

    put = {"shares": [{"voice": "bf_emma", "weight": 2}, {"voice": "af_heart", "weight": 3}]}
    httpx.put(f"{house.url}/api/v1/blends/Evening", json=put, trust_env=False, timeout=30).raise_for_status()
    changed = change(house, book, {"voice": "Evening", "speed": 1.1, "bitrate": 32_000}).json()
    assert (changed["voice"], changed["position"]["sentence"]) == (MIX, place)
    httpx.delete(f"{house.url}/api/v1/blends/Evening", trust_env=False, timeout=30).raise_for_status()
    house.until(lambda: house.rendered(book), "something is rendered in the new voice")
    house.kill()
    house.start()
    house.until(lambda: whole(house, book), "all of it is")
    assert check(house.data / "store") == []
    told = house.get(f"/books/{book}/renditions").json()["renditions"]
    assert [(one["voice"], one["plays"], one["sentences"]) for one in told] == [(MIX, True, 4), ("af_heart", False, 4)]
    assert told[0]["audio_bytes"] < told[1]["audio_bytes"]
    new = audio(house.data / "store" / "books" / book / changed["rendition"])
    assert not set(new.values()) & set(before.values())

    change(house, book, {"speed": 1.6})  # the same mix, spoken faster
    house.until(lambda: whole(house, book), "it is rendered")
    fast, *others = house.get(f"/books/{book}/renditions").json()["renditions"]
    assert (fast["voice"], fast["speed"], len(others)) == (MIX, 1.6, 2)
    assert fast["audio_s"] < 0.85 * told[0]["audio_s"]

    back = change(house, book, {"voice": "af_heart", "speed": 1.0, "bitrate": 48_000}).json()
    assert (back["rendition"], back["sentences"]["rendered"], back["position"]["sentence"]) == (
        old["rendition"], 4, place,
    )  # fmt: skip
    assert audio(folder) == before
    assert house.stop() == 0
    assert check(house.data / "store") == [] == faults(house)


def test_a_kill_at_any_moment_of_a_change_leaves_one_of_the_two_voices(house: House, tmp_path: Path) -> None:
    chance = random.Random(6)
    house.start()
    book = put_in(house, tmp_path)
    house.until(lambda: whole(house, book), "the book is rendered")
    rendition = house.get(f"/books/{book}").json()["rendition"]
    folder = house.data / "store" / "books" / book / rendition
    before = audio(folder)
    for voice in ("bf_emma", "af_heart", "bf_emma", "af_heart"):

        def ask(wanted: str = voice) -> None:
            with contextlib.suppress(httpx.HTTPError):  # the power went before it could answer
                change(house, book, {"voice": wanted})

        asking = threading.Thread(target=ask)
        asking.start()
        time.sleep(chance.uniform(0.0, 0.08))
        house.kill()
        asking.join()
        record = json.loads((house.data / "store" / "books" / book / "book.json").read_bytes())
        assert record["voice"] in ("af_heart", "bf_emma")
        assert check(house.data / "store") == []
        house.start()
        assert house.get(f"/books/{book}").json()["sentences"]["total"] == 4
    change(house, book, {"voice": "af_heart"})
    detail = house.get(f"/books/{book}").json()
    assert (detail["rendition"], detail["sentences"]["rendered"]) == (rendition, 4)
    assert house.stop() == 0
    assert audio(folder) == before
    assert faults(house) == []
