"""Backups: one file with everything that cannot be made again, and the way back from it. See docs/backup.md."""

from typing import Final

STEPS: Final = "restore.json"  # in the data folder while a restore has files change places
