"""Byte ranges and preconditions of RFC 9110 (sections 13 and 14): which status, which bytes, which headers.

Pure: nothing here reads a file or knows the web framework. Spans are half-open `[start, end)` in bytes.

A request for several ranges is answered with the whole (14.2 lets a server ignore Range): no player asks for it, and
multipart answers are the known way to make a small request cost much.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import formatdate, parsedate_to_datetime

from server.errors import LecternError

MAX_HEADER_CHARS = 200  # a longer Range, If-Range or list of entity tags is not looked into
# The digits are bounded too: int() of a long string of them is slow.
_SPEC = re.compile(r"([0-9]{0,19})[ \t]*-[ \t]*([0-9]{0,19})", re.ASCII)
_ENTITY_TAG = re.compile(r'(W/)?("[\x21\x23-\x7e\x80-\xff]*")')


class Unsatisfiable(LecternError):
    """The range lies outside the representation; the answer is 416 with `Content-Range: bytes */size`."""

    code = "range-not-satisfiable"

    def __init__(self, size_bytes: int) -> None:
        super().__init__(f"The range lies outside the {size_bytes} bytes there are.")
        self.size_bytes = size_bytes


class PreconditionFailed(LecternError):
    """If-Match or If-Unmodified-Since does not hold; the answer is 412."""

    code = "precondition-failed"


@dataclass(frozen=True, slots=True)
class Entity:
    """What is served: its size, its strong entity tag with the quotes, when it last changed (seconds since 1970)."""

    size_bytes: int
    etag: str
    modified_s: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """`status` 200, 206 or 304, the headers that go with it, and the span of bytes to send (empty for none)."""

    status: int
    headers: dict[str, str]
    start: int
    end: int


def answer(method: str, headers: Mapping[str, str], entity: Entity) -> Reply:
    """Decide how `method` (GET or HEAD) with these request headers (lower-case names) is answered.

    `content-length` is that of the answer to GET, also for HEAD. Raises Unsatisfiable, PreconditionFailed.
    """
    common = {"accept-ranges": "bytes", "etag": entity.etag}
    if entity.modified_s is not None:
        common["last-modified"] = formatdate(entity.modified_s, usegmt=True)
    if precondition_failed(headers, entity):
        raise PreconditionFailed("The file has changed.")
    if not_modified(headers, entity):
        return Reply(304, common, 0, 0)
    span = None
    if method == "GET" and (given := headers.get("range")) is not None and _range_applies(headers, entity):
        span = parse_range(given, entity.size_bytes)
    if span is None:
        return Reply(200, {**common, "content-length": str(entity.size_bytes)}, 0, entity.size_bytes)
    start, end = span
    part = {"content-range": f"bytes {start}-{end - 1}/{entity.size_bytes}", "content-length": str(end - start)}
    return Reply(206, common | part, start, end)


def parse_range(value: str, size_bytes: int) -> tuple[int, int] | None:
    """The one span that a Range header asks for, or None where the header is to be ignored.

    Ignored are: other units, bad syntax, a last byte before the first, several ranges, too long a header.
    Raises Unsatisfiable.
    """
    unit, equals, rest = value.partition("=")
    if len(value) > MAX_HEADER_CHARS or not equals or unit.strip(" \t").lower() != "bytes":
        return None
    specs = [part for raw in rest.split(",") if (part := raw.strip(" \t"))]  # empty list elements do not count (5.6.1)
    if len(specs) != 1 or (match := _SPEC.fullmatch(specs[0])) is None:
        return None
    first, last = match.groups()
    if first:
        return _int_range(int(first), int(last) if last else None, size_bytes)
    return _suffix_range(int(last), size_bytes) if last else None


def _int_range(first: int, last: int | None, size_bytes: int) -> tuple[int, int] | None:
    if last is not None and last < first:
        return None
    if first >= size_bytes:
        raise Unsatisfiable(size_bytes)
    return first, size_bytes if last is None else min(last + 1, size_bytes)


def _suffix_range(length: int, size_bytes: int) -> tuple[int, int] | None:
    if length == 0:
        raise Unsatisfiable(size_bytes)
    if size_bytes == 0:
        return None  # satisfiable by 14.1.2, but no Content-Range can say so: the whole, which is nothing
    return max(0, size_bytes - length), size_bytes


def _range_applies(headers: Mapping[str, str], entity: Entity) -> bool:
    """Whether If-Range, if given, still names this very entity; weak tags never do (13.1.5)."""
    if (value := headers.get("if-range")) is None:
        return True
    value = value.strip(" \t")
    if value.startswith(('"', "W/")):
        return value == entity.etag
    return entity.modified_s is not None and _seconds(value) == int(entity.modified_s)


def precondition_failed(headers: Mapping[str, str], entity: Entity) -> bool:
    """Whether If-Match (strong comparison) or, without it, If-Unmodified-Since does not hold."""
    if (tags := headers.get("if-match")) is not None:
        return not _among(tags, entity.etag, weak=False)
    if (since := headers.get("if-unmodified-since")) is not None and entity.modified_s is not None:
        moment = _seconds(since)
        return moment is not None and int(entity.modified_s) > moment
    return False


def not_modified(headers: Mapping[str, str], entity: Entity) -> bool:
    """Whether If-None-Match (weak comparison) or, without it, If-Modified-Since says the client has it already."""
    if (tags := headers.get("if-none-match")) is not None:
        return _among(tags, entity.etag, weak=True)
    if (since := headers.get("if-modified-since")) is not None and entity.modified_s is not None:
        moment = _seconds(since)
        return moment is not None and int(entity.modified_s) <= moment
    return False


def _among(tags: str, etag: str, *, weak: bool) -> bool:
    if tags.strip(" \t") == "*":
        return True
    # Cutting a long list only costs a client its 304: the tags that are looked at still decide alone.
    found = _ENTITY_TAG.findall(tags[: 8 * MAX_HEADER_CHARS])
    return any(tag == etag and (weak or not mark) for mark, tag in found)


def _seconds(value: str) -> int | None:
    """An HTTP date as seconds since 1970; None for anything else."""
    try:
        return int(parsedate_to_datetime(value[:MAX_HEADER_CHARS]).timestamp())
    except (ValueError, OverflowError, IndexError, TypeError):
        return None
