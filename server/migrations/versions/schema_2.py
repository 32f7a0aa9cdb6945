"""A shelf that is in order, sentences that need ears, policies. This grew too under one number."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_BOOK = {
    "render": sa.String,
    "shown": sa.String,
    "stamp": sa.String,
    "title_key": sa.String,
    "author_key": sa.String,
    "series_key": sa.String,
    "folded": sa.String,
}
_MEASURED = ("lead", "opening", "beside_bytes")  # none: not measured yet, and done at the next start
_INDEXES = {
    "book_by_added": ("added", "id"),
    "book_by_title": ("title_key", "author_key", "id"),
    "book_by_author": ("author_key", "series_key", "title_key", "id"),
    "book_by_series": ("series_key", "title_key", "id"),
    "book_by_opened": ("opened", "added", "id"),
}


def upgrade() -> None:
    inspector = sa.inspect(op.get_bind())
    book = {column["name"] for column in inspector.get_columns("book")}
    for name, kind in _BOOK.items():
        if name not in book:
            op.add_column("book", sa.Column(name, kind(), nullable=False, server_default=sa.text("''")))
    for name in _MEASURED:
        if name not in book:
            op.add_column("book", sa.Column(name, sa.Integer(), nullable=True))
    if "again" not in {column["name"] for column in inspector.get_columns("chapter")}:
        op.add_column("chapter", sa.Column("again", sa.Integer(), nullable=False, server_default=sa.text("0")))
    op.create_table(
        "ears",
        sa.Column("book", sa.String(), primary_key=True, nullable=False),
        sa.Column("chapter", sa.Integer(), primary_key=True, nullable=False),
        sa.Column("sentence", sa.String(), primary_key=True, nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        if_not_exists=True,
    )
    for name, columns in _INDEXES.items():
        op.create_index(name, "book", columns, if_not_exists=True)
    op.create_index("ears_by_time", "ears", ["at", "book", "chapter", "sentence"], if_not_exists=True)
