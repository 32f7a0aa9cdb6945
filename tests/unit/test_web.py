"""The web part's pure modules, tested by node's own runner; and what can be told of its files by reading them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "web"
MODULES = sorted(WEB.rglob("*.js"))


def test_pure_modules_do_what_their_tests_say() -> None:
    if (node := shutil.which("node")) is None:
        pytest.skip("node is not here: the tests of the web part's modules are not run")
    files = sorted(str(path) for path in (ROOT / "tests" / "web").glob("*.test.js"))
    assert files
    done = subprocess.run([node, "--test", *files], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout[-6_000:]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(WEB).as_posix())
def test_modules_import_files_that_exist_and_keep_the_direction(path: Path) -> None:
    text = path.read_text()
    for name in re.findall(r'^(?:import|export) (?:[^"]* from )?"([^"]+)";', text, re.MULTILINE):
        assert name.startswith("."), f"{name} would need a bundler"
        target = (path.parent / name).resolve()
        assert target.is_file(), f"{name} is not there"
        if path.parent.name in ("lib", "elements"):
            assert target.parent.name == "lib", f"{path.parent.name} may import lib only, not {name}"
    assert len(text.splitlines()) <= 300


@pytest.mark.parametrize("page", ["index.html", "dashboard.html", "docs.html", "enter.html"])
def test_pages_hold_nothing_the_content_policy_forbids(page: str) -> None:
    text = (WEB / page).read_text()
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", text)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", text))
    for address in re.findall(r'(?:src|href)="([^"]+)"', text):
        assert address.startswith(("/", "#/")), f"{address} leads away from this server"
        if address.startswith("/web/"):
            assert (WEB / address.removeprefix("/web/")).is_file(), f"{address} is not there"


# Other servers' addresses may stand only here: they are opened, in a page of their own, when somebody taps on one.
ELSEWHERE = {
    "lib/lookup.js": {
        "https://${edition}.wiktionary.org/w/index.php?search=${asked}",
        "https://${edition}.wikipedia.org/w/index.php?search=${asked}",
        "https://duckduckgo.com/?q=${asked}",
    },
    "lib/elsewhere.js": {"https://tailscale.com/download"},
}


def test_nothing_is_asked_of_another_server() -> None:
    for path in WEB.rglob("*"):
        if path.suffix in (".js", ".css", ".html", ".webmanifest"):
            pattern = r"https?://[^\s\"'`)]+" + (r"|\burl\([^)]*\)|@import" if path.suffix == ".css" else "")
            found = re.findall(pattern, path.read_text())
            known = {"http://www.w3.org/2000/svg"} | ELSEWHERE.get(path.relative_to(WEB).as_posix(), set())
            assert set(found) <= known, path


def test_what_leads_to_another_server_is_a_link_that_tells_it_nothing() -> None:
    asking = re.compile(r"\bfetch\(|\bimport\(|\.src\s*=|sendBeacon|\bWebSocket\b")
    for name in ELSEWHERE:
        assert not asking.search((WEB / name).read_text())
        stem = Path(name).name
        users = [path for path in WEB.rglob("*.js") if f'/{stem}"' in path.read_text()]
        assert users
        for path in users:
            text = path.read_text()
            assert "noreferrer" in text and not re.search(r"(fetch|src)\W+\w*\.?href", text), path


def test_every_element_has_a_file_of_its_name() -> None:
    for path in (WEB / "elements").glob("*.js"):
        assert f'customElements.define("{path.stem}"' in path.read_text()
