"""A fix costs one sentence: a corrected file and a new rule, with the real server and the real voice."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.house import House
from tests.epubs import build_epub
from tests.parity.store_reader import check

pytestmark = [pytest.mark.speech, pytest.mark.timeout(600)]

KETTLE = "<h1>The Kettle</h1><p>The kettle sang. Ada did not touch it.</p><p>Nobody touched it at all.</p>"
GARDEN = "<h1>The Garden</h1><p>In the garden it had begun to rain. The old dog did not mind.</p>"


def dropped(house: House, tmp_path: Path, kettle: str, preface: str = "") -> None:
    """The book as it is now, put over the one that lies in the library folder."""
    pages = {"zero.xhtml": preface} if preface else {}
    made = build_epub(tmp_path / "new.epub", {**pages, "one.xhtml": kettle, "two.xhtml": GARDEN}, title="Ada’s Kettle")
    shutil.copy(made, house.library / ".kettle.part")
    (house.library / ".kettle.part").replace(house.library / "kettle.epub")


def sentences(house: House, book: str) -> dict[str, dict[str, Any]]:
    """Text → entry, of the whole book."""
    chapters = house.get(f"/books/{book}").json()["chapters_list"]
    indexes = [house.chapter(book, chapter["number"]) for chapter in chapters]
    return {entry["text"]: entry for index in indexes for entry in index["sentences"]}


def whole(house: House, book: str) -> bool:
    found = sentences(house, book).values()
    return all("file" in entry and "again" not in entry for entry in found)


def changed(before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]]) -> set[str]:
    """Texts whose sound is not what it was."""
    return {text for text, entry in after.items() if entry["sha256"] != before.get(text, {}).get("sha256")}


def test_a_corrected_file_and_a_new_rule_cost_the_sentences_that_they_change(house: House, tmp_path: Path) -> None:
    house.start()
    dropped(house, tmp_path, KETTLE)
    book = house.until(house.books, "the book is on the shelf")[0]["id"]
    house.until(lambda: whole(house, book), "the book is rendered")
    before = sentences(house, book)
    place = before["The old dog did not mind."]["id"]
    assert house.put(f"/books/{book}/position", {"chapter": 2, "sentence": place, "word": 2}).status_code == 200

    dropped(house, tmp_path, KETTLE.replace("Ada did not", "Eve did not"), "<h1>Before</h1><p>It is a true story.</p>")
    house.until(lambda: house.get(f"/books/{book}").json()["edition"] == 1, "the new edition is there")
    house.kill()  # while what is new is rendered, or waits
    house.start()
    house.until(lambda: whole(house, book), "what is new is rendered")
    after = sentences(house, book)
    assert changed(before, after) == {"Before", "It is a true story.", "Eve did not touch it."}
    assert "Ada did not touch it." not in after
    kept = house.get(f"/books/{book}/position").json()
    assert (kept["chapter"], kept["sentence"], kept["word"]) == (3, place, 2)

    rules = {"text": "kettle = KEE-tul\n"}
    told = httpx.put(
        f"{house.url}/api/v1/books/{book}/lexicon?apply=true",
        json=rules,
        headers={"if-match": "*"},
        trust_env=False,
        timeout=60,
    ).json()
    assert told["applied"] == 2, told
    house.until(lambda: whole(house, book), "what is said otherwise is rendered again")
    assert changed(after, sentences(house, book)) == {"The Kettle", "The kettle sang."}

    assert house.stop() == 0
    assert check(house.data / "store") == []
    told = subprocess.run(
        [sys.executable, "-m", "server", "verify", "--sound", "--json"], env=house.environment, capture_output=True
    )
    assert json.loads(told.stdout)["faults"] == [], told.stdout
