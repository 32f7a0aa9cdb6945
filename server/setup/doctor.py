"""What is missing, and how to mend it: every check that `lectern doctor` and the dashboard show.

No check imports mlx, av or spacy here: native libraries are tried in a child process (`probes.py`).
"""

import json
import os
import platform
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

from server.config import Settings
from server.errors import Conflict, SetupError
from server.library.disks import Polling
from server.render.messages import COMPUTES, Compute
from server.setup.check import Check
from server.setup.keeping import keeping
from server.setup.manifest import check_models
from server.setup.phone import look, phone_checks
from server.setup.running import ask_running, port_taken, reach

__all__ = ["Check", "examine"]

LOW_BYTES = 5_000_000_000  # a long novel takes about 250 MB
EMPTY_BYTES = 500_000_000
PROBE_S = 120.0
LOOK_S = 5.0

PACKAGES = ("mlx", "av", "misaki", "spacy", "EbookLib", "watchfiles", "litestar", "uvicorn", "espeakng-loader", "numpy")
MAC: bool = platform.system() == "Darwin"
PROBE_NAMES = {
    "aac": "AAC encoder",
    "text": "Pronunciation tools",
    "mlx": "MLX",
}
NUMBERS = "Computed numbers"
_PROBES = (sys.executable, "-m", "server.setup.probes")
_FALLEN = (
    f"What is rendered is right, if slower. Update {'macOS and ' if MAC else ''}Lectern (`git pull`, `make setup`), "
    "then start it again."
)
_NO_MODEL = Check(NUMBERS, None, "Not tried without a model.", "Mend that first.")
_REINSTALL = "Run `make setup` to install the packages again."


def examine(
    settings: Settings,
    *,
    deep: bool = False,
    libraries: Callable[[], list[Check]] | None = None,
    numbers: Callable[[Settings], Check] | None = None,
) -> list[Check]:
    """Run every check, which takes some seconds; `deep` also reads every byte of the model.

    `libraries` and `numbers` stand in for the two that try something in a process of its own.
    """
    return [
        python_fits(),
        packages_present(),
        *(libraries or libraries_work)(),
        model := model_present(settings, deep=deep),
        (numbers or numbers_right)(settings)
        if model.ok
        else Check(NUMBERS, None, "Not tried without a model.", "Mend that first."),
        library_folder(settings.library, Polling(settings.library, settings.poll_s, always=settings.poll).told()),
        data_folder(settings.data),
        disk_space(settings.data),
        port_free(settings),
        *phone_checks(settings, look(settings)),
        *keeping(settings),
    ]


def python_fits() -> Check:
    version, system = platform.python_version(), _system()
    detail = f"Python {version} on {system} at {sys.executable}"
    if not (3, 11) <= sys.version_info[:2] <= (3, 12):
        return Check("Python", False, detail, "Lectern needs Python 3.12 or 3.11: delete .venv and run `make setup`.")
    if MAC and platform.machine() != "arm64":
        return Check("Python", False, detail, "Install a Python for Apple Silicon, delete .venv and run `make setup`.")
    if MAC and int(platform.mac_ver()[0].split(".")[0] or 0) < 14:
        return Check("Python", False, detail, "MLX needs macOS 14 or later: update macOS.")
    return Check("Python", True, detail)


def _system() -> str:
    if MAC:
        return f"macOS {platform.mac_ver()[0]} ({platform.machine()})"
    return f"{platform.system()} ({platform.machine()})"


def packages_present(names: tuple[str, ...] = PACKAGES) -> Check:
    missing, found = [], []
    for name in names:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        return Check("Packages", False, f"Not installed: {', '.join(missing)}", _REINSTALL)
    return Check("Packages", True, ", ".join(found))


def libraries_work(command: tuple[str, ...] = _PROBES) -> list[Check]:
    """Try the native libraries in a child process; one that takes it down fails, and so do those not reached."""
    try:
        child = subprocess.run(command, capture_output=True, text=True, timeout=PROBE_S, stdin=subprocess.DEVNULL)
        output, ending = child.stdout, _ending(child.returncode)
    except subprocess.TimeoutExpired as error:
        output = error.stdout.decode() if isinstance(error.stdout, bytes) else (error.stdout or "")
        ending = f"did not answer within {PROBE_S:.0f} s"
    findings = {line["name"]: line for line in map(json.loads, output.splitlines())}
    checks: list[Check] = []
    culprit_named = False
    for key, name in PROBE_NAMES.items():
        if (finding := findings.get(key)) is not None:
            ok = bool(finding["ok"])
            checks.append(Check(name, ok, str(finding["detail"]), None if ok else _REINSTALL))
        elif not culprit_named:
            culprit_named = True
            checks.append(Check(name, False, f"The process that tried it {ending}.", _REINSTALL))
        else:
            checks.append(Check(name, None, "Not tried, because of the failure before.", "Mend that first."))
    return checks


def _ending(code: int) -> str:
    return f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"


def model_present(settings: Settings, *, deep: bool = False) -> Check:
    try:
        manifest = check_models(settings.models, deep=deep)
    except SetupError as error:
        return Check("Model and voices", False, str(error), "Run `lectern setup`.")
    size_bytes = sum(entry.bytes for entry in manifest.files.values())
    read = ", every byte checked" if deep else ""
    return Check(
        "Model and voices", True, f"{size_bytes / 1e6:.0f} MB in {settings.models}, from {manifest.source}{read}"
    )


