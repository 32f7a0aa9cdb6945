"""Voices and blends over HTTP."""

from litestar import Litestar
from litestar.testing import TestClient

from tests.contract.household import PaperHousehold

Client = TestClient[Litestar]
EVENING = {"shares": [{"voice": "af_bella", "weight": 4}, {"voice": "af_heart", "weight": 6}]}


def test_voices_tell_what_they_speak_and_how_good_they_are(client: Client) -> None:
    told = client.get("/api/v1/voices").json()
    heart = next(voice for voice in told["voices"] if voice["id"] == "af_heart")
    assert heart == {
        "id": "af_heart", "name": "Heart", "language": "en-US", "speaks": "en", "gender": "female", "grade": "A",
    }  # fmt: skip
    assert (len(told["voices"]), told["blends"]) == (54, [])


def test_a_blend_is_kept_renamed_and_forgotten(client: Client, house: PaperHousehold) -> None:
    kept = client.put("/api/v1/blends/Evening", json=EVENING)
    assert kept.status_code == 200
    evening = kept.json()
    assert (evening["name"], evening["voice"], evening["speaks"]) == ("Evening", "af_heart*0.6+af_bella*0.4", "en")
    assert evening["shares"] == [{"voice": "af_heart", "weight": 0.6}, {"voice": "af_bella", "weight": 0.4}]
    assert client.get("/api/v1/blends").json()["blends"] == [evening] == client.get("/api/v1/voices").json()["blends"]
    renamed = client.put("/api/v1/blends/evening", json={**EVENING, "name": "Late in the Evening"}).json()
    assert renamed["name"] == "Late in the Evening"
    assert client.delete("/api/v1/blends/Late%20in%20the%20evening").json() == {"deleted": "Late in the evening"}
    assert client.delete("/api/v1/blends/Evening").status_code == 404
    assert house.store.blends.all() == {}


def test_what_cannot_be_mixed_says_why(client: Client) -> None:
    for shares, status, said in (
        ([("af_heart", 1), ("ff_siwis", 1)], 400, "only voices of one language"),
        ([("af_heart", 1), ("nobody", 1)], 404, "nobody"),
        ([("af_heart", 1), ("af_bella", 0)], 400, "form"),
        ([], 400, "form"),
    ):
        body = {"shares": [{"voice": voice, "weight": weight} for voice, weight in shares]}
        reply = client.put("/api/v1/blends/Evening", json=body)
        assert (reply.status_code, said in reply.json()["detail"]) == (status, True), reply.text
    assert client.put("/api/v1/blends/af_heart", json=EVENING).status_code == 400


def test_the_voice_of_new_books_is_not_taken_away(client: Client, house: PaperHousehold) -> None:
    client.put("/api/v1/blends/Evening", json=EVENING)
    object.__setattr__(house.settings, "voice", "evening")
    assert client.delete("/api/v1/blends/Evening").status_code == 409
    assert client.put("/api/v1/blends/Evening", json={**EVENING, "name": "Night"}).status_code == 409
    assert client.put("/api/v1/blends/Evening", json=EVENING).status_code == 200


def test_a_spoilt_file_hides_no_voice(client: Client, house: PaperHousehold) -> None:
    (house.store.root / "voices.json").write_text("{")
    assert len(client.get("/api/v1/voices").json()["voices"]) == 54
    assert client.get("/api/v1/blends").status_code == 500
