"""A chapter that is told, although its title is one of front or back matter: "Index", "Keep in Touch"."""

import re
from collections.abc import Sequence

from server.library.gather import Block
from server.library.inline import count

COPYRIGHT = re.compile(r"©|\bcopyright\b|all rights reserved|\bISBN\b|no part of this|first published", re.IGNORECASE)
INVITES = re.compile(
    r"newsletter|mailing list|sign(?:ing)? up|subscribe|click here|https?://|www\.|free e-?book|"
    r"facebook|twitter|instagram",
    re.IGNORECASE,
)
LICENCE = re.compile(
    r"smashwords edition|brought to you by feedbooks|this e-?book is licensed for your personal|"
    r"have provided this e-?book to you|thank you for (?:buying|downloading|purchasing) this|"
    r"this e-?book is for the use of anyone anywhere",
    re.IGNORECASE,
)
NUMBERED = re.compile(r"[\[(]?(?:\d+|[*†‡])[\])]?[.:]?\s")
# Titles that a chapter of a story has too: there its text is told, in sentences, and not listed or noted.
STORIES = frozenset(
    ["contents", "illustrations", "index", "advertisement", "advertisements", "copyright", "newsletter", "mailing list",
     "stay in touch", "keep in touch", "discover more", "other titles"]
)  # fmt: skip
_TOLD = 600  # characters of a chapter that is long enough to tell by
_TOLD_SHARE = 0.8
_PARAGRAPH = 160  # characters of a text that is no line of a list
_PARAGRAPH_SHARE = 0.4
_SMALL_PRINT = re.compile(r"work of fiction|coincidental|permission|publish|trademark|\brights\b", re.IGNORECASE)
_ENTRY = re.compile(
    r"(?:chapter|book|part|letter|canto|act|vol(?:ume)?|plate)\.?\s+(?:\d|[ivxlc]+\b)|[ivxlc]+[.:)]|\d", re.IGNORECASE
)


def is_told(blocks: Sequence[Block]) -> bool:
    """Whether a part is told: nearly all of it sentences, without links, figures, notes or words of small print."""
    texts = [block for block in blocks if block.kind != "heading" and block.text]
    size = sum(count(block.text) for block in texts)
    told = [count(block.text) for block in texts if _is_sentences(block)]
    whole = "\n".join(block.text for block in texts)
    return (
        size >= _TOLD
        and sum(told) >= _TOLD_SHARE * size
        and sum(length for length in told if length >= _PARAGRAPH) >= _PARAGRAPH_SHARE * size
        and sum(map(str.isdigit, whole)) <= 0.01 * size
        and not any(sign.search(whole) for sign in (COPYRIGHT, INVITES, LICENCE, _SMALL_PRINT))
        and sum(_ENTRY.match(block.text) is not None for block in texts) <= 2
    )


def _is_sentences(block: Block) -> bool:
    text = block.text.rstrip("”’\"')»")
    spoken = block.kind == "paragraph" and not block.linked and block.matter is None
    return spoken and text[-1:] in ".!?…—" and len(text.split()) > 2 and NUMBERED.match(text) is None
