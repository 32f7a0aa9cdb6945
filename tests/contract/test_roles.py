"""What each role may do: every route is decided on in one place."""

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from server.access.model import Arrival, Identity, Refusal, Via
from server.api import identity
from server.api.identity import ANYONE, LISTENER, OWNER_ONLY, needs
from server.api.live import lines
from server.api.reports import Status
from server.api.routes import ROUTES
from server.events import Hub
from tests.contract.conftest import BOOK
from tests.contract.household import PaperHousehold
from tests.contract.test_errors import VALUES, every_operation

Client = TestClient[Litestar]
ANNA = Identity("a1b2c3d4e5f6", "listener", "Anna", "serve", "anna@example.com", "annas-phone")


@pytest.fixture
def listener(client: Client, house: PaperHousehold, monkeypatch: pytest.MonkeyPatch) -> Client:
    """Whoever asks is Anna, who may listen."""

    async def admit(arrival: Arrival, via: Via) -> Identity | Refusal:
        return ANNA

    monkeypatch.setattr(house.access, "admit", admit)
    return client


def test_every_route_has_a_role_and_every_role_a_route(app: Litestar) -> None:
    served = {handler.handler_name for handler in ROUTES} | {
        "player",
        "dashboard",
        "enter_page",
        "asset",
        "service_worker",
        "options",
    }  # type: ignore[union-attr]
    served |= {"create_speech", "list_models", "docs"}  # at addresses of their own
    decided = [*ANYONE, *LISTENER, *OWNER_ONLY]
    assert sorted(decided) == sorted(served), "a new route is put into one of the sets of server/api/identity.py"


def test_a_route_that_nobody_decided_on_is_the_owners() -> None:
    assert needs("brand_new") == "owner"


def test_a_listener_is_kept_from_whatever_is_the_owners(listener: Client) -> None:
    handlers = {operation["operationId"]: operation for operation in _operations(listener)}
    assert handlers.keys() >= {"add_book", "delete_book", "get_doctor", "list_people", "put_rendering"}
    for method, path in every_operation(listener):
        name = _operations_by_place(listener)[method, path]
        url = path.format_map({**VALUES, "part": "seg-0.m4s", "person": "0" * 12, "layer": "household", "entry": "0"})
        if name == "get_events":
            continue  # it never ends
        reply = listener.request(method, url, headers={"if-match": "*"})
        refused = reply.status_code == 403
        assert refused == (needs(name) == "owner"), (method, url, reply.status_code)
        if refused and method != "HEAD":
            assert "Anna may listen here" in reply.json()["detail"]


def test_a_listener_is_told_of_no_folder(
    listener: Client, house: PaperHousehold, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "/Users/somebody/Audiobooks"
    before = house.status

    async def status() -> Status:
        told = await before()
        worker = told.worker.model_copy(update={"detail": secret, "warning": secret})
        sentences = dict.fromkeys(("library", "data", "space", "notice", "polled"), secret)
        return told.model_copy(update={**sentences, "worker": worker})

    monkeypatch.setattr(house, "status", status)
    reply = listener.get("/api/v1/status")
    assert reply.status_code == 200 and secret not in reply.text and reply.json()["library"] == ""


@pytest.mark.parametrize("owner", [True, False])
async def test_events_tell_a_listener_of_no_folder(owner: bool) -> None:
    hub, secret = Hub(), "/Users/somebody/Audiobooks"
    stream = lines(hub, person="a1b2c3d4e5f6", owner=owner)
    await anext(stream)
    for kind in ("import.refused", "import.duplicate", "library.notice"):
        hub.publish(kind, notice=secret)
    hub.publish("import.started", name="Private Diary.epub", waiting=0)
    hub.publish("render.state", state="down", detail=secret, warning=secret)
    hub.publish("book.added", id="0123456789abcdef")
    hub.close()
    told = b"".join([line async for line in stream]).decode()
    assert (secret in told) == owner == ("Private Diary" in told)
    assert '"state":"down"' in told and "book.added" in told


def _operations(client: Client) -> list[dict[str, str]]:
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    return [operation for item in paths.values() for operation in item.values()]


def _operations_by_place(client: Client) -> dict[tuple[str, str], str]:
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    return {
        (method.upper(), path): item["get" if method == "head" else method]["operationId"].removesuffix("_on")
        for path, item in paths.items()
        for method in item
    }


def test_a_listener_listens_and_keeps_a_place(listener: Client, house: PaperHousehold) -> None:
    sid = house.store.chapter(BOOK, 1).sentences[0].id
    place = f"/api/v1/books/{BOOK}/position"
    assert listener.get("/").status_code == 200
    assert listener.get("/dashboard").status_code == 403
    assert listener.put(place, json={"chapter": 1, "sentence": sid}).status_code == 200
    assert listener.post(f"/api/v1/books/{BOOK}/bookmarks", json={"chapter": 1, "sentence": sid}).status_code == 201
    ears = f"/api/v1/books/{BOOK}/chapters/1/sentences/{sid}/ears"
    assert listener.post(ears, json={"state": "wrong"}).status_code == 200
    assert listener.post(ears, json={"state": "withdrawn"}).status_code == 200
    for wish in ("accepted", "again", "earlier"):
        assert listener.post(ears, json={"state": wish}).status_code == 403, wish


def test_bookmarks_are_everybodys_own(client: Client, house: PaperHousehold, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"/api/v1/books/{BOOK}/bookmarks"
    first, second, _ = (entry.id for entry in house.store.chapter(BOOK, 1).sentences[:3])
    owners = client.post(url, json={"chapter": 1, "sentence": first}).json()["id"]

    async def admit(arrival: Arrival, via: Via) -> Identity | Refusal:
        return ANNA

    with monkeypatch.context() as changed:
        changed.setattr(house.access, "admit", admit)
        assert client.get(url).json() == {"bookmarks": []}
        for sentence in (first, second):
            assert client.post(url, json={"chapter": 1, "sentence": sentence}).status_code == 201
        assert client.delete(f"{url}/{owners}").status_code == 404
        assert client.patch(f"{url}/{owners}", json={"note": "mine"}).status_code == 404
        told = [event for event in house.hub._kept if event.kind == "bookmarks"]
        assert [event.data.get("person") for event in told[-2:]] == [ANNA.person] * 2
        annas = [mark["id"] for mark in client.get(url).json()["bookmarks"]]
    assert [mark["id"] for mark in client.get(url).json()["bookmarks"]] == [owners]
    assert client.delete(f"{url}/{annas[0]}").status_code == 404
    assert [mark.sentence for mark in house.store.bookmarks.of(BOOK, ANNA.person)] == [first, second]
    assert house.store.bookmarks.people(BOOK) == ["owner", ANNA.person]


def test_me_says_who_i_am(listener: Client) -> None:
    assert listener.get("/api/v1/me").json() == {
        "person": ANNA.person,
        "role": "listener",
        "name": "Anna",
        "login": "anna@example.com",
        "device": "annas-phone",
        "via": "serve",
    }


def test_at_this_machine_i_am_the_owner(client: Client) -> None:
    me = client.get("/api/v1/me").json()
    assert (me["person"], me["role"], me["via"]) == ("owner", "owner", "loopback")


def test_without_the_gate_nobody_is_anybody(app: Litestar, house: PaperHousehold) -> None:
    assert identity.SCOPE  # an application without its gate must not be open
    bare = app.asgi_handler._app  # type: ignore[attr-defined]
    app.asgi_handler = bare
    with TestClient(app, base_url="http://127.0.0.1:8484") as naked:
        assert naked.get("/api/v1/books").status_code == 403
