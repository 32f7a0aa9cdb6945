from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.house import House


@pytest.fixture
def house(tmp_path: Path, models: Path) -> Iterator[House]:
    """A house that is not started yet; whatever still runs at the end is stopped."""
    made = House(tmp_path, models)
    yield made
    if made._process is not None:
        made.stop()
