"""A book in another language, by the real server and voice: heard sentence by sentence, with no word timed."""

import shutil
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from server.render import gate
from server.render.aac import decode
from tests.e2e.house import House
from tests.epubs import build_epub
from tests.parity.store_reader import check

pytestmark = [pytest.mark.speech, pytest.mark.timeout(600)]

BOOKS = {
    "es": ("ef_dora", "<p>—¿Vienes? —preguntó el Sr. Gil—. Ya son las 3:30.</p>"),
    "ja": ("jf_alpha", "<p>雪が降っていた。「寒いね。」と父は言った。</p>"),
    "zh-Hans": ("zf_xiaobei", "<p>外面下雪了。“冷吗？”他问。</p>"),
}


def rendered_whole(house: House, book: dict[str, Any]) -> bool:
    return house.rendered(book["id"]) == int(book["sentences"]["total"])


def test_books_of_other_languages_are_heard_by_their_sentences(house: House, tmp_path: Path) -> None:
    house.start()
    for language, (_, body) in BOOKS.items():
        shutil.copy(build_epub(tmp_path / f"{language}.epub", {"a.xhtml": body}, language=language), house.library)
    shutil.copy(build_epub(tmp_path / "de.epub", {"a.xhtml": "<p>Es schneit.</p>"}, language="de"), house.library)
    books = house.until(lambda: len(found := house.books()) == len(BOOKS) and found, "the books are on the shelf")
    [refusal] = house.until(lambda: house.get("/imports").json()["imports"], "the file in German is refused")
    assert refusal["kind"] == "language" and "German" in refusal["reason"]
    for book in books:
        assert (book["voice"], book["words"]) == (BOOKS[book["language"]][0], False)
        assert book["sentences"]["total"] == 2
        house.until(partial(rendered_whole, house, book), "the book is rendered")
        for sentence in house.chapter(book["id"], 1)["sentences"]:
            assert (sentence["words"], sentence["gate"]) == ([], [])
            audio = decode(house.get(f"/books/{book['id']}/chapters/1/sentences/{sentence['id']}.m4a").content)
            speech = audio[sentence["speech_start"] : sentence["speech_end"]]
            assert gate.fingerprint(np.asarray(speech, np.float32)).peak > 0.1
            # Half a second and no less than a tenth of a second a syllable.
            assert 0.4 < len(speech) / 24_000 < len(sentence["text"]) / 2
        first = house.chapter(book["id"], 1)["sentences"][0]["id"]
        assert house.get(f"/books/{book['id']}/chapters/1/stream/{first}/playlist.m3u8").status_code == 200
        place = {"chapter": 1, "sentence": first, "word": 0}
        assert house.put(f"/books/{book['id']}/position", place).status_code == 200
    assert house.stop() == 0
    assert check(house.data / "store") == []
