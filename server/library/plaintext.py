"""Plain text into a tree of HTML: paragraphs joined where they were wrapped, headings, verse, contents, notes known."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from server.library.headings import PART, bare_number, heading_of, is_shouted, is_subtitle
from server.library.markup import Element, parse_document
from server.library.paragraphs import Paragraph, paragraphs_of

_CONTENTS = re.compile(
    r"(?:table of )?contents|inhalt(?:sverzeichnis)?|sommaire|table des mati[eè]res|[ií]ndice|sum[aá]rio|目次|目录",
    re.IGNORECASE,
)
_FEW_CONTENTS = 600  # paragraphs; a longer list is no table of contents
_LEADERS = re.compile(r"[\s.·…_]*\d{1,4}\s*$")
_NOTE = re.compile(r"\[Footnote\s+(?P<mark>[\w*]+)\s*:\s*(?P<text>.*)\]", re.DOTALL | re.IGNORECASE)
_PICTURE = re.compile(r"\[(?:Illustration|Image|Frontispiece|Picture)\b:?\s*(?P<text>.*)\]", re.DOTALL | re.IGNORECASE)
# The numbers of pages, at their foot or head, where form feeds part the pages.
_FOOT = re.compile(r"(?<=\n)[ \t]*([-–—\[]?[ \t]*\d{1,4}[ \t]*[-–—\]]?)[ \t]*\n\s*\f")
_HEAD = re.compile(r"\f\s*?([-–—\[]?[ \t]*\d{1,4}[ \t]*[-–—\]]?)[ \t]*(?=\n)")
_PAGED = "\x0e"  # stands before the number of a page; no text has it
_FEWEST_PAGES = 3
_MARK = re.compile(r"(?<=\S)\[(?P<mark>\d{1,4}|[A-Z*])\]")
_UNDERSCORED = re.compile(r"(?<![\w_])_(?=[^\s_])(.{1,800}?)(?<=[^\s_])_(?![\w_])", re.DOTALL)
_STARRED = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]{1,200}?)(?<=[^\s*])\*(?![\w*])")
_EQUALLED = re.compile(r"(?<![\w=])=(?=[^\s=])([^=\n]{1,200}?)(?<=[^\s=])=(?![\w=])")
# As Aozora Bunko writes readings and remarks: ｜漢字《かんじ》, 漢字《かんじ》, ［＃ここから２字下げ］.
_RUBY = re.compile(r"(?:｜(?P<marked>[^《｜\n]{1,30})|(?P<han>[々〆\u3400-\u9fff]{1,20}))《(?P<ruby>[^》\n]{1,40})》")
_REMARK = re.compile(r"［＃[^］\n]{0,200}］")


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    end: int  # the paragraph after it: its title may be a paragraph of its own
    numbered: bool = True


def tree_of(text: str) -> Element:
    """The text as a tree of HTML."""
    paragraphs = paragraphs_of(_with_pages(text))
    headings = _headings(paragraphs)
    contents = _contents(paragraphs, headings)
    notes = any(_NOTE.fullmatch(paragraph.text) for paragraph in paragraphs)
    made: list[str] = []
    index = 0
    while index < len(paragraphs):
        if index in contents:
            end = contents[index]
            lines = "".join(f"<p>{_lines(paragraph)}</p>" for paragraph in paragraphs[index:end])
            made.append(f'<section role="doc-toc">{lines}</section>')
        elif index in headings:
            level, end = headings[index].level, headings[index].end
            inner = "<br/>".join(_lines(paragraph) for paragraph in paragraphs[index:end])
            made.append(f"<h{level}>{inner}</h{level}>")
        else:
            end = index + 1
            made.append(_paragraph(paragraphs[index], notes))
        index = end
    root, _ = parse_document(f"<html><body>{''.join(made)}</body></html>".encode())
    return root


def _with_pages(text: str) -> str:
    """The text with a sign before the numbers of its pages, where there are several."""
    text = text.replace(_PAGED, "")
    for pattern, made in ((_FOOT, rf"\n{_PAGED}\1\n\f"), (_HEAD, rf"\f\n{_PAGED}\1\n")):
        if len(pattern.findall(text)) >= _FEWEST_PAGES:
            text = pattern.sub(made, text)
    return text


def _paragraph(paragraph: Paragraph, notes: bool) -> str:
    if paragraph.text.startswith(_PAGED):
        return f'<p class="pagenum">{html.escape(paragraph.text[1:])}</p>'
    if notes and (note := _NOTE.fullmatch(paragraph.text)):
        return (
            f'<aside role="doc-footnote" id="note-{html.escape(note["mark"])}"><p>{_inline(note["text"])}</p></aside>'
        )
    if picture := _PICTURE.fullmatch(paragraph.text):
        return f'<p><img src="" alt="{html.escape(picture["text"], quote=True)}"/></p>'
    if paragraph.lines_count > 1 and paragraph.is_verse:
        return f'<p class="verse">{_lines(paragraph, notes)}</p>'
    return f"<p>{_inline(paragraph.text, notes)}</p>"


def _lines(paragraph: Paragraph, notes: bool = False) -> str:
    return _inline(paragraph.text, notes).replace("\n", "<br/>\n")


def _inline(text: str, notes: bool = False) -> str:
    """Text as markup: its emphasis, notes and readings; the signs that stood for them are no text."""
    made = html.escape(text, quote=False)
    for sign, name in ((_UNDERSCORED, "i"), (_STARRED, "b"), (_EQUALLED, "b")):
        made = sign.sub(rf"<{name}>\1</{name}>", made)
    if notes:
        made = _MARK.sub(r'<a role="doc-noteref" href="#note-\g<mark>">[\g<mark>]</a>', made)
    if "《" in made:
        made = _RUBY.sub(lambda m: f"<ruby>{m['marked'] or m['han']}<rt>{m['ruby']}</rt></ruby>", made)
    if "［＃" in made:
        made = _REMARK.sub(lambda m: f'<span hidden="hidden">{m[0]}</span>', made)
    return made


def _headings(paragraphs: Sequence[Paragraph]) -> dict[int, _Heading]:
    """Paragraph → heading, by words; where no chapter is numbered in words by bare numbers, or else by capitals."""
    found: dict[int, _Heading] = {}
    for index, paragraph in enumerate(paragraphs):
        if paragraph.lines_count <= 3 and (heading := _by_words(paragraphs, index)):
            found[index] = heading
    if not any(heading.numbered for heading in found.values()):
        more = _by_numbers(paragraphs) or ({} if found else _by_capitals(paragraphs))
        found |= {index: heading for index, heading in more.items() if index not in found}
    return found


def _by_words(paragraphs: Sequence[Paragraph], index: int) -> _Heading | None:
    paragraph = paragraphs[index]
    heading = heading_of(paragraph.first)
    if heading is None:
        return None
    rest = paragraph.text.partition("\n")[2]
    if rest:
        if heading_of(rest.partition("\n")[0]) or not (
            heading_of(paragraph.text) or (heading.bare and is_subtitle(rest))
        ):
            return None
        return _Heading(heading.level, index + 1, heading.numbered)
    return _Heading(heading.level, _end(paragraphs, index) if heading.bare else index + 1, heading.numbered)


def _end(paragraphs: Sequence[Paragraph], index: int) -> int:
    """The paragraph after a bare heading, or after the title that follows it."""
    after = paragraphs[index + 1 : index + 3]
    if len(after) < 2 or after[0].lines_count > 2 or after[0].gap > 3 or heading_of(after[0].first):
        return index + 1
    return index + 2 if is_subtitle(after[0].text) else index + 1


def _by_numbers(paragraphs: Sequence[Paragraph]) -> dict[int, _Heading]:
    """Numbers that stand alone and count up from 1, at least to 3; they may begin again."""
    found: dict[int, _Heading] = {}
    last = highest = 0
    for index, paragraph in enumerate(paragraphs):
        if paragraph.lines_count > 1 or (number := bare_number(paragraph.text)) is None:
            continue
        if number in (1, last + 1):
            found[index] = _Heading(2, _end(paragraphs, index))
            last, highest = number, max(highest, number)
    return found if highest >= 3 else {}


def _by_capitals(paragraphs: Sequence[Paragraph]) -> dict[int, _Heading]:
    """Lines in capitals with room above them, if there are several and text between them."""
    found = {
        index: _Heading(2, index + 1)
        for index, paragraph in enumerate(paragraphs)
        if paragraph.lines_count == 1 and paragraph.gap >= 2 and index and is_shouted(paragraph.text)
    }
    found = {
        index: heading for index, heading in found.items() if index + 1 not in found and index + 1 < len(paragraphs)
    }
    return found if len(found) >= 2 else {}


def _contents(paragraphs: Sequence[Paragraph], headings: dict[int, _Heading]) -> dict[int, int]:
    """First paragraph → the one after it, of the lists of chapters that stand in front of them."""
    found: dict[int, int] = {}
    index, limit = 0, max(60, len(paragraphs) // 3)
    while index < min(limit, len(paragraphs)):
        end = index
        if _CONTENTS.fullmatch(" ".join(paragraphs[index].text.split()).strip(" .:_")):
            end = _end_of_list(paragraphs, headings, index + 1)
        elif _is_list(paragraphs[index]):
            end = index + 1
        elif index in headings and (run := _run_of_headings(headings, index)) >= 4:
            # The last of them, with the part that it begins, is what the list led up to.
            ends = sorted(headings)
            last = [at for at in ends if at >= index][run - 1]
            before = [at for at in ends if at < last][-1]
            end = before if headings[before].level == PART and run > 4 else last
        if end > index:
            found[index] = end
        index = max(end, index + 1)
    return found


def _run_of_headings(headings: dict[int, _Heading], index: int) -> int:
    """How many headings follow each other with nothing between them."""
    run = 0
    while index in headings:
        run, index = run + 1, headings[index].end
    return run


def _is_list(paragraph: Paragraph) -> bool:
    lines = paragraph.text.split("\n")
    entries = sum(heading_of(_LEADERS.sub("", line)) is not None for line in lines)
    paged = sum(_LEADERS.search(line) is not None for line in lines)
    return len(lines) >= 3 and max(entries, paged) >= 0.6 * len(lines)


def _end_of_list(paragraphs: Sequence[Paragraph], headings: dict[int, _Heading], start: int) -> int:
    """Where a list of contents ends: at prose, or where its first line stands again as a heading."""
    lines: list[str] = []
    for index in range(start, min(start + _FEW_CONTENTS, len(paragraphs))):
        paragraph = paragraphs[index]
        again = index in headings and any(line.startswith(_bare(paragraph.first)) for line in lines[:3])
        if again and index > start:
            return index
        if paragraph.is_prose and not _is_list(paragraph):
            back = index
            while back > start and back - 1 in headings and index - back < 3:
                back -= 1
            return back
        lines += [_bare(line) for line in paragraph.text.split("\n")]
    return start


def _bare(line: str) -> str:
    return re.sub(r"[\W_]+", "", _LEADERS.sub("", line)).casefold()
