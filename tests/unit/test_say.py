"""`lectern say`: what is printed, what is written, what is played, and what it says when it cannot."""

import json
import os
import stat
import wave
from pathlib import Path
from typing import Any

import pytest

from server.cli import main
from server.cli.exits import FAILED, NOT_FOUND, OK, USAGE
from server.cli.playing import play
from server.render.recital import perform, read
from tests.fakes.synth import FakeSynth
from tests.fakes.worker import Letters


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LECTERN_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("LECTERN_LIBRARY", str(tmp_path / "library"))
    return tmp_path


def told(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_how_a_text_is_read_is_one_object_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    text = "It fell in 1863. “I shan’t!” said Grulnifex.\n\nNo."
    assert main(["say", "--json", text]) == OK
    first, second, third = told(capsys)
    assert first["sentence"] == "It fell in 1863." and first["spoken"] == "It fell in eighteen sixty three."
    assert [word["word"] for word in first["words"]] == ["It", "fell", "in", "1863"]
    for sentence in (first, second, third):
        for word in sentence["words"]:
            assert sentence["sentence"][word["char_start"] : word["char_end"]] == word["word"]
            assert word["phonemes"] and word["phonemes"] in sentence["phonemes"]
            assert "start_s" not in word
    assert second["unknown"] == ["Grulnifex"]
    assert (first["paragraph"], third["paragraph"]) == (0, 1)
    assert first["passes"] == second["passes"] == [0]


def test_a_british_voice_reads_british(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["say", "--json", "--voice", "bf_emma", "120 in half past two"]) == OK
    (only,) = told(capsys)
    assert only["spoken"].startswith("one hundred and twenty")
    assert "hˈɑːf" in only["phonemes"] and only["voice"] == "bf_emma"


def test_a_book_cannot_smuggle_pronunciations_in(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["say", "--json", "See [lead](/bˈʊɡ/) now."]) == OK
    assert "bˈʊɡ" not in told(capsys)[0]["phonemes"]


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["--out", "x.doc", "Hello."], FAILED, ".doc is no kind of sound file"),
        (["--out", "nowhere/x.wav", "Hello."], NOT_FOUND, "There is no folder nowhere"),
        (["--json", " "], NOT_FOUND, "There is no text to say."),
        (["--json", "--voice", "xx_nobody", "Hello."], NOT_FOUND, "There is no voice 'xx_nobody'"),
        (["--json", "--book", "Nothing", "Hello."], NOT_FOUND, "There is no book 'Nothing'"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    arguments: list[str], code: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["say", *arguments]) == code
    complaint = capsys.readouterr().err
    assert sentence in complaint and complaint.count("\n") == 1


@pytest.mark.parametrize("speed", ["0.1", "nan", "3", "fast"])
def test_a_speed_that_cannot_be_is_a_usage_error(speed: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["say", "--speed", speed, "Hello."])
    assert ended.value.code == USAGE


def test_without_a_player_it_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert main(["say", "Hello."]) == FAILED
    assert "--out FILE.wav" in capsys.readouterr().err


def _player(folder: Path, script: str) -> None:
    path = folder / "aplay"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_each_sentence_is_played_in_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard = tmp_path / "heard"
    heard.mkdir()
    _player(tmp_path, f'n=$(ls {heard} | wc -l); cp "$2" {heard}/$n.wav; sleep 0.1')
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setattr("server.cli.playing.PLAYERS", (("aplay", "-q"),))
    lines = read("One came. Two went. Then there was none.", Letters())
    done = play(perform(lines, FakeSynth(), "af_heart"))
    lengths = []
    for number in range(3):
        with wave.open(str(heard / f"{number}.wav")) as file:
            lengths.append(file.getnframes())
    assert lengths == [len(one.audio) for one in done]


def test_a_player_that_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _player(tmp_path, "exit 1")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/bin")
    monkeypatch.setattr("server.cli.playing.PLAYERS", (("aplay", "-q"),))
    with pytest.raises(Exception, match="aplay could not play the sound"):
        play(perform(read("One came.", Letters()), FakeSynth(), "af_heart"))


@pytest.mark.speech
def test_it_is_written_with_the_times_of_its_words(
    models: Path, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "data").mkdir()
    (place / "data" / "models").symlink_to(models)
    assert main(["say", "--json", "--out", str(place / "said.wav"), "Nobody came. It rained."]) == OK
    words = [word for sentence in told(capsys) for word in sentence["words"]]
    with wave.open(str(place / "said.wav")) as file:
        length_s = file.getnframes() / file.getframerate()
    times = [at for word in words for at in (word["start_s"], word["end_s"])]
    assert times == sorted(times) and times[0] > 0 and times[-1] < length_s < times[-1] + 1.5
