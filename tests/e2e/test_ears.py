"""What sounds wrong, with the real voice: found and rendered in another layout, or said by a listener and answered."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from server.render.engine import Take, kokoro_engine
from server.render.pronouncers import Pronouncers
from server.render.renderer import Renderer
from server.render.store import Store
from server.render.synth import KokoroSynth
from server.setup import check_models
from tests.e2e.house import House
from tests.epubs import build_epub
from tests.fakes.books import make_book
from tests.parity.store_reader import check

pytestmark = [pytest.mark.speech, pytest.mark.timeout(600)]

TEXT = "The kettle sang in the kitchen. Nobody in the whole house came to take it down."


class Spoilt(KokoroSynth):
    """The real voice, with a hiss of half a second after every pass of several sentences."""

    asked = 0

    def render(self, phonemes: str, voice: str, *, speed: float, seed: int, stop: Callable[[], bool]) -> Take:
        self.asked += 1
        made = super().render(phonemes, voice, speed=speed, seed=seed, stop=stop)
        if phonemes.count(".") < 2:
            return made
        hiss = 0.05 * np.random.default_rng(1).standard_normal(20 * 600)
        return Take(
            np.concatenate([made.audio, hiss.astype(np.float32)]), (*made.pred_dur[:-1], made.pred_dur[-1] + 20)
        )


def test_a_sentence_that_runs_on_is_spoken_alone_and_is_good(models: Path, tmp_path: Path) -> None:
    engine = kokoro_engine(check_models(models).weights_sha256)
    store, book = Store(tmp_path), make_book([[TEXT.replace(". ", ".|")]])
    store.put_book(
        book, source=Path(__file__), voice="af_heart", engine=engine, bitrate=48_000, added=datetime.now(UTC)
    )
    synth = Spoilt(models, engine, threads=1)
    Renderer(store, synth, Pronouncers()).render(
        book.id, 1, None, size="usual", begun=lambda *_: None, stop=lambda: False
    )
    first, last = store.chapter(book.id, 1).sentences
    assert (first.gate, first.variant, first.ears) == ((), None, None)
    assert (last.gate, last.variant, last.ears) == ((), 1, None) and synth.asked == 2


def test_a_complaint_is_answered_by_another_sound_and_can_be_taken_back(house: House, tmp_path: Path) -> None:
    made = build_epub(tmp_path / "new.epub", {"one.xhtml": f"<p>{TEXT}</p>"}, title="The Kettle")
    house.start()
    shutil.copy(made, house.library / "kettle.epub")
    book = house.until(house.books, "the book is on the shelf")[0]["id"]

    def entry() -> dict[str, Any]:
        found: dict[str, Any] = house.chapter(book, 1)["sentences"][1]
        return found

    def say(state: str, note: str | None = None) -> dict[str, Any]:
        answer = httpx.post(
            f"{house.url}/api/v1/books/{book}/chapters/1/sentences/{entry()['id']}/ears",
            json={"state": state, "note": note},
            trust_env=False,
            timeout=60,
        )
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told

    house.until(lambda: "file" in entry(), "the sentence is rendered")
    before = entry()
    say("wrong", "It hums.")
    assert house.get("/status").json()["ears"] == 1
    say("again")
    house.kill()  # what was said is on the disk
    house.start()
    house.until(lambda: "again" not in entry(), "it is rendered again")
    after = entry()
    assert (after["ears"], after["note"], after["variant"]) == ("redone", "It hums.", 1)
    assert after["sha256"] != before["sha256"] and after["provenance"] == before["provenance"]
    item = house.get("/ears").json()["items"][0]
    assert item["reason"].startswith("It was rendered again.") and item["earlier"]
    say("earlier")
    assert entry()["sha256"] == before["sha256"] and entry()["ears"] == "listener"
    say("accepted")
    assert house.get("/status").json()["ears"] == 0

    assert house.stop() == 0
    assert check(house.data / "store") == []
    told = subprocess.run(
        [sys.executable, "-m", "server", "verify", "--sound", "--json"], env=house.environment, capture_output=True
    )
    assert json.loads(told.stdout)["faults"] == [], told.stdout
