"""The web application: every route, and what is around them all."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Final

from litestar import Litestar, Response, Router, route
from litestar.di import Provide
from litestar.handlers import HTTPRouteHandler
from litestar.types import ControllerRouterHandler

from server.api import (
    again,
    audio,
    books,
    chapters,
    choices,
    imports,
    ledger,
    lexicon,
    live,
    openapi,
    positions,
    previews,
    search,
    status,
    streams,
    web,
)
from server.api.access import Gate
from server.api.common import off_loop
from server.api.household import API, Household
from server.api.problems import HANDLERS

MAX_JSON_BYTES: Final = 100_000  # no body but an upload is longer than a few lines

ROUTES: Final[tuple[ControllerRouterHandler, ...]] = (
    status.get_status,
    books.list_books,
    imports.add_book,
    books.get_book,
    books.delete_book,
    choices.patch_book,
    books.get_cover,
    search.search,
    ledger.get_coverage,
    ledger.get_guesses,
    lexicon.list_lexicon,
    lexicon.get_lexicon,
    lexicon.put_lexicon,
    lexicon.get_book_lexicon,
    lexicon.put_book_lexicon,
    chapters.get_chapter,
    choices.patch_chapter,
    audio.get_sentence,
    *streams.ROUTES,
    positions.get_position,
    positions.set_position,
    positions.listen,
    again.render_again,
    status.get_queue,
    previews.preview,
    previews.get_preview,
    imports.list_imports,
    imports.dismiss_import,
    imports.read_import,
    status.get_voices,
    status.get_doctor,
    live.get_events,
    openapi.get_openapi,
)


def allow(handlers: Iterable[ControllerRouterHandler]) -> list[HTTPRouteHandler]:
    """OPTIONS for addresses with several handlers: the framework's own tells of the first one's methods only.

    They must be registered before the handlers they tell of.
    """
    methods: dict[str, list[str]] = {}
    for handler in handlers:
        if isinstance(handler, HTTPRouteHandler):
            for path in handler.paths:
                methods.setdefault(path, []).append(", ".join(sorted(handler.http_methods)))
    return [_options(path, ", ".join([*several, "OPTIONS"])) for path, several in methods.items() if len(several) > 1]


def _options(path: str, methods: str) -> HTTPRouteHandler:
    @route(path, http_method="OPTIONS", status_code=204, include_in_schema=False)
    async def options() -> Response[None]:
        return Response(None, headers={"allow": methods})

    return options


def create_app(household: Household, *, web_folder: Path = web.WEB) -> Litestar:
    """The ASGI application over `household`; pages come from `web_folder`."""

    @asynccontextmanager
    async def tidy(_: Litestar) -> AsyncIterator[None]:
        await off_loop(imports.clear_incoming, household.settings)
        yield

    app = Litestar(
        [Router(API, route_handlers=[*allow(ROUTES), *ROUTES]), *web.pages(web_folder)],
        dependencies={"house": Provide(lambda: household, sync_to_thread=False)},
        exception_handlers=HANDLERS,
        request_max_body_size=MAX_JSON_BYTES,
        lifespan=[tidy],
        openapi_config=openapi.config(version("lectern")),
        logging_config=None,  # logging is set up once, by whoever runs the application
    )
    # Around the whole application rather than as its middleware, which unknown addresses would not pass through.
    app.asgi_handler = Gate(app.asgi_handler, household.settings)
    return app
