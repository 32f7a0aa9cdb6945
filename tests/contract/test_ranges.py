"""Byte ranges and preconditions, against the examples and rules of RFC 9110."""

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.api.ranges import Entity, PreconditionFailed, Unsatisfiable, answer, parse_range

SIZE = 10_000
MODIFIED = datetime(1994, 11, 15, 12, 45, 26, tzinfo=UTC)
ENTITY = Entity(SIZE, '"xyzzy"', MODIFIED.timestamp())
LAST_MODIFIED = "Tue, 15 Nov 1994 12:45:26 GMT"
LATER = format_datetime(datetime(1995, 1, 1, tzinfo=UTC), usegmt=True)
EARLIER = format_datetime(datetime(1994, 1, 1, tzinfo=UTC), usegmt=True)

WHOLE = None
SINGLE = {
    # 14.1.2: examples for a representation of 10,000 bytes
    "bytes=0-499": (0, 500),
    "bytes=500-999": (500, 1000),
    "bytes=-500": (9500, 10_000),
    "bytes=9500-": (9500, 10_000),
    "bytes=0-0": (0, 1),
    "bytes=-1": (9999, 10_000),
    # "If the last-pos value is absent, or is greater than or equal to the current length … the remainder"
    "bytes=0-": (0, 10_000),
    "bytes=9999-": (9999, 10_000),
    "bytes=0-9999": (0, 10_000),
    "bytes=0-10000": (0, 10_000),
    "bytes=9000-999999999999": (9000, 10_000),
    # "If the selected representation is shorter than the specified suffix-length, the entire representation"
    "bytes=-10000": (0, 10_000),
    "bytes=-20000": (0, 10_000),
    # Safari's probe
    "bytes=0-1": (0, 2),
    # 14.1: range units are case-insensitive; 5.6.1: empty list elements do not count
    "BYTES=0-1": (0, 2),
    "bytes=0-1,": (0, 2),
    "bytes= 0-1 ": (0, 2),
    "bytes=,, 5-6": (5, 7),
}
IGNORED = [
    # 14.2: several ranges may be ignored, and are
    "bytes=500-600,601-999",
    "bytes=0-0,-1",
    "bytes=500-700,601-999",
    # 14.1.1: "An int-range with last-pos less than first-pos is invalid", invalid is ignored
    "bytes=5-1",
    "bytes=500-499",
    # 14.2: "A server that does not understand the range unit MUST ignore"
    "items=0-1",
    "seconds=1-2",
    "bytes",
    "bytes=",
    "bytes=-",
    "bytes=--1",
    "bytes=a-b",
    "bytes=0x0-0x10",
    "bytes=1.5-2",
    "bytes=+1-2",
    "bytes=٠-١",
    "bytes=0-1-2",
    "0-1",
    "",
    "=0-1",
    "bytes 0-1",
    "bytes=" + "0" * 300 + "-1",
    "bytes=0-" + "9" * 40,
]
UNSATISFIABLE = ["bytes=10000-", "bytes=10000-20000", "bytes=99999999-", "bytes=-0"]


@pytest.mark.parametrize(("value", "span"), SINGLE.items())
def test_single_range_gives_its_bytes(value: str, span: tuple[int, int]) -> None:
    reply = answer("GET", {"range": value}, ENTITY)
    assert (reply.status, reply.start, reply.end) == (206, *span)
    assert reply.headers["content-range"] == f"bytes {span[0]}-{span[1] - 1}/{SIZE}"
    assert reply.headers["content-length"] == str(span[1] - span[0])


@pytest.mark.parametrize("value", IGNORED)
def test_ignored_range_gives_the_whole(value: str) -> None:
    reply = answer("GET", {"range": value}, ENTITY)
    assert (reply.status, reply.start, reply.end) == (200, 0, SIZE)
    assert "content-range" not in reply.headers
    assert reply.headers["accept-ranges"] == "bytes"


@pytest.mark.parametrize("value", UNSATISFIABLE)
def test_range_outside_is_unsatisfiable(value: str) -> None:
    with pytest.raises(Unsatisfiable) as caught:
        answer("GET", {"range": value}, ENTITY)
    assert caught.value.size_bytes == SIZE


