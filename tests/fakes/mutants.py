"""Damaged EPUBs, made from small whole ones: bytes, the ZIP's directory, and the XML inside."""

import io
import random
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tests.epubs import build_epub

RICH = {
    "c1.xhtml": """<h1 id="a">One</h1>
<p>First<a epub:type="noteref" href="#n">1</a> text, so&#173;ft &amp; &#8220;plain&#8221;.</p>
<table><tr><td>a</td><td>b</td></tr></table><ul><li>x<ul><li>y</li></ul></li></ul><pre>code
  more</pre><hr/><ruby>字<rt>ji</rt></ruby><aside epub:type="footnote" id="n"><p>Note.</p></aside>""",
    "c2.xhtml": """<h2>Two</h2>
<p><span class="dropcap">T</span>he end<sup>2</sup>.<br/>So<img src="i.png" alt="a ship"/>.</p>
<svg xmlns="http://www.w3.org/2000/svg"><text>drawn</text></svg><blockquote><p>“Go!”</p></blockquote>""",
    "toc.xhtml": "<h1>Contents</h1><p><a href='c1.xhtml#a'>One</a> <a href='c2.xhtml'>Two</a></p>",
}
TOC = [("One", "c1.xhtml#a"), ("Two", "c2.xhtml"), ("Contents", "toc.xhtml")]
_TOKENS = (
    "<", ">", "&", "</", "/>", "<![CDATA[", "]]>", "<!--", "-->", "<?", "?>", "&lt;", "&nosuch;", "&#0;", "&#x110000;",
    "\x00", "\ufffe", "\ud7ff", "'", '"', "xmlns:x='", "<p>" * 300, "</p>" * 50, "<div>" * 400, "%2e%2e/", "../" * 20,
    "<!DOCTYPE x [<!ENTITY a 'b'><!ENTITY c '&a;&a;&a;'>]>&c;", "<script>", "<title>", "id='a'", "href='#a'",
    "\u202e", "\u0300" * 50, "𝔘" * 40, "x" * 5_000, "<table>" * 100, "<svg><foreignObject><svg>", "<math><mi>",
)  # fmt: skip


def wholes(folder: Path) -> list[bytes]:
    """EPUB 2 and 3, as bytes."""
    versions = ("2.0", "3.0")
    return [build_epub(folder / f"{one}.epub", RICH, toc=TOC, version=one).read_bytes() for one in versions]


def mutants(whole: list[bytes], seed: int, count: int) -> Iterator[bytes]:
    """`count` damaged files, always the same for a seed."""
    random_ = random.Random(seed)
    for _ in range(count):
        make = random_.choice((_bytes, _bytes, _directory, _members, _members, _members))
        yield make(random_.choice(whole), random_)


def _bytes(data: bytes, random_: random.Random) -> bytes:
    """Flipped, inserted, removed or repeated bytes, or an end that is missing."""
    made = bytearray(data)
    for _ in range(random_.randint(1, 8)):
        at = random_.randrange(len(made))
        match random_.randrange(5):
            case 0:
                made[at] = random_.randrange(256)
            case 1:
                made[at:at] = random_.randbytes(random_.randint(1, 64))
            case 2:
                del made[at : at + random_.randint(1, 64)]
            case 3:
                made[at:at] = made[at : at + random_.randint(1, 300)]
            case _:
                del made[max(1, at) :]
        if not made:
            made = bytearray(b"P")
    return bytes(made)


def _directory(data: bytes, random_: random.Random) -> bytes:
    """Numbers of the local headers, the directory or its end are others."""
    made = bytearray(data)
    places = [at for mark in (b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06") for at in _all(data, mark)]
    for _ in range(random_.randint(1, 4)):
        at = random_.choice(places) + random_.randrange(4, 46)
        value = random_.choice((0, 1, 8, 9, 0xFFFF, 0xFFFFFFFF, 0x7FFFFFFF, random_.getrandbits(32)))
        if at + 4 <= len(made):
            struct.pack_into("<I", made, at, value)
    return bytes(made)


def _all(data: bytes, mark: bytes) -> Iterator[int]:
    at = data.find(mark)
    while at >= 0:
        yield at
        at = data.find(mark, at + 1)


def _members(data: bytes, random_: random.Random) -> bytes:
    """Files inside are damaged, renamed, doubled or gone."""
    with zipfile.ZipFile(io.BytesIO(data)) as source:
        members = {name: source.read(name) for name in source.namelist()}
    for _ in range(random_.randint(1, 3)):
        name = random_.choice(list(members))
        content = members[name]
        match random_.randrange(6):
            case 0 | 1:
                members[name] = _text(content, random_)
            case 2:
                members[name] = _bytes(content or b"x", random_)
            case 3:
                members[random_.choice(_NAMES)] = content
            case 4:
                members[name] = content.decode("utf-8", "replace").encode(random_.choice(_CODECS))
            case _ if len(members) > 1:
                del members[name]
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in members.items():
            target.writestr(name, content)
    return made.getvalue()


_NAMES = (
    "../up.xhtml", "/etc/x", "OEBPS/c1.xhtml/x", "OEBPS\\c1.xhtml", "META-INF/encryption.xml", "a" * 200, "é.xhtml",
)  # fmt: skip
_CODECS = ("utf-16", "utf-16-le", "utf-8-sig", "utf-32", "utf-7")


def _text(content: bytes, random_: random.Random) -> bytes:
    """Markup put in or taken out where markup is."""
    text = content.decode("utf-8", "replace")
    for _ in range(random_.randint(1, 5)):
        at = random_.randrange(len(text) + 1)
        match random_.randrange(3):
            case 0:
                text = text[:at] + random_.choice(_TOKENS) + text[at:]
            case 1:
                end = text.find(">", at)
                text = text[:at] + text[end + 1 :] if end > 0 else text[:at]
            case _:
                other = random_.randrange(len(text) + 1)
                text = text[:at] + text[min(at, other) : max(at, other)][:2_000] + text[at:]
    return text.encode("utf-8", "surrogatepass")
