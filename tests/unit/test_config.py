"""Settings come from the environment and a file, and a wrong one is named with what would be right."""

import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from server.cli import settings as shown
from server.config import Settings, load_settings, read_settings
from server.configfile import config_file
from server.errors import Conflict, SettingsError


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder without a configuration file of the person who runs the tests."""
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


GIVEN: dict[str, tuple[str, Any]] = {
    "library": ("/my books", Path("/my books")),
    "data": ("/data", Path("/data")),
    "host": ("::1", "::1"),
    "port": ("9000", 9000),
    "tailscale": ("no", False),
    "serve_port": ("9001", 9001),
    "tailscale_socket": ("/run/ts.sock", "/run/ts.sock"),
    "lan": ("listener", "listener"),
    "voice": ("bf_emma", "bf_emma"),
    "bitrate": ("64000", 64_000),
    "model_source": ("dir:/x", "dir:/x"),
    "settle_s": ("0.5", 0.5),
    "rescan_s": ("60", 60.0),
    "poll": ("yes", True),
    "poll_s": ("5", 5.0),
    "threads": ("2", 2),
    "memory_mb": ("2000", 2000),
    "sample": ("no", False),
    "log_level": ("debug", "debug"),
    "log_format": ("json", "json"),
    "log_mb": ("9", 9),
    "backup_at": ("off", "off"),
    "backup_keep": ("3", 3),
    "backup_audio": ("yes", True),
    "backup_folder": ("/backups", "/backups"),
}


def test_an_empty_environment_gives_the_defaults() -> None:
    assert load_settings({}) == Settings()
    assert load_settings({"LECTERN_PORT": "  ", "PORT": "1"}) == Settings()


def test_every_setting_is_read_from_its_own_variable() -> None:
    assert GIVEN.keys() == {item.name for item in fields(Settings)}, "a new setting needs a line here"
    for name, (text, value) in GIVEN.items():
        reading = read_settings({f"LECTERN_{name.upper()}": text})
        assert getattr(reading.settings, name) == value
        assert reading.origins == {name: f"LECTERN_{name.upper()}"}
        assert reading.warnings == ()


def test_every_setting_is_read_from_the_file_and_a_variable_wins(tmp_path: Path) -> None:
    for name, (text, value) in GIVEN.items():
        file = tmp_path / "config.toml"
        file.write_text(f"{name} = {shown.toml_value(value)}\n")
        reading = read_settings({"LECTERN_CONFIG": str(file)})
        assert getattr(reading.settings, name) == value, name
        assert reading.origins == {name: str(file)}
        assert reading.warnings == ()
        file.write_text(f"{name} = {shown.toml_value(getattr(Settings(), name))}\n")
        both = {"LECTERN_CONFIG": str(file), f"LECTERN_{name.upper()}": text}
        assert getattr(load_settings(both), name) == value, name


def test_the_file_is_looked_for_where_the_system_keeps_such_files(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    assert config_file({}) == home / ".config" / "lectern" / "config.toml"
    assert config_file({"XDG_CONFIG_HOME": "/etc/mine"}) == Path("/etc/mine/lectern/config.toml")
    monkeypatch.setattr("sys.platform", "darwin")
    assert config_file({}) == home / "Library" / "Application Support" / "Lectern" / "config.toml"
    assert config_file({"LECTERN_CONFIG": "~/l.toml"}) == home / "l.toml"


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
        ("MEMORY_MB", "100", "0, or 500"),
        ("MODEL_SOURCE", "floppy", "hub, packages or dir:PATH"),
        ("LOG_LEVEL", "loud", "debug, info, warning or error"),
        ("LOG_FORMAT", "xml", "text or json"),
        ("LOG_MB", "0", "between 1 and 1000"),
        ("BACKUP_AT", "24:00", "such as 03:00, or off"),
        ("BACKUP_KEEP", "0", "between 1 and 1000"),
        ("BACKUP_AUDIO", "perhaps", "yes or no"),
        ("BACKUP_FOLDER", "backups", "the whole path"),
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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('port = "8484"', "port in {file} is '8484', which is not a whole number, such as 8"),
        ("port = true", "port in {file} is True, which is not a whole number"),
        ("port = 0", "port in {file} is 0; a port lies between"),
        ("sample = 1", "sample in {file} is 1, which is not true or false"),
        ("voice = 7", "voice in {file} is 7, which is not words in quotes"),
        ("settle_s = nan", "settle_s in {file} is nan; it must be a number of seconds"),
        ('library = "Books"', "library in {file} is 'Books'; write the whole path"),
        ('data = ""', "data in {file} is ''; write the whole path"),
        ("[port]\nnumber = 1", "port in {file} is {{'number': 1}}, which is not a whole number"),
        ("port = ", "{file} cannot be understood"),
        ("port = 1\nport = 2", "{file} cannot be understood"),
        ("x = " + "[" * 3000, "{file} cannot be understood"),
        (b"voice = '\xff'", "Line 1 of {file} is no UTF-8 text"),
        (b"#" * 1_000_001, "{file} is too long"),
    ],
)
def test_what_cannot_be_used_in_the_file_is_told_with_file_and_key(
    tmp_path: Path, text: str | bytes, said: str
) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(SettingsError) as refused:
        load_settings({"LECTERN_CONFIG": str(file)})
    assert said.format(file=file) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_was_named_must_be_there_and_readable(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="is not there: make it, or unset LECTERN_CONFIG"):
        load_settings({"LECTERN_CONFIG": str(tmp_path / "none.toml")})
    with pytest.raises(SettingsError, match=r"cannot be read .*LECTERN_CONFIG"):
        load_settings({"LECTERN_CONFIG": str(tmp_path)})


def test_what_nobody_knows_is_told_with_what_may_have_been_meant(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('prot = 9000\nLECTERN_PORT = 1\nlog-level = "debug"\n[zebra]\nport = 1\n')
    environ = {"LECTERN_CONFIG": str(file), "LECTERN_LIBARY": "/x", "LECTERN_PYTHON": "python3", "PORT": "1"}
    reading = read_settings(environ)
    assert reading.settings == Settings()
    assert reading.warnings == (
        f"{file}: 'prot' is no setting and changes nothing; did you mean port.",
        f"{file}: 'LECTERN_PORT' is no setting and changes nothing; did you mean port.",
        f"{file}: 'log-level' is no setting and changes nothing; did you mean log_level.",
        f"{file}: 'zebra' is no setting and changes nothing.",
        "The variable LECTERN_LIBARY is no setting and changes nothing; did you mean LECTERN_LIBRARY.",
    )


def test_the_file_that_is_written_for_a_person_has_every_setting_and_changes_nothing(home: Path) -> None:
    reading = read_settings({})
    file = shown.write_example(reading)
    again = read_settings({})
    assert (again.settings, again.found, again.warnings) == (Settings(), True, ())
    lines = file.read_text().splitlines()
    bare = "\n".join(line[1:] for line in lines if line[:1] == "#" and line[1:2] != " ")
    assert list(tomllib.loads(bare)) == [item.name for item in fields(Settings)]
    file.write_text(bare)
    assert load_settings({}) == Settings()
    with pytest.raises(Conflict, match="is there already"):
        shown.write_example(reading)


def test_settings_are_shown_with_where_they_come_from(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = home / "config.toml"
    file.write_text("threads = 2\n")
    monkeypatch.setenv("LECTERN_CONFIG", str(file))
    monkeypatch.setenv("LECTERN_PORT", "9000")
    from server.cli import main

    assert main(["settings"]) == 0
    text = capsys.readouterr().out
    assert f"Configuration file: {file}" in text
    assert f"threads = 2\n    from: {file}\n    CPU threads" in text
    assert "port = 9000\n    from: LECTERN_PORT\n    Port to listen on." in text
    assert 'host = "127.0.0.1"\n    from: as Lectern comes' in text
    assert all(f"\n{item.name} = " in text for item in fields(Settings))
    told = shown.as_json(read_settings())
    assert [row["name"] for row in told["settings"]] == [item.name for item in fields(Settings)]
