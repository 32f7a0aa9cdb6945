"""The command line: arguments, exit codes, what is printed where; and the real commands on a real data folder."""

import argparse
import io
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.cli import main
from server.cli.books import count, duration
from server.cli.console import Bar, Console
from server.cli.exits import FAILED, NOT_FOUND, OK, REFUSED, USAGE
from server.cli.house import show
from server.cli.numbers import chapter_numbers
from server.cli.parser import build_parser
from server.cli.phone import serve as serve_phone
from server.cli.report import check_lines, status_lines
from server.config import Settings, read_settings
from server.errors import LecternError
from server.library.sample import sample_epub
from server.setup import Progress
from server.setup.doctor import Check
from server.setup.typed import typed
from tests.fakes.synth import ENGINE

START_S = 60.0


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"


# -- arguments


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("3", {3}), ("1,3-5", {1, 3, 4, 5}), ("2-2", {2}), (" 1 , 2", {1, 2}), ("4,1-4", {1, 2, 3, 4})],
)
def test_a_list_of_chapters(text: str, numbers: set[int]) -> None:
    assert chapter_numbers(text) == numbers


@pytest.mark.parametrize("text", ["", "0", "5-3", "one", "1-", "-2", "1,,2", "1-99999999999"])
def test_a_list_of_chapters_that_makes_no_sense(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        chapter_numbers(text)


@pytest.mark.parametrize(
    "given", [["sing"], ["add"], ["render"], ["render", "x", "--limit", "0"], ["render", "x", "--chapters", "b"]]
)
def test_a_command_that_cannot_be_understood_is_a_usage_error(given: list[str], capsys: Any) -> None:
    with pytest.raises(SystemExit) as ended:
        main(given)
    assert ended.value.code == USAGE
    assert "usage: lectern" in capsys.readouterr().err


def test_no_command_at_all_shows_the_help(capsys: Any) -> None:
    assert main([]) == USAGE
    assert "lectern serve" in capsys.readouterr().out


def test_a_bad_setting_is_one_sentence_and_a_usage_error(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("LECTERN_PORT", "none")
    assert main(["status"]) == USAGE
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "lectern: LECTERN_PORT is 'none', which is not a whole number.\n"


@pytest.mark.parametrize("name", ["", " ", "~nobody-is-called-so/a.epub"])
@pytest.mark.parametrize("command", ["add", "inspect", "coverage", "words", "render", "lexicon --check", "say --out"])
def test_a_name_that_names_no_file_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any, command: str, name: str
) -> None:
    monkeypatch.setattr("server.headless.prepare", lambda _settings: ENGINE)
    for variable in ("DATA", "LIBRARY"):
        monkeypatch.setenv(f"LECTERN_{variable}", str(tmp_path / variable))
        (tmp_path / variable).mkdir()
    assert main([*command.split(), name, *(["Hi."] if command == "say --out" else [])]) in (1, 4)
    told = capsys.readouterr().err
    assert told.startswith("lectern: ") and told.count("\n") == 1


def test_the_folder_one_is_in_has_a_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any) -> None:
    monkeypatch.setenv("LECTERN_DATA", str(tmp_path / "data"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert main(["coverage", "."]) == 3
    assert "lectern: here is" in capsys.readouterr().err


def test_every_command_has_a_line_of_help() -> None:
    parser = build_parser()
    actions = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    for name, command in actions[0].choices.items():
        assert command.description, name
        assert command.get_default("run") is not None, name


# -- progress


def test_a_bar_on_a_terminal_is_drawn_in_place_and_ended() -> None:
    err, now = Terminal(), [0.0]
    with Bar(Console(err=err), lambda: now[0]) as bar:
        bar.show("Fetching", 0, 100, "0 MB")
        bar.show("Fetching", 1, 100)  # too soon to draw again
        now[0] = 5.0
        bar.show("Fetching", 50, 100, "50 MB")
        bar.show("Fetching", 100, 100)
    drawn = err.getvalue().split("\r\033[K")
    assert [line.count("█") for line in drawn[1:]] == [0, 14, 28]
    assert drawn[2].endswith("50%  50 MB")
    assert err.getvalue().endswith("100%\n")


def test_a_bar_in_a_log_is_a_line_now_and_then() -> None:
    err, now = io.StringIO(), [0.0]
    with Bar(Console(err=err), lambda: now[0]) as bar:
        for second in range(61):
            now[0] = float(second)
            bar.show("Fetching", second, 60)
        bar.show("Checking", 0, None)
    assert err.getvalue() == "Fetching 0%\nFetching 25%\nFetching 50%\nFetching 75%\nFetching 100%\nChecking\n"


def test_setup_shows_bytes_as_megabytes_and_files_as_a_share() -> None:
    err = io.StringIO()
    with Bar(Console(err=err)) as bar:
        show(bar, Progress("Fetching the weights", 2_000_000, 8_000_000))
        show(bar, Progress("Reading voices", 27, 54))
    assert err.getvalue() == "Fetching the weights 25% 2.0 of 8.0 MB\nReading voices 50%\n"


# -- words


@pytest.mark.parametrize(
    ("seconds", "said"), [(0, "0 s"), (59.6, "1 min 00 s"), (61, "1 min 01 s"), (7500, "2 h 05 min")]
)
def test_durations_are_said_as_people_say_them(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_counts() -> None:
    assert (count(1, "book"), count(1200, "sentence"), count(0, "chapter")) == (
        "1 book",
        "1,200 sentences",
        "0 chapters",
    )


def test_a_failing_check_comes_with_its_remedy() -> None:
    assert check_lines(Check("X", True, "fine")) == ["ok     X: fine"]
    assert check_lines(Check("X", False, "broken", "Mend it.")) == ["FAILS  X: broken", "       → Mend it."]


def test_status_says_what_computes_and_why_it_is_not_the_usual() -> None:
    worker = {"state": "idle", "device": "the CPU", "warning": "The GPU computes wrong numbers."}
    told = {"running": True, "url": "http://x", "library": "/b", "worker": worker, "importing": [], "books": []}
    lines = status_lines(told)
    assert "Renderer: idle on the CPU" in lines
    assert "Note: The GPU computes wrong numbers." in lines


def test_status_tells_what_is_being_read() -> None:
    worker = {"state": "rendering", "detail": None, "speed": 3.21, "now": {"text": "It was."}}
    shelf = [{"id": "ab", "title": "Emma", "sentences": 4, "rendered": 1, "audio_s": 61.0}]
    told = {
        "running": True,
        "url": "http://x",
        "library": "/b",
        "worker": worker,
        "importing": ["c.epub"],
        "books": shelf,
    }
    assert status_lines(told) == [
        "Lectern is running: http://x",
        "Library: /b",
        "Renderer: rendering (3.2 × as fast as it is spoken)",
        "Now: “It was.”",
        "Reading in: c.epub",
        "  25%   1 min 01 s  ab  Emma",
    ]


# -- the real thing, in a process of its own


@pytest.fixture
def place(tmp_path: Path) -> dict[str, str]:
    """The environment of an installation of its own, without model."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    own = {"LIBRARY": str(tmp_path / "my books"), "DATA": str(tmp_path / "data"), "PORT": str(port), "SAMPLE": "no"}
    kept = {key: value for key, value in os.environ.items() if not key.startswith("LECTERN_")}
    return kept | {f"LECTERN_{name}": value for name, value in own.items()}


@pytest.fixture
def equipped(place: dict[str, str], models: Path) -> dict[str, str]:
    """The same, with the model that is installed here."""
    data = Path(place["LECTERN_DATA"])
    data.mkdir()
    (data / "models").symlink_to(models)
    return place


def _lectern(place: dict[str, str], *given: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "server", *map(str, given)]
    done = subprocess.run(command, env=place, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.fixture
def running(equipped: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "server", "serve"]
    server = subprocess.Popen(command, env=equipped, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        deadline = time.monotonic() + START_S
        while json.loads(_lectern(equipped, "status", "--json").stdout)["running"] is False:
            assert server.poll() is None, "the server ended at its start"
            assert time.monotonic() < deadline, "the server did not start"
        yield server
    finally:
        server.kill()
        server.wait()


def _bad_file(folder: Path) -> Path:
    path = folder / "letter.epub"
    path.write_text("Dear reader, this is no book.\n" * 20)
    return path


def test_status_and_voices_need_neither_server_nor_model(place: dict[str, str]) -> None:
    told = json.loads(_lectern(place, "status", "--json").stdout)
    assert (told["running"], told["books"], told["library"]) == (False, [], place["LECTERN_LIBRARY"])
    voices = json.loads(_lectern(place, "voices", "--json").stdout)["voices"]
    assert {"id": "af_heart", "name": "Heart", "language": "en-US", "gender": "female", "grade": "A"} in voices
    assert len(voices) == 54
    french = json.loads(_lectern(place, "voices", "--language", "fr-CA", "--json").stdout)["voices"]
    assert [voice["id"] for voice in french] == ["ff_siwis"]


def test_doctor_fails_without_a_model_and_says_how_to_get_it(place: dict[str, str]) -> None:
    done = _lectern(place, "doctor", "--json")
    assert done.returncode == FAILED
    failed = [check for check in json.loads(done.stdout)["checks"] if check["ok"] is False]
    assert [check["name"] for check in failed] == ["Model and voices"]
    assert "lectern setup" in failed[0]["remedy"]


def test_a_file_that_is_not_there(place: dict[str, str], tmp_path: Path) -> None:
    done = _lectern(place, "add", tmp_path / "nowhere.epub")
    assert done.returncode == NOT_FOUND
    assert done.stderr == f"lectern: There is no file {tmp_path / 'nowhere.epub'}.\n"


def test_a_reader_that_leaves_early_is_no_crash(place: dict[str, str]) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "server", "voices"], env=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.close()
    assert child.stderr.read() == ""
    child.wait()


def test_add_without_a_server_takes_the_good_and_refuses_the_bad(equipped: dict[str, str], tmp_path: Path) -> None:
    good = sample_epub(tmp_path)
    done = _lectern(equipped, "add", "--json", _bad_file(tmp_path), good)
    told = json.loads(done.stdout)
    assert done.returncode == REFUSED
    assert [(book["file"], book["chapters"]) for book in told["added"]] == [(str(good), 3)]
    assert [refusal["kind"] for refusal in told["refused"]] == ["not-epub"]
    shelf = json.loads(_lectern(equipped, "status", "--json").stdout)["books"]
    assert [book["id"] for book in shelf] == [told["added"][0]["id"]]
    assert [path.name for path in Path(equipped["LECTERN_LIBRARY"]).iterdir()] == [good.name]
    assert "is on the shelf already: 3 chapters" in _lectern(equipped, "add", good).stdout


def test_add_and_status_ask_the_server_that_runs(
    equipped: dict[str, str], running: subprocess.Popen[str], tmp_path: Path
) -> None:
    good = sample_epub(tmp_path)
    done = _lectern(equipped, "add", good)
    assert done.returncode == OK, done.stderr
    assert done.stdout.startswith("Added “")
    refused = _lectern(equipped, "add", _bad_file(tmp_path))
    assert refused.returncode == REFUSED
    assert refused.stderr.count("\n") == 1
    told = json.loads(_lectern(equipped, "status", "--json").stdout)
    assert told["running"] is True
    assert [book["title"] in done.stdout for book in told["books"]] == [True]
    again = _lectern(equipped, "serve")
    assert (again.returncode, "already running" in again.stdout) == (OK, True)
    assert _lectern(equipped, "render", good).returncode == FAILED
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=20) == OK
    assert running.stdout is not None
    said = running.stdout.read()
    assert f"http://127.0.0.1:{equipped['LECTERN_PORT']}" in said
    assert "Ctrl-C" in said


@pytest.mark.speech
def test_render_makes_what_was_asked_for_and_nothing_twice(equipped: dict[str, str], tmp_path: Path) -> None:
    book = sample_epub(tmp_path)
    done = _lectern(equipped, "render", book, "--limit", "1", "--chapters", "2", "--json")
    assert done.returncode == OK, done.stderr
    first = json.loads(done.stdout)
    assert first["rendered"] >= 1
    assert first["audio_s"] > 0.3
    files = sorted(Path(first["folder"]).rglob("*.m4a"))
    assert len(files) == first["rendered"]
    stamps = [path.stat().st_mtime_ns for path in files]
    second = json.loads(_lectern(equipped, "render", first["book"], "--limit", "1", "--chapters", "2", "--json").stdout)
    assert second["there"] == first["rendered"]
    assert [path.stat().st_mtime_ns for path in files] == stamps
    assert _lectern(equipped, "render", first["book"], "--chapters", "99").returncode == NOT_FOUND
    assert _lectern(equipped, "render", book, "--voice", "zz_nobody").returncode == NOT_FOUND
    assert _lectern(equipped, "render", str(tmp_path / "nowhere.epub")).returncode == NOT_FOUND
    wrong = _lectern(equipped, "render", book, "--limit", "1", "--voice", "ff_siwis")
    assert wrong.returncode == FAILED and "speaks French" in wrong.stderr
    other = _lectern(equipped, "render", book, "--limit", "1", "--voice", "bm_george*0.7+bf_emma*0.3", "--json")
    assert other.returncode == OK, other.stderr
    assert json.loads(other.stdout)["folder"] != first["folder"]
    assert [path.stat().st_mtime_ns for path in files] == stamps  # the voice before stays beside it


# -- what is told can be typed


def test_commands_in_sentences_are_those_that_can_be_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    program = tmp_path / "my lectern" / ".venv" / "bin" / "lectern"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program.with_name("python")))
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.chdir(tmp_path / "my lectern")
    console = Console()
    console.say("Run `lectern doctor --deep`, or `lectern`.")
    assert capsys.readouterr().out == "Run `.venv/bin/lectern doctor --deep`, or `.venv/bin/lectern`.\n"
    monkeypatch.chdir(tmp_path)
    console.complain("Run `lectern setup`.")
    assert capsys.readouterr().err == "lectern: Run `'my lectern/.venv/bin/lectern' setup`.\n"
    assert typed("`lectern setup`", None) == f"`'{program}' setup`"
    monkeypatch.setenv("PATH", str(program.parent))
    console.answer({"remedy": "`lectern setup`"})
    console.say("`lectern setup`")
    assert "`lectern setup`" in capsys.readouterr().out.splitlines()


def test_the_example_of_restore_can_be_pasted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "Application Support"
    archive = data / "backups" / "lectern-nightly-20260701T010000Z.tar.gz"
    archive.parent.mkdir(parents=True)
    archive.write_bytes(b"x")
    monkeypatch.setenv("LECTERN_DATA", str(data))
    monkeypatch.setenv("LECTERN_CONFIG", "/dev/null")
    assert main(["restore"]) == OK
    line = capsys.readouterr().out.splitlines()[-1].removeprefix("example: ")
    assert shlex.split(line)[1:] == ["restore", str(archive)]


def test_a_data_folder_that_cannot_be_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("LECTERN_DATA", str(tmp_path / "file" / "data"))
    monkeypatch.setenv("LECTERN_CONFIG", "/dev/null")
    assert main(["serve"]) == USAGE
    told = capsys.readouterr().err
    assert (
        told.startswith(f"lectern: The folder {tmp_path / 'file' / 'data'} cannot be made (") and told.count("\n") == 1
    )


def test_a_serve_port_that_is_the_port_is_warned_of() -> None:
    given = {"LECTERN_PORT": "9000", "LECTERN_SERVE_PORT": "9000", "LECTERN_CONFIG": "/dev/null"}
    (warning,) = read_settings(given).warnings
    assert warning.startswith("LECTERN_SERVE_PORT is 9000, as LECTERN_PORT is") and "9001 is used" in warning


def test_serving_without_tailscale_says_where_it_comes_from(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("server.cli.phone.tailscale_program", lambda: None)
    with pytest.raises(LecternError, match=r"Install Tailscale on this computer .*tailscale\.com/download"):
        serve_phone(Settings(data=tmp_path))
