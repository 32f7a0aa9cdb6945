"""Fixtures that many tests share."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.config import load_settings

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    """A test that sets the log up, as the commands do, leaves the next one none of it."""
    root = logging.getLogger()
    level, handlers, disabled = root.level, list(root.handlers), logging.root.manager.disable
    yield
    root.setLevel(level)
    logging.disable(disabled)
    for handler in [one for one in root.handlers if one not in handlers]:
        root.removeHandler(handler)


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
