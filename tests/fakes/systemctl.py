"""A `systemctl --user` that knows one unit. Its state stands in the file that FAKE_SYSTEMD names."""

import json
import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any

UNIT = "lectern.service"


def main(arguments: list[str], file: Path) -> tuple[int, str]:
    state: dict[str, Any] = json.loads(file.read_text())
    state["calls"].append(arguments)
    try:
        for fault in state["faults"]:
            if fault[0] in arguments:
                state["faults"].remove(fault)
                return int(fault[1]), str(fault[2])
        return answer(arguments, state)
    finally:
        file.write_text(json.dumps(state))


def answer(arguments: list[str], state: dict[str, Any]) -> tuple[int, str]:
    there = Path(state["unit"])
    match arguments:
        case ["--user", "daemon-reload"]:
            fault = fault_of(there.read_text()) if there.exists() else None
            state["known"] = there.exists()
            return (1, fault) if fault else (0, "")
        case ["--user", "enable", unit] if unit == UNIT and state["known"]:
            state["enabled"] = True
        case ["--user", "restart", unit] if unit == UNIT and state["known"]:
            state["active"] = True
            state["pid"] += 1
            if mark := state.get("lock"):
                Path(mark).write_text(str(os.getppid()))
        case ["--user", "disable", "--now", unit] if unit == UNIT and state["known"]:
            state["enabled"] = state["active"] = False
        case ["--user", "show", unit, what, "--value"] if unit == UNIT:
            running = bool(state["active"])
            told = {
                "--property=ActiveState": "active" if running else "inactive",
                "--property=MainPID": str(state["pid"]) if running else "0",
                "--property=ExecMainStatus": "0",
            }
            return 0, told[what]
        case _:
            return 5, f"Failed: Unit {UNIT} not found, or these are no arguments: {arguments}"
    return 0, ""


def fault_of(text: str) -> str | None:
    """Why systemd would not take a unit, None when it would."""
    lines = [line for line in text.splitlines() if line and line[0] != "#"]
    pairs = [line.partition("=")[::2] for line in lines if line[0] != "["]
    said = dict(pairs)
    if [line for line in lines if line[0] == "["] != ["[Unit]", "[Service]", "[Install]"]:
        return "sections"
    program = shlex.split(said["ExecStart"].replace("%%", "%").replace("$$", "$"))
    wanted = {"Restart": "on-failure", "RestartSec": "15", "TimeoutStopSec": "30", "LimitNOFILE": "4096",
              "WantedBy": "default.target", "Type": "simple"}  # fmt: skip
    if any(said.get(key) != value for key, value in wanted.items()):
        return "a value"
    if not os.access(program[0], os.X_OK) or program[1:] != ["-m", "server", "serve", "--service"]:
        return "ExecStart"
    if not Path(said["WorkingDirectory"].replace("%%", "%")).is_dir():
        return "WorkingDirectory"
    if any(re.search(r"(?<!%)%(?!%)", value.replace("%%", "")) for _, value in pairs):
        return "a specifier"
    return "a brace" if "{" in "".join(lines) else None


if __name__ == "__main__":
    code, told = main(sys.argv[1:], Path(os.environ["FAKE_SYSTEMD"]))
    print(told, file=sys.stderr if code else sys.stdout)
    sys.exit(code)
