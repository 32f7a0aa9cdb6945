"""A virtual environment for each peer, made once from pinned requirements; after that no network is needed."""

import shutil
import sys
from pathlib import Path

from server.setup.commands import CommandError, run_command

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = ROOT / "benchmarks" / "requirements"
_STAMP = "asked-for.txt"


class PeerMissing(Exception):
    """A peer cannot be measured here; the message says why in one sentence."""


def python_of(peer: str, folder: Path) -> Path:
    """The Python that has `peer`'s packages, in `folder`/`peer`, installed first where needed. Raises PeerMissing."""
    home = folder / peer
    python = home / "bin" / "python"
    asked = "\n".join(path.read_text() for path in _files(peer))
    if python.exists() and (home / _STAMP).is_file() and (home / _STAMP).read_text() == asked:
        return python
    print(f"Installing {peer} for the comparison …", flush=True)
    shutil.rmtree(home, ignore_errors=True)
    try:
        run_command([sys.executable, "-m", "venv", str(home)], ROOT)
        for path in _files(peer):
            run_command([str(python), *_install(path)], ROOT)
    except CommandError as error:
        raise PeerMissing(f"its packages could not be installed: {error}") from error
    (home / _STAMP).write_text(asked)
    return python


def _files(peer: str) -> list[Path]:
    """Requirements of `peer`, in the order of installing."""
    return [path for name in (f"{peer}.txt", f"{peer}.alone.txt") if (path := REQUIREMENTS / name).is_file()]


def _install(requirements: Path) -> list[str]:
    pip = ["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check", "--retries", "1"]
    if requirements.name.endswith(".alone.txt"):
        pip.append("--no-deps")
    return [*pip, "-c", str(ROOT / "constraints.txt"), "-r", str(requirements)]
