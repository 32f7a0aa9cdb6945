"""Who asks, for the handlers: what the gate found out, and what each role may do."""

from typing import Any, Final, Literal

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from server.access.model import Identity
from server.api.common import Call
from server.api.problems import HttpError

SCOPE: Final = "lectern.identity"  # where the gate leaves it
Needs = Literal["anyone", "listener", "owner"]

# The one place that says what a listener may do. Every handler stands in one of these; one that does not is the
# owner's alone, and tests/contract/test_roles.py fails until it does.
ANYONE: Final = frozenset({"enter", "enter_page", "asset", "service_worker", "options"})
LISTENER: Final = frozenset(
    {
        "player",
        "get_me",
        "get_openapi",
        "get_events",
        # books and their sound
        "get_status",
        "list_books",
        "get_book",
        "get_cover",
        "search",
        "get_chapter",
        "get_changes",
        "get_beside",
        "get_picture",
        "get_sentence",
        "get_playlist",
        "get_init",
        "get_part",
        "get_chapter_file",
        "get_coverage",
        "get_guesses",
        "get_voices",
        "list_blends",
        "list_renditions",
        "list_lexicon",
        "get_lexicon",
        "get_book_lexicon",
        "get_queue",
        "get_rendering",
        # listening
        "get_position",
        "set_position",
        "listen",
        "get_jumps",
        "go_back",
        "create_speech",
        "list_models",
        "docs",
        "get_listening",
        "list_bookmarks",
        "add_bookmark",
        "change_bookmark",
        "remove_bookmark",
        "say_ears",  # that one sounds wrong; the rest of it is the owner's: `only_owner`
    }
)
OWNER_ONLY: Final = frozenset(
    {
        "dashboard",
        "add_book",
        "delete_book",
        "patch_book",
        "get_words",
        "find_words",
        "patch_about",
        "put_cover",
        "delete_cover",
        "delete_rendition",
        "put_lexicon",
        "put_book_lexicon",
        "patch_chapter",
        "render_again",
        "list_ears",
        "put_rendering",
        "put_queue",
        "preview",
        "get_preview",
        "list_imports",
        "dismiss_import",
        "read_import",
        "get_audition",
        "make_take",
        "get_take",
        "put_opinion",
        "add_blind",
        "add_answer",
        "delete_scores",
        "get_pieces",
        "get_piece",
        "put_blend",
        "delete_blend",
        "get_doctor",
        "get_machine",
        "get_speed",
        "get_settings",
        "put_setting",
        "delete_setting",
        "restart",
        "get_log",
        "list_backups",
        "make_backup",
        "add_backup",
        "restore_backup",
        "get_about",
        "list_people",
        "add_person",
        "change_person",
        "remove_person",
        "get_address",
        "get_address_qr",
    }
)


def needs(handler: str) -> Needs:
    """What a handler asks for, by its name."""
    return "anyone" if handler in ANYONE else "listener" if handler in LISTENER else "owner"


async def permit(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """Guard of every route. Raises HttpError 403."""
    wanted = needs(handler.handler_name)
    if wanted == "anyone":
        return
    found: Identity | None = connection.scope.get(SCOPE)  # type: ignore[assignment]
    if found is None:
        raise HttpError(403, "Nobody knows who you are.")
    if wanted == "owner" and found.role != "owner":
        raise HttpError(403, _not_yours(found))


def only_owner(request: Call) -> None:
    """For a part of what a handler does. Raises HttpError 403."""
    if (found := identity(request)).role != "owner":
        raise HttpError(403, _not_yours(found))


def identity(request: Call) -> Identity:
    """Who asks. Raises HttpError 403 where that is nobody that the gate has let in."""
    found: Identity | None = request.scope.get(SCOPE)  # type: ignore[assignment]
    if found is None:
        raise HttpError(403, "Nobody knows who you are.")
    return found


def person(request: Call) -> str:
    """The key of the person who asks, for places, bookmarks and statistics: `owner`, or 12 hex digits.

    It is the same on all devices of a person, and stays when their name or role changes.
    """
    return identity(request).person


def _not_yours(found: Identity) -> str:
    return f"{found.name} may listen here, but not change this: whoever runs this Lectern can."
