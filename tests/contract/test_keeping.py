"""Backups and what is installed, through the API."""

import sys
import time
from typing import Any

from litestar import Litestar
from litestar.testing import TestClient

from server.api.about import UNTOLD, installed
from server.api.machine import family_bytes
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
    house.keeping = Keeping(lambda: house.settings, house.hub, command=COMMAND)
    assert client.get(URL).json()["backups"] == []
    assert client.post(URL, json={"audio": False}).json()["making"]
    assert client.post(URL, json={}).status_code == 409
    told = made(client)
    assert told["trouble"] is None and [backup["audio"] for backup in told["backups"]] == [False]
    (path,) = house.settings.backups.iterdir()
    assert told["backups"][0]["name"] == path.name and told["backups"][0]["restore"].endswith(f"restore {path}")


def test_why_there_is_no_backup_is_told_in_words(client: Client, house: PaperHousehold) -> None:
    says = "import sys; sys.exit('lectern: The disk is full.')"
    house.keeping = Keeping(lambda: house.settings, house.hub, command=(sys.executable, "-c", says))
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
