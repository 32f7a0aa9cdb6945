"""What the steps are: where they lie, which is the last, and which tables they are about."""

import re
from pathlib import Path
from typing import Any, Final

VERSIONS: Final = Path(__file__).parent / "versions"


def head() -> str:
    """The revision of the last step, which is the schema's number in four digits."""
    return max(_number(path) for path in VERSIONS.glob("schema_*.py"))


def _number(path: Path) -> str:
    return f"{int(path.stem.removeprefix('schema_')):04}"


def is_ours(name: str | None, kind: str, _parents: Any) -> bool:
    """Whether alembic compares this: not the tables that SQLite keeps for a full text index."""
    return kind != "table" or name is None or re.search(r"_(data|idx|content|docsize|config)$|^passage", name) is None
