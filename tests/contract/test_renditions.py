"""The voices of a book over HTTP."""

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from tests.contract.conftest import BOOK
from tests.contract.household import PaperHousehold, add_audio

Client = TestClient[Litestar]
URL = f"/api/v1/books/{BOOK}"


def test_another_voice_is_chosen_and_the_old_one_is_there_to_go_back_to(client: Client, house: PaperHousehold) -> None:
    before = client.get(URL).json()
    place = {"chapter": 2, "sentence": house.store.chapter(BOOK, 2).sentences[1].id, "word": 0}
    assert client.put(f"{URL}/position", json=place).status_code == 200
    after = client.patch(URL, json={"voice": "bf_emma"}).json()
    assert (after["voice"], after["sentences"]["rendered"]) == ("bf_emma", 0)
    assert after["rendition"] != before["rendition"] and after["edition"] == before["edition"]
    assert after["position"]["sentence"] == place["sentence"]
    add_audio(house.store, BOOK, 1, [house.store.chapter(BOOK, 1).sentences[0].id])
    told = client.get(f"{URL}/renditions").json()
    plays, old = told["renditions"]
    assert (plays["id"], plays["voice"], plays["plays"], plays["sentences"]) == (after["rendition"], "bf_emma", True, 1)
    assert (old["id"], old["voice"], old["plays"], old["sentences"]) == (before["rendition"], "af_heart", False, 6)
    assert old["audio_bytes"] == old["freed_bytes"] > 0
    back = client.patch(URL, json={"voice": old["voice"], "speed": old["speed"], "bitrate": old["bitrate"]}).json()
    assert (back["rendition"], back["sentences"], back["audio_bytes"]) == (
        before["rendition"], before["sentences"], before["audio_bytes"],
    )  # fmt: skip


def test_speed_and_bitrate_are_renditions_of_their_own(client: Client) -> None:
    first = client.get(URL).json()["rendition"]
    made = {client.patch(URL, json=body).json()["rendition"] for body in ({"speed": 1.2}, {"bitrate": 32_000})}
    assert len(made | {first}) == 3
    (only, *_) = client.get(f"{URL}/renditions").json()["renditions"]
    assert (only["voice"], only["speed"], only["bitrate"]) == ("af_heart", 1.2, 32_000)
    assert client.patch(URL, json={"speed": 1, "bitrate": 48_000}).json()["rendition"] == first


def test_a_blend_is_chosen_by_its_name_and_kept_by_its_recipe(client: Client) -> None:
    shares = [{"voice": "af_bella", "weight": 1}, {"voice": "af_heart", "weight": 1}]
    client.put("/api/v1/blends/Evening", json={"shares": shares})
    chosen = client.patch(URL, json={"voice": "evening"}).json()
    assert chosen["voice"] == "af_bella*0.5+af_heart*0.5"
    client.delete("/api/v1/blends/Evening")
    assert client.get(URL).json()["rendition"] == chosen["rendition"]
    same = client.patch(URL, json={"voice": "af_heart*2+af_bella*2"}).json()
    assert same["rendition"] == chosen["rendition"]


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"voice": "nobody"}, 404, "nobody"),
        ({"voice": "ff_siwis"}, 400, "speaks French"),
        ({"voice": "af_heart*0.5+ff_siwis*0.5"}, 400, "only voices of one language"),
        ({"voice": "ff_siwis", "notes": "inline"}, 400, "speaks French"),
    ],
)
def test_a_voice_that_cannot_be_is_refused_and_changes_nothing(
    client: Client, body: dict[str, str], status: int, said: str
) -> None:
    before = client.get(URL).json()
    reply = client.patch(URL, json=body)
    assert (reply.status_code, said in reply.json()["detail"]) == (status, True)
    assert client.get(URL).json() == before


def test_the_audio_of_a_voice_is_deleted_unless_it_plays(client: Client) -> None:
    old = client.get(URL).json()["rendition"]
    assert client.delete(f"{URL}/renditions/{old}").status_code == 409
    new = client.patch(URL, json={"voice": "bf_emma"}).json()["rendition"]
    gone = client.delete(f"{URL}/renditions/{old}").json()
    assert gone["deleted"] == old and gone["freed_bytes"] > 0
    assert [one["id"] for one in client.get(f"{URL}/renditions").json()["renditions"]] == [new]
    for name in (old, "nothing", "a%2Fb"):
        assert client.delete(f"{URL}/renditions/{name}").status_code in (404, 405)
    assert client.get("/api/v1/books/ffffffffffffffff/renditions").status_code == 404
