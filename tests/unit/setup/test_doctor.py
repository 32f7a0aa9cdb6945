"""The doctor's findings: what is well, what is broken and what to do about it."""

import importlib
import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from server.cli import main
from server.config import Settings
from server.errors import Conflict
from server.setup import doctor
from server.setup.doctor import Check
from server.setup.probes import PROBES
from server.setup.running import ask_running


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(library=tmp_path / "library", data=tmp_path / "data", port=_free_port())


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _printing(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code)


def test_the_libraries_of_this_installation_work() -> None:
    checks = doctor.libraries_work()
    assert [check.name for check in checks] == list(doctor.PROBE_NAMES.values())
    assert [check for check in checks if check.ok is not True] == []
    assert "espeak-ng" in checks[1].detail
    assert "MLX" in checks[2].detail


def test_a_machine_without_a_compiler_is_told_what_would_make_it_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    device = importlib.import_module("server.kokoro_mlx.device")
    monkeypatch.setattr(device, "fuses", lambda: True)
    assert "g++" not in PROBES["mlx"]()
    monkeypatch.setattr(device, "fuses", lambda: False)
    assert "g++" in PROBES["mlx"]()


def test_every_probe_has_a_name_for_people() -> None:
    assert list(PROBES) == list(doctor.PROBE_NAMES)


def test_a_library_that_takes_its_process_down_is_named_and_those_after_it_are_not_blamed() -> None:
    first = json.dumps({"name": "aac", "ok": True, "detail": "fine"})
    code = f"import os; print({first!r}, flush=True); os.kill(os.getpid(), 6)"
    aac, text, mlx = doctor.libraries_work(_printing(code))
    assert aac == Check("AAC encoder", True, "fine")
    assert text.ok is False
    assert "signal 6" in text.detail
    assert text.remedy
    assert mlx.ok is None


def test_a_library_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "PROBE_S", 0.3)
    checks = doctor.libraries_work(_printing("import time; time.sleep(60)"))
    assert checks[0].ok is False
    assert "did not answer" in checks[0].detail


def test_the_doctor_itself_loads_no_native_library() -> None:
    code = "import sys, server.setup.doctor; print(sorted({'mlx', 'av', 'spacy', 'misaki'} & set(sys.modules)))"
    assert subprocess.run(_printing(code), capture_output=True, text=True, check=True).stdout == "[]\n"


def _numbers(wrong_on: tuple[str, ...]) -> tuple[str, ...]:
    """A child that says the numbers are wrong on these, and that TF32 is off where it has to be."""
    code = (
        "import json, os, sys; compute = sys.argv[-1]\n"
        "assert (os.environ.get('MLX_ENABLE_TF32') == '0') == (compute != 'device')\n"
        f"print(json.dumps({{'ok': compute not in {wrong_on!r}, 'detail': f'the {{compute}}'}}))"
    )
    return _printing(code)


