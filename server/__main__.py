"""The `lectern` command: `python -m server` is the same."""

import sys


def main() -> int:
    """Run the command line; gives the exit code."""
    # Imported here: the render process imports this file again, under another name, and has no use for the rest.
    from server.cli import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
