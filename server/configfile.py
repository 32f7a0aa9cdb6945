"""The configuration file: where it lies, what stands in it, and what in it nobody knows."""

import difflib
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from server.errors import SettingsError

PLACE: Final = "LECTERN_CONFIG"
LARGEST_BYTES: Final = 1_000_000
# Read by `make`, by scripts and by our own tests, not by the table of settings.
NOT_SETTINGS: Final = ("LECTERN_PYTHON", "LECTERN_COUNT", "LECTERN_TEST_")


def config_file(environ: Mapping[str, str]) -> Path:
    """Where the configuration file is looked for, whether or not it is there."""
    if told := environ.get(PLACE, "").strip():
        return Path(told).expanduser().absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "Lectern" / "config.toml"
    base = environ.get("XDG_CONFIG_HOME", "")
    # the rules for such folders say that one that is not absolute is to be passed over
    return (Path(base) if base.startswith("/") else Path.home() / ".config") / "lectern" / "config.toml"


def read_config(path: Path, *, wanted: bool) -> dict[str, Any]:
    """What stands in the file; nothing where there is none and nobody `wanted` that one.

    Raises SettingsError, naming the file, the line and the way out.
    """
    try:
        with path.open("rb") as stream:
            raw = stream.read(LARGEST_BYTES + 1)
    except FileNotFoundError:
        if not wanted:
            return {}
        raise SettingsError(f"{path}, named by {PLACE}, is not there: make it, or unset {PLACE}.") from None
    except OSError as error:
        raise SettingsError(
            f"The configuration file {path} cannot be read ({error.strerror}): give yourself the right to, "
            f"or name another with {PLACE}."
        ) from error
    if len(raw) > LARGEST_BYTES:
        raise SettingsError(f"{path} is too long for a configuration file: name another with {PLACE}.")
    try:
        return tomllib.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"Line {line} of {path} is no UTF-8 text: save the file as UTF-8.") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(
            f"{path} cannot be understood ({error}). A line looks like `port = 8484`, and words stand in quotes: "
            'voice = "af_heart".'
        ) from None


def unknown_keys(path: Path, given: Mapping[str, Any], known: Iterable[str]) -> list[str]:
    """A sentence for each key of the file that is no setting, with the setting that may have been meant."""
    names = list(known)
    sentences = []
    for key in given:
        if key in names:
            continue
        near = _near(key.lower().removeprefix("lectern_").replace("-", "_"), names)
        sentences.append(f"{path}: {key!r} is no setting and changes nothing{f'; did you mean {near}' * bool(near)}.")
    return sentences


def unknown_variables(environ: Mapping[str, str], known: Iterable[str]) -> list[str]:
    """A sentence for each variable that begins with LECTERN_ and is no setting."""
    names = {f"LECTERN_{name.upper()}" for name in known} | {PLACE}
    sentences = []
    for key in environ:
        if not key.startswith("LECTERN_") or key in names or key.startswith(NOT_SETTINGS):
            continue
        near = _near(key, sorted(names))
        sentences.append(
            f"The variable {key} is no setting and changes nothing{f'; did you mean {near}' * bool(near)}."
        )
    return sentences


def _near(key: str, names: list[str]) -> str:
    found = difflib.get_close_matches(key, names, n=1, cutoff=0.6)
    return found[0] if found else ""
