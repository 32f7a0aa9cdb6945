"""Steps from each schema of the database to the next, one module each in `versions/`, run by alembic.

Whoever changes `tables.py` raises `db.SCHEMA` and writes the step: `python -m server.migrations "what changed"` drafts
it from what differs. A step that was released is never edited.
"""
