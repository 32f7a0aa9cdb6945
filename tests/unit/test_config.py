"""Settings come from the environment, and a wrong one is named with what would be right."""

from dataclasses import fields
from pathlib import Path

import pytest

from server.config import Settings, load_settings
from server.errors import SettingsError


def test_an_empty_environment_gives_the_defaults() -> None:
    assert load_settings({}) == Settings()
    assert load_settings({"LECTERN_PORT": "  ", "PORT": "1"}) == Settings()


def test_every_setting_is_read_from_its_own_variable(tmp_path: Path) -> None:
    given = {
        "library": (str(tmp_path / "my books"), tmp_path / "my books"),
        "data": (str(tmp_path), tmp_path),
        "host": ("::1", "::1"),
        "port": ("9000", 9000),
        "voice": ("bf_emma", "bf_emma"),
        "bitrate": ("64000", 64_000),
        "model_source": ("dir:/x", "dir:/x"),
        "settle_s": ("0.5", 0.5),
        "rescan_s": ("60", 60.0),
        "poll": ("yes", True),
        "poll_s": ("5", 5.0),
        "threads": ("2", 2),
        "sample": ("no", False),
        "log_level": ("debug", "debug"),
    }
    assert given.keys() == {item.name for item in fields(Settings)}, "a new setting needs a line here"
    for name, (text, value) in given.items():
        assert getattr(load_settings({f"LECTERN_{name.upper()}": text}), name) == value


def test_a_home_folder_may_be_written_with_a_tilde() -> None:
    assert load_settings({"LECTERN_LIBRARY": "~/Books"}).library == Path.home() / "Books"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("PORT", "eighty", "whole number"),
        ("PORT", "0", "between 1 and 65535"),
        ("PORT", "65536", "between 1 and 65535"),
        ("BITRATE", "96000", "32000, 48000 or 64000"),
        ("SAMPLE", "maybe", "yes or no"),
        ("SETTLE_S", "-1", "more than 0"),
        ("SETTLE_S", "soon", "a number"),
        ("SETTLE_S", "nan", "more than 0"),
        ("RESCAN_S", "0", "more than 0"),
        ("RESCAN_S", "inf", "more than 0"),
        ("THREADS", "-1", "choose 0"),
        ("MODEL_SOURCE", "floppy", "hub, packages or dir:PATH"),
        ("LOG_LEVEL", "loud", "debug, info, warning or error"),
    ],
)
def test_a_bad_value_is_refused_with_the_variables_name_and_the_way_out(name: str, value: str, said: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings({f"LECTERN_{name}": value})
    assert f"LECTERN_{name}" in str(refused.value)
    assert said in str(refused.value)


def test_settings_cannot_be_changed_afterwards() -> None:
    with pytest.raises(AttributeError):
        Settings().port = 1  # type: ignore[misc]
