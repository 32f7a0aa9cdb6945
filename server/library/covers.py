"""The picture on the shelf: what the package names as cover, else what looks like one."""

import re

from server.library.container import Container, FileMissingError, FileUnreadableError, resolve
from server.library.epub import Publication
from server.library.markup import attribute, parse_document, tag

MAX_COVER_BYTES = 12 << 20
_MAGIC = ((b"\xff\xd8\xff", "image/jpeg"), (b"\x89PNG\r\n\x1a\n", "image/png"), (b"GIF8", "image/gif"))
_NAME = re.compile(r"(?:^|[^a-z])(?:front)?cover", re.IGNORECASE)


def find_cover(container: Container, publication: Publication) -> tuple[bytes, str] | None:
    """(bytes, media type) of the cover as JPEG, PNG, GIF or WebP; None where there is none that can be shown."""
    for path in _candidates(container, publication):
        try:
            data = container.read(path)
        except (FileMissingError, FileUnreadableError):
            continue
        if (kind := image_type(data)) and len(data) <= MAX_COVER_BYTES:
            return data, kind
    return None


def image_type(data: bytes) -> str | None:
    """Media type of an image by its first bytes; None for what is none that every browser shows."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _MAGIC if data.startswith(magic)), None)


def _candidates(container: Container, publication: Publication) -> list[str]:
    items = publication.items
    found = [item.path for item in items.values() if "cover-image" in item.properties]
    if named := items.get(publication.cover_id):
        found.append(named.path)
    pages = [mark.path for mark in publication.landmarks if mark.kind == "cover"]
    # Some packages name the cover page where they should name the picture.
    pages += [path for path in found if path.lower().endswith((".xhtml", ".html", ".htm", ".svg"))]
    for path in pages:
        found += _images_of(container, path)
    images = [item.path for item in items.values() if item.media_type.startswith("image/")]
    found += [path for path in images if _NAME.search(path.rpartition("/")[2])]
    if publication.spine:
        found += _images_of(container, publication.spine[0].path)
    return list(dict.fromkeys(found))


def _images_of(container: Container, path: str) -> list[str]:
    """Paths of the images that a page shows."""
    try:
        root, _ = parse_document(container.read(path))
    except (FileMissingError, FileUnreadableError):
        return []
    if root is None:
        return []
    sources = [
        attribute(element, "src") or attribute(element, "href")
        for element in root.iter()
        if tag(element) in ("img", "image")
    ]
    return [target[0] for source in sources if (target := resolve(path, source))]
