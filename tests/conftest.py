"""Fixtures that many tests share."""

from pathlib import Path

import pytest

from server.config import load_settings

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of handed cases and books beside the project; tests that need it skip without it."""
    folder = ROOT.parent / "shared"
    if not (folder / "corpus" / "MANIFEST.tsv").is_file():
        pytest.skip("../shared is not here: its corpus and cases are not tested on this machine")
    return folder


@pytest.fixture(scope="session")
def models() -> Path:
    """The folder with model and voices, as `lectern setup` leaves it."""
    folder = load_settings().models
    if not (folder / "manifest.json").is_file():
        pytest.skip("model and voices are not here: run `make setup`")
    return folder
