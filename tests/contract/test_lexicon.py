"""Pronunciation rules over HTTP: what is there, what is wrong with it, what a change does, and no lost work."""

import asyncio
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import AsyncTestClient, TestClient

from server.render.lexicon.files import MAX_BYTES, Place, RuleFile
from tests.contract.conftest import BOOK
from tests.contract.household import PaperHousehold

Client = TestClient[Litestar]
LAYERS = "/api/v1/lexicon"
HOUSEHOLD = f"{LAYERS}/household"
AUTHOR = f"{LAYERS}/author-a-writer"
OWN = f"/api/v1/books/{BOOK}/lexicon"


def write(client: Client, address: str, text: str, **headers: str) -> Any:
    tag = client.get(address).headers["etag"]
    return client.put(address, json={"text": text}, headers={"If-Match": tag, **headers})


def test_the_layers_are_the_household_and_the_authors_on_the_shelf(client: Client, house: PaperHousehold) -> None:
    layers = client.get(LAYERS).json()["layers"]
    assert [(one["id"], one["kind"], one["name"], one["exists"]) for one in layers] == [
        ("household", "household", "household", False), ("author-a-writer", "author", "A. Writer", False),
    ]  # fmt: skip
    record = house.store.book(BOOK)
    house.store.save_book(record.model_copy(update={"series": "The Lamp Books"}))
    (house.store.root / "lexicon").mkdir()
    (house.store.root / "lexicon" / "author-nobody.txt").write_text("# author: Ann Nobody\nfoo = bar\nbad\n")
    layers = client.get(LAYERS).json()["layers"]
    assert [(one["id"], one["name"], one["rules"], one["problems"]) for one in layers[2:]] == [
        ("series-the-lamp-books", "The Lamp Books", 0, 0), ("author-nobody", "Ann Nobody", 1, 1),
    ]  # fmt: skip


@pytest.mark.parametrize("address", [HOUSEHOLD, AUTHOR, OWN])
def test_rules_are_written_and_read_again_as_they_were_typed(
    client: Client, house: PaperHousehold, address: str
) -> None:
    assert client.get(address).json()["text"] == ""
    text = "# ours\r\nchapter = CHAP-tur  # dear\r\n\r\nnonsense\r\n2 = too {as written}\r\n"
    answer = write(client, address, text)
    assert answer.status_code == 200 and answer.json()["written"]
    again = client.get(address)
    assert again.headers["etag"] == answer.headers["etag"]
    told = again.json()
    assert told["text"].endswith(text) and told["exists"]
    assert (house.store.root / told["file"]).read_bytes().decode() == told["text"]
    line = told["text"].splitlines().index("nonsense") + 1
    assert [(one["line"], "=" in one["message"]) for one in told["complaints"]] == [(line, True)]
    first, second = told["lines"]
    assert (first["line"], first["written"], first["american"], first["british"]) == (
        line - 2, "chapter", "ʧˈæptəɹ", "ʧˈaptə",
    )  # fmt: skip
    assert (second["kind"], second["words"], second["inflected"]) == ("words", "too", False)


def test_the_first_file_of_an_author_says_whose_it_is(client: Client) -> None:
    write(client, AUTHOR, "foo = bar\n")
    assert client.get(AUTHOR).json()["text"] == "# author: A. Writer\nfoo = bar\n"
    write(client, AUTHOR, "bar = foo\n")
    assert client.get(AUTHOR).json()["text"] == "bar = foo\n"


def test_a_change_tells_how_many_sentences_it_touches_and_how_many_of_them_are_rendered(client: Client) -> None:
    dry = client.put(f"{OWN}?dry_run=true", json={"text": "chapter = {stress none}\n"})
    told = dry.json()
    assert dry.status_code == 200 and not told["written"]
    assert (told["sentences"], told["rendered"]) == (8, 6)
    assert told["books"] == [{"book": BOOK, "title": "The Lamp", "sentences": 8, "rendered": 6}]
    assert client.get(OWN).json()["text"] == ""
    assert write(client, HOUSEHOLD, "3 = THREE\n").json()["sentences"] == 2
    assert write(client, HOUSEHOLD, "# the same\n3 = THREE\n").json()["sentences"] == 0
    assert write(client, OWN, "3 = {default}\n").json()["sentences"] == 2
    # What the book says of it itself, the household cannot change.
    assert write(client, HOUSEHOLD, "3 = FREE\n").json()["sentences"] == 0