def numbers_told(settings: Settings) -> Check | None:
    """What a server that runs knows of what it computes; None where nobody does."""
    try:
        worker = (ask_running(settings) or {}).get("worker") or {}
    except Conflict:
        return None  # what that one computes on is its own affair
    if worker.get("warning"):
        return Check(NUMBERS, None, str(worker["warning"]), _FALLEN)
    if worker.get("device"):
        return Check(NUMBERS, True, f"Right, on {worker['device']}.")
    return None


def numbers_right(settings: Settings, command: tuple[str, ...] = _PROBES) -> Check:
    """Does what is computed on compute right? A server that runs knows; else the model is asked, in a child process."""
    if (told := numbers_told(settings)) is not None:
        return told
    faults: list[str] = []
    for compute in COMPUTES:
        finding = _ask_numbers((*command, "numbers", str(settings.models), compute), compute)
        if finding["ok"] and not faults:
            return Check(NUMBERS, True, f"Right, on {finding['detail']}.")
        if finding["ok"]:
            return Check(NUMBERS, None, f"Right only on {finding['detail']} (else {faults[0]}).", _FALLEN)
        faults.append(str(finding["detail"]))
    remedy = (
        "Nothing is rendered like this. Run `lectern doctor --deep`, which finds a damaged model, then `make setup`."
    )
    return Check(NUMBERS, False, f"Wrong on everything there is: {faults[-1]}.", remedy)


def _ask_numbers(command: tuple[str, ...], compute: Compute) -> dict[str, Any]:
    tf32 = {} if compute == "device" else {"MLX_ENABLE_TF32": "0"}
    try:
        child = subprocess.run(
            command, capture_output=True, text=True, timeout=PROBE_S, stdin=subprocess.DEVNULL, env=os.environ | tf32
        )
    except subprocess.TimeoutExpired:
        return {"ok": False, "detail": f"no answer within {PROBE_S:.0f} s"}
    try:
        finding: dict[str, Any] = json.loads(child.stdout)
        return finding
    except ValueError:
        return {"ok": False, "detail": f"the process that tried it {_ending(child.returncode)}"}


def library_folder(folder: Path, polled: str | None = None, *, mac: bool = MAC) -> Check:
    name = "Library folder"
    guarded = _guarded(folder) if mac else None
    if not folder.exists():
        return Check(name, None, f"{folder} is not there yet.", "`lectern serve` makes it at its first start.")
    if not folder.is_dir():
        return Check(name, False, f"{folder} is a file.", "Choose a folder with LECTERN_LIBRARY.")
    if (trouble := _within(LOOK_S, lambda: _look_into(folder))) is not None:
        return Check(name, False, f"{folder} {trouble}.", guarded or "Give yourself the right to read and write it.")
    if guarded:
        return Check(name, None, f"{folder} can be read now.", guarded)
    return Check(name, True, " ".join(filter(None, [f"{folder} can be read and written.", polled])))


def _guarded(folder: Path) -> str | None:
    """The sentence for a folder that macOS guards, None for others."""
    home = Path.home()
    kept = [home / "Documents", home / "Desktop", home / "Downloads", home / "Library" / "Mobile Documents"]
    for place in kept:
        if folder == place or place in folder.parents:
            return (
                f"macOS guards {place}: allow it in System Settings, Privacy & Security, Files and Folders, "
                "or choose another folder with LECTERN_LIBRARY, such as ~/Audiobooks."
            )
    return None


def _look_into(folder: Path) -> str | None:
    try:
        with os.scandir(folder) as entries:
            next(entries, None)
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    return None if os.access(folder, os.W_OK | os.X_OK) else "cannot be written"


def _within(limit_s: float, look: Callable[[], str | None]) -> str | None:
    """What `look` says; a folder behind a privacy question or a lost network disk blocks for hours."""
    said: list[str | None] = []
    looker = threading.Thread(target=lambda: said.append(look()), daemon=True)
    looker.start()
    looker.join(limit_s)
    return said[0] if said else f"did not answer within {limit_s:.0f} s"


def data_folder(folder: Path) -> Check:
    name = "Data folder"
    place = _nearest(folder)
    if not place.is_dir():
        return Check(name, False, f"{place} is a file.", "Choose a folder with LECTERN_DATA.")
    if not os.access(place, os.W_OK | os.X_OK):
        return Check(
            name,
            False,
            f"{place} cannot be written.",
            "Give yourself the right to, or choose another with LECTERN_DATA.",
        )
    return Check(name, True, f"{folder} can be written." if place == folder else f"{folder} can be made.")


def disk_space(folder: Path) -> Check:
    free_bytes = shutil.disk_usage(_nearest(folder)).free
    detail = f"{free_bytes / 1e9:.1f} GB free for {folder}"
    remedy = "Make room, or move the data with LECTERN_DATA: a long novel takes about 250 MB."
    if free_bytes < EMPTY_BYTES:
        return Check("Disk space", False, detail, remedy)
    if free_bytes < LOW_BYTES:
        return Check("Disk space", None, detail, remedy)
    return Check("Disk space", True, detail)


def _nearest(path: Path) -> Path:
    """The path itself, or its nearest parent that exists."""
    while not path.exists() and path != path.parent:
        path = path.parent
    return path


def port_free(settings: Settings) -> Check:
    try:
        status = ask_running(settings)
    except Conflict as error:
        told, _, remedy = str(error).partition("). ")
        return Check("Server", False, f"{told}).", remedy)
    if status is not None:
        return Check("Server", True, f"Lectern {status.get('version', '')} is running at {reach(settings)}.")
    if (reason := port_taken(settings)) is not None:
        return Check(
            "Server",
            False,
            f"{settings.host}:{settings.port} cannot be listened on ({reason}).",
            "Another program may have the port: stop it, or choose another with LECTERN_PORT.",
        )
    return Check("Server", True, f"Not running; port {settings.port} is free.")
