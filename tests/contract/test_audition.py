"""The audition over HTTP: what there is to hear, takes of any engine, renditions, and what is thought of voices."""

from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from tests.contract.conftest import BOOK
from tests.contract.household import PaperHousehold

Client = TestClient[Litestar]
URL = "/api/v1/audition"


def rendition(house: PaperHousehold) -> str:
    return house.store.book(BOOK).rendition


def test_it_begins_with_passages_pairs_and_engines(client: Client) -> None:
    told = client.get(URL).json()
    assert {"plain", "dialogue", "names", "heteronyms", "exposition"} <= {one["id"] for one in told["passages"]}
    assert {one["kind"] for one in told["minimal_pairs"]} == {"declarative", "yes-no", "wh", "one-word"}
    (engine,) = told["engines"]
    assert (engine["id"], engine["word_times"], engine["pronunciation"]) == ("paper", False, False)
    assert engine["voices"] == [{"voice": "paper:thin", "name": "Thin", "language": "en-GB"}]
    assert told["voice"] == "af_heart" and told["voices"] == told["blind"] == told["pairs"] == []


def test_a_take_of_ones_own_voice_indexes_the_text_that_was_given(client: Client) -> None:
    text = "Hey  there,\nyou."
    told = client.post(f"{URL}/takes", json={"text": text, "voice": "af_heart", "book": BOOK}).json()
    assert told["audio"].startswith("/api/v1/previews/") and told["audio_s"] == 1.5
    assert told["words"] == []  # the paper voice times none


def test_a_take_of_another_engine_says_that_its_times_are_estimates(client: Client) -> None:
    text = "The lamp burned. Nobody came."
    told = client.post(f"{URL}/takes", json={"text": text, "voice": "paper:thin"}).json()
    words = [text[one["char_start"] : one["char_end"]] for one in told["words"]]
    assert words == ["The", "lamp", "burned", "Nobody", "came"] and told["timed"] is False
    assert told["words"][3]["start_s"] == pytest.approx(0.45)
    sound = client.get(told["audio"])
    assert sound.content[:4] == b"RIFF" and sound.headers["content-type"] == "audio/wav"
    part = client.get(told["audio"], headers={"range": "bytes=0-3"})
    assert (part.status_code, part.content) == (206, b"RIFF")


def test_what_cannot_be_said_is_told(client: Client) -> None:
    wrong: list[tuple[dict[str, Any], int]] = [
        ({"text": "Hey"}, 400),
        ({"text": "", "voice": "af_heart"}, 400),
        ({"text": " \n ", "voice": "af_heart"}, 400),
        ({"text": "Hey", "voice": "xx_nobody"}, 404),
        ({"text": "Hey", "voice": "zz:nobody"}, 404),
        ({"text": "Hey", "voice": "paper:thick"}, 404),
        ({"text": "Hey", "voice": "af_heart", "book": "f" * 16}, 404),
        ({"text": "x" * 2_001, "voice": "af_heart"}, 400),
    ]
    for body, status in wrong:
        assert client.post(f"{URL}/takes", json=body).status_code == status


def test_only_takes_are_given_away(client: Client) -> None:
    for name in ("f" * 32, "f" * 31, f"..%2F{'f' * 32}", "..%2Faudition"):
        assert client.get(f"{URL}/takes/{name}.wav").status_code in (400, 404), name


def test_stars_and_notes_are_kept(client: Client, house: PaperHousehold) -> None:
    said = {"voice": "af_heart*0.6+af_bella*0.4", "stars": 5, "note": " Warm. ", "favourite": True}
    assert client.put(f"{URL}/opinions", json=said).json()["voices"] == [{**said, "note": "Warm."}]
    assert client.get(URL).json()["voices"] == [{**said, "note": "Warm."}]
    assert (house.settings.data / "audition.json").is_file()
    assert client.put(f"{URL}/opinions", json={"voice": said["voice"]}).json()["voices"] == []
    assert client.put(f"{URL}/opinions", json={**said, "stars": 6}).status_code == 400


def test_scores_are_kept_and_begun_anew(client: Client) -> None:
    told = client.post(f"{URL}/blind", json={"heard": ["af_heart", "paper:thin"], "won": "af_heart"}).json()
    assert told["blind"] == [
        {"voice": "af_heart", "won": 1, "heard": 1},
        {"voice": "paper:thin", "won": 0, "heard": 1},
    ]
    assert client.post(f"{URL}/blind", json={"heard": ["a", "b"], "won": "c"}).status_code == 404
    assert client.post(f"{URL}/blind", json={"heard": ["a", "a"], "won": "a"}).status_code == 400
    answer = {"voice": "af_heart", "pair": "wh-1", "question": True, "taken": False}
    told = client.post(f"{URL}/answers", json=answer).json()
    assert told["pairs"] == [{"voice": "af_heart", "kind": "wh", "right": 0, "asked": 1}]
    assert client.post(f"{URL}/answers", json={**answer, "pair": "wh-99"}).status_code == 404
    assert client.delete(f"{URL}/scores?what=blind").json()["blind"] == []
    assert client.get(URL).json()["pairs"] != [] and client.delete(f"{URL}/scores").status_code == 400


def test_a_rendition_tells_its_sentences_and_gives_their_audio(client: Client, house: PaperHousehold) -> None:
    base = f"/api/v1/books/{BOOK}/renditions/{rendition(house)}/chapters"
    told = client.get(f"{base}/2").json()
    assert [one["audio"] is None for one in told["sentences"]] == [False, False, True, True]
    first = told["sentences"][0]
    assert first["words"][0]["char_end"] == 8 and first["audio_s"] > 0 and told["priming_s"] == 1_024 / 24_000
    sound = client.get(first["audio"])
    assert sound.status_code == 200 and "immutable" in sound.headers["cache-control"]
    assert client.get(f"{base}/9").status_code == 404
    assert client.get(f"{base}/2/{told['sentences'][3]['sentence']}.m4a").status_code == 404
    assert client.get(f"/api/v1/books/{BOOK}/renditions/ffffffffffff/chapters/1").status_code == 404
