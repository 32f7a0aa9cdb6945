"""`python -m server.migrations "what changed"` drafts the next step: what tables.py has and the last schema has not."""

import sys
import tempfile
from pathlib import Path

from alembic import command

from server.migrations.run import configuration, on_connection
from server.migrations.script import VERSIONS, head


def main(message: str) -> int:
    """Write `versions/schema_N.py`, to be read and corrected by hand."""
    after = f"{int(head()) + 1:04}"
    with tempfile.TemporaryDirectory() as folder, on_connection(Path(folder) / "old.db") as connection:
        config = configuration(connection)
        command.upgrade(config, "head")
        command.revision(config, message, autogenerate=True, rev_id=after)
    for path in VERSIONS.glob(f"{after}_*.py"):
        path.rename(VERSIONS / f"schema_{int(after)}.py")
    return 0


if __name__ == "__main__":
    sys.exit(main(" ".join(sys.argv[1:]) or "what changed"))
