"""The text of the configuration file: as it is made, and with one setting changed and all else as somebody wrote it."""

import json
import re
import tomllib
from dataclasses import Field, fields
from typing import Any, Final

from server.config import Settings
from server.errors import Conflict

_HEAD: Final = """\
# Settings of Lectern. A variable of the environment, such as LECTERN_PORT, wins over this file.
# Take the # away from a line to change what it says; then start Lectern again (`lectern restart`).
"""

# One value on one line: words in either kind of quotes, or a number or a word without. Longer ones are left alone.
_VALUE: Final = r"""(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s#"'\[{]+)"""
_TABLE: Final = re.compile(r"^[ \t]*\[", re.MULTILINE)


def toml_value(value: object) -> str:
    """A setting's value as it stands in the file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}" if not value.is_integer() else f"{value:.0f}"
    # JSON's strings are TOML's, but for the character DEL, which no path of sense has
    return str(value) if isinstance(value, int) else json.dumps(str(value), ensure_ascii=False)


def example() -> str:
    """A configuration file with every setting at its default, as comments."""
    lines = [_HEAD]
    for item in fields(Settings):
        lines += [f"# {item.metadata['explained']}", f"#{item.name} = {toml_value(_default(item))}", ""]
    return "\n".join(lines)


def _default(item: "Field[Any]") -> Any:
    return getattr(Settings(), item.name)


def edited(text: str, name: str, value: object | None) -> str:
    """The file's text with the setting `name` at `value`, or, None, as a comment again; all else stays as it is.

    Raises Conflict where it is written in a way that cannot be changed without touching more.
    """
    item = next(item for item in fields(Settings) if item.name == name)
    before = tomllib.loads(text)
    line = f"{name} = {toml_value(value)}" if value is not None else f"#{name} = {toml_value(_default(item))}"
    made = _replaced(text, name, line) if value is not None or name in before else text
    wanted = {key: told for key, told in before.items() if key != name} | ({} if value is None else {name: value})
    try:
        after = tomllib.loads(made)
    except tomllib.TOMLDecodeError:
        after = None
    if after != {key: told if key != name else _as_toml(value) for key, told in wanted.items()}:
        raise Conflict(f"{name} is written in the configuration file in a way of its own: change it there, by hand.")
    return made


def _as_toml(value: object) -> object:
    return tomllib.loads(f"it = {toml_value(value)}")["it"]


def _replaced(text: str, name: str, line: str) -> str:
    """The text with `line` where the setting stands, else where its comment stands, else at the end of the top."""
    table = _TABLE.search(text)
    top, rest = (text, "") if table is None else (text[: table.start()], text[table.start() :])
    key = rf"(?:{name}|\"{name}\"|'{name}')"
    for pattern in (rf"^[ \t]*{key}[ \t]*=[ \t]*{_VALUE}(?=[ \t]*(?:#[^\n]*)?$)", rf"^#[ \t]*{name}[ \t]*=[^\r\n]*"):
        if (found := re.search(pattern, top, re.MULTILINE)) is not None:
            return top[: found.start()] + line + top[found.end() :] + rest
    if top and not top.endswith("\n"):
        top += "\n"
    return f"{top}{line}\n{rest}"
