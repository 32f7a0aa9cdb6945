"""The OpenAPI document: valid, complete, and nothing in it or beside it that is not so."""

import re
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from tests.contract.conftest import BASE
from tests.contract.documented import Documented

Client = TestClient[Litestar]


@pytest.fixture(scope="module")
def document(documented: Documented) -> dict[str, Any]:
    return documented.document


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(method, path, op) for path, item in document["paths"].items() for method, op in item.items()]


def test_served_document_is_this_one(client: Client, document: dict[str, Any]) -> None:
    reply = client.get("/api/v1/openapi.json")
    assert reply.headers["content-type"] == "application/vnd.oai.openapi+json"
    assert reply.json() == document
    assert client.get("/api/v1/openapi.json", headers={"if-none-match": reply.headers["etag"]}).status_code == 304
    assert document["openapi"].startswith("3.1")


def test_every_route_of_the_api_is_documented(app: Litestar, document: dict[str, Any]) -> None:
    served = {
        (method.lower(), re.sub(r":\w+\}", "}", route.path))
        for route in app.routes
        for method in getattr(route, "methods", ())
        if route.path.startswith("/api/v1/") and not route.path.startswith("/api/v1/openapi") and method != "OPTIONS"
    }
    assert served == {(method, path) for method, path, _ in operations(document)}


def test_every_operation_is_described_and_tells_its_errors(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(names) == len(set(names))
    for method, path, operation in operations(document):
        where = f"{method} {path}"
        assert operation["summary"], where
        assert operation["tags"], where
        assert {"400", "421", "500"} <= operation["responses"].keys(), where
        if method not in ("get", "head"):
            assert "403" in operation["responses"], where
        if "{" in path:
            assert "404" in operation["responses"], where
        for status, response in operation["responses"].items():
            assert response["description"], where
            if status >= "400" and method != "head":
                assert list(response["content"]) == ["application/problem+json"], where
        for parameter in operation.get("parameters", ()):
            assert parameter["description"], where


def test_media_can_be_asked_for_in_parts_and_by_head(document: dict[str, Any]) -> None:
    for _, path, operation in operations(document):
        if "audio/mp4" in operation["responses"].get("200", {}).get("content", {}):
            assert {"206", "304", "412", "416"} <= operation["responses"].keys(), path
            assert "head" in document["paths"][path]


def test_upload_body_is_documented(document: dict[str, Any]) -> None:
    body = document["paths"]["/api/v1/books"]["post"]["requestBody"]
    assert body["required"]
    assert "application/epub+zip" in body["content"]


def test_options_tells_the_methods_of_an_address(client: Client, document: dict[str, Any]) -> None:
    for path, item in document["paths"].items():
        reply = client.options(re.sub(r"\{\w+\}", "1", path))
        assert set(reply.headers["allow"].split(", ")) == {method.upper() for method in item} | {"OPTIONS"}, path


def test_references_lead_somewhere(document: dict[str, Any]) -> None:
    names = set(re.findall(r"#/components/schemas/(\w+)", str(document)))
    assert names <= document["components"]["schemas"].keys()
    assert "Problem" in names


def test_document_names_no_other_site_and_no_path(client: Client) -> None:
    text = client.get("/api/v1/openapi.json").text
    assert BASE not in text
    assert re.findall(r"https?://[^\"\\ ]+", text) == []
    assert "/tmp/" not in text
