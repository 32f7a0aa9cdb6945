"""What a player fetches while a chapter is being rendered."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from litestar.testing import TestClient

from server.api import create_app
from server.config import Settings
from server.render.store import Store
from tests.contract.household import PaperHousehold
from tests.fakes.synthetic import put, render


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def test_an_index_is_kept_up_with_what_changed(store: Store, tmp_path: Path) -> None:
    record = put(store, tmp_path)
    house = PaperHousehold(Settings(library=tmp_path, data=tmp_path))
    with TestClient(create_app(house), base_url="http://127.0.0.1:8484") as client:
        path = f"/api/v1/books/{record.id}/chapters/2"

        def changes(since: int, rendition: str = record.rendition) -> dict[str, Any]:
            reply = client.get(f"{path}/changes", params={"since": since, "rendition": rendition})
            assert reply.status_code == 200
            found: dict[str, Any] = reply.json()
            return found

        index = client.get(path).json()
        assert changes(index["revision"])["sentences"] == []
        ids = [entry["id"] for entry in index["sentences"]]
        for wanted in (ids[:2], ids[2:3], ids):
            render(Store(store.root), record, 2, wanted)
            new = changes(index["revision"])
            assert not new["whole"] and {entry["id"] for entry in new["sentences"]} <= set(ids)
            by_id = {entry["id"]: entry for entry in new.pop("sentences")}
            new.pop("whole")
            index = {**index, **new, "sentences": [by_id.get(one["id"], one) for one in index["sentences"]]}
            fresh = client.get(path).json()
            plain = [{key: value for key, value in one.items() if value is not None} for one in index["sentences"]]
            assert plain == fresh["sentences"]
            assert {**index, "sentences": 0} == {**fresh, "sentences": 0}
        assert index["complete"]
        assert changes(index["revision"], "000000000000")["whole"]
        assert changes(index["revision"] + 7)["whole"]
        shutil.rmtree(store.book_folder(record.id))
        assert client.get(f"{path}/changes", params={"since": 1, "rendition": "x"}).status_code == 404
