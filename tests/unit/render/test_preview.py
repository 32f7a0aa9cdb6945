"""Previews in the render process: read with real pronunciation, said with tones, and asked for through the pipe."""

import asyncio
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from server.config import Settings
from server.errors import BadRequest, NotFound, RenderError
from server.render.aac import decode
from server.render.g2p import G2P
from server.render.index import SAMPLE_RATE
from server.render.messages import PREVIEWS, PassDone, PassRequest, PreviewRequest, encode
from server.render.messages import decode as decode_message
from server.render.preview import KEPT, Previewer
from server.render.store import Store
from server.render.supervisor import Supervisor
from tests.fakes.books import make_book
from tests.fakes.synth import ENGINE, FakeSynth

NAME = "0123456789abcdef0123456789abcdef"


def request(text: str = "The Pequod sailed.", **changes: object) -> PreviewRequest:
    given: dict[str, object] = {
        "id": 7, "text": text, "voice": "af_heart", "book": None, "rules": "", "inline": False, "audio": None,
    }  # fmt: skip
    return PreviewRequest(**{**given, **changes})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def american() -> G2P:
    return G2P()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "store")
    (source := tmp_path / "talk.epub").write_bytes(b"talk")
    made.put_book(
        make_book([["The lamp went out.", "It rained."]]),
        source=source,
        voice="af_heart",
        engine=ENGINE,
        bitrate=48_000,
        added=datetime(2026, 1, 2, tzinfo=UTC),
    )
    return made


@pytest.fixture
def previewer(store: Store, american: G2P) -> Previewer:
    return Previewer(store, FakeSynth(), lambda _voice: american, store.root.parent / PREVIEWS, 48_000)


def never() -> bool:
    return False


def phonemes(previewer: Previewer, order: PreviewRequest) -> str:
    return " ".join(line["phonemes"] for line in previewer.preview(order, never).lines)


def test_a_message_comes_through_whole() -> None:
    assert decode_message(encode(request(rules="a = b", audio=NAME))) == request(rules="a = b", audio=NAME)


def test_it_is_said_into_a_file_that_is_as_long_as_it_says(previewer: Previewer, store: Store) -> None:
    done = previewer.preview(request("The lamp went out. It rained.", audio=NAME), never)
    heard = decode((store.root.parent / PREVIEWS / f"{NAME}.m4a").read_bytes())
    assert 0 <= len(heard) - done.audio_samples < 3 * 1_024
    times = [word["end_s"] for line in done.lines for word in line["words"]]
    assert times == sorted(times) and times[-1] * SAMPLE_RATE < done.audio_samples


def test_rules_of_house_book_and_trial_hold_in_this_order(previewer: Previewer, store: Store) -> None:
    book = store.books()[0]
    (store.root / "lexicon").mkdir()
    (store.root / "lexicon" / "household.txt").write_text("Pequod = /hˈWs/\nsailed = /hˈWst/\n", encoding="utf-8")
    assert phonemes(previewer, request()) == "ðə hˈWs hˈWst."
    (store.book_folder(book) / "overrides.txt").write_text("Pequod = /bˈʊk/\n", encoding="utf-8")
    assert phonemes(previewer, request()) == "ðə hˈWs hˈWst."
    assert phonemes(previewer, request(book=book)) == "ðə bˈʊk hˈWst."
    assert phonemes(previewer, request(book=book, rules="Pequod = /tɹˈIəl/")) == "ðə tɹˈIəl hˈWst."


def test_a_trial_with_a_mistake_is_named_by_line(previewer: Previewer) -> None:
    done = previewer.preview(request(rules="Pequod = /pˈikwɑd/\nsailed = /§/"), never)
    assert done.lines[0]["phonemes"].startswith("ðə pˈikwɑd ")
    assert len(done.problems) == 1 and "line 2" in done.problems[0]


def test_forms_in_the_text_are_obeyed_only_where_that_is_asked(previewer: Previewer) -> None:
    text = "The [Grulnifex](/bˈʊbəl/) sailed."
    done = previewer.preview(request(text, inline=True), never)
    assert done.lines[0]["sentence"] == "The Grulnifex sailed." and "bˈʊbəl" in done.lines[0]["phonemes"]
    assert "bˈʊbəl" not in phonemes(previewer, request(text))
    with pytest.raises(BadRequest):
        previewer.preview(request("The [Grulnifex](/§/) sailed.", inline=True), never)


def test_a_text_with_nothing_to_say_is_a_short_silence(previewer: Previewer, store: Store) -> None:
    done = previewer.preview(request("* * *", audio=NAME), never)
    assert (done.lines, done.audio_samples) == ((), 0)
    assert not decode((store.root.parent / PREVIEWS / f"{NAME}.m4a").read_bytes()).any()


def test_only_the_newest_are_kept(previewer: Previewer, store: Store) -> None:
    folder = store.root.parent / PREVIEWS
    folder.mkdir()
    for number in range(KEPT + 5):
        (folder / f"{number:032x}.m4a").write_bytes(b"old")
    previewer.preview(request(audio=NAME), never)
    assert len(list(folder.iterdir())) == KEPT and (folder / f"{NAME}.m4a").exists()


@pytest.mark.parametrize("name", ["../up", "", ".hidden"])
def test_a_name_leads_nowhere_else(previewer: Previewer, name: str) -> None:
    with pytest.raises(RenderError, match="no name"):
        previewer.preview(request(audio=name), never)


@pytest.fixture
async def supervisor(store: Store) -> AsyncIterator[Supervisor]:
    command = (sys.executable, "-m", "tests.fakes.worker")
    made = Supervisor(Settings(data=store.root.parent), ENGINE, command=command)
    try:
        yield made
    finally:
        await made.end()


async def test_the_process_reads_says_and_goes_on(supervisor: Supervisor, store: Store) -> None:
    done = await supervisor.preview(request(audio=NAME))
    assert done.id == 7 and done.lines[0]["phonemes"] == "the pequod sailed."
    assert (store.root.parent / PREVIEWS / f"{NAME}.m4a").exists()
    book = store.books()[0]
    with pytest.raises(NotFound):
        await supervisor.preview(request(book="f" * 16))
    with pytest.raises(RenderError, match="The engine refuses this"):
        await supervisor.preview(request("Please refuse.", audio=NAME))
    assert isinstance(await supervisor.render(PassRequest(1, book, 1, None, "usual")), PassDone)


async def test_a_process_that_dies_of_a_preview_comes_back(supervisor: Supervisor) -> None:
    with pytest.raises(RenderError):
        await supervisor.preview(request("Now crash.", audio=NAME))
    async with asyncio.timeout(30):
        assert (await supervisor.preview(request())).lines
