"""A device made to lie: real render processes with the real model, and what becomes of the sentences."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from server.render import gate
from server.render.aac import decode
from server.render.engine import kokoro_engine
from server.render.index import SentenceEntry
from server.render.messages import PassBegun
from server.setup import check_models, doctor
from server.views import worker_view
from tests.fakes.books import make_book
from tests.unit.render.test_planner import Bench

pytestmark = [pytest.mark.speech, pytest.mark.timeout(300)]

LIAR = (sys.executable, "-m", "tests.fakes.liar")
BOOK = [["No one moved."], ["It is late."]]  # a chapter each: two passes


@pytest.fixture
def bench(tmp_path: Path, models: Path) -> Bench:
    (tmp_path / "models").symlink_to(models)
    return Bench(tmp_path, LIAR, kokoro_engine(check_models(models).weights_sha256))


async def render(bench: Bench, until: Callable[[], bool] | None = None) -> str:
    """A book of two passes, rendered as far as it goes; gives its id."""
    book = bench.put(make_book(BOOK))
    async with bench.running():
        await bench.until(until or (lambda: bench.planner.state in ("idle", "down")))
        assert until or bench.planner.state == "idle", bench.planner.detail
    return book


def entries(bench: Bench, book: str) -> list[tuple[int, SentenceEntry]]:
    return [(number, entry) for number in (1, 2) for entry in bench.store.chapter(book, number).sentences]


def is_speech_throughout(bench: Bench, book: str) -> bool:
    """Every sentence is there, none given up, and what a listener hears of each is speech."""
    for chapter, entry in entries(bench, book):
        assert entry.failed is None and entry.rendered and not {"noisy", "quiet"} & set(entry.gate or ())
        audio = decode(bench.store.sentence_path(book, chapter, entry.id).read_bytes())
        assert gate.check(audio, len(entry.text)) == []
    return True


async def test_what_lies_with_tf32_computes_without(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LECTERN_TEST_LIES", "tf32")
    assert is_speech_throughout(bench, await render(bench))
    assert bench.supervisor.compute == "no-tf32"
    seen = worker_view(bench.planner)
    assert "TF32" in (seen.warning or "")
    told = [event.data["warning"] for event in bench.seen if event.kind == "render.state"]
    assert told[0] is None and told[-1] == seen.warning
    monkeypatch.setattr(doctor, "ask_running", lambda _settings: {"worker": seen.model_dump()})
    check = doctor.numbers_right(bench.settings)
    assert (check.ok, check.detail) == (None, seen.warning)
    assert "slower" in (check.remedy or "")


async def test_a_gpu_that_goes_bad_between_two_passes_leaves_no_wrong_sentence(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bad = tmp_path / "bad"
    monkeypatch.setenv("LECTERN_TEST_LIES", "gpu")
    monkeypatch.setenv("LECTERN_TEST_LIES_AFTER", str(bad))
    began = bench.supervisor.on_begin

    def go_bad(begun: PassBegun) -> None:
        began(begun)
        if begun.id == 2:
            bad.touch()

    bench.supervisor.on_begin = go_bad
    book = await render(bench)
    assert is_speech_throughout(bench, book)
    assert bench.supervisor.compute == "cpu"
    assert "CPU" in (bench.planner.warning or "")


async def test_a_lie_that_the_check_does_not_see_is_heard(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LECTERN_TEST_LIES", "tf32")
    monkeypatch.setenv("LECTERN_TEST_LIES_UNSEEN", "yes")
    assert is_speech_throughout(bench, await render(bench))
    assert bench.supervisor.compute == "no-tf32"


async def test_a_sentence_that_is_noise_everywhere_blames_no_device(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.render.blame.CRASHES", 1)
    monkeypatch.setenv("LECTERN_TEST_LIES", "cpu")
    monkeypatch.setenv("LECTERN_TEST_LIES_UNSEEN", "yes")
    monkeypatch.setenv("LECTERN_TEST_LIES_AFTER", str(bench.settings.data / "bad"))
    (bench.settings.data / "bad").touch()
    book = bench.put(make_book([["No one moved."]]))
    async with bench.running():
        await bench.until(lambda: bench.store.chapter(book, 1).sentences[0].failed is not None)
        (bench.settings.data / "bad").unlink()
        other = bench.put(make_book([["It is late."]], title="Another"))
        bench.planner.wake()
        await bench.until(lambda: bench.rendered(other) == 1)
    assert (bench.supervisor.compute, bench.planner.warning) == ("device", None)


async def test_where_even_the_cpu_lies_nothing_is_stored_and_no_sentence_is_blamed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LECTERN_TEST_LIES", "cpu")
    book = await render(bench, lambda: bench.planner.state == "down")
    assert "wrong on the CPU too" in (bench.planner.detail or "")
    assert [(entry.rendered, entry.failed) for _, entry in entries(bench, book)] == [(False, None)] * 2
    assert not list(bench.settings.store.rglob("*.m4a"))
    assert bench.supervisor.compute == "device"  # begins anew: it may have been a bad moment


async def test_a_device_is_trusted_again_after_a_while(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.render.supervisor.TRUST_AGAIN_S", 0.0)
    monkeypatch.setenv("LECTERN_TEST_LIES", "cpu")
    monkeypatch.setenv("LECTERN_TEST_LIES_AFTER", "/nowhere")
    bench.supervisor.compute = "no-tf32"
    assert is_speech_throughout(bench, await render(bench))
    assert (bench.supervisor.compute, bench.planner.warning) == ("device", None)
