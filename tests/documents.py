"""Small Word documents made by hand, as files: paragraphs with their styles, notes and properties."""

import html
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STYLES = {
    "Title": "Title",
    "Heading1": "heading 1",
    "Heading2": "heading 2",
    "berschrift1": "heading 1",
    "Quote": "Quote",
}


def paragraph(text: str, style: str = "", note: int | None = None) -> str:
    """A paragraph of a style by its id, with the mark of a footnote at its end."""
    kind = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    mark = f'<w:r><w:footnoteReference w:id="{note}"/></w:r>' if note is not None else ""
    return f'<w:p>{kind}<w:r><w:t xml:space="preserve">{html.escape(text)}</w:t></w:r>{mark}</w:p>'


def build_docx(
    path: Path,
    paragraphs: Sequence[str],
    *,
    notes: Mapping[int, str] | None = None,
    properties: str = "",
    files: Mapping[str, str | bytes] | None = None,
) -> Path:
    """Write a Word document of `paragraphs`; `properties` is XML of its core properties."""
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{ident}"><w:name w:val="{name}"/></w:style>'
        for ident, name in STYLES.items()
    )
    footnotes = "".join(
        f'<w:footnote w:id="{number}">{paragraph(text)}</w:footnote>' for number, text in (notes or {}).items()
    )
    entries: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{_TYPES}"><Default Extension="rels" ContentType="application/'
        'vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{_WORD}.document.main+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_RELS}"><Relationship Id="r1" Type="{_OFFICE}/officeDocument" '
        'Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{_RELS}">'
        f'<Relationship Id="s" Type="{_OFFICE}/styles" Target="styles.xml"/>'
        f'<Relationship Id="f" Type="{_OFFICE}/footnotes" Target="footnotes.xml"/></Relationships>',
        "word/document.xml": f"<w:document {_W}><w:body>{''.join(paragraphs)}</w:body></w:document>",
        "word/styles.xml": f"<w:styles {_W}>{styles}</w:styles>",
        "word/footnotes.xml": f"<w:footnotes {_W}>{footnotes}</w:footnotes>",
        "docProps/core.xml": '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/'
        f'core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/">{properties}</cp:coreProperties>',
        **(files or {}),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name, data in entries.items():
            target.writestr(name, data)
    return path
