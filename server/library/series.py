"""Which series a book says it belongs to, and where in it: EPUB 3's collections, or what calibre writes (pure)."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

_NAME_LIMIT: Final = 300
Metas = Sequence[tuple[str | None, Mapping[str, str]]]


def series_of(metas: Metas) -> tuple[str | None, float | None]:
    """(name, position) from the `meta` elements of a package, each its text and its attributes; None where not told."""
    refined: dict[tuple[str, str], str] = {}
    for value, attributes in metas:
        if target := attributes.get("refines"):
            refined[target.lstrip("#"), attributes.get("property", "")] = (value or "").strip()
    collections = [
        ((value or "").strip(), attributes.get("id", ""))
        for value, attributes in metas
        if attributes.get("property") == "belongs-to-collection" and not attributes.get("refines")
    ]
    # A collection may also be a set, such as the omnibus that the book was sold in.
    kinds = {name: refined.get((name, "collection-type"), "series" if name == "" else "") for _, name in collections}
    for wanted in ("series", ""):
        for name, ident in collections:
            if name and kinds[ident] == wanted:
                return name[:_NAME_LIMIT], _number(refined.get((ident, "group-position")))
    named = {attributes.get("name"): attributes.get("content", "").strip() for _, attributes in metas}
    if series := named.get("calibre:series"):
        return series[:_NAME_LIMIT], _number(named.get("calibre:series_index"))
    return None, None


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
