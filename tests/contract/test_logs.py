"""The end of the log through the API: the newest lines, by how grave they are, with nothing private in them."""

import json
from pathlib import Path

from litestar import Litestar
from litestar.testing import TestClient

from server.api.logs import last_lines
from server.logs import FILE
from tests.contract.household import PaperHousehold

Client = TestClient[Litestar]

OLD = "2026-07-01 10:00:00,000 INFO server.app: Lectern 0.1.0 begins (process 7)\n"
NEW = """\
2026-07-01 10:00:01,500 INFO server.intake: /home/anna/Books/My Diary.epub is a book with 3 chapters
2026-07-01 10:00:02,000 ERROR server.api.problems: unexpected error at GET /api/v1/books/0123456789abcdef
    server/api/books.py:40 get_book
    ValueError
2026-07-01 10:00:03,000 WARNING server.access.token: a wrong token=h4xYz12345 was shown
said by something else
"""


def test_lines_are_told_apart_and_hold_nothing_private(client: Client, house: PaperHousehold) -> None:
    house.settings.logs.mkdir(parents=True)
    (house.settings.logs / f"{FILE}.1").write_text(OLD)
    (house.settings.logs / FILE).write_text(NEW)
    reply = client.get("/api/v1/log").json()
    assert [(line["level"], line["who"]) for line in reply["lines"]] == [
        ("info", "server.app"),
        ("info", "server.intake"),
        ("error", "server.api.problems"),
        ("warning", "server.access.token"),
        ("info", "other"),
    ]
    assert reply["lines"][2]["more"] == ["server/api/books.py:40 get_book", "ValueError"]
    told = json.dumps(reply, ensure_ascii=False)
    assert not any(private in told for private in ("anna", "Diary", "h4xYz12345", "0123456789abcdef"))
    grave = client.get("/api/v1/log?level=warning&lines=1").json()["lines"]
    assert [line["level"] for line in grave] == ["warning"]
    assert client.get("/api/v1/log?lines=0").status_code == client.get("/api/v1/log?level=all").status_code == 400


def test_lines_of_json_are_read_too_and_no_log_is_no_fault(tmp_path: Path) -> None:
    assert last_lines(tmp_path, 10, "info") == []
    line = {
        "time": "2026-07-01T10:00:00.000+00:00",
        "level": "error",
        "logger": "server.app",
        "message": "No. “A text”",
    }
    (tmp_path / FILE).write_text(json.dumps(line | {"trace": ["server/app.py:1 f"]}, ensure_ascii=False) + "\n{half\n")
    found = last_lines(tmp_path, 10, "info")
    assert [(one.level, one.text, one.more) for one in found] == [
        ("error", "No. (a text)", ["server/app.py:1 f"]),
        ("info", "{half", []),
    ]
