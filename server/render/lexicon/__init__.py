"""Pronunciations that a listener decides, in layers of plain text files (docs/pronunciations.md)."""
