"""The doctor of a server that runs."""

from pathlib import Path

import pytest

from server.config import Settings
from server.setup import doctor
from server.setup.check import Check
from server.setup.checkup import Checkup


def test_what_was_well_is_not_tried_again_and_what_was_not_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    well = {"libraries": False, "numbers": False}
    told: list[Check] = []

    def libraries() -> list[Check]:
        tried.append("libraries")
        return [Check("MLX", well["libraries"], "Run `lectern setup`.")]

    def numbers(settings: Settings) -> Check:
        tried.append("numbers")
        return Check(doctor.NUMBERS, well["numbers"], "")

    monkeypatch.setattr(doctor, "libraries_work", libraries)
    monkeypatch.setattr(doctor, "numbers_right", numbers)
    monkeypatch.setattr(doctor, "numbers_told", lambda _: told[0] if told else None)
    monkeypatch.setattr(doctor, "model_present", lambda *_, **__: Check("Model and voices", True, ""))
    checkup, settings = Checkup(), Settings(data=tmp_path / "data", library=tmp_path / "library")
    assert [check.detail for check in checkup.examine(settings) if check.name == "MLX"] != ["Run `lectern setup`."]
    checkup.examine(settings)
    assert tried == ["libraries", "numbers"] * 2
    well.update(libraries=True, numbers=True)
    for _ in range(3):
        assert {c.name: c.ok for c in checkup.examine(settings)}.items() >= {("MLX", True), (doctor.NUMBERS, True)}
    assert tried == ["libraries", "numbers"] * 3
    # What the process that renders has found since is told all the same.
    told.append(Check(doctor.NUMBERS, None, "The GPU computes wrong numbers."))
    assert told[0] in checkup.examine(settings)
