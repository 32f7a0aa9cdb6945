"""The command line: what a person or a script types, and what they read."""

import logging
import os
import sys
from collections.abc import Sequence

from server.cli.console import Console
from server.cli.exits import FAILED, INTERRUPTED, USAGE, exit_code
from server.cli.parser import build_parser
from server.config import Settings, read_settings
from server.errors import LecternError, SettingsError
from server.logs import keep_log

__all__ = ["main"]

log = logging.getLogger(__name__)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code (see `exits.py`). Errors are one sentence on standard error."""
    parser = build_parser()
    arguments = parser.parse_args(argv)
    console = Console()
    if arguments.run is None:
        console.say(parser.format_help())
        return USAGE
    try:
        reading = read_settings()
        settings = reading.settings
        if arguments.logs:
            make_data_folder(settings)
            keep_log(settings, service=arguments.service)
        else:
            logging.basicConfig(level="ERROR", format="%(levelname)s %(name)s: %(message)s", force=True)
        for warning in reading.warnings:
            (log.warning if arguments.service else console.complain)(warning)
        code: int = arguments.run(settings, arguments, console)
        console.flush()
        return code
    except LecternError as error:
        console.complain(str(error))
        if arguments.service:
            log.error("%s", str(error))
        return exit_code(error)
    except BrokenPipeError:  # the reader (`| head`) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        console.complain(f"{error.strerror or error}{where}.")
        return FAILED
    except KeyboardInterrupt:
        console.complain("Stopped.")
        return INTERRUPTED


def make_data_folder(settings: Settings) -> None:
    """Make it where it is not there, before the log and all else fail on it in turn. Raises SettingsError."""
    try:
        settings.data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"The folder {settings.data} cannot be made ({error.strerror}). Choose another with LECTERN_DATA."
        ) from error
