"""A Markdown file as a sheet: front matter for what it says of itself, CommonMark with tables and notes."""

import html
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

# YAML between lines of dashes, or TOML between plusses; a rule above the first paragraph is neither.
_FRONT = re.compile(
    r"\A(?:---[ \t]*\n(?P<yaml>(?:[\w-]+[ \t]*:|#).*?)\n(?:---|\.\.\.)|"
    r"\+\+\+[ \t]*\n(?P<toml>.*?)\n\+\+\+)[ \t]*(?:\n|\Z)",
    re.DOTALL,
)
_FIELD = re.compile(r"^(\w[\w-]*)[ \t]*[:=][ \t]*(.*(?:\n[ \t]+(?:- )?\S.*)*)", re.MULTILINE)
_FENCED = re.compile(
    r"(^[ \t]*(?P<fence>`{3,}|~{3,}).*?(?:^[ \t]*(?P=fence)[`~]*[ \t]*$|\Z))", re.MULTILINE | re.DOTALL
)
_NOTE = re.compile(r"^\[\^([^\]\n]{1,40})\]:[ \t]*(.*(?:\n(?:[ \t]+\S.*|[ \t]*(?=\n[ \t]+\S)))*)", re.MULTILINE)
_NOTE_MARK = re.compile(r"\[\^([^\]\n]{1,40})\]")
_EMBED = re.compile(r"!\[\[([^\]|\n#]+)[^\]\n]*\]\]")
_PICTURE = re.compile(
    r".*\.(?:png|jpe?g|gif|webp|svg|bmp|avif|heic|tiff?|pdf|mp[34]|webm|ogg|wav|canvas|base)", re.IGNORECASE
)
_WIKI_LINK = re.compile(r"\[\[(?:[^\]|\n]*\|)?([^\]|\n]+)\]\]")
# Obsidian's remarks: between signs within a paragraph, or on lines of their own. "100%% sure" begins none.
_COMMENT = re.compile(
    r"(?<!\S)%%(?=\S)(?:(?!\n[ \t]*\n|%%).)+%%(?!\w)|^%%[ \t]*\n.*?^%%[ \t]*$", re.DOTALL | re.MULTILINE
)
_TITLE_LIMIT = 300


def read_markdown(data: bytes, stem: str) -> Sheet | None:
    """The sheet of a Markdown file, None where nothing comes of it; `stem` is the file's name without its ending."""
    text, _ = decode_text(data)
    front = _FRONT.match(text)
    fields = _fields(front["yaml"] or front["toml"] or "") if front else {}
    body = text[front.end() :] if front else text
    body = _with_notes(body)
    markdown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    if _is_indented(body):
        markdown.disable("code")
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


def _is_indented(body: str) -> bool:
    """Whether paragraphs begin with an indent: to CommonMark that is code, in a story it is how paragraphs look."""
    indented = [line for line in body.split("\n") if re.match(r"(?: {4}|\t)\s*\S", line)]
    text = "".join("".join(indented).split())
    signs = sum(map("{}[]()<>=|\\/@#$%^&~+_".__contains__, text))
    words = [line.split() for line in indented]
    told = sum(len(line) >= 4 and line[-1][-1] in ".!?…,:;”’\"'—-" for line in words)
    return bool(text) and signs <= 0.02 * len(text) and told >= 0.6 * len(words)


def _with_notes(body: str) -> str:
    """Marks and texts of footnotes as the reader of books knows them, without remarks and links, but in code."""
    notes: dict[str, str] = {}

    def take(match: "re.Match[str]") -> str:
        notes.setdefault(match[1], match[2])
        return ""

    def mark(match: "re.Match[str]") -> str:
        number = numbers.get(match[1])
        return f'<a role="doc-noteref" href="#note-{number}">[{number}]</a>' if number else match[0]

    pieces = _FENCED.split(body)
    plain = [_NOTE.sub(take, _linked(piece)) for piece in pieces[::3]]
    numbers = {name: number for number, name in enumerate(notes, start=1)}
    pieces[::3] = [_NOTE_MARK.sub(mark, piece) for piece in plain]
    texts = (
        f'<aside role="doc-footnote" id="note-{numbers[name]}">\n\n{_NOTE_MARK.sub(mark, text.strip())}\n\n</aside>'
        for name, text in notes.items()
    )
    del pieces[2::3]  # the signs of the fences, which are in them too
    return "\n\n".join(["".join(pieces), *texts]) + "\n"


def _linked(text: str) -> str:
    """Text with the words of its links to other notes, and without pictures and remarks."""
    text = _EMBED.sub(lambda found: "" if _PICTURE.fullmatch(found[1].strip()) else f"[[{found[0][3:-2]}]]", text)
    return _COMMENT.sub(_remark, _WIKI_LINK.sub(r"\1", text))


def _remark(found: "re.Match[str]") -> str:
    """A remark as markup that is silent, so that it is counted."""
    text = html.escape(" ".join(found[0].strip("%").split()))
    return f'<span hidden="hidden">{text}</span>'
