"""The JSON Schema of the store, from its models. `python -m server.render.schema` prints docs/store-schema.json."""

import json
import sys
from typing import Any

from pydantic.json_schema import models_json_schema

from server.render.blends import VoicesRecord
from server.render.bookmarks import BookmarksRecord
from server.render.choices import Choices
from server.render.coverage import CoverageRecord
from server.render.houserules import HouseRules
from server.render.index import AUDIO_FIELDS, ChapterIndex, Record
from server.render.journal import Change
from server.render.listening import ListeningRecord
from server.render.reconcile import PlaceEntry
from server.render.records import BookRecord, Place, RenditionRecord, StoreRecord

# Which definition describes which file.
FILES: dict[str, type[Record]] = {
    "store.json": StoreRecord,
    "voices.json": VoicesRecord,
    "household.json": HouseRules,
    "book.json": BookRecord,
    "rendition.json": RenditionRecord,
    "place.json": Place,
    "places/PERSON.jsonl": PlaceEntry,  # each line
    "listening/PERSON/YYYY-MM.json": ListeningRecord,
    "choices.json": Choices,
    "bookmarks.json": BookmarksRecord,
    "bookmarks/PERSON.json": BookmarksRecord,
    "coverage.json": CoverageRecord,
    "chapter-NNNN.json": ChapterIndex,
    "chapter-NNNN.jsonl": Change,  # each line
}


def store_schema() -> dict[str, Any]:
    """One schema with a definition for each file, listed under `files`, and for what they are made of."""
    _, schema = models_json_schema([(kind, "serialization") for kind in FILES.values()])
    definitions = schema["$defs"]
    for definition in definitions.values():
        if definition["type"] != "object":
            continue
        _leave_out_null(definition)
        definition.pop("additionalProperties", None)  # a reader ignores fields it does not know
    del definitions["HouseRules"]["required"]  # a person may write it
    definitions["SentenceEntry"]["dependentRequired"] = {
        name: [other for other in AUDIO_FIELDS if other != name] for name in AUDIO_FIELDS
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Lectern store, format 2",
        "description": "Normative text: store-format.md. `files` tells which definition describes which file.",
        "files": {name: {"$ref": f"#/$defs/{kind.__name__}"} for name, kind in FILES.items()},
        "$defs": definitions,
    }


def schema_text() -> str:
    return json.dumps(store_schema(), indent=1, ensure_ascii=False) + "\n"


def _leave_out_null(definition: dict[str, Any]) -> None:
    """What may be None in a model is left out of the file: it is not required, and never null. The rest is required."""
    required = []
    for name, field in definition["properties"].items():
        if {"type": "null"} in field.get("anyOf", ()):
            (kind,) = (kind for kind in field.pop("anyOf") if kind != {"type": "null"})
            field.pop("default")
            field.update(kind)
        else:
            required.append(name)
    definition["required"] = required


if __name__ == "__main__":
    sys.stdout.write(schema_text())
