"""Other engines: the system voices of a Mac, against a stand-in for its command, and how a passage is put together."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from server.audition.contract import SAMPLE_RATE, Declared, Engine, EngineVoice, Said, WordSpan
from server.audition.passages import PAIRS, PASSAGES
from server.audition.performing import estimate, heard, perform, sentences
from server.audition.say import SayEngine
from server.audition.stage import KEPT, Audition
from server.errors import BadRequest, LecternError, NotFound, RenderError

ROOT = Path(__file__).resolve().parents[3]
TEXT = "The lamp burned. Who lit it?\n\nNobody came."


@pytest.fixture
def mac(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SayEngine:
    """A Mac with four voices; what its command was told lies in `told`."""
    command = tmp_path / "say"
    command.write_text(f'#!/bin/sh\ncd "{ROOT}" && exec "{sys.executable}" -m tests.fakes.say "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("FAKE_SAY_TOLD", str(tmp_path / "told"))
    return SayEngine(str(command), "darwin")


class Timed:
    """An engine that times its words: 100 ms each."""

    declared = Declared("timed", "Timed", word_times=True, pronunciation=False)

    def __init__(self) -> None:
        self.said = 0

    def trouble(self) -> str | None:
        return None

    async def voices(self) -> Sequence[EngineVoice]:
        raise RenderError("It is asleep.")

    async def say(self, sentence: str, voice: str) -> Said:
        self.said += 1
        words, at = [], 0
        for number, word in enumerate(sentence.split(" ")):
            words.append(WordSpan(at, at + len(word), number * 2_400, number * 2_400 + 2_400))
            at += len(word) + 1
        return Said(bytes(2 * 2_400 * len(words)), tuple(words))


def test_a_mac_lists_its_voices(mac: SayEngine) -> None:
    engine: Engine = mac  # the type checker proves here that the contract is met
    assert engine.trouble() is None
    assert [(one.id, one.language) for one in asyncio.run(engine.voices())] == [
        ("Albert", "en-US"),
        ("Daniel", "en-GB"),
        ("Eddy (German (Germany))", "de-DE"),
        ("Thomas", "fr-FR"),
    ]
    assert (engine.declared.word_times, engine.declared.pronunciation) == (False, False)


def test_a_sentence_is_said_and_obeys_no_orders(mac: SayEngine, tmp_path: Path) -> None:
    plain = asyncio.run(mac.say("-o The lamp burned.", "Eddy (German (Germany))"))
    assert plain.samples == SAMPLE_RATE * (14 * 30 + 5 * 60) // 1000
    assert (tmp_path / "told").read_text() == "-o The lamp burned."
    asyncio.run(mac.say("Wait [[slnc 400]] here.", "Daniel"))
    assert "[[" not in (tmp_path / "told").read_text()


def test_what_a_mac_cannot_is_said_in_words(mac: SayEngine, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no voice 'Nobody'"):
        asyncio.run(mac.say("Hello.", "Nobody"))
    elsewhere = SayEngine(platform="linux")
    assert "on a Mac" in str(elsewhere.trouble())
    with pytest.raises(RenderError, match="on a Mac"):
        asyncio.run(elsewhere.say("Hello.", "Daniel"))
    assert "is not there" in str(SayEngine(str(tmp_path / "none"), "darwin").trouble())
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    with pytest.raises(RenderError, match="could not say"):
        asyncio.run(SayEngine(str(broken), "darwin").voices())


def test_a_passage_without_times_lands_in_its_sentence_and_near_its_word(mac: SayEngine) -> None:
    made = asyncio.run(perform(mac, TEXT, "Daniel"))
    assert not made.timed
    assert [
        TEXT[one.char_start : one.char_end] for one in made.words
    ] == "The lamp burned Who lit it Nobody came".split()
    assert all(one.start < one.end for one in made.words)
    starts = [one.start for one in made.words]
    assert starts == sorted(starts) and made.words[-1].end <= len(made.pcm) // 2
    # A sentence's words lie within its own sound: the first begins where that is heard.
    first = asyncio.run(mac.say("The lamp burned.", "Daniel"))
    assert starts[3] >= first.samples + round(0.35 * SAMPLE_RATE)


def test_times_of_an_engine_are_taken_as_they_are() -> None:
    made = asyncio.run(perform(Timed(), TEXT, "any"))
    assert made.timed and [one.start for one in made.words][:3] == [0, 2_400, 4_800]
    assert made.words[3].start == 3 * 2_400 + round(0.35 * SAMPLE_RATE)
    assert TEXT[made.words[-1].char_start : made.words[-1].char_end] == "came."


@pytest.mark.parametrize("text", [" ", "\n\n"])
def test_nothing_to_say_is_told(text: str) -> None:
    with pytest.raises(BadRequest, match="no text"):
        asyncio.run(perform(Timed(), text, "any"))


def test_estimates_of_silence_and_of_marks_are_none_too_many() -> None:
    assert estimate("…", Said(bytes(200))) == ()
    assert heard(bytes(200)) == (0, 100)
    (one,) = estimate("Oh", Said(bytes(200)))
    assert (one.char_start, one.char_end, one.start, one.end) == (0, 2, 0, 100)


def test_a_take_is_said_once_and_the_oldest_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Timed()
    stage = Audition(tmp_path, [engine])
    monkeypatch.setattr("server.audition.stage.KEPT", 2)

    async def run() -> None:
        first = await stage.say(engine, "any", TEXT)
        assert engine.said == 3 and stage.path(first.name).read_bytes()[:4] == b"RIFF"
        assert await stage.say(engine, "any", TEXT) == first and engine.said == 3
        for text in ("One.", "Two.", "Three."):
            await stage.say(engine, "any", text)

    asyncio.run(run())
    assert KEPT > 2 and len(list((tmp_path / "audition").glob("*.wav"))) == 2


def test_an_engine_that_fails_keeps_none_of_the_others_away(tmp_path: Path, mac: SayEngine) -> None:
    troupes = asyncio.run(Audition(tmp_path, [Timed(), SayEngine(platform="linux"), mac]).troupes())
    assert [(len(one.voices), one.trouble is None) for one in troupes] == [(0, False), (0, False), (4, True)]
    with pytest.raises(LecternError, match="no engine 'zz'"):
        Audition(tmp_path, [mac]).engine_of("zz:Daniel")
    assert Audition(tmp_path, [mac]).engine_of("af_heart") is None
    assert Audition(tmp_path, [mac]).engine_of("say:Eddy (a:b)") == (mac, "Eddy (a:b)")


def test_the_passages_are_ours_whole_and_short_enough() -> None:
    assert len({one.id for one in PASSAGES}) == len(PASSAGES) >= 5
    for passage in PASSAGES:
        assert 150 < len(passage.text) < 800 and passage.listen_for
        spans = list(sentences(passage.text))
        assert spans and "".join(passage.text[a:b] for a, b, _ in spans).strip()
    kinds = [one.kind for one in PAIRS]
    assert {kinds.count(kind) for kind in kinds} == {8} and len(set(kinds)) == 4
    assert len({one.id for one in PAIRS}) == len(PAIRS)
    assert not any(one.words.endswith((".", "?")) for one in PAIRS)
