"""`lectern settings`: what is set, by whom, and what it means."""

import argparse
from dataclasses import fields
from pathlib import Path
from typing import Any

from server.cli.console import Console
from server.cli.exits import OK
from server.config import Reading, Settings, read_settings
from server.configedit import example, toml_value
from server.errors import Conflict, SettingsError


def show(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    """Print every setting, or write a file to change them in. Raises Conflict where such a file is there."""
    reading = read_settings()
    if arguments.write:
        console.say(f"{write_example(reading)} is made. Every line in it is a comment until you take its # away.")
    elif arguments.json:
        console.answer(as_json(reading))
    else:
        for line in as_lines(reading):
            console.say(line)
    return OK


def as_json(reading: Reading) -> dict[str, Any]:
    """What `--json` prints."""
    listed = [
        {
            "name": item.name,
            "variable": f"LECTERN_{item.name.upper()}",
            "value": getattr(reading.settings, item.name),
            "from": reading.origins.get(item.name),
            "meaning": item.metadata["explained"],
        }
        for item in fields(Settings)
    ]
    return {"file": str(reading.file), "file_found": reading.found, "settings": listed}


def as_lines(reading: Reading) -> list[str]:
    """The settings as a person reads them, three lines each."""
    there = "" if reading.found else " (not there; `lectern settings --write` makes it)"
    lines = [f"Configuration file: {reading.file}{there}", ""]
    for item in fields(Settings):
        value = toml_value(getattr(reading.settings, item.name))
        origin = reading.origins.get(item.name, "as Lectern comes")
        lines += [f"{item.name} = {value}", f"    from: {origin}", f"    {item.metadata['explained']}"]
    return lines


def write_example(reading: Reading) -> Path:
    """Make the configuration file. Raises Conflict where there is one, SettingsError where it cannot be made."""
    try:
        reading.file.parent.mkdir(parents=True, exist_ok=True)
        with reading.file.open("x", encoding="utf-8") as stream:
            stream.write(example())
    except FileExistsError:
        raise Conflict(f"{reading.file} is there already: edit it, or move it away first.") from None
    except OSError as error:
        raise SettingsError(
            f"{reading.file} cannot be made ({error.strerror}). Choose another place with LECTERN_CONFIG."
        ) from error
    return reading.file
