"""The `lectern` command: `python -m server` is the same."""

import logging
import os
import sys


def main() -> int:
    """Run the command line; gives the exit code."""
    # Imported here: the render process imports this file again, under another name, and has no use for the rest.
    from server.cli import main as run

    code = run()
    return leave(code) if sys.argv[1:2] == ["serve"] else code


def leave(code: int) -> int:
    """End a server's process at once: all is closed by now, and taking a thousand modules apart takes a second."""
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue
    os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
