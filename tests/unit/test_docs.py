"""The documentation says what the program does: settings, commands, exit codes, packages."""

import re
import tomllib
from dataclasses import fields
from importlib import metadata
from pathlib import Path

import pytest

from server.cli import exits
from server.cli.parser import build_parser
from server.config import Settings

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENTS = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/settings.md",
    "docs/access.md",
    "docs/backup.md",
    "docs/daemon.md",
]


def _rows(text: str) -> dict[str, list[str]]:
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.splitlines() if line[:1] == "|"]
    return {row[0].strip("` "): row[1:] for row in cells}


def test_every_setting_is_documented_with_its_default_and_its_sentence() -> None:
    rows = {name: row for name, row in _rows((ROOT / "docs/settings.md").read_text()).items() if "LECTERN_" in name}
    assert list(rows) == [f"LECTERN_{item.name.upper()}" for item in fields(Settings)]
    elsewhere = {"library", "data"}  # these begin with the home folder, which differs from one to the other
    for item in fields(Settings):
        default, explained = rows[f"LECTERN_{item.name.upper()}"]
        assert explained.strip(" |") == item.metadata["explained"]
        if item.name not in elsewhere:
            assert default == _as_text(item.default), item.name


def _as_text(default: object) -> str:
    if isinstance(default, bool):
        return "`yes`" if default else "`no`"
    if isinstance(default, float):
        return f"`{default:g}`"
    return f"`{default}`" if default != "" else "empty"


def test_the_readme_lists_exactly_the_commands_there_are() -> None:
    listed = re.findall(r"^\| `lectern (\w+)", (ROOT / "README.md").read_text(), flags=re.M)
    known = re.findall(r"^    (\w+) {2,}\S", build_parser().format_help(), flags=re.M)
    assert listed == known


def test_every_exit_code_is_explained() -> None:
    codes = {value for name, value in vars(exits).items() if name.isupper() and isinstance(value, int)}
    assert codes == {int(code) for code in re.findall(r"^  (\d+)  ", exits.EXPLAINED, flags=re.M)}


def test_make_help_lists_the_targets_that_people_call() -> None:
    text = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z][a-z-]*):", text, flags=re.M)) - {"help", "install", "install-dev"}
    assert targets == set(re.findall(r'@echo "make (\w+) ', text))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_between_documents_lead_somewhere(name: str) -> None:
    page = ROOT / name
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), f"{name} links to {target}"


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _pins() -> dict[str, str]:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if line and line[0] != "#"]
    pairs = [line.partition(";")[0].strip().split("==") for line in lines]
    return {_canonical(name): version for name, version in pairs}


def _asked_for() -> list[str]:
    """What pyproject.toml lists, the tools for tests included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [*project["dependencies"], *project["optional-dependencies"]["dev"]]


def test_every_package_that_is_installed_for_lectern_is_pinned_to_the_version_that_is_here() -> None:
    pins, waiting, seen = _pins(), _asked_for(), set[str]()
    while waiting:
        needed = _canonical(re.split(r"[^\w.-]", waiting.pop(), maxsplit=1)[0])
        if needed in seen:
            continue
        seen.add(needed)
        try:
            here = metadata.version(needed)
        except metadata.PackageNotFoundError:
            continue  # for another system or another Python
        assert pins.get(needed) == here, f"{needed} {here} is here; constraints.txt says {pins.get(needed)}"
        # an extra that somebody asked for is not followed: what it brought is found in the list it was asked in
        waiting += [further for further in metadata.requires(needed) or [] if "extra ==" not in further]
    assert {"litestar", "pydantic-core", "ruff", "schemathesis"} <= seen


def test_pyproject_and_constraints_agree() -> None:
    pins = _pins()
    for requirement in _asked_for():
        name, _, version = requirement.partition(";")[0].strip().partition("==")
        pinned = pins.get(_canonical(name.partition("[")[0]))
        assert pinned is not None, f"{name} is not in constraints.txt"
        assert version in ("", pinned), f"{name}: pyproject says {version}, constraints.txt {pinned}"
