"""docs/store-format.md and its schema say what the models say."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from server.render.index import AUDIO_FIELDS, Engine, Record, SentenceEntry, Source, Word
from server.render.records import ChapterRecord, SourceFile
from server.render.schema import FILES, schema_text, store_schema
from tests.conftest import ROOT

DOCUMENT = (ROOT / "docs" / "store-format.md").read_text()
EXAMPLES = re.findall(r"```json (\S+)\n(.*?)```", DOCUMENT, re.DOTALL)
NESTED = (ChapterRecord, Engine, SentenceEntry, Source, SourceFile, Word)


def kind_of(name: str) -> str:
    return re.sub(r"chapter-\d+", "chapter-NNNN", name)


def validate(name: str, value: Any) -> None:
    schema = store_schema()
    jsonschema.validate(value, {**schema, **schema["files"][kind_of(name)]})


def test_the_published_schema_is_that_of_the_models() -> None:
    published = (ROOT / "docs" / "store-schema.json").read_text()
    assert published == schema_text(), "run: python -m server.render.schema > docs/store-schema.json"
    jsonschema.Draft202012Validator.check_schema(store_schema())


def test_every_file_has_an_example() -> None:
    assert {kind_of(name) for name, _ in EXAMPLES} == set(FILES)


@pytest.mark.parametrize(("name", "text"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_an_example_is_what_the_server_would_write(name: str, text: str) -> None:
    record = FILES[kind_of(name)].model_validate_json(text)
    assert json.loads(record.to_json()) == json.loads(text)
    assert record.to_json() == text  # compact, in this order, ending in a line feed
    validate(name, json.loads(text))


def test_the_chapter_example_adds_up() -> None:
    index = FILES["chapter-NNNN.json"].model_validate_json(dict(EXAMPLES)["chapter-0002.json"])
    assert index == index.totals()  # type: ignore[attr-defined]


@pytest.mark.parametrize("model", [*FILES.values(), *NESTED], ids=lambda model: model.__name__)
def test_every_field_is_explained(model: type[Record]) -> None:
    explained = set(re.findall(r"`([a-z0-9_]+)`", DOCUMENT))
    assert [name for name in model.model_fields if name not in explained] == []


def entry(**changes: Any) -> dict[str, Any]:
    """The rendered sentence of the example, changed; a field set to None is left out."""
    sentence = json.loads(dict(EXAMPLES)["chapter-0002.json"])["sentences"][0]
    return {name: value for name, value in {**sentence, **changes}.items() if value is not None}


@pytest.mark.parametrize("name", AUDIO_FIELDS)
def test_a_sentence_with_only_some_of_its_audio_fits_neither_model_nor_schema(name: str) -> None:
    with pytest.raises(ValidationError, match="some audio fields"):
        SentenceEntry.model_validate(entry(**{name: None}))
    chapter = json.loads(dict(EXAMPLES)["chapter-0002.json"])
    chapter["sentences"][0] = entry(**{name: None})
    with pytest.raises(jsonschema.ValidationError):
        validate("chapter-0002.json", chapter)


@pytest.mark.parametrize(
    "changes",
    [
        {"failed": "no"},
        {"speech_end": 40_000},
        {"speech_start": 35_800},
        {"samples": 36_865},
        {"samples": 35_840},
        {"gap_after_samples": 100},
        {"id": "../up"},
        {"sha256": "AB" * 32},
        {"words": [{"start": 0, "end": 10, "char_start": 1, "char_end": 3}]},
        {"words": [{"start": 2_000, "end": 1_900, "char_start": 1, "char_end": 3}]},
        {"words": [{"start": 2_000, "end": 2_100, "char_start": 3, "char_end": 3}]},
        {"words": [{"start": 2_000, "end": 2_100, "char_start": 13, "char_end": 99}]},
        {
            "words": [
                {"start": 2_000, "end": 2_100, "char_start": 1, "char_end": 3},
                {"start": 2_050, "end": 2_100, "char_start": 4, "char_end": 6},
            ]
        },
    ],
)
def test_what_would_mislead_a_reader_is_not_written(changes: dict[str, Any]) -> None:
    SentenceEntry.model_validate(entry())
    with pytest.raises(ValidationError):
        SentenceEntry.model_validate(entry(**changes))


def test_the_document_names_the_sources_it_speaks_of() -> None:
    for path in re.findall(r"`((?:docs|tests)/[\w./-]+)`", DOCUMENT):
        assert (Path(ROOT) / path).exists(), path
