"""Which in line a book is, where the household put books in order by hand. A start reads it from the store."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("book", sa.Column("turn", sa.Integer(), nullable=True))
