"""What is unusual about an EPUB and costs the listener nothing, in sentences: so that a bad file is known for one."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from server.library.container import Container, FileMissingError, FileUnreadableError
from server.library.markup import Element, attribute, is_well_formed, parse_xml, tag
from server.library.toc import Entry

_SHOWN = 120  # characters of a name that is shown
_FORBIDDEN = frozenset('"*:<>?\\|\x7f')  # in names of files, by the standard and on many systems
_NO_TYPES = ("application/octet-stream", "text/plain")  # of a page: what a tool writes that knows no type
# File of META-INF → its root, what may stand in it.
_META_FILES = {
    "META-INF/container.xml": ("container", ("rootfiles", "links")),
    "META-INF/encryption.xml": ("encryption", ("encrypteddata", "encryptedkey")),
    "META-INF/signatures.xml": ("signatures", ("signature",)),
}


def of_container(container: Container) -> list[str]:
    """Of the files: how they are named, and what META-INF says of them."""
    found = []
    kind = _read(container, "mimetype") or b""
    if kind.strip() != b"application/epub+zip":
        found.append("The file does not say that it is an EPUB (its mimetype is missing or wrong).")
    elif kind != kind.strip():
        found.append("The file says that it is an EPUB with blanks around the word (in its mimetype).")
    if container.doubled:
        found.append(f"{container.doubled[0][:_SHOWN]} is in the file twice; the later one counts.")
    folded = {name: unicodedata.normalize("NFC", name).casefold() for name in container.names}
    alike = Counter(folded.values())
    if twin := next((name for name, plain in folded.items() if alike[plain] > 1), None):
        found.append(f"{twin[:_SHOWN]} has a namesake in the file that many systems cannot tell from it.")
    if wrong := next((name for name in container.names if _FORBIDDEN & set(name)), None):
        found.append(f"{wrong[:_SHOWN]} has characters in its name that many systems do not allow.")
    if container.mangled:
        found.append(f"{container.mangled[0][:_SHOWN]} is named in an old encoding; its letters may be wrong.")
    return found + [sentence for name in _META_FILES for sentence in _of_meta_file(container, name)]


def _of_meta_file(container: Container, name: str) -> list[str]:
    data = _read(container, name)
    if data is None:
        return []
    root, (kind, children) = parse_xml(data), _META_FILES[name]
    if root is None or not is_well_formed(data):
        return [f"{name} is not well-formed."]
    if tag(root) != kind or any(tag(child) not in (*children, "") for child in root):
        return [f"{name} holds something else than it should."]
    compressions = [attribute(e, "OriginalLength") for e in root.iter() if tag(e) == "compression"]
    if any(not length.isdigit() for length in compressions):
        return [f"{name} does not say how long a compressed file is."]
    return []


def of_package(data: bytes, root: Element, path: str) -> list[str]:
    """Of the package document `root`, read from `data` at `path`."""
    found = []
    if not is_well_formed(data):
        found.append("The package document is not well-formed; it was mended.")
    if not attribute(root, "version"):
        found.append("The package does not say which version of EPUB it is.")
    elif attribute(root, "version").strip()[:1] not in ("2", "3"):
        found.append(f"The package is of version {attribute(root, 'version')[:20]}, which no reader knows any more.")
    if not any(tag(element) == "metadata" for element in root.iter()):
        found.append("The package says nothing of the book: neither title nor author nor language.")
    ids = Counter(name for element in root.iter() if tag(element) and (name := element.get("id")))
    if doubled := next((name for name, times in ids.items() if times > 1), None):
        found.append(f"The package gives the name {doubled[:60]!r} twice; the first one counts.")
    items = [element for element in root.iter() if tag(element) == "item"]
    found += _of_items(items, path)
    if _refines_itself(root):
        found.append("Metadata of the package refine each other in a circle; they are passed over.")
    return found


def _of_items(items: Sequence[Element], path: str) -> list[str]:
    found = []
    if sum("nav" in attribute(item, "properties").split() for item in items) > 1:
        found.append("The package names several tables of contents; the first one with entries counts.")
    if any(attribute(item, "fallback") and attribute(item, "fallback") == item.get("id") for item in items):
        found.append("A file of the package is to be shown by itself where it cannot be shown; that is passed over.")
    hrefs = [attribute(item, "href").strip() for item in items]
    if absolute := next((href for href in hrefs if href.startswith("/")), None):
        found.append(f"{absolute[:_SHOWN]} is given as seen from the root of the book, which many readers do not find.")
    if path.rpartition("/")[2] in (href.removeprefix("./") for href in hrefs):
        found.append("The package lists itself as a part of the book.")
    kinds = [(attribute(item, "media-type").strip().lower(), attribute(item, "href").lower()) for item in items]
    if untyped := sum(not kind for kind, _ in kinds):
        found.append(f"{_count(untyped, 'file')} of the package without a type: the name tells it.")
    wrong = [kind for kind, href in kinds if kind in _NO_TYPES and href.endswith((".xhtml", ".html", ".htm"))]
    return found + mistyped(wrong)


def of_contents(labels: Sequence[Entry], root: Element) -> list[str]:
    """Of a navigation document `root`, whose table of contents has these entries."""
    found = []
    navs = [element for element in root.iter() if tag(element) == "nav"]
    if not any("toc" in f"{attribute(nav, 'type')} {attribute(nav, 'role')}" for nav in navs):
        found.append("No list of the contents page says that it is the table of contents; the first one was taken.")
    if unnamed := sum(not entry.label for entry in labels):
        found.append(f"{_count(unnamed, 'line')} of the contents without a name: the chapter's heading is used.")
    lists = [element for nav in navs for element in nav.iter() if tag(element) in ("ol", "ul")]
    if any(not any(tag(child) == "li" for child in element) for element in lists):
        found.append("A list of the contents page is empty.")
    lines = [child for element in lists for child in element if tag(child) == "li"]
    if any(tag(next(iter(line), None)) in ("ol", "ul") for line in lines if len(line)):
        found.append("A line of the table of contents has lines below it and no name.")
    return found


def unread(pages: Iterable[str]) -> list[str]:
    """Of the pages that are listed and stand in no reading order."""
    names = list(pages)
    if not names:
        return []
    are = "is" if len(names) == 1 else "are"
    told = f"{_count(len(names), 'page')} of the book {are} not in its reading order and not read"
    return [f"{told}, such as {names[0][:_SHOWN]}."]


def mistyped(types: Iterable[str]) -> list[str]:
    """Of the pages whose type, as the package gives it, is not that of a page."""
    kinds = list(types)
    if not kinds:
        return []
    are = "is" if len(kinds) == 1 else "are"
    kind = kinds[0][:60] or "nothing"
    told = f"{_count(len(kinds), 'page')} of the book {are} said to be {kind}"
    return [f"{told}; what is inside shows what they are."]


def _refines_itself(root: Element) -> bool:
    """Whether metadata lead back to themselves by what they refine."""
    leads = {}
    for element in root.iter():
        if tag(element) == "meta" and element.get("id") and attribute(element, "refines"):
            leads[element.get("id")] = attribute(element, "refines").lstrip("#")
    for start in leads:
        seen, at = set(), start
        while at in leads and at not in seen:
            seen.add(at)
            at = leads[at]
        if at in seen:
            return True
    return False


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _read(container: Container, name: str) -> bytes | None:
    try:
        return container.read(name)
    except (FileMissingError, FileUnreadableError):
        return None
