"""The command line: what a person or a script types, and what they read."""

import logging
import os
import sys
from collections.abc import Sequence

from server.cli.console import Console
from server.cli.exits import FAILED, INTERRUPTED, USAGE, exit_code
from server.cli.parser import build_parser
from server.config import load_settings
from server.errors import LecternError

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code (see `exits.py`). Errors are one sentence on standard error."""
    parser = build_parser()
    arguments = parser.parse_args(argv)
    console = Console()
    if arguments.run is None:
        console.say(parser.format_help())
        return USAGE
    try:
        settings = load_settings()
        _log_to_stderr(settings.log_level if arguments.logs else "error")
        code: int = arguments.run(settings, arguments, console)
        console.flush()
        return code
    except LecternError as error:
        console.complain(str(error))
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


def _log_to_stderr(level: str) -> None:
    logging.basicConfig(level=level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s", force=True)
    for chatty in ("httpx", "httpcore", "uvicorn", "watchfiles"):
        logging.getLogger(chatty).setLevel(max(logging.WARNING, logging.getLogger().level))
