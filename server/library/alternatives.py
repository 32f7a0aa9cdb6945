"""What stands for a picture: whether its alternative text is a description that a listener wants to hear.

It is read, as a caption, where the picture stands by itself and its text says what is to be seen. Names of files,
labels such as "Illustration 3", ornaments and logos are silent, and so is what the caption says anyway.
"""

import re

from server.library.markup import Element, attribute, tag
from server.library.rules import BLOCKS, HEADINGS, types

_FEWEST = 3  # words of a description in a figure, or of a picture that is typed as an illustration
_FEWEST_LOOSE = 5  # elsewhere
_OFTEN = 3  # so many pictures of a page with one text are ornaments
_LABEL = re.compile(
    r"(?:(?:image|picture|figure|fig|photo(?:graph)?|illustrations?|illo|img|plate|page|screen ?shot|graphic|map|chart|"
    r"diagram|table|not available|missing|untitled|\d+|[ivxlc]+)[\W_]*)+|\S+\.\w{3,4}|\S+",
    re.IGNORECASE,
)
_MADE_BY_MACHINE = re.compile(r"automatically generated|^image result for", re.IGNORECASE)
_NAMES = (
    "(?:(?:book|front|back|series) )?cover|title ?page|half ?title|logo|ornament|decoration|decorative|divider|"
    "flourish|fleuron|vignette|separator|icon|scene break|section break|line break"
)
_LAST = _NAMES.replace(" )?cover", " )cover")
_ORNAMENT = re.compile(rf"^(?:the |an? |image of (?:the |an? )?)?(?:{_NAMES})\b|\b(?:{_LAST})\W*$", re.IGNORECASE)
_AROUND = re.compile(
    r"(?:^|[-_ :])(?:cover|title-?page|logo|ornament|publisher-logo|decoration|icon)s?(?:$|[-_ ])", re.I
)
_PLAIN_ROLES = frozenset(["presentation", "none", "doc-cover"])


def silent_alternative(image: Element, text: str) -> str | None:
    """Name of the rule that keeps the alternative text of a picture silent, None when it is read as a caption."""
    words = text.split()
    figure = next((outer for outer in image.iterancestors() if tag(outer) == "figure"), None)
    drawn = figure is not None or any("illustration" in kind for kind in types(image))
    if len(words) < (_FEWEST if drawn else _FEWEST_LOOSE) or _says_nothing(text):
        return "image"
    if _is_ornament(image, text):
        return "image-ornament"
    if figure is not None and _bare(text) in _bare(_caption(figure)):
        return "image-repeats"
    if not drawn and not (_stands_alone(image) and _has_company(image)):
        return "image"
    return None


def is_title(heading: Element | None, text: str) -> bool:
    """Whether the alternative text of a picture is all that a heading has to say."""
    return (
        heading is not None
        and not "".join(heading.itertext()).strip()
        and bool(_bare(text))
        and not re.fullmatch(r"\S+\.\w{3,4}", text.strip())
        and not _ORNAMENT.search(text)
    )


def heading_around(image: Element) -> Element | None:
    """The heading that a picture is part of."""
    return next((outer for outer in image.iterancestors() if tag(outer) in HEADINGS), None)


def _says_nothing(text: str) -> bool:
    return _LABEL.fullmatch(text.strip()) is not None or _MADE_BY_MACHINE.search(text) is not None


def _is_ornament(image: Element, text: str) -> bool:
    if (len(text.split()) <= 12 and _ORNAMENT.search(text)) or _ORNAMENT.match(text):
        return True
    near = [image, *list(image.iterancestors())[:3]]
    for element in near:
        names = [*types(element), attribute(element, "class"), attribute(element, "id")]
        if not _PLAIN_ROLES.isdisjoint(names) or any(_AROUND.search(name) for name in names):
            return True
    root = image.getroottree().getroot()
    same = sum(tag(other) == "img" and attribute(other, "alt").strip() == text.strip() for other in root.iter("{*}img"))
    return same >= _OFTEN


def _caption(figure: Element) -> str:
    return "".join("".join(inner.itertext()) for inner in figure.iter() if tag(inner) == "figcaption")


def _bare(text: str) -> str:
    """Letters and digits only, in one case, to compare by."""
    return "".join(filter(str.isalnum, text.casefold()))


def _stands_alone(image: Element) -> bool:
    """Whether there is no text in the line of a picture."""
    top = image
    while (block := top.getparent()) is not None and tag(block) not in BLOCKS:
        top = block
    if block is None or not "".join(block.itertext()).strip():
        return block is not None
    before, after = top.getprevious(), top.getnext()
    beside = (block.text if before is None else before.tail, top.tail, *top.itertext())
    return not any((text or "").strip() for text in beside) and all(
        other is None or tag(other) in BLOCKS or tag(other) in ("img", "br", "") for other in (before, after)
    )


def _has_company(image: Element) -> bool:
    """Whether its page has text: a page that is a picture is a cover, or a plate."""
    body = next((outer for outer in image.iterancestors() if tag(outer) == "body"), None)
    return body is not None and bool("".join(body.itertext()).strip())
