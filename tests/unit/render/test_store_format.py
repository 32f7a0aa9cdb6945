"""docs/store-format.md and its schema say what the models say."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from server.render.files import read_record
from server.render.index import AUDIO_FIELDS, ChapterIndex, Engine, Record, SentenceEntry, Source
from server.render.journal import Change
from server.render.records import ChapterRecord, SourceFile
from server.render.schema import FILES, schema_text, store_schema
from tests.conftest import ROOT

DOCUMENT = (ROOT / "docs" / "store-format.md").read_text()
EXAMPLES = re.findall(r"```json (\S+)\n(.*?)```", DOCUMENT, re.DOTALL)
NESTED = (ChapterRecord, Engine, SentenceEntry, Source, SourceFile)


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


def newer(value: Any) -> Any:
    """The same with one more field in every object, but where a field's name is data."""
    if isinstance(value, list):
        return [newer(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {**{name: one if name == "skipped" else newer(one) for name, one in value.items()}, "later": "x"}


@pytest.mark.parametrize(("name", "text"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_fields_of_a_newer_version_are_passed_over(name: str, text: str, tmp_path: Path) -> None:
    model = FILES[kind_of(name)]
    told = json.dumps(newer(json.loads(text)))
    assert model.read(told) == model.read(text)
    path = tmp_path / "file.json"
    path.write_text(told)
    assert read_record(path, model, "") == model.read(text)
    with pytest.raises(ValidationError):  # what is asked for, or written, is told exactly
        model.model_validate_json(told)


def test_a_word_may_be_written_as_format_1_did() -> None:
    word = {"start": 2_000, "end": 2_100, "char_start": 1, "char_end": 3}
    assert SentenceEntry.model_validate(entry(words=[word])) == SentenceEntry.model_validate(
        entry(words=[[2_000, 2_100, 1, 3]])
    )


def test_the_journal_s_example_follows_on_the_index_s() -> None:
    index = ChapterIndex.model_validate_json(dict(EXAMPLES)["chapter-0002.json"])
    change = Change.model_validate_json(dict(EXAMPLES)["chapter-0002.jsonl"])
    after = change.of(index)
    assert after == after.totals() and after.revision == index.revision + 1


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
        {"id": "../up"},
        {"sha256": "AB" * 32},
        {"words": [[0, 10, 1, 3]]},
        {"words": [[2_000, 1_900, 1, 3]]},
        {"words": [[2_000, 2_100, 3, 3]]},
        {"words": [[2_000, 2_100, 13, 99]]},
        {"words": [[2_000, 2_100, 1, 3], [2_050, 2_100, 4, 6]]},
        {"words": [[2_000, 2_100, 1]]},
    ],
)
def test_what_would_mislead_a_reader_is_not_written(changes: dict[str, Any]) -> None:
    SentenceEntry.model_validate(entry())
    with pytest.raises(ValidationError):
        SentenceEntry.model_validate(entry(**changes))


@pytest.mark.parametrize("changes", [{"samples": 36_863}, {"samples": 35_840}, {"gap_after_samples": 100}])
def test_a_chapter_that_is_joined_is_whole_access_units(changes: dict[str, Any]) -> None:
    chapter = json.loads(dict(EXAMPLES)["chapter-0002.json"])
    chapter["sentences"][0] = entry(**changes)
    with pytest.raises(ValidationError, match="access unit"):
        ChapterIndex.model_validate(chapter)
    # Another renderer's need not be; but its units have to hold the sound.
    del chapter["silence"]
    ChapterIndex.model_validate(chapter)
    chapter["priming"] = 3_000
    with pytest.raises(ValidationError, match="access units for"):
        ChapterIndex.model_validate(chapter)


def test_the_document_names_the_sources_it_speaks_of() -> None:
    for path in re.findall(r"`((?:docs|tests)/[\w./-]+)`", DOCUMENT):
        assert (Path(ROOT) / path).exists(), path
