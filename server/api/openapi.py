"""The OpenAPI 3.1 document, and where it is served."""

import hashlib
import json
from typing import Any, Final

from litestar import Response, Router, route
from litestar.enums import HttpMethod
from litestar.exceptions import NotFoundException
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import License
from litestar.types import Method
from litestar.types.internal_types import PathParameterDefinition

from server.api.again import AgainIn
from server.api.audition_views import AnswerIn, BlindIn, OpinionIn, TakeIn
from server.api.backups import BackupIn
from server.api.blends import BlendIn
from server.api.bookmarks import BookmarkIn, BookmarkPatch
from server.api.chapters import Changes
from server.api.choices import BookPatch, ChapterPatch
from server.api.common import Call
from server.api.configuration import SettingIn, SettingsView
from server.api.ears import EarsIn
from server.api.household import API
from server.api.lexicon_views import LexiconIn
from server.api.media import REVALIDATE, in_memory
from server.api.people import EnterIn, PersonIn, PersonPatch
from server.api.positions import BackIn
from server.api.previews import PreviewIn
from server.api.rendering import RulesIn
from server.api.spots import ListenIn, PositionIn
from server.api.status import OrderIn
from server.api.telling import AboutIn
from server.library.figures import SVG
from server.render.index import ChapterIndex

MEDIA_TYPE: Final = "application/vnd.oai.openapi+json"
COVERS: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")  # one route, any of these types


def _no_such_page(_: Call) -> None:
    raise NotFoundException


def _operation_id(
    handler: HTTPRouteHandler, method: HttpMethod | Method, parts: list[str | PathParameterDefinition]
) -> str:
    """The handler's name; its HEAD twin and its second address say so."""
    name = handler.handler_name + ("_on" if "stream-on" in parts else "")
    return "head_" + name.removeprefix("get_") if method == HttpMethod.HEAD else name


def config(version: str) -> OpenAPIConfig:
    """Settings for the framework, whose own pages are shut: they load scripts from elsewhere."""
    return OpenAPIConfig(
        title="Lectern",
        version=version,
        description="Books read aloud at home. Every error is a problem document of RFC 9457.",
        license=License(name="AGPL-3.0-or-later", identifier="AGPL-3.0-or-later"),
        use_handler_docstrings=True,
        operation_id_creator=_operation_id,
        render_plugins=[JsonRenderPlugin()],
        openapi_router=Router(
            f"{API}/openapi", route_handlers=[], before_request=_no_such_page, include_in_schema=False
        ),
    )


@route("/openapi.json", http_method=["GET", "HEAD"], include_in_schema=False)
async def get_openapi(request: Call) -> Response[bytes]:
    """The document, made once for each app."""
    state = request.app.state
    if (body := state.get("openapi_body")) is None:
        body = state["openapi_body"] = json.dumps(document(request.app.openapi_schema.to_schema())).encode()
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    return in_memory(request, body, etag, MEDIA_TYPE, REVALIDATE)


def document(schema: dict[str, Any]) -> dict[str, Any]:
    """The framework's document, put right where it cannot know better."""
    for address, path in schema["paths"].items():
        pictures = (*COVERS, SVG) if "/pictures/" in address else COVERS
        for method, operation in path.items():
            for response in operation["responses"].values():
                if method == "head":
                    response.pop("content", None)
                elif (cover := response.get("content", {}).get(COVERS[0])) is not None:
                    response["content"] = dict.fromkeys(pictures, cover)
    for model in (
        PositionIn,
        BackIn,
        ListenIn,
        LexiconIn,
        PreviewIn,
        BookPatch,
        ChapterPatch,
        AboutIn,
        AgainIn,
        EarsIn,
        BookmarkIn,
        BookmarkPatch,
        BlendIn,
        TakeIn,
        OpinionIn,
        BlindIn,
        AnswerIn,
        RulesIn,
        OrderIn,
        SettingIn,
        SettingsView,
        BackupIn,
        EnterIn,
        PersonIn,
        PersonPatch,
        ChapterIndex,
        Changes,
    ):  # the framework leaves out what they forbid, and how the index writes numbers
        made = model.model_json_schema(ref_template="#/components/schemas/{model}")
        schema["components"]["schemas"] |= {**made.pop("$defs", {}), model.__name__: made}
    return schema
