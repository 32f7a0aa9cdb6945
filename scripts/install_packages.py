"""Runs pip (or uv where it is installed) and tells in one moving line what it does; the whole story goes to a log.

Usage: install_packages.py WHAT CONSTRAINTS TARGET
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

LOG = Path(".venv") / "install.log"
WIDTH = 78
OFFLINE = ("failure in name resolution", "NewConnectionError", "NameResolution", "dns error", "Failed to establish")


def commands(constraints: str, target: str) -> list[list[str]]:
    """The installers to try, in order: uv is quicker, pip is always there."""
    ask = ["-c", constraints, "-e", target]
    found: list[list[str]] = []
    if uv := shutil.which("uv"):
        found.append([uv, "pip", "install", "--python", sys.executable, *ask])
    pip = [sys.executable, "-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--progress-bar", "off"]
    found.append([*pip, *ask])
    return found


def run(command: list[str]) -> int:
    """Run one installer; its last word is shown in place on a terminal, and every line is kept in the log."""
    live = sys.stdout.isatty()
    with LOG.open("a", encoding="utf-8") as log:
        log.write(f"$ {' '.join(command)}\n")
        log.flush()
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
        )
        try:
            for line in child.stdout or ():
                log.write(line)
                if live and line.strip():
                    sys.stdout.write("\r\033[K  " + line.strip()[: WIDTH - 2])
                    sys.stdout.flush()
            return child.wait()
        except KeyboardInterrupt:
            child.wait()
            return 130
        finally:
            if live:
                sys.stdout.write("\r\033[K")


def main() -> int:
    what, constraints, target = sys.argv[1:4]
    started = time.monotonic()
    sys.stdout.write(f"Installing {what} (about a gigabyte the first time; a few minutes) …\n")
    sys.stdout.flush()
    LOG.unlink(missing_ok=True)
    result = 1
    for command in commands(constraints, target):
        result = run(command)
        if result == 0 or result == 130:
            break
    if result == 0:
        sys.stdout.write(f"Installed in {time.monotonic() - started:.0f} s.\n")
        return 0
    if result in (130, -2, -15):
        return 130
    sys.stderr.write(reason() + "\n")
    return 1


def reason() -> str:
    """The installer's own complaint, and where the rest of it is."""
    lines = LOG.read_text(encoding="utf-8", errors="replace").splitlines()
    errors = [line.strip() for line in lines if line.lower().lstrip().startswith(("error", "×"))]
    if any(word in line for line in lines for word in OFFLINE):
        head = "The packages could not be fetched: this machine seems to be offline. Connect it and try again."
    else:
        head = "The packages could not be installed."
    shown = "\n".join(f"  {line}" for line in errors[-3:])
    return f"{head}\n{shown}\nThe whole story is in {os.fspath(LOG)}."


if __name__ == "__main__":
    sys.exit(main())
