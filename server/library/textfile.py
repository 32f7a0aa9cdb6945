"""A .txt file as a sheet: what Project Gutenberg writes above its texts, else the first lines, else the file's name."""

import re

from server.library.encodings import decode_text
from server.library.languages import tag_of
from server.library.metadata import plain_date
from server.library.model import Contributor
from server.library.paragraphs import paragraphs_of
from server.library.plaintext import tree_of
from server.library.sheet import Sheet
from server.library.tongue import tongue_of

_HEADER = re.compile(r"project gutenberg", re.IGNORECASE)
_START = re.compile(r"\*\*\* ?START OF", re.IGNORECASE)
_FIELD = re.compile(
    r"^(Title|Author|Translator|Editor|Illustrator|Contributor|Language): *(.+(?:\n +.+)*)", re.MULTILINE
)
_ROLES = {"Translator": "trl", "Editor": "edt", "Illustrator": "ill", "Contributor": "ctb"}
_BY = re.compile(r"(?:written )?by:?\s+(?P<name>[^\d\n]{3,60})", re.IGNORECASE)
_HEAD_CHARACTERS = 20_000


def read_text(data: bytes, stem: str) -> Sheet:
    """The sheet of a plain text; `stem` is the file's name without its ending."""
    text, encoding = decode_text(data)
    sheet = Sheet(tree_of(text), title=stem)
    if encoding is not None:
        sheet.remarks.append(f"The file does not say how its letters are written; it was taken as {encoding.upper()}.")
    head = text[:_HEAD_CHARACTERS]
    if _HEADER.search(head[:2_000]) or _START.search(head):
        _from_header(sheet, head[: found.start() if (found := _START.search(head)) else None])
    else:
        _from_first_lines(sheet, head)
    sheet.language = sheet.language or tongue_of(text)
    return sheet


def _from_header(sheet: Sheet, head: str) -> None:
    fields: dict[str, list[str]] = {}
    for name, value in _FIELD.findall(head):
        fields.setdefault(name, []).append(" ".join(value.split()))
    sheet.title = next(iter(fields.get("Title", [])), sheet.title)
    sheet.authors = tuple(fields.get("Author", []))
    sheet.contributors = tuple(Contributor(one, role) for name, role in _ROLES.items() for one in fields.get(name, []))
    sheet.language = next(filter(None, map(tag_of, fields.get("Language", []))), "")
    released = re.search(r"^Original publication: .*?(\d{4})\b", head, re.MULTILINE)
    sheet.published = plain_date(released[1]) if released else None


def _from_first_lines(sheet: Sheet, head: str) -> None:
    """Title and author where the text begins with a line and "by somebody", in one paragraph or two."""
    lines = [line for paragraph in paragraphs_of(head)[:3] for line in paragraph.text.split("\n")][:3]
    for at, line in enumerate(lines[1:], start=1):
        found = _BY.fullmatch(line.strip())
        if found and all(len(above) <= 100 for above in lines[:at]) and len(found["name"].split()) <= 6:
            sheet.title = " ".join(" ".join(lines[:at]).split())
            sheet.title = sheet.title.title() if sheet.title.isupper() else sheet.title
            sheet.authors = (found["name"].strip(" .,"),)
            return
