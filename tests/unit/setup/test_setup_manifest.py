import json
from pathlib import Path

import pytest

from server.errors import SetupError
from server.setup import check_models
from server.setup.manifest import MANIFEST, VOICES, WEIGHTS, Manifest, record, write_manifest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / WEIGHTS).write_bytes(b"weights")
    (tmp_path / VOICES).write_bytes(b"voices")
    files = record(tmp_path / name for name in (WEIGHTS, VOICES))
    write_manifest(tmp_path, Manifest("hub", "someone/Tiny@1", "Apache-2.0", "2026-01-02T03:04:05+00:00", files))
    return tmp_path


def test_a_complete_model_passes_both_checks(folder: Path) -> None:
    manifest = check_models(folder)
    assert (manifest.source, manifest.revision, manifest.licence) == ("hub", "someone/Tiny@1", "Apache-2.0")
    assert manifest == check_models(folder, deep=True)


def test_the_file_says_what_its_readers_were_promised(folder: Path) -> None:
    given = json.loads((folder / MANIFEST).read_text())
    assert given == {
        "source": "hub",
        "revision": "someone/Tiny@1",
        "licence": "Apache-2.0",
        "created": "2026-01-02T03:04:05+00:00",
        "files": {
            # printf weights | sha256sum
            WEIGHTS: {"sha256": "9a129038d9a00aed0cf6a7ea059ca50a813449061ab87848cf1a13eafdf33b2c", "bytes": 7},
            VOICES: {"sha256": "db9cf15a9a701d0583df98351f97d69c586e1e6f9c8e5c8daf915c6bfb09e762", "bytes": 6},
        },
        "format": 1,
    }


def test_nothing_there_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"There is no model in .*; run `lectern setup`\."):
        check_models(tmp_path)


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / VOICES).unlink()
    with pytest.raises(SetupError, match=r"voices\.safetensors is missing"):
        check_models(folder)


def test_a_short_file_is_found_without_reading_it(folder: Path) -> None:
    (folder / WEIGHTS).write_bytes(b"weigh")
    with pytest.raises(SetupError, match="has 5 bytes instead of 7"):
        check_models(folder)


def test_a_changed_file_is_found_by_the_deep_check_only(folder: Path) -> None:
    (folder / WEIGHTS).write_bytes(b"weights"[::-1])
    check_models(folder)
    with pytest.raises(SetupError, match="has changed since it was installed"):
        check_models(folder, deep=True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '"text"',
        "{}",
        '{"format": 2}',
        '{"format": 1, "files": {}, "source": "", "revision": "", "licence": "", "created": ""}',
        '{"format": 1, "files": {"../x": {"sha256": "", "bytes": 1}, "kokoro.safetensors": {"sha256": "", "bytes": 1}, '
        '"voices.safetensors": {"sha256": "", "bytes": 1}}, '
        '"source": "", "revision": "", "licence": "", "created": ""}',
    ],
)
def test_a_manifest_that_makes_no_sense_is_no_manifest(text: str, folder: Path) -> None:
    (folder / MANIFEST).write_text(text)
    with pytest.raises(SetupError, match="run `lectern setup`"):
        check_models(folder)
