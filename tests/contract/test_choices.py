"""Chapters turned on and off, notes put elsewhere, and places that come from a device behind the times."""

from dataclasses import replace
from pathlib import Path

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from tests.contract.conftest import BOOK
from tests.contract.household import PaperHousehold, make_book

Client = TestClient[Litestar]
URL = f"/api/v1/books/{BOOK}"


def test_a_chapter_is_turned_off_and_on_again(client: Client, house: PaperHousehold) -> None:
    off = client.patch(f"{URL}/chapters/1", json={"enabled": False})
    assert off.status_code == 200
    first = off.json()["chapters_list"][0]
    assert (first["enabled"], first["rule"], first["rendered"]) == (False, "chosen", 4)
    index = client.get(f"{URL}/chapters/1").json()
    assert (index["enabled"], index["rule"]) == (False, "chosen")
    assert client.get(URL).json()["chapters_list"][0]["enabled"] is False
    assert house.store.choices(BOOK).chapters[0].number == 1
    on = client.patch(f"{URL}/chapters/1", json={"enabled": True}).json()["chapters_list"][0]
    assert (on["enabled"], on["rule"]) == (True, None)
    assert house.store.choices(BOOK).chapters == ()  # nothing is chosen that is not so by itself


def test_the_ledger_counts_a_chapter_that_is_turned_off(client: Client) -> None:
    before = client.get(f"{URL}/coverage").json()
    client.patch(f"{URL}/chapters/1", json={"enabled": False})
    after = client.get(f"{URL}/coverage").json()
    assert after["silent"]["chosen"] == before["spoken"] - after["spoken"] > 0


def test_a_choice_that_is_none_is_refused(client: Client) -> None:
    for url, body, where in (
        (URL, {"notes": "aloud"}, "notes"),
        (URL, {"speed": 2.5}, "speed"),
        (URL, {"bitrate": 48}, "bitrate"),
        (f"{URL}/chapters/1", {"enabled": "perhaps"}, "enabled"),
    ):
        reply = client.patch(url, json=body)
        assert (reply.status_code, reply.json()["errors"][0]["where"]) == (400, where)
    assert client.patch(URL, json={}).json() == client.get(URL).json()  # nothing is to change
    assert client.patch(f"{URL}/chapters/99", json={"enabled": True}).status_code == 404


def test_where_notes_are_read_is_chosen_for_a_book(client: Client) -> None:
    assert client.get(URL).json()["notes"] == "skipped"
    assert client.patch(URL, json={"notes": "inline"}).json()["notes"] == "inline"
    assert client.patch(URL, json={"notes": "end"}).status_code == 409


@pytest.fixture
def renewed(house: PaperHousehold, tmp_path: Path) -> PaperHousehold:
    """The book with another chapter before its own."""
    book = make_book(BOOK)
    preface = replace(book.chapters[1], number=1, title="Preface", sentences=book.chapters[1].sentences[:1])
    preface = replace(preface, sentences=(replace(preface.sentences[0], id="aaaaaaaaaaaa-1", text="It is new."),))
    moved = tuple(replace(one, number=one.number + 1) for one in book.chapters)
    (source := tmp_path / "lamp 2.epub").write_bytes(b"PK another")
    house.add(replace(book, chapters=(preface, *moved)), source)
    return house


def test_another_edition_tells_what_changed(client: Client, renewed: PaperHousehold) -> None:
    detail = client.get(URL).json()
    (change,) = detail["editions"]
    assert (detail["edition"], change["new"], change["gone"], change["same_file"]) == (1, 1, 0, False)
    assert change["file"] == "lamp.epub"
    assert change["chapters"] == [{"number": 1, "title": "Preface", "new": 1, "gone": 0}]
    assert [chapter["rendered"] for chapter in detail["chapters_list"]] == [0, 4, 2]


def test_a_place_in_an_earlier_edition_is_kept_where_its_sentence_is_now(
    client: Client, renewed: PaperHousehold
) -> None:
    sentence = renewed.store.chapter(BOOK, 3).sentences[1].id
    place = {"chapter": 2, "sentence": sentence, "word": 1}
    for sent in ({**place, "edition": 0}, place):
        kept = client.put(f"{URL}/position", json=sent)
        assert kept.status_code == 200, kept.text
        assert (kept.json()["chapter"], kept.json()["sentence"], kept.json()["word"]) == (3, sentence, 1)
    assert client.put(f"{URL}/position", json={**place, "chapter": 3, "edition": 1}).json()["chapter"] == 3
    assert client.put(f"{URL}/position", json={**place, "edition": 1}).status_code == 404
    assert client.put(f"{URL}/position", json={**place, "edition": -1}).status_code == 400


def test_a_wish_to_listen_in_an_earlier_edition_is_understood(client: Client, renewed: PaperHousehold) -> None:
    sentence = renewed.store.chapter(BOOK, 3).sentences[1].id
    reply = client.post(f"{URL}/listen", json={"chapter": 2, "sentence": sentence})
    assert (reply.status_code, reply.json()["chapter"]) == (202, 3)
    assert renewed.hints == [(BOOK, 3, sentence)]


def test_sentences_are_rendered_again_when_somebody_asks(client: Client, house: PaperHousehold) -> None:
    first, second = (entry.id for entry in house.store.chapter(BOOK, 2).sentences[1:3])
    spots = [{"chapter": 2, "sentence": first}, {"chapter": 2, "sentence": second}]
    reply = client.post(f"{URL}/again", json={"sentences": spots})
    assert (reply.status_code, reply.json()) == (202, {"book": BOOK, "sentences": 1})  # the second has no audio yet
    index = client.get(f"{URL}/chapters/2").json()
    assert [entry.get("again") for entry in index["sentences"]] == [None, "asked", None, None]
    for body in ({"sentences": []}, {"sentences": [{"chapter": 0, "sentence": first}]}, {}):
        assert client.post(f"{URL}/again", json=body).status_code == 400
    assert client.post(f"{URL}/again", json={"sentences": [{"chapter": 9, "sentence": first}]}).status_code == 404
