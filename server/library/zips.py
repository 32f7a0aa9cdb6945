"""ZIP archives opened as readers open them: a name that is not written as it says costs the name, not the book."""

import io
import struct
import zipfile
from pathlib import Path
from typing import Final

_UTF_8_NAMES: Final = 0x800  # flag of an entry
_LARGEST_BYTES: Final = 512 << 20  # of an archive that is held in memory to be mended
_END: Final = b"PK\x05\x06"
_ENTRY: Final = b"PK\x01\x02"
_ENTRY_BYTES: Final = 46  # before the name


def open_zip(path: Path) -> zipfile.ZipFile:
    """The archive at `path`. Raises zipfile.BadZipFile for whatever is wrong with it, OSError."""
    try:
        return zipfile.ZipFile(path)
    except UnicodeDecodeError as error:
        if path.stat().st_size > _LARGEST_BYTES:
            raise zipfile.BadZipFile("names in it are not written as it says") from error
        return _open(io.BytesIO(_with_honest_names(path.read_bytes())))
    except (ValueError, struct.error, OverflowError, EOFError) as error:
        raise zipfile.BadZipFile(str(error)) from error


def _open(data: io.BytesIO) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(data)
    except (ValueError, struct.error, OverflowError, EOFError) as error:
        raise zipfile.BadZipFile(str(error)) from error


def _with_honest_names(data: bytes) -> bytes:
    """The archive with names that are no UTF-8 not said to be: they are then read byte by byte."""
    mended = bytearray(data)
    end = data.rfind(_END)
    if end < 0 or end + 16 > len(data):
        return data
    (size_bytes,) = struct.unpack_from("<I", data, end + 12)
    at = end - size_bytes
    while 0 <= at <= end - _ENTRY_BYTES and data[at : at + 4] == _ENTRY:
        (flags,) = struct.unpack_from("<H", data, at + 8)
        name, extra, comment = struct.unpack_from("<3H", data, at + 28)
        try:
            data[at + _ENTRY_BYTES : at + _ENTRY_BYTES + name].decode("utf-8")
        except UnicodeDecodeError:
            struct.pack_into("<H", mended, at + 8, flags & ~_UTF_8_NAMES)
        at += _ENTRY_BYTES + name + extra + comment
    return bytes(mended)
