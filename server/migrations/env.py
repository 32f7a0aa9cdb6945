"""Alembic's environment: it runs the steps on the connection that it is given. Alembic loads this file by itself."""

from alembic import context
from sqlmodel import SQLModel

from server import tables  # noqa: F401  (registers the tables)
from server.migrations.script import is_ours

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=SQLModel.metadata,
    render_as_batch=True,  # SQLite changes a column by making the table anew
    include_name=is_ours,
    transactional_ddl=True,  # all steps or none: SQLite can, and alembic does not trust it to
)
with context.begin_transaction():
    context.run_migrations()
