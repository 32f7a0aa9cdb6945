"""The server's log: files of its own that turn over, lines for people or for programs, and nothing private in them.

At the level info and above no line has a title, a text, a path or a token: whoever sends a log for help gives nothing
away. Two things see to that. What a line is given (a path, an error with its sentence) is written as what it is, not as
what it says; and what still looks like a path or a secret in the finished line is taken out. The level debug shows all
but secrets.
"""

import errno
import faulthandler
import json
import logging
import logging.handlers
import os
import re
import sys
import threading
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from server.config import Settings
from server.errors import DeviceWrong, LecternError, OutOfMemory, SettingsError, SetupError, StoreError, WorkerLost

FILE: Final = "lectern.log"
START: Final = "start.log"  # what the system's service manager catches: only what keeps the log itself from working
OLDER: Final = 4
_START_BYTES: Final = 1_000_000
_LONGEST: Final = 4000
_CHATTY: Final = ("httpx", "httpcore", "uvicorn", "watchfiles", "alembic", "asyncio")
_ROOT: Final = Path(__file__).resolve().parent.parent

_SECRET: Final = re.compile(
    r"(?i)("
    r"\b(?:bearer|basic)\s+|\bsameuserproof-\d+-|\blectern=|"
    r"(?<![a-z])(?:token|secret|password|key)['\"]?\s*[=:]\s*['\"]?|"
    r"(?<![a-z])(?:token|secret|password|key)\s+(?=[\w-]*\d)(?=[\w-]{8})"
    r")[^\s&;,'\"]+"
)
# As `secrets` makes them: long, and of all three kinds of signs, which no hash, number or name in a line is.
_RANDOM: Final = re.compile(r"(?<![\w-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=[\w-]*\d)[A-Za-z\d_-]{20,}(?![\w-])")
# From the first sign of a path to where one of our sentences goes on, or else to the end of the line: names of books
# have spaces, colons and brackets, so that words are swallowed. What the system said of it is put back.
_PATH: Final = re.compile(
    r"(?:(?<![\w/.<])(?:~[\w.-]*/|/(?=[^\s/])(?!api/v1/))|file:/+|\b[A-Za-z]:\\)"
    r"(?:[^\n]*(?=[ ](?:could|cannot|may not|is damaged|is not|is shorter|is in use|does not|was written)\b)|[^\n]*)"
)
_REASON: Final = re.compile("|".join(re.escape(os.strerror(code)) for code in sorted(errno.errorcode)))
_UNSEEN: Final = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")  # all that ends or turns a line
# What lies in the store is called by hashes and numbers: where in it something is wrong may be told.
_STORED: Final = re.compile(r"(?<![\w/.<])[~/][^\n:;()“”\"]*?/store/(books/[0-9a-f]{16}[\w./-]*\w|store\.json)")
_ASKED: Final = re.compile(r"(/api/v1/[a-z-]+)/[^\s]+")  # what follows may be a name that somebody gave
_QUOTED: Final = re.compile(r"“[^”]*”|(?<!\w)'[^'\n]{3,}'(?!\w)|\"[^\"\n]*\"")


# Errors of the machine: their sentences tell of disks and processes, those of all others of books and texts.
_TOLD: Final = (StoreError, SettingsError, SetupError, OutOfMemory, DeviceWrong, WorkerLost)


def described(value: Any) -> Any:
    """What a line says of a value: of a path and an error only what kind it is."""
    if isinstance(value, Path):
        return "(a file)"
    if isinstance(value, BaseException):
        causes, error = [_kind(value)], value
        while (error := error.__cause__ or error.__context__) is not None and len(causes) < 4:  # type: ignore[assignment]
            causes.append(_kind(error))
        return " from ".join(causes)
    return value


def _kind(error: BaseException) -> str:
    if isinstance(error, OSError):
        return f"{type(error).__name__} ({os.strerror(error.errno) if error.errno else 'no number'})"
    if isinstance(error, _TOLD):
        return f"{type(error).__name__}: {private(str(error))}"
    if isinstance(error, LecternError):
        return f"{type(error).__name__} ({getattr(error, 'kind', error.code)})"
    return type(error).__name__


def private(text: str) -> str:
    """A finished line without what looks like a path, and without what stands in quotes."""
    for pattern, instead in (
        (_QUOTED, "(a text)"),
        (_STORED, r"store/\1"),
        (_ASKED, r"\1/…"),
    ):
        text = pattern.sub(instead, text)
    return _PATH.sub(_without_path, text)


def _without_path(found: re.Match[str]) -> str:
    reason = _REASON.search(found[0])
    return "(a file)" if reason is None else f"(a file) ({reason[0]})"


def redacted(text: str) -> str:
    """A line of the log for somebody else's eyes, whatever level it was written at: no paths, titles and secrets."""
    return _without_secrets(private(text))


def _without_secrets(text: str) -> str:
    return _RANDOM.sub("(secret)", _SECRET.sub(r"\1(secret)", text))


