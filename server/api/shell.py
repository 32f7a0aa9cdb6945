"""What the player consists of: the files its page needs, found by following what they name, and one version for all.

The service worker keeps exactly these files, so that the player opens without the server, and no page ever runs on
files of two versions.
"""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from posixpath import dirname, join, normpath
from typing import Final

from server.errors import NotFound

PAGE: Final = "index.html"
WORKER: Final = "sw.js"
_IMPORT: Final = re.compile(r'^(?:import|export|\} from)\b[^"\n]*"(\.{1,2}/[^"]+)"', re.MULTILINE)
_NAMED: Final = re.compile(r'(?:href|src)="/web/([^"]+)"')

Read = Callable[[str], bytes]  # a file of the web folder by its name; raises NotFound


@dataclass(frozen=True, slots=True)
class Shell:
    """`files`: address and SHA-256 of each, the page first; `version` changes whenever one of them does."""

    version: str
    files: dict[str, str]


def shell(read: Read) -> Shell:
    """The files of the player as they are now. Raises NotFound where one of them is missing."""
    found: dict[str, bytes] = {}
    waiting = [PAGE]
    while waiting:
        if (name := waiting.pop(0)) in found:
            continue
        found[name] = read(name)
        waiting += named_in(name, found[name])
    files = {_address(name): hashlib.sha256(body).hexdigest() for name, body in found.items()}
    listed = "\n".join(f"{address} {digest}" for address, digest in sorted(files.items()))
    return Shell(hashlib.sha256(listed.encode()).hexdigest()[:16], files)


def named_in(name: str, body: bytes) -> list[str]:
    """Names of the files that a page or a module of the web folder cannot do without."""
    if name.endswith(".html"):
        return _NAMED.findall(body.decode())
    if name.endswith(".js"):
        return [normpath(join(dirname(name), there)) for there in _IMPORT.findall(body.decode())]
    return []


def worker(read: Read) -> bytes:
    """The service worker, with what it has to keep written in. Raises NotFound where a file is missing.

    Browsers compare it byte for byte: another version of any file is another worker.
    """
    try:
        kept = shell(read)
    except UnicodeDecodeError as error:
        raise NotFound("There is no such page.") from error
    told = json.dumps({"version": kept.version, "files": kept.files}, separators=(",", ":"))
    return f"self.SHELL = {told};\n".encode() + read(WORKER)


def _address(name: str) -> str:
    return "/" if name == PAGE else f"/web/{name}"
