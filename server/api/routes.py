"""The web application: every route, and what is around them all."""

import functools
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Final

from litestar import Litestar, Response, Router, route
from litestar.di import Provide
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, ControllerRouterHandler

from server.api import (
    about,
    again,
    audio,
    audition,
    backups,
    beside,
    blends,
    bookmarks,
    books,
    chapters,
    choices,
    configuration,
    ears,
    imports,
    ledger,
    lexicon,
    listening,
    live,
    logs,
    machine,
    openapi,
    people,
    pieces,
    positions,
    previews,
    rendering,
    renditions,
    search,
    speech,
    status,
    streams,
    telling,
    web,
    wordlist,
)
from server.api.access import Gate
from server.api.common import off_loop
from server.api.conditional import complete
from server.api.household import API, Household
from server.api.identity import permit
from server.api.limits import Limits
from server.api.problems import HANDLERS
from server.api.quick import Quick

MAX_JSON_BYTES: Final = 100_000  # no body but an upload is longer than a few lines

ROUTES: Final[tuple[ControllerRouterHandler, ...]] = (
    status.get_status,
    books.list_books,
    imports.add_book,
    books.get_book,
    books.delete_book,
    choices.patch_book,
    renditions.list_renditions,
    renditions.delete_rendition,
    books.get_cover,
    telling.patch_about,
    telling.put_cover,
    telling.delete_cover,
    search.search,
    ledger.get_coverage,
    ledger.get_guesses,
    wordlist.get_words,
    wordlist.find_words,
    lexicon.list_lexicon,
    lexicon.get_lexicon,
    lexicon.put_lexicon,
    lexicon.get_book_lexicon,
    lexicon.put_book_lexicon,
    chapters.get_chapter,
    chapters.get_changes,
    beside.get_beside,
    beside.get_picture,
    choices.patch_chapter,
    audio.get_sentence,
    *streams.ROUTES,
    positions.get_position,
    positions.set_position,
    positions.get_jumps,
    positions.go_back,
    listening.get_listening,
    positions.listen,
    bookmarks.list_bookmarks,
    bookmarks.add_bookmark,
    bookmarks.change_bookmark,
    bookmarks.remove_bookmark,
    again.render_again,
    ears.list_ears,
    ears.say_ears,
    status.get_queue,
    status.put_queue,
    rendering.get_rendering,
    rendering.put_rendering,
    previews.preview,
    previews.get_preview,
    imports.list_imports,
    imports.dismiss_import,
    imports.read_import,
    blends.get_voices,
    blends.list_blends,
    blends.put_blend,
    blends.delete_blend,
    audition.get_audition,
    audition.make_take,
    audition.get_take,
    audition.put_opinion,
    audition.add_blind,
    audition.add_answer,
    audition.delete_scores,
    pieces.get_pieces,
    pieces.get_piece,
    status.get_doctor,
    machine.get_machine,
    machine.get_speed,
    configuration.get_settings,
    configuration.put_setting,
    configuration.delete_setting,
    configuration.restart,
    logs.get_log,
    backups.list_backups,
    backups.make_backup,
    backups.add_backup,
    backups.restore_backup,
    about.get_about,
    people.get_me,
    people.enter,
    people.list_people,
    people.add_person,
    people.change_person,
    people.remove_person,
    people.get_address,
    people.get_address_qr,
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


@functools.cache
def _version() -> str:
    # The standard library reads and mends the whole README that lies in the package's metadata: 76 ms.
    return version("lectern")


def create_app(
    household: Household, *, web_folder: Path = web.WEB, limited: Callable[[ASGIApp], ASGIApp] = Limits
) -> Litestar:
    """The ASGI application over `household`.

    Pages come from `web_folder`; `limited` keeps anybody from asking too much.
    """

    @asynccontextmanager
    async def tidy(_: Litestar) -> AsyncIterator[None]:
        await off_loop(imports.clear_incoming, household.settings)
        yield

    handlers = complete(ROUTES)
    app = Litestar(
        [Router(API, route_handlers=[*allow(handlers), *handlers]), speech.router(), *web.pages(web_folder)],
        dependencies={"house": Provide(lambda: household, sync_to_thread=False)},
        exception_handlers=HANDLERS,
        guards=[permit],
        request_max_body_size=MAX_JSON_BYTES,
        lifespan=[tidy],
        openapi_config=openapi.config(_version()),
        logging_config=None,  # logging is set up once, by whoever runs the application
    )
    # Around the whole application rather than as its middleware, which unknown addresses would not pass through.
    app.asgi_handler = Gate(limited(Quick(app.asgi_handler, household.store)), household.access)
    return app