class Lines(logging.Formatter):
    """Lines for people: time, level, who, what; a fault's frames below it, without what it said."""

    def __init__(self, *, open_: bool) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._open = open_

    def told(self, record: logging.LogRecord) -> str:
        """The message as it may be written."""
        args = record.args
        if not self._open and isinstance(args, tuple):
            args = tuple(described(arg) for arg in args)
        try:
            text = str(record.msg) % args if args else str(record.msg)
        except (TypeError, ValueError):
            text = str(record.msg)
        text = text if self._open else private(text)
        return _without_secrets(text)[:_LONGEST]

    def trace(self, record: logging.LogRecord) -> list[str]:
        """The frames of a fault, and what kind it was; at debug all that Python says."""
        if not record.exc_info or record.exc_info[1] is None:
            return []
        if self._open:
            return _without_secrets(self.formatException(record.exc_info)).splitlines()
        return [*_frames(record.exc_info[2]), str(described(record.exc_info[1]))]

    def format(self, record: logging.LogRecord) -> str:
        when = self.formatTime(record)
        lines = [f"{when} {record.levelname} {record.name}: {_one_line(self.told(record))}"]
        return "\n    ".join(lines + [_one_line(line) for line in self.trace(record)])


class JsonLines(Lines):
    """One JSON object a line: time in UTC, level, logger, message, and a fault's frames."""

    def format(self, record: logging.LogRecord) -> str:
        told: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self.told(record),
        }
        if trace := self.trace(record):
            told["trace"] = trace
        return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(told, ensure_ascii=False))


def _one_line(text: str) -> str:
    return _UNSEEN.sub(
        lambda found: repr(found[0])[1:-1], text
    )  # a line that somebody else wrote looks like no line of ours


def _frames(trace: TracebackType | None) -> list[str]:
    frames = []
    for frame in traceback.extract_tb(trace):
        path = Path(frame.filename)
        name = path.relative_to(_ROOT).as_posix() if path.is_relative_to(_ROOT) else path.name
        frames.append(f"{name}:{frame.lineno} {frame.name}")
    return frames


class _LogFile(logging.handlers.RotatingFileHandler):
    """A file that turns over. What keeps it from being written is nobody's fault and ends nothing."""

    def __init__(self, path: Path, size_bytes: int) -> None:
        super().__init__(path, maxBytes=size_bytes, backupCount=OLDER, encoding="utf-8", errors="backslashreplace")

    def _open(self) -> Any:
        stream = super()._open()
        os.chmod(stream.fileno(), 0o600)  # noqa: PTH101
        return stream

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """The disk is full, or the folder went: the line is lost, and the next is tried anew."""
        stream, self.stream = self.stream, None
        if stream is not None:
            _close_quietly(stream)

    def doRollover(self) -> None:  # noqa: N802
        try:
            super().doRollover()
        except OSError:  # what is older cannot be moved: then it grows no further than this
            self.stream = self._open() if self.stream is None else self.stream
            if self.stream.tell() > 2 * self.maxBytes:
                self.stream.truncate(0)


def _close_quietly(stream: Any) -> None:
    try:
        stream.close()
    except OSError:
        return


def keep_log(settings: Settings, *, service: bool) -> None:
    """Write the log of a server: into its file, and to standard error too unless a `service` manager reads that.

    Never raises: where no file can be written, standard error it is.
    """
    level = settings.log_level.upper()
    lines = (JsonLines if settings.log_format == "json" else Lines)(open_=level == "DEBUG")
    handlers: list[logging.Handler] = []
    trouble: OSError | None = None
    try:
        settings.logs.mkdir(parents=True, exist_ok=True)
        _cut(settings.logs / START)
        handlers.append(_LogFile(settings.logs / FILE, settings.log_mb * 1_000_000))
    except OSError as error:
        trouble = error
    if not service or not handlers:
        handlers.append(logging.StreamHandler(sys.stderr))
    for handler in handlers:
        handler.setFormatter(lines)
    logging.basicConfig(level=level, handlers=handlers, force=True)
    for chatty in _CHATTY:
        logging.getLogger(chatty).setLevel(max(logging.WARNING, logging.getLogger().level))
    if trouble is not None:
        where = "" if service else f" in {settings.logs}"  # a person is told where; what a service wrote is sent on
        sys.stderr.write(f"lectern: no log can be written{where} ({trouble.strerror}).\n")


def _cut(path: Path) -> None:
    """Empty the file that the service manager adds to and never turns over, once it is long."""
    if path.exists() and path.stat().st_size > _START_BYTES:
        os.truncate(path, 0)


def hear_stderr() -> Callable[[], None]:
    """Have what this process and its children write to standard error come into the log, line by line; gives the undo.

    Where the process itself is struck down, the frames go to what standard error was before.
    """
    before = os.fdopen(os.dup(2), "w")
    faulthandler.enable(before)
    read, write = os.pipe()
    os.dup2(write, 2)
    os.close(write)
    threading.Thread(target=_hear, args=(read,), name="stderr", daemon=True).start()

    def back() -> None:
        os.dup2(before.fileno(), 2)

    return back


_OF_CHILD: Final = re.compile(
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (DEBUG|INFO|WARNING|ERROR|CRITICAL) ([\w.]+): (.*)"
)


def _hear(handle: int) -> None:
    with os.fdopen(handle, "r", errors="replace") as stream:
        for line in stream:
            own = _OF_CHILD.fullmatch(line.rstrip())
            level, name, text = own.groups() if own is not None else ("INFO", "child", line.rstrip())
            if text.strip():
                logging.getLogger(name).log(logging.getLevelNamesMapping()[level], "%s", text)


def to_stderr(level: int = logging.INFO) -> None:
    """The log of a child process: lines as a server's, on standard error, where the server hears them."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines(open_=level <= logging.DEBUG))
    logging.basicConfig(level=level, handlers=[handler], force=True)
