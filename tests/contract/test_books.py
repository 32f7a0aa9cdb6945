"""Shelf, place, queue, uploads and refusals over HTTP."""

from pathlib import Path

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from server.api import imports
from server.api.household import BookView
from server.api.imports import safe_name
from server.api.reports import Refusal
from server.config import Settings
from server.errors import BookRefused
from server.render.voices import VOICES
from tests.contract.conftest import BOOK
from tests.contract.household import ADDED, PaperHousehold

Client = TestClient[Litestar]

EPUB = b"PK\x03\x04 a book"
PLACE = f"/api/v1/books/{BOOK}/position"


def incoming(settings: Settings) -> list[Path]:
    return list((settings.data / "incoming").glob("*"))


def test_shelf_and_book(client: Client) -> None:
    (shelved,) = client.get("/api/v1/books").json()["books"]
    book = client.get(f"/api/v1/books/{BOOK}").json()
    assert shelved == {name: value for name, value in book.items() if name in BookView.model_fields}
    assert set(shelved) == set(BookView.model_fields) and {"chapters_list", "description"} < set(book)
    assert [(c["rendered"], c["complete"]) for c in book["chapters_list"]] == [(4, True), (2, False)]


def test_answers_are_objects(client: Client) -> None:
    for path in ("status", "books", "queue", "imports", "voices", "doctor"):
        assert isinstance(client.get(f"/api/v1/{path}").json(), dict)


def test_voices_are_all_there(client: Client) -> None:
    voices = client.get("/api/v1/voices").json()["voices"]
    assert len(voices) == len(VOICES) == 54
    by_id = {voice.pop("id"): voice for voice in voices}
    heart = {"name": "Heart", "language": "en-US", "speaks": "en", "gender": "female", "grade": "A"}
    assert by_id["af_heart"] == heart
    assert by_id["zm_yunxi"] == {
        **heart,
        "name": "Yunxi",
        "language": "zh",
        "speaks": "zh",
        "gender": "male",
        "grade": None,
    }


def test_place_is_kept(client: Client, house: PaperHousehold) -> None:
    assert client.get(PLACE).status_code == 404
    sid = house.store.chapter(BOOK, 2).sentences[3].id
    body = {"chapter": 2, "sentence": sid, "word": 2, "device": "phone"}
    told = client.put(PLACE, json=body)
    assert told.status_code == 200
    assert told.json().items() >= body.items()
    assert client.get(PLACE).json() == told.json() == client.get(f"/api/v1/books/{BOOK}").json()["position"]


@pytest.mark.parametrize("body", [{"chapter": 2, "sentence": "000000000000-1"}, {"chapter": 9, "sentence": "a-1"}])
def test_place_that_is_not_in_the_book_is_refused(
    client: Client, house: PaperHousehold, body: dict[str, object]
) -> None:
    for method, path in (("PUT", PLACE), ("POST", f"/api/v1/books/{BOOK}/listen")):
        assert client.request(method, path, json=body).status_code == 404
    assert client.get(PLACE).status_code == 404
    assert house.hints == []


def test_sentence_of_another_chapter_is_no_place(client: Client, house: PaperHousehold) -> None:
    sid = house.store.chapter(BOOK, 1).sentences[0].id
    assert client.put(PLACE, json={"chapter": 2, "sentence": sid}).status_code == 404


def test_listening_hints_and_moves_no_place(client: Client, house: PaperHousehold) -> None:
    sid = house.store.chapter(BOOK, 2).sentences[1].id
    url = f"/api/v1/books/{BOOK}/listen"
    assert client.post(url, json={"chapter": 2, "sentence": sid}).status_code == 202
    assert client.post(url, json={"chapter": 2}).json() == {"book": BOOK, "chapter": 2, "sentence": None}
    assert house.hints == [(BOOK, 2, sid), (BOOK, 2, None)]
    assert client.get(PLACE).status_code == 404


def test_deleting_audio_keeps_the_book(client: Client) -> None:
    reply = client.delete(f"/api/v1/books/{BOOK}?what=audio")
    assert reply.status_code == 200
    assert reply.json()["freed_bytes"] > 0
    assert client.get(f"/api/v1/books/{BOOK}").json()["sentences"] == {"total": 8, "rendered": 0, "failed": 0}


def test_deleting_everything(client: Client) -> None:
    assert client.delete(f"/api/v1/books/{BOOK}?what=everything").json()["deleted"] == "everything"
    assert client.get(f"/api/v1/books/{BOOK}").status_code == 404
    assert client.get("/api/v1/books").json() == {"books": [], "total": 0}


@pytest.mark.parametrize("kind", ["application/epub+zip", "application/octet-stream", "application/zip", None])
def test_upload_becomes_a_book(client: Client, house: PaperHousehold, kind: str | None) -> None:
    headers = {"content-type": kind} if kind else {}
    reply = client.post("/api/v1/books?name=My%20Book.EPUB", content=EPUB, headers=headers)
    assert reply.status_code == 201
    assert client.get(reply.headers["location"]).json() == reply.json()
    assert house.imported == ["My Book.epub"]
    assert incoming(house.settings) == []


def test_a_book_that_is_there_already_is_told_so(client: Client, house: PaperHousehold) -> None:
    replies = [client.post("/api/v1/books?name=a.epub", content=EPUB) for _ in range(2)]
    assert [reply.status_code for reply in replies] == [201, 200]
    assert replies[0].json() == replies[1].json()


