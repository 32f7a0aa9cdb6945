"""The list of people, the devices seen, the token: plain files in the data folder."""

import json
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from server.access.decision import UNKNOWN
from server.access.devices import DEVICES, Devices
from server.access.model import Identity
from server.access.people import PEOPLE, People, person_key
from server.access.token import FAILURES, TOKEN, WINDOW_S, Attempts, LanToken
from server.errors import BadRequest, Conflict, NotFound
from server.tailnet.shapes import Peer

ANNA = "anna@example.com"


def test_people_are_kept_in_a_file_that_a_person_can_read(tmp_path: Path) -> None:
    made = People(tmp_path).add(f" {ANNA} ", "listener", "Anna")
    told = json.loads((tmp_path / PEOPLE).read_text())
    assert told["people"][0]["login"] == ANNA
    again = People(tmp_path)
    assert again.find("Anna@Example.com") == made
    assert again.find("carl@example.com") is None
    assert again.change(made.id, role="owner").role == "owner"
    assert again.change(made.id, name="Aunt Anna").name == "Aunt Anna"
    assert [(p.login, p.role, p.name) for p in People(tmp_path).all()] == [(ANNA, "owner", "Aunt Anna")]
    again.remove(made.id)
    assert People(tmp_path).all() == []


def test_the_key_of_a_person_is_for_ever(tmp_path: Path) -> None:
    first = People(tmp_path).add(ANNA, "listener").id
    (tmp_path / PEOPLE).unlink()
    assert People(tmp_path).add(ANNA.upper(), "owner").id == first == person_key(ANNA)
    assert len(first) == 12


def test_a_file_edited_by_hand_counts_at_once(tmp_path: Path) -> None:
    people = People(tmp_path)
    assert people.find(ANNA) is None
    (tmp_path / PEOPLE).write_text(json.dumps({"people": [{"login": ANNA, "role": "owner"}]}))
    found = people.find(ANNA)
    assert found is not None
    assert found.role == "owner"


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"people": [{"login": "anna"}]}', '{"people": [{"login": "a@b", "role": "king"}]}', "\xff"]
)
def test_a_list_without_sense_lets_nobody_in_and_is_not_written_over(tmp_path: Path, text: str) -> None:
    people = People(tmp_path)
    people.add(ANNA, "listener")
    (tmp_path / PEOPLE).write_text(text, encoding="latin-1")
    assert people.find(ANNA) is None
    assert people.warning is not None
    assert PEOPLE in people.warning
    with pytest.raises(Conflict, match="mend it or delete it"):
        people.add("ben@example.com", "listener")
    assert (tmp_path / PEOPLE).read_text(encoding="latin-1") == text


@pytest.mark.parametrize("login", ["", "anna", "tagged-devices", "a b@c", "a@b@c", "a@\n", "@", "x" * 300 + "@y"])
def test_what_nobody_signs_in_with_is_refused(tmp_path: Path, login: str) -> None:
    with pytest.raises(BadRequest):
        People(tmp_path).add(login, "listener")
    assert not (tmp_path / PEOPLE).exists()


def test_twice_and_nobody(tmp_path: Path) -> None:
    people = People(tmp_path)
    people.add(ANNA, "listener")
    with pytest.raises(Conflict):
        people.add(ANNA.title(), "owner")
    for change in (lambda: people.change("0" * 12, role="owner"), lambda: people.remove("0" * 12)):
        with pytest.raises(NotFound):
            change()


def test_devices_are_remembered_and_may_be_lost(tmp_path: Path) -> None:
    devices = Devices(tmp_path)
    phone = Peer(1003, ANNA, "Anna", "annas-phone", "n3")
    anna = Identity(person_key(ANNA), "listener", "Anna", "serve", ANNA, "annas-phone")
    now = datetime.now(UTC)
    assert devices.note(phone, anna, "serve", now)
    devices.save()
    assert not devices.note(phone, anna, "serve", now + timedelta(seconds=5))  # not a file for every request
    assert not devices.note(Peer(1, "x@y", "X", "x", "n9"), UNKNOWN, "tailnet", now)
    devices.save()
    found = Devices(tmp_path).all()
    assert [(d.name, d.person, d.refused) for d in found] == [
        ("annas-phone", anna.person, None),
        ("x", None, "device-unknown"),
    ]
    (tmp_path / DEVICES).write_text("nonsense")
    assert Devices(tmp_path).all() == []


def test_devices_are_not_remembered_without_end(tmp_path: Path) -> None:
    devices, now = Devices(tmp_path), datetime.now(UTC)
    for number in range(250):
        devices.note(Peer(1, "x@y", "X", "x", f"n{number}"), UNKNOWN, "tailnet", now + timedelta(seconds=number))
    assert len(devices.all()) == 200
    assert devices.all()[0].key == "n249"


def test_the_token_is_the_owners_to_read(tmp_path: Path) -> None:
    token = LanToken(tmp_path)
    value = token.value
    assert len(value) >= 32
    assert stat.S_IMODE((tmp_path / TOKEN).stat().st_mode) == 0o600
    assert LanToken(tmp_path).value == value
    assert token.fits(value)
    assert not token.fits(value[:-1])
    assert not token.fits("")
    assert not token.fits("ü")
    assert value not in token.cookie
    assert token.cookie_fits(token.cookie)
    assert not token.cookie_fits(value)
    (tmp_path / TOKEN).chmod(0o644)
    assert token.value == value
    assert stat.S_IMODE((tmp_path / TOKEN).stat().st_mode) == 0o600
    old = token.cookie
    (tmp_path / TOKEN).unlink()
    assert not token.cookie_fits(old)
    (tmp_path / TOKEN).write_text("\n")  # cut short: nobody comes in with nothing
    assert len(token.value) >= 32


def test_guessing_is_stopped_and_a_forgotten_device_locks_nobody_out() -> None:
    now = 1_000.0
    attempts = Attempts(lambda: now)
    for _ in range(100):
        attempts.failed("192.168.1.9", "an old token")
    assert attempts.wait_s("192.168.1.9") == 0
    for number in range(FAILURES):
        attempts.failed("192.168.1.9", f"guess {number}")
    assert attempts.wait_s("192.168.1.9") > 0
    assert attempts.wait_s("192.168.1.8") == 0
    now += WINDOW_S + 1
    assert attempts.wait_s("192.168.1.9") == 0
