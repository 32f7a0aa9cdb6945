"""Holds answers against the OpenAPI document: status, media type and JSON body must be as it says."""

import re
from typing import Any

import httpx
from jsonschema import Draft202012Validator


class Documented:
    """Call it with a response; it raises AssertionError where the document does not tell of such an answer."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        # Fewest parameters first: a literal part wins over a parameter in its place.
        paths = sorted(document["paths"], key=lambda path: path.count("{"))
        self.paths = [(re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), path) for path in paths]

    def __call__(self, response: httpx.Response) -> None:
        response.read()
        request = response.request
        if response.status_code >= 400:
            _check_problem(response)
        operation = self.operation(request.method, request.url.path)
        if operation is None:
            return
        told = operation["responses"].get(str(response.status_code))
        assert told is not None, f"{request.method} {request.url.path}: {response.status_code} is not documented"
        if request.method == "HEAD" or "content" not in told:
            return
        media_type = response.headers["content-type"].partition(";")[0]
        assert media_type in told["content"], f"{request.url.path}: {media_type} is not documented"
        if media_type.endswith("json"):
            schema = {**told["content"][media_type]["schema"], "components": self.document["components"]}
            Draft202012Validator(schema).validate(response.json())

    def operation(self, method: str, path: str) -> dict[str, Any] | None:
        for pattern, template in self.paths:
            if pattern.fullmatch(path):
                found: dict[str, Any] | None = self.document["paths"][template].get(method.lower())
                return found
        return None


def _check_problem(response: httpx.Response) -> None:
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["cache-control"] == "no-store"
    if response.request.method == "HEAD":
        return
    body = response.json()
    assert body["status"] == response.status_code
    assert body["type"] == "about:blank"
    assert body["title"] and body["detail"] and body["code"]
    assert re.search(r"Traceback|\.py\b|/tmp/|/home/|/work/|/Users/", response.text) is None
