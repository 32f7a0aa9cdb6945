"""Bookmarks: set, listed in reading order, noted, removed, and taken along into another edition."""

from dataclasses import replace
from pathlib import Path

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from server.render import bookmarks
from server.render.store import Store
from tests.contract.conftest import BOOK
from tests.contract.household import PaperHousehold, make_book

Client = TestClient[Litestar]
URL = f"/api/v1/books/{BOOK}/bookmarks"


def ids(house: PaperHousehold, chapter: int) -> list[str]:
    return [entry.id for entry in house.store.chapter(BOOK, chapter).sentences]


def texts(client: Client) -> list[tuple[int, str, str | None]]:
    return [(one["chapter"], one["text"], one["note"]) for one in client.get(URL).json()["bookmarks"]]


def test_bookmarks_are_listed_in_reading_order(client: Client, house: PaperHousehold) -> None:
    assert client.get(URL).json() == {"bookmarks": []}
    first, second = ids(house, 1), ids(house, 2)
    for chapter, sentence, note in ((2, second[2], None), (2, second[0], "Who?"), (1, first[1], None)):
        reply = client.post(URL, json={"chapter": chapter, "sentence": sentence, "note": note})
        assert reply.status_code == 201, reply.text
        assert (reply.json()["chapter"], reply.json()["note"]) == (chapter, note)
    said = {entry.id: entry.text for n in (1, 2) for entry in house.store.chapter(BOOK, n).sentences}
    assert texts(client) == [(1, said[first[1]], None), (2, said[second[0]], "Who?"), (2, said[second[2]], None)]
    # They are in a plain file beside the audio, which is all that another house needs.
    assert [mark.sentence for mark in Store(house.store.root).bookmarks.of(BOOK)] == [first[1], second[0], second[2]]


def test_a_tap_too_many_sets_no_second_one(client: Client, house: PaperHousehold) -> None:
    body = {"chapter": 2, "sentence": ids(house, 2)[1], "word": 1}
    first = client.post(URL, json=body)
    again = client.post(URL, json=body)
    noted = client.post(URL, json={**body, "note": "Here."})
    other = client.post(URL, json={**body, "word": 0})
    assert [reply.status_code for reply in (first, again, noted, other)] == [201, 200, 200, 201]
    assert again.json() == first.json() and noted.json() == {**first.json(), "note": "Here."}
    assert len(texts(client)) == 2


def test_a_note_is_changed_and_a_bookmark_removed(client: Client, house: PaperHousehold) -> None:
    mark = client.post(URL, json={"chapter": 1, "sentence": ids(house, 1)[0]}).json()["id"]
    assert client.patch(f"{URL}/{mark}", json={"note": "A lamp."}).json()["note"] == "A lamp."
    assert client.patch(f"{URL}/{mark}", json={"note": ""}).json()["note"] is None
    assert client.patch(f"{URL}/{mark}", json={"note": "x" * 2_001}).status_code == 400
    assert client.delete(f"{URL}/{mark}").status_code == 204
    for reply in (client.delete(f"{URL}/{mark}"), client.patch(f"{URL}/{mark}", json={"note": "x"})):
        assert (reply.status_code, reply.json()["code"]) == (404, "not-found")
    assert texts(client) == []


def test_what_marks_nothing_is_refused(client: Client, house: PaperHousehold, monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = ids(house, 1)[0]
    for body, status in (
        ({"chapter": 1, "sentence": "0123456789ab-1"}, 404),
        ({"chapter": 9, "sentence": sentence}, 404),
        ({"chapter": 0, "sentence": sentence}, 400),
        ({"sentence": sentence}, 400),
    ):
        assert client.post(URL, json=body).status_code == status
    monkeypatch.setattr(bookmarks, "MOST", 1)
    assert client.post(URL, json={"chapter": 1, "sentence": sentence}).status_code == 201
    full = client.post(URL, json={"chapter": 1, "sentence": ids(house, 1)[1]})
    assert full.status_code == 409 and "remove some" in full.json()["detail"]


def test_bookmarks_follow_their_sentence_into_another_edition(
    client: Client, house: PaperHousehold, tmp_path: Path
) -> None:
    kept, gone = ids(house, 2)[1], ids(house, 2)[2]
    for sentence in (kept, gone):
        client.post(URL, json={"chapter": 2, "sentence": sentence, "word": 1})
    before = texts(client)
    book = make_book(BOOK)
    preface = replace(book.chapters[1], number=1, title="Preface", sentences=book.chapters[1].sentences[:1])
    preface = replace(preface, sentences=(replace(preface.sentences[0], id="aaaaaaaaaaaa-1", text="It is new."),))
    moved = [replace(one, number=one.number + 1) for one in book.chapters]
    left = tuple(one for one in moved[1].sentences if one.id != gone)
    moved[1] = replace(moved[1], sentences=left)
    (source := tmp_path / "lamp 2.epub").write_bytes(b"PK another")
    house.add(replace(book, chapters=(preface, *moved)), source)
    after = client.get(URL).json()["bookmarks"]
    assert {(one["chapter"], one["sentence"], one["word"]) for one in after} >= {(3, kept, 1)}
    # The other has lost its sentence: it is beside where that was, and still tells what it marked.
    assert {one["text"] for one in after} == {text for _, text, _ in before}
    (lost,) = [one for one in after if one["sentence"] != kept]
    assert (lost["chapter"], lost["word"]) == (3, 0) and lost["sentence"] in {one.id for one in left}
    assert client.post(URL, json={"chapter": 2, "sentence": kept, "word": 1, "edition": 0}).status_code == 200