def test_numbers_that_are_right_only_on_something_slower_are_worth_a_look(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MLX_ENABLE_TF32", raising=False)
    assert doctor.numbers_right(settings, _numbers(())) == Check(doctor.NUMBERS, True, "Right, on the device.")
    fallen = doctor.numbers_right(settings, _numbers(("device", "no-tf32")))
    assert fallen.ok is None
    assert "only on the cpu" in fallen.detail
    assert fallen.remedy
    lost = doctor.numbers_right(settings, _numbers(("device", "no-tf32", "cpu")))
    assert lost.ok is False
    assert "doctor --deep" in (lost.remedy or "")


def test_numbers_that_take_the_process_down_are_wrong(settings: Settings) -> None:
    check = doctor.numbers_right(settings, _printing("import os; os.kill(os.getpid(), 6)"))
    assert check.ok is False
    assert "signal 6" in check.detail


def test_a_running_server_knows_what_its_numbers_are_worth(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    worker: dict[str, str | None] = {"device": "the GPU", "warning": None}
    monkeypatch.setattr(doctor, "ask_running", lambda _settings: {"worker": worker})
    nobody = _printing("raise SystemExit(1)")
    assert doctor.numbers_right(settings, nobody) == Check(doctor.NUMBERS, True, "Right, on the GPU.")
    worker["warning"] = "The GPU computes wrong numbers."
    check = doctor.numbers_right(settings, nobody)
    assert (check.ok, check.detail) == (None, "The GPU computes wrong numbers.")
    assert check.remedy


@pytest.mark.speech
def test_the_model_is_let_speak_and_its_blas_is_named(settings: Settings, models: Path) -> None:
    """The real child: whether its numbers are right on this machine, and what computes them."""
    settings.data.mkdir(parents=True)
    (settings.data / "models").symlink_to(models)
    check = doctor.numbers_right(settings)
    assert check.ok is True, check
    assert "GPU" in check.detail or "BLAS" in check.detail or "Accelerate" in check.detail


def test_a_missing_package_is_named() -> None:
    check = doctor.packages_present(("litestar", "no-such-package-9"))
    assert check.ok is False
    assert "no-such-package-9" in check.detail
    assert "litestar" not in check.detail
    assert doctor.packages_present().ok is True


def test_without_a_model_the_way_out_is_setup(settings: Settings) -> None:
    check = doctor.model_present(settings)
    assert check.ok is False
    assert check.remedy is not None
    assert "lectern setup" in check.remedy


def test_a_library_folder_that_is_not_there_yet_is_no_failure(tmp_path: Path) -> None:
    assert doctor.library_folder(tmp_path / "new").ok is None
    assert doctor.library_folder(tmp_path).ok is True


def test_a_file_in_the_place_of_a_folder_fails(tmp_path: Path) -> None:
    file = tmp_path / "books"
    file.write_text("")
    assert doctor.library_folder(file).ok is False
    assert doctor.data_folder(file).ok is False


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_a_folder_without_rights_fails(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        assert doctor.library_folder(tmp_path).ok is False
        assert doctor.data_folder(tmp_path / "data").ok is False
    finally:
        tmp_path.chmod(0o700)


def test_a_folder_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ended = threading.Event()
    monkeypatch.setattr(doctor, "LOOK_S", 0.05)
    monkeypatch.setattr(doctor, "_look_into", lambda folder: ended.wait(30) and None)
    check = doctor.library_folder(tmp_path)
    ended.set()
    assert check.ok is False
    assert "did not answer" in check.detail


def test_a_guarded_folder_of_macos_is_explained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    books = tmp_path / "Documents" / "Books"
    books.mkdir(parents=True)
    on_mac = doctor.library_folder(books, mac=True)
    assert on_mac.ok is None
    assert "Files and Folders" in (on_mac.remedy or "")
    assert doctor.library_folder(books, mac=False).ok is True
    (tmp_path / "Audiobooks").mkdir()
    assert doctor.library_folder(tmp_path / "Audiobooks", mac=True).ok is True


@pytest.mark.parametrize(("free_gb", "ok"), [(0.1, False), (3, None), (40, True)])
def test_little_room_warns_and_none_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, free_gb: float, ok: bool | None
) -> None:
    usage = type("Usage", (), {"free": int(free_gb * 1e9)})
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: usage)
    check = doctor.disk_space(tmp_path / "not" / "yet")
    assert check.ok is ok
    assert (check.remedy is None) is (ok is True)


def test_a_free_port_and_one_taken_by_another_program(settings: Settings) -> None:
    assert doctor.port_free(settings).ok is True
    with socket.socket() as other:
        other.bind(("127.0.0.1", settings.port))
        other.listen()
        other.settimeout(0.1)
        check = doctor.port_free(settings)
    assert check.ok is False
    assert "LECTERN_PORT" in (check.remedy or "")


class _Answer(BaseHTTPRequestHandler):
    body = b"{}"

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def web_server(settings: Settings) -> Iterator[HTTPServer]:
    server = HTTPServer(("127.0.0.1", settings.port), _Answer)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("body", [b"{}", b"<html>", b"[]", b'{"worker": {}}', b"\xff"])
def test_another_web_server_is_not_taken_for_lectern(
    settings: Settings, web_server: HTTPServer, monkeypatch: pytest.MonkeyPatch, body: bytes
) -> None:
    monkeypatch.setattr(_Answer, "body", body)
    assert ask_running(settings) is None
    assert doctor.port_free(settings).ok is False


def test_a_running_lectern_is_recognised_whatever_proxy_is_set(
    settings: Settings, web_server: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setattr(_Answer, "body", b'{"worker": {}, "library": "/books", "version": "9.9"}')
    assert (ask_running(settings) or {})["version"] == "9.9"
    check = doctor.port_free(settings)
    assert check.ok is True
    assert "9.9" in check.detail


def answer_for(folder: Path) -> bytes:
    return json.dumps({"worker": {"device": "cpu"}, "library": "/b", "version": "9.9", "data": str(folder)}).encode()


def test_the_lectern_of_another_data_folder_is_not_taken_for_this_ones(
    settings: Settings, web_server: HTTPServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings.data.mkdir(parents=True, exist_ok=True)
    link = tmp_path / "link"
    link.symlink_to(settings.data)
    for same in (settings.data, link):
        monkeypatch.setattr(_Answer, "body", answer_for(same))
        assert (ask_running(settings) or {})["version"] == "9.9"
    monkeypatch.setattr(_Answer, "body", answer_for(tmp_path / "other"))
    told = f"Port {settings.port} is used by the Lectern of another data folder ({tmp_path / 'other'})"
    with pytest.raises(Conflict, match=re.escape(told)):
        ask_running(settings)
    check = doctor.port_free(settings)
    assert check.ok is False and check.detail == f"{told}." and "LECTERN_PORT" in (check.remedy or "")
    assert "cpu" not in doctor.numbers_right(settings, (sys.executable, "-c", "raise SystemExit(1)")).detail


@pytest.mark.parametrize("command", [["add", "x.epub"], ["status"], ["serve"], ["restart"]])
def test_no_command_talks_to_the_lectern_of_another_data_folder(
    settings: Settings,
    web_server: HTTPServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    command: list[str],
) -> None:
    (tmp_path / "x.epub").write_bytes(b"a book")
    monkeypatch.setattr(_Answer, "body", answer_for(tmp_path / "other"))
    monkeypatch.setenv("LECTERN_DATA", str(settings.data))
    monkeypatch.setenv("LECTERN_PORT", str(settings.port))
    monkeypatch.setenv("LECTERN_CONFIG", "/dev/null")
    monkeypatch.chdir(tmp_path)
    assert main(command) == 1
    assert "is used by the Lectern of another data folder" in capsys.readouterr().err
