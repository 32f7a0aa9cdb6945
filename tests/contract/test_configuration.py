"""Settings through the API: read, refused in words, and written into a file that has comments of its own."""

import socket
import tomllib
from dataclasses import fields
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from server.api.configuration import GROUPS
from server.config import Settings
from tests.contract.household import PaperHousehold

Client = TestClient[Litestar]
URL = "/api/v1/settings"
FILE = """\
# My own words.
port = 9000   # not 8484, the printer has that
#backup_keep = 7
voice = 'bf_emma'

[mine]
port = 1
"""


def setting(client: Client, name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in client.get(URL).json()["settings"] if one["name"] == name)
    return found


def test_every_setting_is_there_with_what_it_means() -> None:
    listed = [name for rows in GROUPS.values() for name in rows]
    assert sorted(listed) == sorted(item.name for item in fields(Settings)), "a new setting needs a line in GROUPS"


def test_a_change_leaves_everything_else_in_the_file_as_it_was(client: Client, house: PaperHousehold) -> None:
    house.config.write_text(FILE)
    assert client.put(f"{URL}/port", json={"value": 9100}).status_code == 200
    assert client.put(f"{URL}/backup_keep", json={"value": 3}).status_code == 200
    assert client.put(f"{URL}/library", json={"value": "/my books"}).status_code == 409  # a variable sets that
    assert client.put(f"{URL}/poll_s", json={"value": 12.5}).status_code == 200
    assert house.config.read_text() == FILE.replace("9000", "9100").replace(
        "#backup_keep = 7", "backup_keep = 3"
    ).replace("\n[mine]", "\npoll_s = 12.5\n[mine]")
    assert setting(client, "port") | {"meaning": ""} == {
        "name": "port", "title": "Port", "group": "Who can reach it", "meaning": "", "kind": "whole", "unit": "",
        "choices": None, "low": 1, "high": 65_535, "usual": 8484, "value": 8484, "written": 9100, "source": "file",
        "variable": "LECTERN_PORT", "at_once": False, "waits": True,
    }  # fmt: skip


def test_what_holds_at_once_holds_at_once(client: Client, house: PaperHousehold) -> None:
    told = client.put(f"{URL}/voice", json={"value": "am_adam"}).json()
    assert house.settings.voice == "am_adam" and not told["waits"]
    assert client.put(f"{URL}/port", json={"value": 9000}).json()["waits"]
    assert not client.delete(f"{URL}/port").json()["waits"]
    assert client.delete(f"{URL}/voice").status_code == 200
    assert house.settings.voice == Settings().voice and tomllib.loads(house.config.read_text()) == {}


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("port", 70_000, "“Port” is 70000; a port lies between 1 and 65535"),
        ("port", "8484", "not a whole number"),
        ("port", True, "not a whole number"),
        ("lan", "everybody", "choose off, listener or owner"),
        ("backup_at", "25:00", "a time of day"),
        ("poll", "yes", "not true or false"),
        ("voice", "nobody", "no voice"),
        ("backup_folder", "backups", "write the whole path"),
        ("voice", "two\nlines", "one line"),
        ("settle_s", 0, "more than 0"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_in_words(
    client: Client, house: PaperHousehold, name: str, value: object, told: str
) -> None:
    house.config.write_text(FILE)
    reply = client.put(f"{URL}/{name}", json={"value": value})
    assert reply.status_code in (400, 404) and told in reply.json()["detail"]
    assert house.config.read_text() == FILE


def test_a_setting_that_is_none_and_a_file_that_nobody_understands(client: Client, house: PaperHousehold) -> None:
    assert client.put(f"{URL}/colour", json={"value": "blue"}).status_code == 404
    house.config.write_text("port = = 1\n")
    for reply in (client.get(URL), client.put(f"{URL}/poll", json={"value": True})):
        assert reply.status_code == 409 and "mended by hand" in reply.json()["detail"]
    assert house.config.read_text() == "port = = 1\n"


def test_a_line_that_is_written_in_a_way_of_its_own_is_left_alone(client: Client, house: PaperHousehold) -> None:
    house.config.write_text(text := 'voice = """bf_emma"""\n')
    reply = client.put(f"{URL}/voice", json={"value": "am_adam"})
    assert reply.status_code == 409 and "by hand" in reply.json()["detail"]
    assert house.config.read_text() == text


def test_line_ends_and_mark_of_windows_and_a_link_stay(client: Client, house: PaperHousehold) -> None:
    elsewhere = house.config.with_name("dotfiles.toml")
    elsewhere.write_bytes(b"\xef\xbb\xbf# mine\r\nport = 9000\r\n")
    house.config.symlink_to(elsewhere)
    assert client.put(f"{URL}/port", json={"value": 9001}).status_code == 200
    assert elsewhere.read_bytes() == b"\xef\xbb\xbf# mine\r\nport = 9001\r\n" and house.config.is_symlink()


def test_only_a_server_that_can_begin_again_does(client: Client, house: PaperHousehold) -> None:
    assert client.post("/api/v1/restart").json()["code"] == "conflict"
    begun = []
    house.configuration.again = lambda: begun.append(1)
    assert client.get(URL).json()["can_restart"]
    assert client.post("/api/v1/restart").status_code == 202 and begun == [1]
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        house.config.write_text(f"port = {taken.getsockname()[1]}\n")
        reply = client.post("/api/v1/restart")
        assert reply.status_code == 409 and "is taken" in reply.json()["detail"] and begun == [1]
    house.config.write_text("port = 0\n")
    assert client.post("/api/v1/restart").status_code == 409 and begun == [1]