def test_the_shelf_is_given_page_by_page(client: Client, house: PaperHousehold) -> None:
    for number in range(3):
        client.post("/api/v1/books?name=a.epub", content=EPUB + bytes([number]))
    whole = client.get("/api/v1/books").json()
    assert whole["total"] == len(whole["books"]) == 4
    pages = [client.get(f"/api/v1/books?limit=3&offset={offset}").json() for offset in (0, 3, 6)]
    assert [page["total"] for page in pages] == [4, 4, 4]
    assert [book for page in pages for book in page["books"]] == whole["books"]
    assert client.get("/api/v1/books?q=LAMP&sort=title").json()["total"] == 4
    assert client.get("/api/v1/books?q=nothing").json() == {"books": [], "total": 0}
    for wrong in ("limit=0", "limit=1001", "offset=-1", "sort=colour", f"q={'x' * 201}"):
        assert client.get(f"/api/v1/books?{wrong}").status_code == 400


def test_upload_in_a_language_that_is_chosen(client: Client) -> None:
    told = client.post("/api/v1/books?name=a.epub&language=eng", content=EPUB).json()
    assert (told["language"], told["read_as"], told["words"]) == ("en", "en", True)
    refused = client.post("/api/v1/books?name=b.epub&language=German", content=EPUB)
    assert refused.status_code == 400
    assert "does not read German" in refused.json()["detail"]


def test_a_refused_file_is_read_in_another_language(client: Client, house: PaperHousehold) -> None:
    house.refused = [
        Refusal(id=id_, name="a.epub", kind="language", reason="It is in German.", at=ADDED, here=here)
        for id_, here in ((1, True), (2, False))
    ]
    reply = client.post("/api/v1/imports/1/book?language=en")
    assert reply.status_code == 201
    assert client.get(reply.headers["location"]).json() == reply.json()
    assert client.post("/api/v1/imports/2/book?language=en").status_code == 404
    assert client.post("/api/v1/imports/1/book?language=tlh").status_code == 400
    assert client.post("/api/v1/imports/1/book").status_code == 400


def test_upload_in_chunks_without_a_length(client: Client, house: PaperHousehold) -> None:
    pieces = [EPUB, *[b"x" * 300_000] * 10]
    assert client.post("/api/v1/books?name=a.epub", content=iter(pieces)).status_code == 201
    assert incoming(house.settings) == []


def test_refused_upload_is_told_listed_and_leaves_nothing(client: Client, house: PaperHousehold) -> None:
    reply = client.post("/api/v1/books?name=notes.epub", content=b"only text")
    assert reply.status_code == 422
    assert reply.json().items() >= {"code": "book-refused", "kind": "not-epub"}.items()
    assert incoming(house.settings) == []
    (refused,) = client.get("/api/v1/imports").json()["imports"]
    assert refused["reason"] == reply.json()["detail"]
    assert client.delete(f"/api/v1/imports/{refused['id']}").json() == {"dismissed": refused["id"]}
    assert client.get("/api/v1/imports").json() == {"imports": []}
    assert client.delete(f"/api/v1/imports/{refused['id']}").status_code == 404


def test_upload_too_large(client: Client, house: PaperHousehold, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "MAX_UPLOAD_BYTES", 1_000_000)
    announced = client.post("/api/v1/books?name=a.epub", content=EPUB + bytes(1_000_000))
    unannounced = client.post("/api/v1/books?name=a.epub", content=iter([EPUB, *[bytes(100_000)] * 11]))
    for reply in (announced, unannounced):
        assert (reply.status_code, reply.json()["code"]) == (413, "too-large")
        assert "1 MB" in reply.json()["detail"]
    assert incoming(house.settings) == []
    assert house.imported == []


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded"])
def test_upload_of_another_type(client: Client, kind: str) -> None:
    reply = client.post("/api/v1/books?name=a.epub", content=EPUB, headers={"content-type": kind})
    assert (reply.status_code, reply.json()["code"]) == (415, "unsupported-media-type")


def test_leftover_uploads_are_cleared_at_the_start(house: PaperHousehold, app: Litestar) -> None:
    folder = house.settings.data / "incoming"
    folder.mkdir()
    (folder / "old.part").write_bytes(b"half")
    with TestClient(app):
        assert incoming(house.settings) == []


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("book.epub", "book.epub"),
        ("../../etc/book.epub", "book.epub"),
        ("C:\\Users\\me\\book.EPUB", "book.epub"),
        (".hidden.epub", "hidden.epub"),
        ("a\x00b\n.epub", "a b.epub"),
        ("Кни́га.epub", "Кни́га.epub"),
        ("cafe\u0301.epub", "café.epub"),
        ("x" * 500 + ".epub", "x" * 200 + ".epub"),
        ("é" * 300 + ".epub", "é" * 100 + ".epub"),
    ],
)
def test_upload_names_become_plain_file_names(given: str, name: str) -> None:
    assert safe_name(given) == name


@pytest.mark.parametrize("given", ["Emma.txt", "Emma.DOCX", "a/Emma.md", "Emma.1.html"])
def test_names_of_other_books_keep_their_ending(given: str) -> None:
    assert safe_name(given) == f"{given.rpartition('/')[2].rpartition('.')[0]}.{given.rpartition('.')[2].lower()}"


@pytest.mark.parametrize(("given", "says"), [("a.pdf", "EPUB"), ("a.azw3", "calibre"), ("a.odt", ".docx")])
def test_names_of_what_people_drop_say_the_way_out(given: str, says: str) -> None:
    with pytest.raises(BookRefused) as caught:
        safe_name(given)
    assert says in str(caught.value)


@pytest.mark.parametrize("given", ["notes.xyz", ".epub", "..epub", "/", "book", "book.epub/", "   .epub"])
def test_names_of_no_epub_are_refused(given: str) -> None:
    with pytest.raises(BookRefused) as caught:
        safe_name(given)
    assert caught.value.kind == "not-epub"
