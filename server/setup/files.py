"""Small things done to files: hash them, refuse the wrong ones, put them in place by rename."""

import hashlib
import os
from pathlib import Path

from server.errors import SetupError

_CHUNK_BYTES = 1 << 20


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's bytes, as 64 hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def require_sha256(path: Path, expected: str, remedy: str, *, discard: bool) -> None:
    """Raise SetupError unless the file's SHA-256 is `expected`; `remedy` ends the sentence.

    `discard` deletes a wrong file first, so that the next try fetches it afresh instead of taking it up again.
    """
    found = sha256_of(path)
    if found == expected:
        return
    if discard:
        path.unlink()
    raise SetupError(
        f"{path.name} is not what it should be (SHA-256 {found[:12]}…, expected {expected[:12]}…)"
        f"{' and was thrown away' if discard else ''}; {remedy}."
    )


def put_in_place(source: Path, target: Path) -> None:
    """Move a finished file to its place, whole or not at all, and on disk before the call returns."""
    with source.open("rb") as stream:
        os.fsync(stream.fileno())
    source.replace(target)
    sync_folder(target.parent)


def write_whole(path: Path, data: bytes) -> None:
    """Write a small file through a neighbour, so that no reader ever sees a part of it."""
    neighbour = path.with_name(path.name + ".part")
    neighbour.write_bytes(data)
    put_in_place(neighbour, path)


def sync_folder(folder: Path) -> None:
    """Make renames in `folder` survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