def test_empty_representation() -> None:
    nothing = Entity(0, '"e"')
    assert answer("GET", {}, nothing).status == 200
    assert answer("GET", {"range": "bytes=-5"}, nothing).status == 200
    with pytest.raises(Unsatisfiable):
        answer("GET", {"range": "bytes=0-"}, nothing)


@given(st.text(max_size=40), st.integers(min_value=0, max_value=300))
def test_any_header_gives_a_span_inside_or_none(text: str, size: int) -> None:
    for value in (text, f"bytes={text}"):
        try:
            span = parse_range(value, size)
        except Unsatisfiable:
            continue
        assert span is None or 0 <= span[0] < span[1] <= size


@given(st.integers(min_value=0, max_value=400), st.integers(min_value=0, max_value=400))
def test_int_range_is_what_slicing_says(first: int, last: int) -> None:
    data = bytes(range(256))
    try:
        span = parse_range(f"bytes={first}-{last}", len(data))
    except Unsatisfiable:
        assert data[first:] == b""
        return
    assert span is None or data[span[0] : span[1]] == data[first : last + 1]
    assert (span is None) == (last < first)


def test_range_is_for_get_alone() -> None:
    reply = answer("HEAD", {"range": "bytes=0-1"}, ENTITY)
    assert (reply.status, reply.headers["content-length"]) == (200, str(SIZE))


@pytest.mark.parametrize(
    ("if_range", "status"),
    [
        ('"xyzzy"', 206),
        ('"other"', 200),
        ('W/"xyzzy"', 200),  # 13.1.5: a weak tag never matches
        (LAST_MODIFIED, 206),
        (LATER, 200),  # exact match only
        (EARLIER, 200),
        ("yesterday", 200),
        ("", 200),
    ],
)
def test_if_range(if_range: str, status: int) -> None:
    assert answer("GET", {"range": "bytes=0-1", "if-range": if_range}, ENTITY).status == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"if-none-match": '"xyzzy"'}, 304),
        ({"if-none-match": 'W/"xyzzy"'}, 304),  # 13.1.2: weak comparison
        ({"if-none-match": '"a", "xyzzy"'}, 304),
        ({"if-none-match": '"a","b"'}, 200),
        ({"if-none-match": "*"}, 304),
        ({"if-none-match": "xyzzy"}, 200),  # no entity tag without quotes
        ({"if-none-match": '"a,xyzzy"'}, 200),  # a comma inside a tag separates nothing
        ({"if-modified-since": LAST_MODIFIED}, 304),
        ({"if-modified-since": LATER}, 304),
        ({"if-modified-since": EARLIER}, 200),
        ({"if-modified-since": "soon"}, 200),
        ({"if-none-match": '"a"', "if-modified-since": LATER}, 200),  # 13.1.3: the tag decides
        ({"if-none-match": '"xyzzy"', "range": "bytes=0-1"}, 304),  # 13.2.2: before Range
        ({"if-match": '"xyzzy"'}, 200),
        ({"if-match": "*"}, 200),
        ({"if-unmodified-since": LATER}, 200),
        ({"if-unmodified-since": LAST_MODIFIED}, 200),
    ],
)
def test_preconditions(headers: dict[str, str], status: int) -> None:
    for method in ("GET", "HEAD"):
        reply = answer(method, headers, ENTITY)
        assert reply.status == status
        assert reply.headers["etag"] == '"xyzzy"'
        if status == 304:
            assert "content-length" not in reply.headers


@pytest.mark.parametrize(
    "headers",
    [
        {"if-match": '"other"'},
        {"if-match": 'W/"xyzzy"'},  # 13.1.1: strong comparison
        {"if-unmodified-since": EARLIER},
        {"if-match": '"other"', "if-none-match": '"xyzzy"'},  # 13.2.2: If-Match first
    ],
)
def test_failed_preconditions(headers: dict[str, str]) -> None:
    with pytest.raises(PreconditionFailed):
        answer("GET", headers, ENTITY)


def test_entity_without_a_date_has_no_date_validators() -> None:
    undated = Entity(SIZE, '"xyzzy"')
    assert "last-modified" not in answer("GET", {}, undated).headers
    assert answer("GET", {"if-modified-since": LATER}, undated).status == 200
    assert answer("GET", {"range": "bytes=0-1", "if-range": LAST_MODIFIED}, undated).status == 200
