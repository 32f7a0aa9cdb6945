"""How fast was rendered, over HTTP."""

import json
from datetime import UTC, datetime, timedelta

from litestar import Litestar
from litestar.testing import TestClient

from tests.contract.household import PaperHousehold

URL = "/api/v1/speed"


def test_it_is_told_by_the_hour_in_seconds(client: TestClient[Litestar], house: PaperHousehold) -> None:
    assert client.get(URL).json() == {"days": 30, "hours": []}
    lately = f"{datetime.now(UTC) - timedelta(hours=1):%Y-%m-%dT%H}:00:00Z"
    hours = [
        {"at": "2026-01-01T00:00:00Z", "samples": 24_000, "work_s": 1.0},  # long ago
        {"at": lately, "samples": 240_000, "work_s": 2.5},
        {"at": "2999-01-01T07:00:00Z", "samples": 24_000, "work_s": 1.0},  # by a clock that was wrong
    ]
    (house.settings.data / "speed.json").write_text(json.dumps({"format": 1, "hours": hours}))
    told = client.get(URL)
    assert told.status_code == 200
    assert told.json()["hours"] == [{"at": lately, "audio_s": 10.0, "work_s": 2.5}]