def test_a_change_is_applied_to_what_is_rendered_when_that_is_asked_for(client: Client, house: PaperHousehold) -> None:
    rules = {"text": "chapter = {stress none}\n"}
    told = client.put(f"{OWN}?dry_run=true&apply=true", json=rules).json()
    assert (told["applied"], told["render_s"]) == (0, None) and told["rendered"] > 0
    assert client.put(OWN, json=rules, headers={"if-match": "*"}).json()["applied"] == 0
    client.put(OWN, json={"text": ""}, headers={"if-match": "*"})
    applied = client.put(f"{OWN}?apply=true", json=rules, headers={"if-match": "*"}).json()
    assert applied["applied"] == applied["rendered"] == told["rendered"]
    indexes = [house.store.chapter(BOOK, number) for number in (1, 2)]
    assert sum(entry.again == "rule" for index in indexes for entry in index.sentences) == told["rendered"]


def test_what_is_rendered_while_a_change_is_counted_is_applied_to_too(
    client: Client, house: PaperHousehold, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = house.store.chapter(BOOK, 2)
    late = next(entry for entry in index.sentences if entry.rendered and "chapter" in entry.text.lower())
    house.store.save_chapter(index.with_entries([late.without_audio()]))
    write = house.store.lexicon.write

    def meanwhile(place: Place, text: str, tag: str | None) -> RuleFile:
        house.store.add_audio(BOOK, index.rendition, 2, [late])
        return write(place, text, tag)

    monkeypatch.setattr(house.store.lexicon, "write", meanwhile)
    rules = {"text": "chapter = {stress none}\n"}
    told = client.put(f"{OWN}?apply=true", json=rules, headers={"if-match": "*"}).json()
    entry = house.store.chapter(BOOK, 2).sentences[index.position(late.id)]
    assert entry.again == "rule" and told["applied"] == told["rendered"] + 1


def test_of_two_editors_the_second_is_told(client: Client) -> None:
    tag = client.get(OWN).headers["etag"]
    assert client.put(OWN, json={"text": "one = won\n"}, headers={"If-Match": tag}).status_code == 200
    late = client.put(OWN, json={"text": "two = too\n"}, headers={"If-Match": tag})
    assert (late.status_code, late.json()["code"]) == (412, "precondition-failed")
    assert "read them again" in late.json()["detail"]
    without = client.put(OWN, json={"text": "two = too\n"})
    assert (without.status_code, without.json()["code"]) == (428, "precondition-required")
    assert client.get(OWN).json()["text"] == "one = won\n"
    assert client.put(OWN, json={"text": "two = too\n"}, headers={"If-Match": "*"}).status_code == 200


@pytest.mark.parametrize(
    "layer", ["author-nobody", "series-none", "HOUSEHOLD", "..", "book", "author-", "household.txt"]
)
def test_there_are_no_other_layers(client: Client, layer: str) -> None:
    assert client.get(f"{LAYERS}/{layer}").status_code == 404
    assert client.put(f"{LAYERS}/{layer}", json={"text": ""}, headers={"If-Match": "*"}).status_code in (404, 405)


def test_an_unknown_book_has_no_rules(client: Client) -> None:
    address = "/api/v1/books/00000000000000ff/lexicon"
    assert client.get(address).status_code == 404
    assert client.put(address, json={"text": ""}, headers={"If-Match": "*"}).status_code == 404


def test_a_text_that_is_too_long_is_refused_in_words(client: Client) -> None:
    assert client.put(OWN, json={"text": "#" * MAX_BYTES}, headers={"If-Match": "*"}).status_code == 200
    answer = client.put(OWN, json={"text": "é" * MAX_BYTES}, headers={"If-Match": "*"})
    assert answer.status_code == 413 and "1 MB" in answer.json()["detail"]
    assert client.put(OWN, json={"text": "#" * (MAX_BYTES + 1)}, headers={"If-Match": "*"}).status_code == 400
    assert len(client.get(OWN).json()["text"]) == MAX_BYTES


def test_a_file_that_is_no_text_is_a_problem_and_no_crash(client: Client, house: PaperHousehold) -> None:
    path = house.store.book_folder(BOOK) / "overrides.txt"
    path.write_bytes(b"chapter = foo\n\xff\xfe\n")
    told = client.get(OWN).json()
    assert told["lines"] == [] and [one["line"] for one in told["complaints"]] == [0]
    assert "UTF-8" in told["complaints"][0]["message"]
    assert write(client, OWN, "chapter = CHAP-tur\n").status_code == 200


async def test_a_change_is_published(house: PaperHousehold, app: Litestar) -> None:
    events = house.hub.subscribe()
    waiting = asyncio.ensure_future(anext(events))
    await asyncio.sleep(0)
    async with AsyncTestClient(app, base_url="http://127.0.0.1:8484") as client:
        await client.put(f"{OWN}?dry_run=1", json={"text": "a = b"})
        await client.put(OWN, json={"text": "a = b"}, headers={"If-Match": "*"})
    event = await asyncio.wait_for(waiting, 5)
    assert (event.kind, event.data) == ("lexicon.changed", {"layer": "book", "book": BOOK})
