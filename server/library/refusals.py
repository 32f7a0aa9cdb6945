"""Why a file will not become a book: each reason its own sentence, with the file's name and the way out."""

import re
import zipfile
from pathlib import Path

from server.errors import BookRefused
from server.library.container import Container, FileMissingError, FileUnreadableError, is_special
from server.library.markup import parse_xml, tag

_HEAD_BYTES = 4096
_FONT_ALGORITHMS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
# Files without which the text can be read all the same.
_SIDE_NAME = re.compile(
    r"\.(?:otf|ttf|ttc|woff2?|eot|dfont|pfb|jpe?g|png|gif|webp|svg|css|js|mp[34]|m4[av]|ogg|webm|smil)$", re.IGNORECASE
)

# First bytes → what the file is, and what to do about it.
_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"%PDF", "a PDF", "Lectern reads EPUBs; many books are sold or offered as both, and Calibre converts some PDFs"),
    (b"{\\rtf", "an RTF document", "save it as EPUB from a word processor first"),
    (b"\xd0\xcf\x11\xe0", "an old Word document", "save it as EPUB from a word processor first"),
    (b"Rar!", "a RAR archive", "unpack it and drop the EPUB that is in it"),
    (b"7z\xbc\xaf", "a 7-Zip archive", "unpack it and drop the EPUB that is in it"),
    (b"\x1f\x8b", "a gzip archive", "unpack it and drop the EPUB that is in it"),
    (b"\xff\xd8\xff", "a JPEG image", "look for the book itself"),
    (b"\x89PNG", "a PNG image", "look for the book itself"),
    (b"GIF8", "a GIF image", "look for the book itself"),
    (b"ID3", "an MP3 recording", "Lectern reads text"),
    (b"AT&TFORM", "a DjVu scan", "Lectern needs text, as in an EPUB"),
    (b"\xeaDRMION", "a Kindle book with copy protection", "a seller without copy protection has it as EPUB, perhaps"),
)


def refuse_if_no_book(path: Path) -> None:
    """Raise BookRefused for what plainly is not a readable EPUB, before anything opens it as one."""
    name = path.name
    if not path.exists():
        raise BookRefused("unreadable", f"{name} is not there any more; copy it again.")
    if is_special(path):
        raise BookRefused("not-epub", f"{name} is neither a file nor a folder; drop an EPUB file.")
    if path.is_dir():
        return
    with path.open("rb") as stream:
        head = stream.read(_HEAD_BYTES)
    if not head:
        raise BookRefused(
            "empty", f"{name} is empty (0 bytes); it was not copied or downloaded whole, so get it again."
        )
    for magic, what, remedy in _MAGIC:
        if head.startswith(magic):
            raise BookRefused("not-epub", f"{name} is {what}, not an EPUB: {remedy}.")
    if head[60:68] in (b"BOOKMOBI", b"TEXtREAd"):
        raise BookRefused(
            "not-epub", f"{name} is a Kindle (MOBI) book, not an EPUB; Calibre converts those without DRM."
        )
    if zipfile.is_zipfile(path):
        return
    if head.startswith(b"PK\x03\x04"):
        raise BookRefused(
            "damaged", f"{name} is cut short: the end of its ZIP is missing, so copy or download it again."
        )
    if _is_text(head):
        what = "a web page" if re.search(rb"<(!doctype html|html)", head[:1024], re.IGNORECASE) else "plain text"
        raise BookRefused("not-epub", f"{name} is {what} with the name of an EPUB; Lectern needs the EPUB itself.")
    raise BookRefused("not-epub", f"{name} is not an EPUB: it is no ZIP file, whatever its name says.")


def damaged_zip(name: str, error: Exception) -> BookRefused:
    return BookRefused("damaged", f"{name} is damaged ({str(error).rstrip('.')}); copy or download it again.")


def not_a_package(container: Container) -> BookRefused:
    """The refusal for a container without a package document, by what it holds instead."""
    label = container.label
    names = [name.lower() for name in container.names]
    if any(name.startswith("word/") for name in names):
        return BookRefused("not-epub", f"{label} is a Word document; save it as EPUB from a word processor first.")
    if "mimetype" in names and any(name == "content.xml" for name in names):
        return BookRefused("not-epub", f"{label} is an OpenDocument text; export it as EPUB from LibreOffice first.")
    if any(name.endswith(".epub") for name in names):
        return BookRefused("not-epub", f"{label} is an archive with an EPUB in it; unpack it and drop that.")
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


def refuse_if_protected(container: Container) -> None:
    """Raise BookRefused("drm") with the kind of protection. Obfuscated fonts alone are no protection."""
    locked = _locked_files(container)
    if container.find("META-INF/license.lcpl"):
        raise _drm(container.label, "Readium LCP")
    if not locked:
        return
    if container.find("META-INF/sinf.xml"):
        raise _drm(container.label, "Apple FairPlay")
    rights = _text(container, "META-INF/rights.xml")
    if "adept" in rights:
        raise _drm(container.label, "Adobe Adept")
    if "barnesandnoble" in rights or container.find("META-INF/bn.xml"):
        raise _drm(container.label, "Barnes & Noble")
    if container.find("META-INF/kobo.xml") or "kobo" in rights:
        raise _drm(container.label, "Kobo")
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


def _is_text(head: bytes) -> bool:
    return not any(byte < 9 or 13 < byte < 27 for byte in head)
