"""Backups and what is installed, through the API."""

import sys
import time
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from server.api import backups
from server.api.about import UNTOLD, installed
from server.api.machine import family_bytes
from server.backup.make import make_backup
from server.backup.wish import WISH, grant
from server.errors import Conflict
from server.keeping import COMMAND, Keeping
from tests.contract.household import PaperHousehold

Client = TestClient[Litestar]
URL = "/api/v1/backups"


def made(client: Client) -> dict[str, Any]:
    """The answer once nothing is being made any more."""
    end = time.monotonic() + 60
    while (told := client.get(URL).json())["making"]:
        assert time.monotonic() < end
        time.sleep(0.05)
    return dict(told)


def test_a_backup_is_made_on_demand_and_listed_with_the_way_back(client: Client, house: PaperHousehold) -> None:
    house.keeping = Keeping(lambda: house.settings, house.hub, lambda: house.configuration, command=COMMAND)
    assert client.get(URL).json()["backups"] == []
    assert client.post(URL, json={"audio": False}).json()["making"]
    assert client.post(URL, json={}).status_code == 409
    told = made(client)
    assert told["trouble"] is None and [backup["audio"] for backup in told["backups"]] == [False]
    (path,) = house.settings.backups.iterdir()
    assert told["backups"][0]["name"] == path.name and told["backups"][0]["restore"].endswith(f"restore {path}")


def test_why_there_is_no_backup_is_told_in_words(client: Client, house: PaperHousehold) -> None:
    says = "import sys; sys.exit('lectern: The disk is full.')"
    house.keeping = Keeping(
        lambda: house.settings, house.hub, lambda: house.configuration, command=(sys.executable, "-c", says)
    )
    assert client.post(URL, json={}).status_code == 202
    assert made(client)["trouble"] == "The disk is full."


def test_about_names_licences_and_versions(client: Client) -> None:
    told = client.get("/api/v1/about").json()
    licences = {package["name"].lower(): package["licence"] for package in told["packages"]}
    assert told["licence"] == "AGPL-3.0-or-later" and told["model"] is None
    assert licences["litestar"] == "MIT" and "Affero" in licences["ebooklib"]
    assert "pytest" not in licences and "lectern" not in licences and len(licences) > 30
    assert sum(package.licence == UNTOLD for package in installed()) < 5


def test_memory_is_that_of_a_process_and_all_it_began(client: Client) -> None:
    told = "  1 0 500\n 10 1 100\n 11 10 20\n 12 11 3\n 13 1 7000\nno number\n"
    assert family_bytes(told, 10) == 123 * 1024
    assert family_bytes(told, 99) is None
    machine = client.get("/api/v1/machine").json()
    assert 0 < machine["free_bytes"] < machine["disk_bytes"]


def test_a_backup_is_gone_back_to_by_starting_again(client: Client, house: PaperHousehold) -> None:
    house.settings.backups.mkdir(parents=True)
    name = make_backup(house.settings, house.config, house.settings.backups, audio=False).path.name
    url = f"{URL}/{name}/restore"
    begun: list[int] = []
    assert client.get(URL).json()["can_restore"] is False
    assert client.post(url).status_code == 409  # nobody would start it again
    house.configuration.again = lambda: begun.append(1)
    assert client.get(URL).json()["can_restore"]
    for other in ("lectern-backup-20200101T000000Z.tar.gz", "store.json", "..%2Fdata"):
        assert client.post(f"{URL}/{other}/restore").status_code == 404
    house.config.write_text("poll_s = 77\n")
    waits = client.post(url)
    assert (waits.status_code, "start Lectern again first" in waits.json()["detail"]) == (409, True)
    house.config.write_text("")
    assert begun == [] and not (house.settings.data / WISH).exists()
    told = client.post(url)
    assert (told.status_code, begun, told.json()["restored"]) == (202, [1], None)
    grant(house.settings, house.config)
    restored = client.get(URL).json()["restored"]
    assert (restored["name"], restored["trouble"]) == (name, None) and "1 book" in restored["told"][0]


def test_a_damaged_backup_is_told_and_lectern_goes_on(client: Client, house: PaperHousehold) -> None:
    house.settings.backups.mkdir(parents=True)
    path = make_backup(house.settings, house.config, house.settings.backups, audio=False).path
    path.write_bytes(path.read_bytes()[:-200])
    begun: list[int] = []
    house.configuration.again = lambda: begun.append(1)
    reply = client.post(f"{URL}/{path.name}/restore")
    assert (reply.status_code, reply.json()["code"], begun) == (422, "backup-refused", [])
    assert reply.json()["detail"].startswith(path.name) and "lectern restore" not in reply.json()["detail"]
    assert not (house.settings.data / WISH).exists()


def test_a_wish_is_taken_back_where_lectern_cannot_start(client: Client, house: PaperHousehold) -> None:
    house.settings.backups.mkdir(parents=True)
    name = make_backup(house.settings, house.config, house.settings.backups, audio=False).path.name

    def cannot() -> None:
        raise Conflict("A folder that you chose cannot be made.")

    house.configuration.again = cannot
    assert client.post(f"{URL}/{name}/restore").status_code == 409
    assert not (house.settings.data / WISH).exists()


def test_a_backup_is_sent_and_listed(client: Client, house: PaperHousehold, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = house.settings.data.parent / "elsewhere"
    folder.mkdir()
    path = make_backup(house.settings, house.config, folder, audio=False).path
    kind = {"content-type": "application/octet-stream"}
    told = client.post(f"{URL}/file", content=path.read_bytes(), headers=kind)
    assert (told.status_code, told.json()) == (201, {"name": path.name})
    assert [one["name"] for one in client.get(URL).json()["backups"]] == [path.name]
    bad = client.post(f"{URL}/file", content=b"no backup", headers=kind)
    assert (bad.status_code, bad.json()["code"]) == (422, "backup-refused")
    assert bad.json()["detail"].startswith("That file is no whole backup")
    monkeypatch.setattr(backups, "KEPT_FREE_BYTES", 1 << 62)
    full = client.post(f"{URL}/file", content=path.read_bytes(), headers=kind)
    assert (full.status_code, full.json()["code"]) == (413, "too-large")
    assert list((house.settings.data / "incoming").iterdir()) == []
