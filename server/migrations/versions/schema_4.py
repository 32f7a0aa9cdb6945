"""Where each person is in their books. All are read anew from the journals, which the next start does."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "reading",
        sa.Column("person", sa.String(), primary_key=True, nullable=False),
        sa.Column("book", sa.String(), sa.ForeignKey("book.id"), primary_key=True, nullable=False),
        sa.Column("chapter", sa.Integer(), nullable=False),
        sa.Column("sentence", sa.String(), nullable=False),
        sa.Column("word", sa.Integer(), nullable=False),
        sa.Column("device", sa.String(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("updated", sa.DateTime(), nullable=False),
    )
    op.create_index("reading_by_time", "reading", ["person", "updated", "book"])
    op.execute("UPDATE book SET lead = NULL")  # not measured yet: it is looked at
