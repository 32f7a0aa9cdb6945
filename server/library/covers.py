"""The picture on the shelf: what the package names as cover, else what looks like one."""

import re
from collections.abc import Iterator

from server.library.container import Container, FileMissingError, FileUnreadableError, resolve
from server.library.epub import Publication
from server.library.markup import Element, attribute, parse_document, tag
from server.library.package import Item
from server.library.pictures import Picture, picture_of

_MAX_TRIED = 12  # pictures that are looked at before the book counts as one without a cover
_NAME = re.compile(r"(?:^|[^a-z])(?:front)?cover", re.IGNORECASE)
_PAGE = re.compile(r"\.(?:x?html?|svg|xml)$", re.IGNORECASE)
_PICTURE_GUIDES = ("other.ms-coverimage-standard", "other.ms-coverimage", "cover-image", "thumbimagestandard")
_FEW_WORDS = 200  # characters; a page with more than this beside its picture is no cover


def find_cover(container: Container, publication: Publication) -> Picture | None:
    """The cover, by the first candidate that is a picture to be shown; None where there is none."""
    tried: set[str] = set()
    for path, guessed in _candidates(container, publication):
        name = container.find(path)
        if name is None or name in tried:
            continue
        if len(tried) >= _MAX_TRIED:
            return None
        tried.add(name)
        try:
            picture = picture_of(container.read(path), guessed=guessed)
        except (FileMissingError, FileUnreadableError):
            continue
        if picture is not None:
            return picture
    return None


def _candidates(container: Container, publication: Publication) -> Iterator[tuple[str, bool]]:
    """(path, whether it only looks like a cover), the surest first."""
    named = _named(publication)
    yield from ((path, False) for path in named if not _PAGE.search(path))
    pages = [mark.path for mark in publication.landmarks if mark.kind == "cover"]
    # Some packages name the cover page where they should name the picture.
    pages += [path for path in named if _PAGE.search(path)]
    for page in dict.fromkeys(pages):
        root = _tree(container, page)
        yield from ((path, False) for path in _images_of(root, page)[:2])
    images = [item for item in publication.items.values() if item.media_type.startswith("image/")]
    yield from ((item.path, False) for item in images if _is_called_cover(item))
    if publication.spine:
        first = publication.spine[0].path
        root = _tree(container, first)
        shown = _images_of(root, first)
        if root is not None and len(shown) == 1 and len("".join("".join(root.itertext()).split())) <= _FEW_WORDS:
            yield shown[0], True


def _named(publication: Publication) -> list[str]:
    """What the package calls its cover: by property, by meta (an id, or against the rules a path), in the guide."""
    items = publication.items
    found = [item.path for item in items.values() if "cover-image" in item.properties]
    if publication.cover_id in items:
        found.append(items[publication.cover_id].path)
    elif publication.cover_id and (target := resolve(publication.path, publication.cover_id)):
        found.append(target[0])
    return found + [mark.path for mark in publication.landmarks if mark.kind in _PICTURE_GUIDES]


def _is_called_cover(item: Item) -> bool:
    return _NAME.search(item.path.rpartition("/")[2]) is not None or _NAME.search(item.id) is not None


def _tree(container: Container, path: str) -> Element | None:
    try:
        return parse_document(container.read(path))[0]
    except (FileMissingError, FileUnreadableError):
        return None


def _images_of(root: Element | None, path: str) -> list[str]:
    """Paths of the images that a page shows."""
    if root is None:
        return []
    sources = [
        attribute(element, "src") or attribute(element, "href")
        for element in root.iter()
        if tag(element) in ("img", "image")
    ]
    return [target[0] for source in sources if (target := resolve(path, source))]
