"""The first schema that alembic counts. Columns that came later lose the value that old rows got: as in a new one."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    inspector = sa.inspect(op.get_bind())
    for table in ("book", "chapter"):
        filled = [column["name"] for column in inspector.get_columns(table) if column["default"] is not None]
        if filled:
            with op.batch_alter_table(table) as batch:
                for name in filled:
                    batch.alter_column(name, server_default=None)
