"""What text with kept line breaks is: a program, lines that are meant, or prose that somebody wrapped by hand."""

import re
from statistics import median
from typing import Literal

from server.library.markup import Element, attribute, tag

Kept = Literal["", "code", "lines", "prose"]

_CODE_CLASS = re.compile(
    r"(?:^|[\s_-])(?:(?:source|program|example)?[_-]?(?:code(?:block)?|listing)|program|source|highlight|console|"
    r"terminal|screen|syntax(?:highlighter)?|prettyprint(?:ed)?|brush|lang(?:uage)?(?=-))(?=$|[\s_:\d-])",
    re.I,
)
_SIGNS = frozenset("{}[]()<>=;|\\/@#$%^&~+")
_CODE_SHARE = 0.05  # of its characters are such signs; in prose and verse it is 0.01
_WRAPPED = 50  # characters of a line, as the median: verse is shorter


def kept_as(pre: Element) -> Kept:
    """What the text of a `pre` is."""
    text = "".join(pre.itertext())
    letters = [char for char in text if not char.isspace()]
    coded = any(tag(inner) in ("code", "samp", "kbd") for inner in pre.iter()) or _CODE_CLASS.search(
        attribute(pre, "class")
    )
    if coded or sum(char in _SIGNS for char in letters) > _CODE_SHARE * len(letters):
        return "code"
    # The last line of a paragraph is as long as it happens to be.
    pieces = [piece.split("\n")[:-1] for piece in re.split(r"\n\s*\n", text.strip("\n"))]
    full = [len(line) for lines in pieces for line in lines]
    return "prose" if full and median(full) >= _WRAPPED else "lines"
