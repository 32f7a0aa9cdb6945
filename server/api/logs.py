"""The end of the server's log, without anything private, whatever level it was written at."""

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from litestar import get
from litestar.params import QueryParameter
from pydantic import Field

from server.api.common import House, off_loop
from server.api.problems import documented
from server.api.view import View
from server.logs import FILE, OLDER, redacted

Level = Literal["debug", "info", "warning", "error"]

MOST_LINES: Final = 2_000
MOST_BYTES: Final = 4_000_000  # of the end of the log that are looked through
LEVELS: Final[dict[str, int]] = {"debug": 10, "info": 20, "warning": 30, "error": 40, "critical": 50}
_LINE: Final = re.compile(
    r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),(\d{3}) (DEBUG|INFO|WARNING|ERROR|CRITICAL) ([\w.]+): (.*)"
)


class LogLine(View):
    """One thing that happened."""

    at: datetime | None = Field(description="When; null where the line does not tell.")
    level: Level
    who: str = Field(description="The part of the server that says it.")
    text: str
    more: list[str] = Field(description="Where in the program it happened, for a fault.")


class LogView(View):
    """The end of the log, the oldest line first."""

    lines: list[LogLine]
    written: str = Field(description="How much is logged: the setting `log_level`.")


@get("/log", summary="The end of the log", tags=["house"], responses=documented())
async def get_log(
    house: House,
    lines: Annotated[int, QueryParameter(ge=1, le=MOST_LINES, description="So many of them at most.")] = 300,
    level: Annotated[Level, QueryParameter(description="Only what is as grave as this, or graver.")] = "info",
) -> LogView:
    """Without titles, texts, paths and secrets: it may be sent to somebody for help."""
    found = await off_loop(last_lines, house.settings.logs, lines, level)
    return LogView(lines=found, written=house.settings.log_level.lower())


def last_lines(folder: Path, count: int, level: Level) -> list[LogLine]:
    """The last `count` lines of the log in `folder` that are as grave as `level`; none where there is no log."""
    found: list[LogLine] = []
    for raw in reversed(_tail(folder)):
        if not raw.strip():
            continue
        if raw.startswith("    ") and not raw.startswith("    {"):
            found.append(_line(None, "debug", "", "", [raw.strip()]))  # belongs to the line that comes before it
            continue
        line = _read(raw)
        more: list[str] = []
        while found and not found[-1].who and found[-1].at is None and found[-1].more and not found[-1].text:
            more += found.pop().more
        if LEVELS[line.level] >= LEVELS[level]:
            found.append(line.model_copy(update={"more": line.more + more}) if more else line)
        if len(found) >= count:
            break
    return [line for line in reversed(found) if line.text]


def _tail(folder: Path) -> list[str]:
    """The lines in the last bytes of the log, those of an older file first."""
    parts: list[bytes] = []
    left = MOST_BYTES
    for name in [FILE] + [f"{FILE}.{number}" for number in range(1, OLDER + 1)]:
        try:
            with (folder / name).open("rb") as stream:
                size = stream.seek(0, os.SEEK_END)
                stream.seek(max(0, size - left))
                part = stream.read(left)
        except OSError:
            continue
        if size > left:
            part = part.partition(b"\n")[2]  # begins within a line
        parts.append(part)
        left -= len(part)
        if size > left or left <= 0:
            break
    return b"".join(reversed(parts)).decode("utf-8", errors="replace").split("\n")


def _read(raw: str) -> LogLine:
    """A line as it was written: for people, or as JSON; anything else is something that was said."""
    if raw.startswith("{"):
        try:
            told: dict[str, Any] = json.loads(raw)
            at = datetime.fromisoformat(str(told["time"]))
            return _line(at, str(told["level"]), str(told["logger"]), str(told["message"]), list(told.get("trace", [])))
        except (ValueError, KeyError, TypeError, RecursionError):
            pass
    if (found := _LINE.fullmatch(raw)) is None:
        return _line(None, "info", "other", raw, [])
    at = datetime.strptime(f"{found[1]}.{found[2]}000", "%Y-%m-%d %H:%M:%S.%f").astimezone(UTC)
    return _line(at, found[3].lower(), found[4], found[5], [])


def _line(at: datetime | None, level: str, who: str, text: str, more: list[Any]) -> LogLine:
    known: Any = {"critical": "error"}.get(level, level if level in LEVELS else "info")
    return LogLine(at=at, level=known, who=who, text=redacted(text), more=[redacted(str(line)) for line in more])
