"""The log: nothing private in it, files that turn over, and no fault of the log is anybody else's."""

import ast
import contextlib
import json
import logging
import os
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from server import logs
from server.cli.logs import follow, last_lines
from server.config import Settings
from server.errors import BookRefused, DiskFull, NotFound, StoreError
from server.house import House
from server.logs import FILE, OLDER, START, JsonLines, Lines, keep_log, private
from tests.conftest import ROOT
from tests.epubs import build_epub, page
from tests.fakes.synth import ENGINE

MARK = "Zanzibar"


@pytest.fixture(autouse=True)
def own_handlers() -> Iterator[None]:
    """What the log does to the process is undone."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    yield
    for handler in set(root.handlers) - set(before):
        handler.close()
    root.handlers[:] = before
    root.setLevel(level)


def log_of(settings: Settings) -> str:
    return "\n".join(last_lines(settings.logs, 10_000))


async def test_no_title_text_path_or_token_is_in_the_log_of_imports_and_faults(tmp_path: Path) -> None:
    library = tmp_path / f"{MARK} books"
    settings = Settings(data=tmp_path / f"{MARK} data", library=library)
    library.mkdir()
    keep_log(settings, service=True)
    text = page(f"<h1>{MARK} chapter</h1><p>They sailed to {MARK} at dawn.</p>")
    build_epub(library / f"{MARK} one.epub", {"c1.xhtml": text}, title=f"{MARK} title")
    (library / f"{MARK} copy.epub").write_bytes((library / f"{MARK} one.epub").read_bytes())
    (library / f"{MARK} no book.epub").write_text("nothing")
    with zipfile.ZipFile(library / f"{MARK} torn.epub", "w") as torn:
        torn.writestr("META-INF/container.xml", f"<{MARK}")
    with contextlib.closing(House(settings, ENGINE)) as house:
        await house.scanner.scan()
        (book,) = await house.books()
        house.store.chapter_files(book.id, 1)[0].write_text(f"{{{MARK}")  # damaged, which its reader tells
        log = logging.getLogger("server.test")
        for fail in (
            lambda: house.store.chapter(book.id, 1),
            lambda: (library / f"{MARK} missing").read_text(),
            lambda: (_ for _ in ()).throw(BookRefused("drm", f"{MARK} is locked.")),
        ):
            try:
                fail()
            except Exception as error:
                log.error("it failed: %s", error, exc_info=error)
        (library / f"{MARK} two.epub").mkdir()
        await house.scanner.scan()
    log.info("asked with Authorization: Bearer %s and ?token=%s&x=1", f"{MARK}-1", f"{MARK}-2")
    told = log_of(settings)
    assert MARK not in told
    assert "it failed: StoreError: store/books/" in told and "chapter-0001.json" in told  # where, in the store
    assert "it failed: FileNotFoundError (No such file or directory)" in told
    assert "it failed: BookRefused (drm)" in told
    assert "tests/unit/test_logs.py:" in told  # the frames are there
    assert "Bearer (secret)" in told and "token=(secret)&x=1" in told
    assert "lies in the library under 2 names" in told


def test_at_debug_all_but_secrets_is_told(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, log_level="debug")
    keep_log(settings, service=True)
    logging.getLogger("server.test").warning("%s: %s, token=abc", tmp_path / MARK, NotFound(f"no {MARK}"))
    assert f"{tmp_path / MARK}: no {MARK}, token=(secret)" in log_of(settings)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("the folder /Users/me/My Books/Emma.epub: Permission denied", "the folder (a file) (Permission denied)"),
        ("/data/Emma (A Novel) of it.json is damaged at x", "(a file) is damaged at x"),
        ("open /Users/me/Emma; A Novel: Part 2.epub failed", "open (a file)"),
        ("from file:///Users/me/Emma%20(two).epub and ~me/Emma and", "from (a file)"),
        ("read ~me/Emma or", "read (a file)"),
        (r"in C:\Users\me\Emma.epub", "in (a file)"),
        ("the token R6ZHFCYpJH35 is wrong", "the token (secret) is wrong"),
        ("R6ZHFCYpJH35eVHt9ILOBuWVGWtL1SK0 is wrong", "(secret) is wrong"),
        ("Cookie: lectern=abcdef", "Cookie: lectern=(secret)"),
        ("lan_token=abcdef", "lan_token=(secret)"),
        ("the key of sha 0123456789abcdef0123456789abcdef", "the key of sha 0123456789abcdef0123456789abcdef"),
        ("~/Audiobooks/Emma is gone", "(a file)"),
        ("Chapter “Emma and I” failed", "Chapter (a text) failed"),
        ("it's 3/4 of and/or what isn't told", "it's 3/4 of and/or what isn't told"),
        ("'Emma Woodhouse' and \"Jane\"", "(a text) and (a text)"),
        ("see http://127.0.0.1:8484 or /api/v1/books/abc/x", "see http://127.0.0.1:8484 or /api/v1/books/…"),
        ("sameuserproof-41112-abcdef1234 was taken", "sameuserproof-41112-(secret) was taken"),
        ("/d/Application Support/L/store/books/0123456789abcdef/r/chapter-0001.json is damaged; mend it",
         "store/books/0123456789abcdef/r/chapter-0001.json is damaged; mend it"),
    ],
)  # fmt: skip
def test_what_looks_private_is_taken_out_of_a_line(line: str, shown: str) -> None:
    record = logging.LogRecord("x", logging.INFO, "x", 1, line, None, None)
    assert Lines(open_=False).told(record) == shown
    assert private("nothing at all") == "nothing at all"


def test_no_call_at_info_or_above_is_given_a_name_or_a_text() -> None:
    """The net above cannot know a bare title: no line may be given one."""
    forbidden = {"name", "title", "text", "written", "note", "authors", "token", "login", "display_name"}
    allowed = {  # names that no person gave
        "path.name swept", "source.name model source", "error.name", "kept.name the database",
    }  # fmt: skip
    found = []
    for file in sorted((ROOT / "server").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            owner = node.func.value
            if not (isinstance(owner, ast.Name) and owner.id == "log" and node.func.attr != "debug"):
                continue
            for part in [deep for arg in node.args[1:] for deep in ast.walk(arg)]:
                if isinstance(part, ast.Attribute) and part.attr in forbidden:
                    first = str(node.args[0].value) if isinstance(node.args[0], ast.Constant) else ""
                    told = f"{ast.unparse(part)} {first}"
                    if not any(told.startswith(good) for good in allowed):
                        found.append(f"{file.relative_to(ROOT)}:{node.lineno} {told}")
            assert not isinstance(node.args[0], ast.JoinedStr), f"{file}:{node.lineno}: arguments, not f-strings"
    assert found == []


def test_json_lines_are_objects(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, log_format="json")
    keep_log(settings, service=True)
    try:
        _ = 1 / 0
    except ZeroDivisionError as error:
        logging.getLogger("server.test").error("two\nlines: %s", error, exc_info=error)
    (line,) = (json.loads(line) for line in log_of(settings).splitlines())
    assert (line["level"], line["logger"]) == ("error", "server.test")
    assert line["message"] == "two\nlines: ZeroDivisionError"
    assert line["time"].endswith("+00:00") and line["trace"][-1] == "ZeroDivisionError"
    assert isinstance(logging.getLogger().handlers[0].formatter, JsonLines)


def test_a_line_of_somebody_elses_looks_like_none_of_ours(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    keep_log(settings, service=True)
    logging.getLogger("x").warning("%s", "one\n2026-01-01 00:00:00,000 ERROR server: forged\r")
    assert len(log_of(settings).splitlines()) == 1
    record = logging.LogRecord("x", logging.INFO, "x", 1, "a\x1b[31m \x85 \u2028 \u202e b\nc", None, None)
    told = Lines(open_=True).format(record)
    assert told.endswith(r"a\x1b[31m \x85 \u2028 \u202e b\nc") and told.isprintable()
    lines = JsonLines(open_=True).format(record)
    assert len(lines.splitlines()) == 1 and json.loads(lines)["message"] == record.msg


def test_files_turn_over_and_so_many_stay(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    keep_log(settings, service=True)
    (handler,) = logging.getLogger().handlers
    assert isinstance(handler, logs._LogFile)
    handler.maxBytes = 2000
    for number in range(300):
        logging.getLogger("x").info("line %d", number)
    names = sorted(path.name for path in settings.logs.iterdir())
    assert names == [FILE, *(f"{FILE}.{number}" for number in range(1, OLDER + 1))]
    assert all(path.stat().st_size <= 2100 for path in settings.logs.iterdir())
    assert all(path.stat().st_mode & 0o077 == 0 for path in settings.logs.iterdir())
    assert [line.rsplit(" ", 1)[1] for line in last_lines(settings.logs, 60)] == [str(n) for n in range(240, 300)]
    assert last_lines(settings.logs, 0) == []


def test_a_log_that_cannot_be_written_ends_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(data=tmp_path / "one")
    settings.data.mkdir()
    settings.logs.write_text("in the way")
    keep_log(settings, service=True)
    logging.getLogger("x").warning("on standard error")
    told = capsys.readouterr().err
    assert "no log can be written" in told and "on standard error" in told
    settings = Settings(data=tmp_path / "two")
    keep_log(settings, service=True)
    log = logging.getLogger("x")
    log.info("first")
    (handler,) = logging.getLogger().handlers
    assert isinstance(handler, logs._LogFile)
    assert handler.stream is not None
    handler.stream.close()
    handler.stream = open("/dev/full", "w")  # noqa: SIM115, PTH123
    log.info("%s", "lost " * 5000)  # the disk is full
    log.info("again")
    assert "again" in log_of(settings)
    handler.maxBytes = 100
    monkeypatch.setattr(os, "rename", lambda *_: (_ for _ in ()).throw(OSError(30, "Read-only file system")))
    for number in range(100):
        log.info("line %d", number)
    assert (settings.logs / FILE).stat().st_size < 1000
    assert capsys.readouterr().err == ""


def test_what_the_service_manager_catches_does_not_grow_for_ever(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    settings.logs.mkdir()
    (settings.logs / START).write_bytes(b"x" * 1_000_001)
    keep_log(settings, service=True)
    assert (settings.logs / START).stat().st_size == 0


def test_what_children_write_comes_into_the_log(tmp_path: Path) -> None:
    code = (
        "import logging, os, subprocess, sys, time\n"
        "from pathlib import Path\n"
        "from server.config import Settings\n"
        "from server.logs import hear_stderr, keep_log\n"
        "keep_log(Settings(data=Path(sys.argv[1])), service=True)\n"
        "hear_stderr()\n"
        "child = 'from server.logs import to_stderr; import logging; from pathlib import Path; to_stderr();'\n"
        f'child += \'logging.getLogger("server.render").warning("no %s", Path("/{MARK}/x"));\'\n'
        "child += 'import os; os.write(2, b\"plain words\\\\n\")'\n"
        "subprocess.run([sys.executable, '-c', child], check=True)\n"
        "time.sleep(0.3)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, cwd=ROOT)
    told = log_of(Settings(data=tmp_path))
    assert " WARNING server.render: no (a file)" in told
    assert " INFO child: plain words" in told
    assert MARK not in told


def test_the_log_is_followed_also_over_its_turn(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.write_text("old\n")
    seen: list[str] = []

    def read() -> None:
        for line in follow(path, lambda: time.sleep(0.02)):
            seen.append(line)
            if line == "end":
                return

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    time.sleep(0.2)
    with path.open("a") as stream:
        stream.write("new\nhal")
    time.sleep(0.1)
    with path.open("a") as stream:
        stream.write("f\nlast of it\n")
    path.rename(tmp_path / f"{FILE}.1")
    path.write_text("first of the next\nend\n")
    reader.join(20)
    assert seen == ["new", "half", "last of it", "first of the next", "end"]


def test_errors_of_the_machine_keep_their_sentence() -> None:
    assert logs.described(DiskFull("The disk is full: /a/b could not be written.")) == (
        "DiskFull: The disk is full: (a file) could not be written."
    )
    assert logs.described(StoreError("It hangs.")) == "StoreError: It hangs."
    assert logs.described(7) == 7
