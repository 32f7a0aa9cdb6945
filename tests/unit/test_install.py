"""scripts/install.sh: once is enough, a change is noticed, and an install that was cut short leaves no trap.

The real script and a real venv; only the hour of downloading is left out: the installer writes down that it was called
and ends as the test tells it to.
"""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
INSTALLER = """\
import os, pathlib
with open("calls", "a") as calls:
    calls.write("x")
ending = int(pathlib.Path("ending").read_text())
if ending < 0:
    os.kill(os.getpid(), -ending)
raise SystemExit(ending)
"""


class Project:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(ROOT / "scripts", folder / "scripts")
        for name in ("pyproject.toml", "constraints.txt"):
            shutil.copy(ROOT / name, folder / name)
        (folder / "scripts" / "install_packages.py").write_text(INSTALLER)

    def install(self, kind: str = "run", *, ending: int = 0, python: str = sys.executable) -> int:
        (self.folder / "ending").write_text(str(ending))
        (self.folder / "calls").write_text("")
        env = os.environ | {"LECTERN_PYTHON": python}
        done = subprocess.run(
            ["sh", "scripts/install.sh", kind], cwd=self.folder, env=env, capture_output=True, text=True, timeout=120
        )
        self.said = done.stdout + done.stderr
        return done.returncode

    @property
    def calls(self) -> int:
        return len((self.folder / "calls").read_text())

    @property
    def venv_age(self) -> int:
        return (self.folder / ".venv" / "pyvenv.cfg").stat().st_mtime_ns


@pytest.fixture
def project(tmp_path: Path) -> Project:
    folder = tmp_path / "a folder with spaces"
    folder.mkdir()
    return Project(folder)


def test_the_life_of_an_installation(project: Project) -> None:
    # killed half-way: a half-laid package can look whole to pip, so that the next try begins afresh
    assert project.install(ending=-signal.SIGKILL) != 0
    cut_short = project.venv_age
    assert (project.install(), project.calls) == (0, 1), project.said
    made = project.venv_age
    assert made != cut_short

    # once is enough; what tests need includes what listening needs
    assert (project.install(), project.calls, project.said) == (0, 0, "")
    assert (project.install("dev"), project.calls) == (0, 1)
    assert (project.install("run"), project.calls) == (0, 0)

    # a change is noticed; failing without a network, say, leaves what is there, and the next try goes on from it
    with (project.folder / "constraints.txt").open("a") as pins:
        pins.write("more==1.0\n")
    assert (project.install(ending=1), project.calls) == (1, 1)
    assert (project.install(), project.calls) == (0, 1)
    assert (project.install(), project.calls) == (0, 0)
    assert project.venv_age == made


def test_a_python_that_does_not_fit_is_named(project: Project) -> None:
    assert project.install(python="/bin/false") == 1
    assert project.calls == 0
    assert "LECTERN_PYTHON is '/bin/false'" in project.said
    assert not (project.folder / ".venv").exists()
