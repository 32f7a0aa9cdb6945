"""The first schema. It grew twice before it got a number that differs, so what is there is left as it is."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_TABLES = {
    "book": (
        sa.Column("id", sa.String(), primary_key=True, nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("authors", sa.String(), nullable=False),
        sa.Column("voice", sa.String(), nullable=False),
        sa.Column("rendition", sa.String(), nullable=False),
        sa.Column("missing", sa.Boolean(), nullable=False),
        sa.Column("sample", sa.Boolean(), nullable=False),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.Column("added", sa.DateTime(), nullable=False),
        sa.Column("opened", sa.DateTime(), nullable=True),
    ),
    "chapter": (
        sa.Column("book", sa.String(), sa.ForeignKey("book.id"), primary_key=True, nullable=False),
        sa.Column("number", sa.Integer(), primary_key=True, nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("rule", sa.String(), nullable=True),
        sa.Column("sentences", sa.Integer(), nullable=False),
        sa.Column("characters", sa.Integer(), nullable=False),
        sa.Column("rendered", sa.Integer(), nullable=False),
        sa.Column("rendered_characters", sa.Integer(), nullable=False),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.Column("audio_samples", sa.Integer(), nullable=False),
        sa.Column("audio_bytes", sa.Integer(), nullable=False),
        sa.Column("stamp", sa.String(), nullable=False),
    ),
    "place": (
        sa.Column("book", sa.String(), sa.ForeignKey("book.id"), primary_key=True, nullable=False),
        sa.Column("chapter", sa.Integer(), nullable=False),
        sa.Column("sentence", sa.String(), nullable=False),
        sa.Column("word", sa.Integer(), nullable=False),
        sa.Column("device", sa.String(), nullable=False),
        sa.Column("updated", sa.DateTime(), nullable=False),
    ),
    "file": (
        sa.Column("path", sa.String(), primary_key=True, nullable=False),
        sa.Column("signature", sa.String(), nullable=False),
        sa.Column("book", sa.String(), nullable=True),
        sa.Column("refusal", sa.Integer(), nullable=True),
    ),
    "refusal": (
        sa.Column("id", sa.Integer(), primary_key=True, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
    ),
    "edition": (
        sa.Column("file", sa.String(), primary_key=True, nullable=False),
        sa.Column("book", sa.String(), nullable=False),
    ),
    "identifier": (
        sa.Column("identifier", sa.String(), primary_key=True, nullable=False),
        sa.Column("book", sa.String(), primary_key=True, nullable=False),
    ),
    "disk": (
        sa.Column("path", sa.String(), primary_key=True, nullable=False),
        sa.Column("inode", sa.Integer(), nullable=False),
    ),
}


def upgrade() -> None:
    for name, columns in _TABLES.items():
        op.create_table(name, *columns, if_not_exists=True)
    for name in ("file", "edition", "identifier"):
        op.create_index(f"ix_{name}_book", name, ["book"], if_not_exists=True)
    there = {column["name"] for column in sa.inspect(op.get_bind()).get_columns("book")}
    if "paused" not in there:
        op.add_column("book", sa.Column("paused", sa.Boolean(), nullable=False, server_default=sa.text("0")))
