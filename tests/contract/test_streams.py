"""Playlists, segments and chapter files over HTTP; that their bytes play is the business of the store's tests."""

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from tests.contract.conftest import BOOK
from tests.contract.household import HEADER_BYTES, PaperHousehold, add_audio

Client = TestClient[Litestar]


def sids(house: PaperHousehold, number: int) -> list[str]:
    return [sentence.id for sentence in house.store.chapter(BOOK, number).sentences]


def stream(number: int, sid: str, kind: str = "stream") -> str:
    return f"/api/v1/books/{BOOK}/chapters/{number}/{kind}/{sid}"


def units(house: PaperHousehold, number: int, sid: str) -> bytes:
    """The access units of a sentence without the priming one, as they stand in its file."""
    index = house.store.chapter(BOOK, number)
    entry = index.sentences[index.position(sid)]
    data = house.store.sentence_path(BOOK, number, sid).read_bytes()
    return data[HEADER_BYTES + (entry.au_sizes or ())[0] :]


def test_playlist_of_a_complete_chapter(client: Client, house: PaperHousehold) -> None:
    reply = client.get(f"{stream(1, sids(house, 1)[0])}/playlist.m3u8")
    assert reply.status_code == 200
    assert reply.headers["content-type"] == "application/vnd.apple.mpegurl"
    assert reply.headers["cache-control"] == "private, no-cache"
    assert "#EXT-X-ENDLIST" in reply.text
    tag = reply.headers["etag"]
    assert client.get(str(reply.url), headers={"if-none-match": tag}).status_code == 304


def test_every_address_of_the_playlist_can_be_fetched(client: Client, house: PaperHousehold) -> None:
    base = stream(1, sids(house, 1)[0])
    lines = client.get(f"{base}/playlist.m3u8").text.splitlines()
    parts = ["init.mp4", *(line for line in lines if line.endswith(".m4s"))]
    assert len(parts) > 1
    for part in parts:
        reply = client.get(f"{base}/{part}")
        assert (reply.status_code, reply.headers["content-type"]) == (200, "audio/mp4")
        head = client.head(f"{base}/{part}")
        assert (head.headers["content-length"], head.content) == (str(len(reply.content)), b"")
        assert client.get(f"{base}/{part}", headers={"range": "bytes=0-7"}).content == reply.content[:8]


def test_playlist_grows_with_the_audio(client: Client, house: PaperHousehold) -> None:
    ids = sids(house, 2)
    url = f"{stream(2, ids[0])}/playlist.m3u8"
    first = client.get(url)
    assert "EVENT" in first.text
    assert "#EXT-X-ENDLIST" not in first.text
    add_audio(house.store, BOOK, 2, ids[2:])
    second = client.get(url, headers={"if-none-match": first.headers["etag"]})
    assert second.status_code == 200
    assert "#EXT-X-ENDLIST" in second.text


def test_stream_on_runs_into_the_next_chapter(client: Client, house: PaperHousehold) -> None:
    start, later = sids(house, 1)[0], sids(house, 2)[0]
    assert client.get(f"{stream(1, start)}/s-{later}.m4s").status_code == 404
    reply = client.get(f"{stream(1, start, 'stream-on')}/s-{later}.m4s")
    assert units(house, 2, later) in reply.content
    assert "#EXT-X-ENDLIST" not in client.get(f"{stream(1, start, 'stream-on')}/playlist.m3u8").text


def test_fragment_of_one_sentence(client: Client, house: PaperHousehold) -> None:
    first, second, *_ = sids(house, 1)
    reply = client.get(f"{stream(1, first)}/s-{second}.m4s")
    assert units(house, 1, second) in reply.content
    assert units(house, 1, first) not in reply.content


def test_nothing_rendered_yet_is_not_found_and_then_there(client: Client, house: PaperHousehold) -> None:
    sid = sids(house, 2)[2]
    assert client.get(f"{stream(2, sid)}/init.mp4").status_code == 404
    assert client.get(f"{stream(2, sid)}/s-{sid}.m4s").status_code == 404
    assert client.get(f"{stream(2, sid)}/playlist.m3u8").status_code == 200
    add_audio(house.store, BOOK, 2, [sid])
    assert client.get(f"{stream(2, sid)}/init.mp4").status_code == 200
    assert client.get(f"{stream(2, sid)}/s-{sid}.m4s").status_code == 200


@pytest.mark.parametrize(
    "part", ["seg-99.m4s", "seg--1.m4s", "seg-x.m4s", "seg-99999999999.m4s", "s-.m4s", "s-..m4s", "x.mp4", "seg-٠.m4s"]
)
def test_parts_that_are_not_there(client: Client, house: PaperHousehold, part: str) -> None:
    reply = client.get(f"{stream(1, sids(house, 1)[0])}/{part}")
    assert reply.status_code in (400, 404)


def test_unknown_start(client: Client) -> None:
    for last in ("playlist.m3u8", "init.mp4", "seg-0.m4s"):
        assert client.get(f"{stream(1, '000000000000-1')}/{last}").status_code == 404


def test_chapter_file_answers_for_any_range(client: Client, house: PaperHousehold) -> None:
    url = f"/api/v1/books/{BOOK}/chapters/1/chapter.m4a"
    whole = client.get(url)
    assert (whole.status_code, whole.headers["content-type"]) == (200, "audio/mp4")
    data = whole.content
    assert int(whole.headers["content-length"]) == len(data)
    assert all(units(house, 1, sid) in data for sid in sids(house, 1))
    for start, end in [(0, 1), (0, 999), (500, 9_000), (len(data) - 3_000, len(data) - 1), (len(data) - 1, 10**9)]:
        reply = client.get(url, headers={"range": f"bytes={start}-{end}", "if-range": whole.headers["etag"]})
        assert (reply.status_code, reply.content) == (206, data[start : end + 1])
    assert client.head(url).headers["content-length"] == str(len(data))


def test_chapter_file_waits_for_the_whole_chapter(client: Client, house: PaperHousehold) -> None:
    url = f"/api/v1/books/{BOOK}/chapters/2/chapter.m4a"
    reply = client.get(url)
    assert (reply.status_code, reply.json()["code"]) == (409, "conflict")
    add_audio(house.store, BOOK, 2, sids(house, 2)[2:])
    assert client.get(url).status_code == 200


def test_deleted_audio_is_gone_from_every_stream(client: Client, house: PaperHousehold) -> None:
    sid = sids(house, 1)[0]
    urls = [f"{stream(1, sid)}/seg-0.m4s", f"/api/v1/books/{BOOK}/chapters/1/chapter.m4a"]
    assert [client.get(url).status_code for url in urls] == [200, 200]
    client.delete(f"/api/v1/books/{BOOK}?what=audio")
    assert [client.get(url).status_code for url in urls] == [404, 409]
