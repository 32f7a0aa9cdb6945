"""One app, one store and one book for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from documented import Documented
from household import PaperHousehold, add_audio, make_book
from litestar import Litestar
from litestar.testing import TestClient

from server.api.household import Household
from server.api.routes import create_app
from server.config import Settings

BOOK = "0123456789abcdef"
BASE = "http://127.0.0.1:8484"


@pytest.fixture
def house(tmp_path: Path) -> PaperHousehold:
    """A household with one book: two chapters of four sentences; chapter 1 all rendered, chapter 2 its first two."""
    settings = Settings(library=tmp_path / "library", data=tmp_path / "data")
    source = tmp_path / "lamp.epub"
    source.write_bytes(b"PK lamp")
    made = PaperHousehold(settings)
    made.add(make_book(BOOK), source)
    add_audio(made.store, BOOK, 1, [s.id for s in made.store.chapter(BOOK, 1).sentences])
    add_audio(made.store, BOOK, 2, [s.id for s in made.store.chapter(BOOK, 2).sentences[:2]])
    return made


@pytest.fixture
def web_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "web"
    (folder / "lib").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>player</title>")
    (folder / "dashboard.html").write_text("<!doctype html><title>dashboard</title>")
    (folder / "lib" / "api.js").write_text("export const x = 1;\n")
    (folder / ".secret").write_text("no")
    (tmp_path / "outside.txt").write_text("no")
    (folder / "link.txt").symlink_to(tmp_path / "outside.txt")
    return folder


@pytest.fixture
def app(house: PaperHousehold, web_folder: Path) -> Litestar:
    typed: Household = house  # the type checker proves here that the protocol can be met
    return create_app(typed, web_folder=web_folder)


@pytest.fixture
def client(app: Litestar) -> Iterator[TestClient[Litestar]]:
    """A client that also holds every answer of the API against the OpenAPI document."""
    with TestClient(app, base_url=BASE, raise_server_exceptions=False) as made:
        made.event_hooks = {"response": [Documented(made.get("/api/v1/openapi.json").json())]}
        yield made
