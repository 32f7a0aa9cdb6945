"""The API against its own OpenAPI document, with requests made up by schemathesis: right ones and wrong ones."""

import contextlib
import shutil
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import APIOperation, BaseSchema, Case, GenerationMode
from schemathesis.checks import positive_data_acceptance

from server.api import create_app
from server.config import Settings
from tests.contract.conftest import BOOK
from tests.contract.household import PaperHousehold, sentence_id

EXAMPLES = 4  # for each operation and mode; ten times as many found nothing more
FIRST = sentence_id("Sentence 0 of chapter 1.")
HOST = {"host": "127.0.0.1:8484"}

# The same requests in every run: chance belongs to a search, not to a gate.
MADE_UP = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def api(furnished: Path, tmp_path_factory: pytest.TempPathFactory) -> BaseSchema:
    data = tmp_path_factory.mktemp("schema") / "data"
    shutil.copytree(furnished, data)
    app = create_app(PaperHousehold(Settings(library=data / "library", data=data)), limited=lambda app: app)
    made = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app, headers=HOST)
    # The event stream never ends; HEAD and stream-on have the handlers of their twins.
    return made.exclude(path="/api/v1/events").exclude(method="HEAD").exclude(path_regex="/stream-on/")


@pytest.mark.parametrize("mode", list(GenerationMode))
def test_every_answer_is_as_documented(api: BaseSchema, mode: GenerationMode) -> None:
    tried = 0
    operations = [result.ok() for result in api.get_all_operations()]
    for operation in sorted(operations, key=lambda operation: operation.method == "delete"):
        with contextlib.suppress(Unsatisfiable):  # without parameters there is nothing to get wrong
            hold(operation, mode)
            tried += 1
    assert tried > 10


def hold(operation: APIOperation, mode: GenerationMode) -> None:
    # Bytes that nobody can tell from an EPUB, picture or backup by the document alone, or a tag from a language, may
    # well be refused.
    files = ("POST /api/v1/books", "PUT /api/v1/books/{book}/cover", "POST /api/v1/backups/file")
    refusing = (*files, "POST /api/v1/imports/{refusal}/book")
    excluded = [positive_data_acceptance] if operation.label in refusing else []
    place = {"book": BOOK, "number": 1, "start": FIRST, "name": f"{FIRST}.m4a", "layer": "household"}

    @MADE_UP
    @given(case=operation.as_strategy(generation_mode=mode))
    def every_case(case: Case) -> None:
        if mode is GenerationMode.POSITIVE:  # nobody makes up the id of a book: most would end at "no such book"
            case.path_parameters.update({name: place[name] for name in case.path_parameters.keys() & place.keys()})
            if operation.label.startswith("PUT") and operation.label.endswith(("/lexicon", "{layer}", "/rendering")):
                case.headers["If-Match"] = "*"  # nor the tag of what is there
        case.call_and_validate(headers=HOST, excluded_checks=excluded)

    every_case()
