"""A `launchctl` that knows one domain and is as particular as the real one, and as late.

State and faults stand in the JSON file that FAKE_LAUNCHD names: `loaded`, `going` (so many questions until a job that
was booted out is gone), `pid`, `enabled`, `calls`, and `faults`, a list of [verb, code, text] that are answered first.
"""

import json
import os
import plistlib
import stat
import sys
from pathlib import Path
from typing import Any, NoReturn

UID = os.getuid()
DOMAIN = f"gui/{UID}"
STRINGS = {"Label", "WorkingDirectory", "StandardOutPath", "StandardErrorPath", "ProcessType"}
NUMBERS = {"ThrottleInterval", "ExitTimeOut"}
LIMITS = {"SoftResourceLimits", "HardResourceLimits"}
KEYS = STRINGS | NUMBERS | LIMITS | {"ProgramArguments", "EnvironmentVariables", "RunAtLoad", "KeepAlive"}


class Launchd:
    def __init__(self, file: Path) -> None:
        self._file = file
        self.state: dict[str, Any] = json.loads(file.read_text())

    def leave(self, code: int, text: str = "") -> NoReturn:
        self._file.write_text(json.dumps(self.state))
        print(text, file=sys.stderr if code else sys.stdout)
        sys.exit(code)

    def main(self, arguments: list[str]) -> NoReturn:
        self.state["calls"].append(arguments)
        verb, *rest = arguments or [""]
        for fault in self.state["faults"]:
            if fault[0] == verb:
                self.state["faults"].remove(fault)
                self.leave(fault[1], fault[2])
        match verb, rest:
            case "bootstrap", [domain, path] if domain == DOMAIN:
                self.bootstrap(Path(path))
            case "bootout", [target]:
                self.bootout(self.known(target))
            case "print", [target]:
                self.print(self.known(target))
            case "kickstart", ["-k", target]:
                self.known(target)
                if not self.state["loaded"]:
                    self.leave(113, f'Could not find service "{target}" in domain for user gui: {UID}')
                self.begin()
                self.leave(0)
            case "enable", [target]:
                self.state["enabled"] = self.known(target)
                self.leave(0)
        self.leave(64, f"Unrecognized subcommand or arguments: {arguments}")

    def known(self, target: str) -> str:
        domain, slash, label = target.rpartition("/")
        if not slash or domain != DOMAIN or not label:
            self.leave(64, f"{target} is no service target")
        return label

    def bootstrap(self, path: Path) -> NoReturn:
        if self.state["loaded"] or self.state["going"]:
            self.leave(5, "Bootstrap failed: 5: Input/output error")
        if (fault := fault_of(path)) is not None:
            self.leave(5, f"Bootstrap failed: 5: Input/output error ({fault})")
        self.state["loaded"] = path.stem
        self.begin()
        self.leave(0)

    def begin(self) -> None:
        self.state["pid"] += 1
        if mark := self.state.get("lock"):
            Path(mark).write_text(str(os.getppid()))  # a process that is there

    def bootout(self, label: str) -> NoReturn:
        if self.state["loaded"] != label:
            self.leave(3, "Boot-out failed: 3: No such process")
        self.state["loaded"], self.state["going"] = "", 3
        self.leave(0)

    def print(self, label: str) -> NoReturn:
        if self.state["going"]:
            self.state["going"] -= 1
            self.leave(0, f"{DOMAIN}/{label} = {{\n\tstate = not running\n\tlast exit code = 1\n}}")
        if self.state["loaded"] != label:
            self.leave(113, f'Bad request.\nCould not find service "{label}" in domain for user gui: {UID}')
        self.leave(0, f"{DOMAIN}/{label} = {{\n\tstate = running\n\tpid = {self.state['pid']}\n"
                      "\tlast exit code = (never exited)\n}")  # fmt: skip


def fault_of(path: Path) -> str | None:
    """Why launchd would not take a property list, None when it would."""
    if not path.is_absolute() or path.suffix != ".plist" or not path.is_file():
        return "no such file"
    if path.stat().st_uid != UID or path.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "others may write it"
    told = plistlib.loads(path.read_bytes())
    if unknown := told.keys() - KEYS:
        return f"unknown keys {unknown}"
    if missing := KEYS - told.keys():
        return f"missing keys {missing}"
    program = told["ProgramArguments"]
    checks = {
        "label": told["Label"] == path.stem,
        "program": all(isinstance(part, str) for part in program) and os.access(program[0], os.X_OK),
        "whole program path": Path(program[0]).is_absolute(),
        "folder": Path(told["WorkingDirectory"]).is_absolute() and Path(told["WorkingDirectory"]).is_dir(),
        "logs": all(Path(told[key]).is_absolute() and Path(told[key]).parent.is_dir()
                    for key in ("StandardOutPath", "StandardErrorPath")),
        "strings": all(isinstance(told[key], str) for key in STRINGS),
        "numbers": all(type(told[key]) is int and told[key] > 0 for key in NUMBERS),
        "run at load": told["RunAtLoad"] is True,
        "kept alive after faults only": told["KeepAlive"] == {"SuccessfulExit": False},
        "limits": all(told[key] == {"NumberOfFiles": 4096} for key in LIMITS),
        "type": told["ProcessType"] in ("Interactive", "Standard", "Background", "Adaptive"),
        "environment": all(isinstance(text, str) for pair in told["EnvironmentVariables"].items() for text in pair),
        "nothing left to fill in": "{" not in path.read_text(),
    }  # fmt: skip
    return next((name for name, good in checks.items() if not good), None)


if __name__ == "__main__":
    Launchd(Path(os.environ["FAKE_LAUNCHD"])).main(sys.argv[1:])
