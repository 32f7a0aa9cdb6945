"""Lectern: a home server that reads EPUBs aloud."""

__version__ = "0.1.0"
