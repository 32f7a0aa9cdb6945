"""The kinds of file that may be a book, by their names; and what else people drop, with the way out for each."""

from typing import Final, Literal

Kind = Literal["epub", "text", "markdown", "html", "word"]

KINDS: Final[dict[str, Kind]] = {
    ".epub": "epub",
    ".txt": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".docx": "word",
}
BOOK_SUFFIXES: Final = tuple(KINDS)
# Those that are also written for other ends than to be read: of them, some in a library folder are passed over.
LOOSE_SUFFIXES: Final = tuple(suffix for suffix in KINDS if suffix not in (".epub", ".docx"))
_CONVERT: Final = "calibre converts it to EPUB"
_UNLOCKED: Final = "calibre converts those without copy protection to EPUB"
_SAVE: Final = "open it in Word or LibreOffice and save it as .docx, or as EPUB"
_UNPACK: Final = "unpack it and put the book that is in it here"
# Suffix → (what it is, the way out): dropped by people who mean them to be read.
HINTS: Final[dict[str, tuple[str, str]]] = {
    ".pdf": ("a PDF", "its pages are pictures of text; get the book as EPUB, or have calibre convert it"),
    ".mobi": ("a Kindle book (MOBI)", _UNLOCKED),
    ".prc": ("a Kindle book (PRC)", _UNLOCKED),
    ".azw": ("a Kindle book (AZW)", _UNLOCKED),
    ".azw3": ("a Kindle book (AZW3)", _UNLOCKED),
    ".azw4": ("a Kindle book (AZW4)", _UNLOCKED),
    ".kfx": ("a Kindle book (KFX)", _UNLOCKED),
    ".acsm": ("a ticket for a book of Adobe's, not the book", "get the book without copy protection"),
    ".rtf": ("an RTF document", _SAVE),
    ".odt": ("an OpenDocument text", _SAVE),
    ".doc": ("an old Word document", _SAVE),
    ".pages": ("a Pages document", "export it from Pages as EPUB"),
    ".fb2": ("a FictionBook", _CONVERT),
    ".docm": ("a Word document with macros", _SAVE),
    ".wpd": ("a WordPerfect document", _SAVE),
    ".mht": ("a web page saved with its pictures", "open it in a browser and save it as HTML"),
    ".mhtml": ("a web page saved with its pictures", "open it in a browser and save it as HTML"),
    ".webarchive": ("a web page saved by Safari", "open it there and save it as page source"),
    ".chm": ("a Windows help file", _CONVERT),
    ".kepub": ("a Kobo book", "let its name end in .epub"),
    ".ibooks": ("a book of Apple's own kind", "export it from iBooks Author as EPUB"),
    ".azw1": ("a Kindle book (Topaz)", _UNLOCKED),
    ".tpz": ("a Kindle book (Topaz)", _UNLOCKED),
    ".lit": ("a Microsoft Reader book", _CONVERT),
    ".djvu": ("a DjVu scan", "its pages are pictures of text; look for an edition as EPUB"),
    ".cbz": ("a comic", "its pages are pictures; look for an edition with text as EPUB"),
    ".cbr": ("a comic", "its pages are pictures; look for an edition with text as EPUB"),
    ".zip": ("an archive", _UNPACK),
    ".rar": ("an archive", _UNPACK),
    ".7z": ("an archive", _UNPACK),
}
HINTED_SUFFIXES: Final = tuple(HINTS)
READ: Final = "EPUB, plain text, Markdown, HTML and Word (.docx)"


def suffix_of(name: str) -> str:
    """The ending of a file's name with its dot, in lower case; "" without one."""
    stem, dot, ending = name.rpartition(".")
    return f".{ending.lower()}" if dot and stem.strip(".") else ""
