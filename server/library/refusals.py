"""Why a file will not become a book: each reason its own sentence, with the file's name and the way out."""

import re
import zipfile
from pathlib import Path

from server.errors import BookRefused
from server.library.container import Container, FileMissingError, FileUnreadableError, is_special
from server.library.encodings import is_text
from server.library.kinds import HINTS, KINDS, READ, Kind, suffix_of
from server.library.markup import parse_xml, tag

_HEAD_BYTES = 4096
MAX_TEXT_BYTES = 24 << 20  # of a file that is one text; all of Shakespeare has 5.6 MB
_FONT_ALGORITHMS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
# Files without which the text can be read all the same.
_SIDE_NAME = re.compile(
    r"\.(?:otf|ttf|ttc|woff2?|eot|dfont|pfb|jpe?g|png|gif|webp|svg|css|js|mp[34]|m4[av]|ogg|webm|smil)$", re.IGNORECASE
)

# First bytes → what the file is, and what to do about it.
_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"%PDF", *HINTS[".pdf"]),
    (b"{\\rtf", *HINTS[".rtf"]),
    (b"\xd0\xcf\x11\xe0", *HINTS[".doc"]),
    (b"ITOLITLS", *HINTS[".lit"]),
    (b"AT&TFORM", *HINTS[".djvu"]),
    (b"CONT\x02\x00", *HINTS[".kfx"]),
    (b"Rar!", "a RAR archive", "unpack it and drop the book that is in it"),
    (b"7z\xbc\xaf", "a 7-Zip archive", "unpack it and drop the book that is in it"),
    (b"\x1f\x8b", "a gzip archive", "unpack it and drop the book that is in it"),
    (b"\xff\xd8\xff", "a JPEG image", "look for the book itself"),
    (b"\x89PNG", "a PNG image", "look for the book itself"),
    (b"GIF8", "a GIF image", "look for the book itself"),
    (b"ID3", "an MP3 recording", "Lectern reads text"),
)
_KINDLE_MAGIC = (b"BOOKMOBI", b"TEXtREAd")
_MARKUP = re.compile(
    rb"^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(!doctype html|html)", re.IGNORECASE | re.DOTALL
)


def kind_of(path: Path) -> Kind:
    """What a file may be read as, by its first bytes and its name; a ZIP is an EPUB until its files say otherwise.

    Raises BookRefused for what plainly is no book, before anything opens it as one.
    """
    name = path.name
    if not path.exists():
        raise BookRefused("unreadable", f"{name} is not there any more; copy it again.")
    if is_special(path):
        raise BookRefused("not-epub", f"{name} is neither a file nor a folder; drop the book's file.")
    if path.is_dir():
        return "epub"
    with path.open("rb") as stream:
        head = stream.read(_HEAD_BYTES)
    if not head:
        raise BookRefused(
            "empty", f"{name} is empty (0 bytes); it was not copied or downloaded whole, so get it again."
        )
    _refuse_by_magic(path, head)
    if zipfile.is_zipfile(path):
        return "epub"
    if head.startswith(b"PK\x03\x04"):
        raise BookRefused(
            "damaged", f"{name} is cut short: the end of its ZIP is missing, so copy or download it again."
        )
    return _kind_of_text(path, head)


def _refuse_by_magic(path: Path, head: bytes) -> None:
    name = path.name
    if head.startswith(b"\xd0\xcf\x11\xe0") and suffix_of(name) == ".docx":
        raise BookRefused(
            "drm", f"{name} is a Word document locked with a password; open it in Word and save it without one."
        )
    for magic, what, remedy in _MAGIC:
        if head.startswith(magic) or (magic == b"%PDF" and b"%PDF-" in head[:1024]):  # its readers look so far
            raise BookRefused("not-epub", f"{name} is {what}, which Lectern does not read: {remedy}.")
    if head.startswith((b"\xeaDRMION", b"TPZ")) or (head[60:68] in _KINDLE_MAGIC and _is_locked_kindle(path, head)):
        raise BookRefused(
            "drm",
            f"{name} is a Kindle book with copy protection (Amazon): only Kindle can open it, so Lectern needs a copy "
            "without DRM.",
        )
    if head[60:68] in _KINDLE_MAGIC:
        what, remedy = HINTS[".mobi"]
        raise BookRefused("not-epub", f"{name} is {what}, which Lectern does not read: {remedy}.")


def _is_locked_kindle(path: Path, head: bytes) -> bool:
    """Whether the first record of a Palm database says that the text is encrypted."""
    with path.open("rb") as stream:
        stream.seek(int.from_bytes(head[78:82], "big") + 12)
        return stream.read(2) in (b"\0\1", b"\0\2")


