"""A Markdown file as a sheet: front matter for what it says of itself, CommonMark with tables and notes."""

import re

from markdown_it import MarkdownIt

from server.library.encodings import decode_text
from server.library.languages import tag_of
from server.library.markup import parse_document, tag
from server.library.metadata import plain_date
from server.library.plain import plain_text
from server.library.sheet import Sheet
from server.library.tongue import tongue_of
from server.library.webpage import mark_headings

_FRONT = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^(\w[\w-]*)[ \t]*:[ \t]*(.*(?:\n[ \t]+(?:- )?\S.*)*)", re.MULTILINE)
_FENCE = re.compile(r"^(?:```|~~~)", re.MULTILINE)
_NOTE = re.compile(r"^\[\^([^\]\n]{1,40})\]:[ \t]*(.*(?:\n(?:[ \t]+\S.*|[ \t]*(?=\n[ \t]+\S)))*)", re.MULTILINE)
_NOTE_MARK = re.compile(r"\[\^([^\]\n]{1,40})\]")
_WIKI_LINK = re.compile(r"!?\[\[(?:[^\]|\n]*\|)?([^\]|\n]+)\]\]")
_COMMENT = re.compile(r"%%.*?%%", re.DOTALL)
_TITLE_LIMIT = 300


def read_markdown(data: bytes, stem: str) -> Sheet | None:
    """The sheet of a Markdown file, None where nothing comes of it; `stem` is the file's name without its ending."""
    text, _ = decode_text(data)
    front = _FRONT.match(text)
    fields = _fields(front[1]) if front else {}
    body = text[front.end() :] if front else text
    if not _FENCE.search(body):  # in code they stand for themselves
        body = _COMMENT.sub("", _WIKI_LINK.sub(r"\1", body))
        body = _with_notes(body)
    markdown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    root, _ = parse_document(f"<html><body>{markdown.render(body)}</body></html>".encode())
    if root is None:
        return None
    mark_headings(root)
    first = [" ".join("".join(e.itertext()).split()) for e in root.iter() if tag(e) == "h1"]
    description = " ".join(fields.get("description", fields.get("summary", [])))
    date = next(iter(fields.get("date", [])), "")
    return Sheet(
        root,
        title=(next(iter(fields.get("title", [])), "") or (first[0] if len(first) == 1 else "") or stem)[:_TITLE_LIMIT],
        authors=tuple(fields.get("author", fields.get("authors", [])))[:20],
        language=tag_of(" ".join(fields.get("lang", fields.get("language", [])))) or tongue_of(body),
        publisher=" ".join(fields.get("publisher", [])) or None,
        published=plain_date(date) if date else None,
        description=plain_text(description) if description else None,
    )


def _fields(front: str) -> dict[str, list[str]]:
    """The plain fields of front matter: a value, a list in brackets, or a list with a dash before each."""
    found: dict[str, list[str]] = {}
    for name, value in _FIELD.findall(front):
        parts = value[1:-1].split(",") if value[:1] == "[" and value[-1:] == "]" else value.split("\n")
        if len(parts) > 1 and not any(part.strip().startswith("- ") for part in parts) and value[:1] != "[":
            parts = [" ".join(part.strip().lstrip(">|") for part in parts)]
        plain = (part.strip().removeprefix("- ").strip().strip("\"'") for part in parts)
        found[name.lower()] = [part for part in plain if part]
    return found


def _with_notes(body: str) -> str:
    """Marks and texts of footnotes as the reader of books knows them."""
    notes: dict[str, str] = {}

    def take(match: "re.Match[str]") -> str:
        notes[match[1]] = match[2]
        return ""

    body = _NOTE.sub(take, body)
    if not notes:
        return body
    numbers = {name: number for number, name in enumerate(notes, start=1)}

    def mark(match: "re.Match[str]") -> str:
        number = numbers.get(match[1])
        return f'<a role="doc-noteref" href="#note-{number}">[{number}]</a>' if number else match[0]

    body = _NOTE_MARK.sub(mark, body)
    texts = (
        f'<aside role="doc-footnote" id="note-{numbers[name]}">\n\n{text.strip()}\n\n</aside>'
        for name, text in notes.items()
    )
    return body + "\n\n" + "\n\n".join(texts) + "\n"
