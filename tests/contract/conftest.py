"""One app, one store and one book for each test."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from server.api.household import Household
from server.api.openapi import document
from server.api.routes import create_app
from server.config import Settings
from tests.contract.documented import Documented
from tests.contract.household import PaperHousehold, add_audio, make_book

BOOK = "0123456789abcdef"
BASE = "http://127.0.0.1:8484"


@pytest.fixture(scope="session")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with one book, made once: two chapters of four sentences; 1 is all rendered, 2 its first two."""
    folder = tmp_path_factory.mktemp("furnished")
    (source := folder / "lamp.epub").write_bytes(b"PK lamp")
    made = PaperHousehold(Settings(library=folder / "library", data=folder / "data"))
    made.add(make_book(BOOK), source)
    add_audio(made.store, BOOK, 1, [s.id for s in made.store.chapter(BOOK, 1).sentences])
    add_audio(made.store, BOOK, 2, [s.id for s in made.store.chapter(BOOK, 2).sentences[:2]])
    return folder / "data"


@pytest.fixture
def house(tmp_path: Path, furnished: Path) -> PaperHousehold:
    """A household of its own for each test, with the book of `furnished`."""
    shutil.copytree(furnished, tmp_path / "data")
    return PaperHousehold(Settings(library=tmp_path / "library", data=tmp_path / "data"))


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


@pytest.fixture(scope="session")
def documented(furnished: Path) -> Documented:
    app = create_app(PaperHousehold(Settings(data=furnished)))
    return Documented(json.loads(json.dumps(document(app.openapi_schema.to_schema()))))


@pytest.fixture
def client(app: Litestar, documented: Documented) -> Iterator[TestClient[Litestar]]:
    """A client that also holds every answer of the API against the OpenAPI document."""
    with TestClient(app, base_url=BASE, raise_server_exceptions=False) as made:
        made.event_hooks = {"response": [documented]}
        yield made