def _kind_of_text(path: Path, head: bytes) -> Kind:
    """The kind of a file that is no ZIP: text of one of the kinds that are read, or none."""
    name, suffix = path.name, suffix_of(path.name)
    kind = KINDS.get(suffix, "epub")
    if b"ns.adobe.com/adept" in head and b"fulfillmentToken" in head:
        suffix = ".acsm"
    if b"<FictionBook" in head[:1024]:
        suffix = ".fb2"
    if suffix in HINTS:
        what, remedy = HINTS[suffix]
        raise BookRefused("not-epub", f"{name} is {what}, which Lectern does not read: {remedy}.")
    if not is_text(head):
        if kind == "epub":
            raise BookRefused("not-epub", f"{name} is not an EPUB: it is no ZIP file, whatever its name says.")
        raise BookRefused(
            "not-epub", f"{name} is no text: its bytes are those of something else, whatever its name says."
        )
    page = _MARKUP.match(head) is not None
    if kind in ("epub", "word"):
        what = "a web page" if page else "plain text"
        as_named, ending = ("an EPUB", ".html" if page else ".txt") if kind == "epub" else ("a Word document", ".txt")
        raise BookRefused(
            "not-epub",
            f"{name} is {what} with the name of {as_named}; get the book itself, or let its name end in {ending} "
            "to have it read as it is.",
        )
    if path.stat().st_size > MAX_TEXT_BYTES:
        raise BookRefused(
            "too-large", f"{name} is {path.stat().st_size >> 20} MB of text, more than any book; split it."
        )
    return "html" if page and kind == "text" else kind


def damaged_zip(name: str, error: Exception) -> BookRefused:
    return BookRefused("damaged", f"{name} is damaged ({str(error).rstrip('.')}); copy or download it again.")


def not_a_package(container: Container) -> BookRefused:
    """The refusal for a container without a package document, by what it holds instead."""
    label = container.label
    names = [name.lower() for name in container.names]
    if any(name.startswith(("ppt/", "xl/")) for name in names):
        return BookRefused("not-epub", f"{label} is slides or a table, not a book; Lectern reads {READ}.")
    if "mimetype" in names and any(name == "content.xml" for name in names):
        what, remedy = HINTS[".odt"]
        return BookRefused("not-epub", f"{label} is {what}, which Lectern does not read: {remedy}.")
    if any(name.startswith("index/") and name.endswith(".iwa") for name in names):
        what, remedy = HINTS[".pages"]
        return BookRefused("not-epub", f"{label} is {what}, which Lectern does not read: {remedy}.")
    if any(name.endswith((".epub", ".fb2")) for name in names):
        return BookRefused("not-epub", f"{label} is an archive with a book in it; unpack it and drop that.")
    if any(name.startswith("meta-inf/") or name.endswith((".xhtml", ".html")) for name in names):
        return BookRefused(
            "damaged", f"{label} has no package document (the .opf that lists its chapters); get the book again."
        )
    if container.is_folder:
        return BookRefused("not-epub", f"{label} is a folder but no unpacked EPUB; give the book's own file.")
    return BookRefused(
        "not-epub", f"{label} is a ZIP archive but not an EPUB; unpack it and drop the book that is in it."
    )


def nothing_to_read(label: str, *, has_images: bool, missing: int) -> BookRefused:
    if missing:
        return BookRefused(
            "nothing-to-read",
            f"{label} lists {missing} chapter file{'s' * (missing != 1)} that it does not hold; get a complete copy.",
        )
    if has_images:
        return BookRefused(
            "nothing-to-read",
            f"{label} holds only pictures, no text that could be read aloud; look for an edition with text.",
        )
    return BookRefused("nothing-to-read", f"{label} holds no text that could be read aloud; get another copy.")


# (a word of rights.xml or encryption.xml, a file beside them, whose protection it is)
_PROTECTIONS = (
    ("itunes.apple.com", "META-INF/sinf.xml", "Apple FairPlay"),
    ("barnesandnoble", "META-INF/bn.xml", "Barnes & Noble"),
    ("ns.adobe.com/adept", "", "Adobe Adept"),
    ("readium.org/2014/01/lcp", "", "Readium LCP"),
    ("kobo", "META-INF/kobo.xml", "Kobo"),
    ("marlin", "", "Sony Marlin"),
)


def refuse_if_protected(container: Container) -> None:
    """Raise BookRefused("drm") with the kind of protection. Obfuscated fonts alone are no protection."""
    locked = _locked_files(container)
    if container.find("META-INF/license.lcpl"):
        raise _drm(container.label, "Readium LCP")
    if not locked:
        return
    said = _text(container, "META-INF/rights.xml") + _text(container, "META-INF/encryption.xml")
    for sign, file, kind in _PROTECTIONS:
        if (sign and sign in said) or (file and container.find(file)):
            raise _drm(container.label, kind)
    raise _drm(container.label, None)


def _drm(label: str, kind: str | None) -> BookRefused:
    by = f" ({kind})" if kind else ""
    return BookRefused(
        "drm",
        f"{label} is copy-protected{by}: only its seller's apps can open it, so Lectern needs a copy without DRM.",
    )


def _locked_files(container: Container) -> list[str]:
    """Names of encrypted files that matter for reading: fonts, pictures and sounds do not."""
    try:
        root = parse_xml(container.read("META-INF/encryption.xml"))
    except (FileMissingError, FileUnreadableError):
        return []
    if root is None:
        return []
    locked = []
    for data in root.iter():
        if tag(data) != "encrypteddata":
            continue
        method = next((e.get("Algorithm", "") for e in data if tag(e) == "encryptionmethod"), "")
        uri = next((e.get("URI", "") for e in data.iter() if tag(e) == "cipherreference"), "")
        if method in _FONT_ALGORITHMS or _SIDE_NAME.search(uri):
            continue
        locked.append(uri)
    return locked


def _text(container: Container, path: str) -> str:
    try:
        return container.read(path).decode("utf-8", "replace").lower()
    except (FileMissingError, FileUnreadableError):
        return ""
