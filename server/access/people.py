"""The list of people who may listen: people.json in the data folder. A person may write it too."""

import hashlib
import logging
import re
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, ValidationError

from server.access.model import Role
from server.errors import BadRequest, Conflict, NotFound
from server.render.files import stamp_of, write_atomically
from server.render.index import Record

log = logging.getLogger(__name__)

PEOPLE: Final = "people.json"
MOST: Final = 100
_LOGIN: Final = re.compile(r"[^\s@\x00-\x1f]{1,100}@[^\s@\x00-\x1f]{1,150}")


def person_key(login: str) -> str:
    """The key of a person: the same for the same login for ever, also when the list is lost. 12 hex digits."""
    return hashlib.sha256(login.casefold().encode()).hexdigest()[:12]


class Person(Record):
    """Somebody on the list. `login` is the name that they sign in to Tailscale with."""

    login: Annotated[str, Field(pattern=r"^[^\s@]{1,100}@[^\s@]{1,150}$")]
    role: Role = "listener"
    name: Annotated[str, Field(max_length=100)] = ""
    added: datetime | None = None

    @property
    def id(self) -> str:
        return person_key(self.login)


class _Listed(Record):
    format: Literal[1] = 1
    people: Annotated[tuple[Person, ...], Field(max_length=MOST)] = ()


class People:
    """Reads and changes the list. One that cannot be understood lets nobody in, and is not written over."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / PEOPLE
        self._lock = threading.Lock()
        self._known: tuple[object, dict[str, Person], str | None] = (None, {}, None)

    def all(self) -> list[Person]:
        """Everybody on the list, by login."""
        return sorted(self._read()[1].values(), key=lambda person: person.login.casefold())

    def find(self, login: str) -> Person | None:
        return self._read()[1].get(person_key(login))

    @property
    def warning(self) -> str | None:
        """A sentence for the owner where the file cannot be understood."""
        return self._read()[2]

    def add(self, login: str, role: Role, name: str = "") -> Person:
        """Put somebody on the list. Raises BadRequest for what is no login, Conflict for somebody who is on it."""
        login = login.strip()
        if _LOGIN.fullmatch(login) is None:
            raise BadRequest(f"{login!r} is no name that people sign in to Tailscale with, such as anna@example.com.")
        made = Person(login=login, role=role, name=name.strip(), added=datetime.now(UTC))
        with self._lock:
            people = self._writable()
            if made.id in people:
                raise Conflict(f"{login} is on the list already.")
            if len(people) >= MOST:
                raise Conflict(f"There are {MOST} people on the list; remove one first.")
            self._write({**people, made.id: made})
        return made

    def change(self, person: str, role: Role | None = None, name: str | None = None) -> Person:
        """Give somebody another role or name. Raises NotFound."""
        with self._lock:
            people = self._writable()
            told = {"role": role, "name": None if name is None else name.strip()}
            changed = self._one(people, person).model_copy(update={k: v for k, v in told.items() if v is not None})
            self._write({**people, person: changed})
        return changed

    def remove(self, person: str) -> None:
        """Take somebody off the list: their next request is refused. Raises NotFound."""
        with self._lock:
            people = self._writable()
            self._one(people, person)
            self._write({key: other for key, other in people.items() if key != person})

    def _one(self, people: dict[str, Person], person: str) -> Person:
        if (found := people.get(person)) is None:
            raise NotFound("There is no such person on the list.")
        return found

    def _writable(self) -> dict[str, Person]:
        _, people, warning = self._read()
        if warning is not None:
            raise Conflict(f"{PEOPLE} in the data folder cannot be understood: mend it or delete it first.")
        return people

    def _write(self, people: dict[str, Person]) -> None:
        write_atomically(self._path, _Listed(people=tuple(people.values())).to_json().encode())

    def _read(self) -> tuple[object, dict[str, Person], str | None]:
        version = stamp_of(self._path)
        if version != self._known[0]:
            self._known = self._load(version)
        return self._known

    def _load(self, version: object) -> tuple[object, dict[str, Person], str | None]:
        try:
            listed = _Listed.model_validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return None, {}, None
        except (OSError, ValidationError) as error:
            why = error.strerror if isinstance(error, OSError) else error.errors(include_url=False)[0]["msg"]
            warning = f"{self._path} cannot be understood ({why}): nobody on it is let in until it is mended."
            log.warning("the list of people cannot be understood; nobody on it is let in")
            return version, {}, warning
        return version, {person.id: person for person in listed.people}, None
