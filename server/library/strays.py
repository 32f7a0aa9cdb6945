"""Files of a library folder that could be read and that nobody meant as books; docs/formats.md lists them.

Only for the folder: what is added by name, on the dashboard or with `lectern add`, is meant, and stays.
"""

import os
import re
from pathlib import Path
from typing import Final

from server.library.kinds import LOOSE_SUFFIXES

LEAST_BYTES: Final = 2_048  # of a text in the folder; shorter ones are mostly notes
MEANT_BYTES: Final = 65_536  # of a text that is a book though its name may be another thing's: Changes_by_Somebody.txt
_NAMES = re.compile(
    r"read[ _-]?me|licen[cs]e|changelog|contributing|code[ _]of[ _]conduct|metadata|robots|requirements|cmakelists|"
    r"index|filelist",
    re.IGNORECASE,
)
_PERHAPS = re.compile(
    rf"(?:{_NAMES.pattern}|copying|copyright|notice|changes|contributors|authors|install(?:ation)?|todo|security|"
    r"torrent[ _]downloaded.*|.*www\..*)(?:[._-].*)?",
    re.IGNORECASE,
)
_SAVED_WITH = ("_files", "-files", ".files", "_archivos", "_fichiers", "-dateien")  # what browsers put beside a page
_SITES = ("index.html", "index.htm", "index.xhtml")
_PAGES = (".html", ".htm", ".xhtml")
# In a folder with one of these, text is part of something else: notes, a program, a site.
_PROJECTS = (
    ".git", ".hg", ".svn", ".obsidian", ".joplin", "package.json", "pyproject.toml", "mkdocs.yml", "Makefile",
    "META-INF",  # an unpacked EPUB whose folder is not called .epub: its pages are no books
)  # fmt: skip


def is_stray(path: Path, root: Path) -> bool:
    """Whether the file at `path`, in the library folder `root`, is passed over there though its name is a book's.

    A file that is gone is judged by its name alone.
    """
    suffix = path.suffix.lower()
    if suffix == ".epub":
        return False
    if any(os.path.lexists(path.with_suffix(ending)) for ending in (".epub", ".EPUB")):
        return True  # another form of a book that is here as EPUB, as calibre exports them
    if suffix not in LOOSE_SUFFIXES:
        return path.is_dir()
    if _NAMES.fullmatch(path.stem) or any(_is_saved(folder, suffix) for folder in _folders(path, root)):
        return True
    if path.parent != root and suffix in _PAGES and any((path.parent / name).exists() for name in _SITES):
        return True
    if any((folder / name).exists() for folder in _folders(path, root) for name in _PROJECTS):
        return True
    try:
        status = path.stat()
    except OSError:
        return _PERHAPS.fullmatch(path.stem) is not None
    least = MEANT_BYTES if _PERHAPS.fullmatch(path.stem) else LEAST_BYTES
    return path.is_dir() or status.st_size < least


def _is_saved(folder: Path, suffix: str) -> bool:
    """Whether a folder is what a browser saved beside a page: but for "Page_files", which says so itself, the page must
    lie there, for a folder may be called "X-Files".
    """
    ending = next((ending for ending in _SAVED_WITH if folder.name.lower().endswith(ending)), None)
    if ending is None:
        return False
    page = folder.name[: -len(ending)]
    beside = any((folder.parent / f"{page}{one}").exists() for one in _PAGES)
    return beside or (ending[0] == "_" and suffix in _PAGES)


def _folders(path: Path, root: Path) -> list[Path]:
    """The folders that `path` lies in, `root` itself left out."""
    return [folder for folder in path.parents if folder != root and folder.is_relative_to(root)]
