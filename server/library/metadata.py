"""What a package says of its book beside the text: titles, people and their parts, publisher, date, description."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from server.library.languages import ENGLISH, tag_of
from server.library.model import Contributor
from server.library.plain import plain_text
from server.library.sort_keys import name_sort, title_sort

TITLE_LIMIT: Final = 500
_MOST: Final = 50  # people, identifiers: more than that is no book's data
_AUTHOR: Final = "aut"
_ELSE: Final = "ctb"
# Roles in words, as some tools write them, and codes that mean the same to a listener.
_ROLES: Final = {
    "author": "aut",
    "writer": "aut",
    "editor": "edt",
    "translator": "trl",
    "illustrator": "ill",
    "narrator": "nrt",
    "contributor": "ctb",
    "foreword": "aui",
    "introduction": "aui",
    "afterword": "aft",
    "artist": "art",
    "cover": "cov",
    "photographer": "pht",
    "compiler": "com",
    "adapter": "adp",
    "annotator": "ann",
    "commentator": "cmm",
    "publisher": "pbl",
}
# Who made the file: no part of the book.
_MAKERS: Final = frozenset(["bkp", "bkd", "mrk", "tyd", "tyg", "pfr", "red", "dtc"])
_MAKER_NAME = re.compile(r"^calibre \(|^sigil\b|^(?:an )?anonymous volunteer|\bstandard ebooks\b", re.IGNORECASE)
_PUBLICATION: Final = ("publication", "ops-publication", "epub-publication", "", "original-publication", "issued")
_ISO = re.compile(r"\s*(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ].*)?)?)?\s*$")
_COMPACT = re.compile(r"\s*(\d{4})(\d{2})(\d{2})\s*$")
_FIRST_YEAR: Final = 1000  # earlier ones are what tools write for "not known"

Values = Sequence[tuple[str | None, Mapping[str, str]]]


class Package(Protocol):
    """The metadata of EbookLib: text and attributes of each element of a name."""

    def get_metadata(self, namespace: str, name: str) -> Values: ...


@dataclass(frozen=True, slots=True)
class Metadata:
    """What the package says; the fields mean what those of `Book` do. `title` is "" where it says none."""

    title: str
    subtitle: str | None
    authors: tuple[str, ...]
    contributors: tuple[Contributor, ...]
    language: str
    identifiers: tuple[str, ...]
    publisher: str | None
    published: str | None
    description: str | None
    title_sort: str | None
    author_sort: str | None


def metadata_of(package: Package) -> Metadata:
    """Everything that `package` says, short enough to be kept and without markup."""
    metas = package.get_metadata("OPF", "meta")
    title, subtitle, sort = _titles(package, metas)
    language = next(filter(None, (tag_of(value) for value, _ in _values(package, "language"))), ENGLISH)
    people = _people(package, "creator", _AUTHOR, metas) + _people(package, "contributor", _ELSE, metas)
    creators = [person for person in people if person.creator]
    authors = [person for person in creators if person.role == _AUTHOR] or creators
    authors = list({person.name: person for person in reversed(authors)}.values())[::-1]
    identifiers = (value[:TITLE_LIMIT] for value, _ in _values(package, "identifier"))
    publisher = next((value for value, _ in _values(package, "publisher")), None)
    return Metadata(
        title=title,
        subtitle=subtitle,
        authors=tuple(person.name for person in authors),
        contributors=_contributors(people),
        language=language,
        identifiers=tuple(dict.fromkeys(identifiers))[:_MOST],
        publisher=plain_text(publisher, TITLE_LIMIT) if publisher else None,
        published=_published(package, metas),
        description=next(filter(None, (plain_text(value) for value, _ in _values(package, "description"))), None),
        title_sort=sort or (title_sort(title, language) if title else None),
        author_sort=_named(metas, "calibre:author_sort")
        or " & ".join(person.sort or name_sort(person.name) for person in authors)
        or None,
    )


@dataclass(frozen=True, slots=True)
class _Person:
    name: str
    role: str
    sort: str | None
    creator: bool


def _people(package: Package, element: str, role: str, metas: Values) -> list[_Person]:
    """Everybody that elements of this name give, once for each part that they had."""
    roles, sorts = _refinements(metas, "role"), _refinements(metas, "file-as")
    found = []
    for value, attributes in _values(package, element)[:_MOST]:
        ident = attributes.get("id", "")
        given = [attributes.get("role", "")] if attributes.get("role") else roles.get(ident, [])
        sort = attributes.get("file-as") or next(iter(sorts.get(ident, [])), "")
        order = sort.strip()[:TITLE_LIMIT] or None
        found += [_Person(value[:TITLE_LIMIT], _role(one), order, role == _AUTHOR) for one in given or [role]]
    return found


def _role(value: str) -> str:
    """A MARC code; of a word or a link to one its code, of anything else that of somebody who had a part."""
    plain = value.strip().lower().rstrip("/").rpartition("/")[2].rpartition(":")[2]
    known = _ROLES.get(plain, plain)
    return known if re.fullmatch(r"[a-z]{3}", known) else _ELSE


def _contributors(people: Sequence[_Person]) -> tuple[Contributor, ...]:
    """Who had another part than to write it, without those who made the file."""
    found = [
        Contributor(person.name, person.role)
        for person in people
        if person.role not in _MAKERS
        and (person.role != _AUTHOR or not person.creator)
        and not (not person.creator and _MAKER_NAME.search(person.name))
    ]
    return tuple(dict.fromkeys(found))[:_MOST]


def _titles(package: Package, metas: Values) -> tuple[str, str | None, str | None]:
    """(title, subtitle, what the title is put in order by where the package tells)."""
    kinds, sorts = _refinements(metas, "title-type"), _refinements(metas, "file-as")
    titles = []
    for value, attributes in _values(package, "title"):
        ident = attributes.get("id", "")
        sort = attributes.get("file-as") or next(iter(sorts.get(ident, [])), None)
        titles.append((value, next(iter(kinds.get(ident, [])), None), sort))
    plain = [one for one in titles if one[1] in (None, "extended", "expanded")]
    main = next((one for one in titles if one[1] == "main"), plain[0] if plain else ("", None, None))
    subtitle = next((value for value, kind, _ in titles if kind == "subtitle"), None)
    sort = main[2] or _named(metas, "calibre:title_sort")
    return main[0][:TITLE_LIMIT], subtitle[:TITLE_LIMIT] if subtitle else None, sort[:TITLE_LIMIT] if sort else None


def _published(package: Package, metas: Values) -> str | None:
    """When the book came out: the date of that event, else the one of no event; never when the file was made."""
    dates = [(value, attributes.get("event", "").lower()) for value, attributes in _values(package, "date")]
    dates += [
        (value, "issued") for value, attributes in metas if value and attributes.get("property") == "dcterms:issued"
    ]
    for event in _PUBLICATION:
        for value, kind in dates:
            if kind == event and (found := plain_date(value)):
                return found
    return None


def plain_date(value: str) -> str | None:
    """A date as YYYY, YYYY-MM or YYYY-MM-DD; in its own words where it is none; None for what stands for no date."""
    found = _ISO.match(value) or _COMPACT.match(value)
    if found is None:
        return plain_text(value, 60)
    year, month, day = (int(part or 0) for part in found.groups())
    if year < _FIRST_YEAR:
        return None
    if not 1 <= month <= 12:
        return f"{year:04}"
    return f"{year:04}-{month:02}-{day:02}" if 1 <= day <= 31 else f"{year:04}-{month:02}"


def _refinements(metas: Values, name: str) -> dict[str, list[str]]:
    """What `meta property=name` says of other elements, by their ids."""
    found: dict[str, list[str]] = {}
    for value, attributes in metas:
        if attributes.get("property") == name and (target := attributes.get("refines")) and value and value.strip():
            found.setdefault(target.lstrip("#"), []).append(value.strip())
    return found


def _named(metas: Values, name: str) -> str | None:
    return next((a.get("content", "").strip()[:TITLE_LIMIT] or None for _, a in metas if a.get("name") == name), None)


def _values(package: Package, name: str) -> list[tuple[str, Mapping[str, str]]]:
    return [
        (value.strip(), attributes) for value, attributes in package.get_metadata("DC", name) if value and value.strip()
    ]
