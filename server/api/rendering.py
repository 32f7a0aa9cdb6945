"""When and how much is rendered: the household's rules, and what is known of how the machine is fed."""

from collections.abc import Sequence
from typing import Annotated, Protocol

from litestar import Response, get, put
from litestar.params import HeaderParameter, JSONBody
from pydantic import Field

from server.api.common import House
from server.api.problems import HttpError, documented
from server.api.ranges import Entity, PreconditionFailed, precondition_failed
from server.api.view import View
from server.errors import Conflict
from server.library.policy import Policy
from server.render.houserules import QuietHours, Restraint
from server.render.speeds import Hour

IfMatch = Annotated[
    str | None,
    HeaderParameter(
        name="If-Match", description="The ETag of the rules that were edited; `*` to overwrite whatever is there."
    ),
]


class RulesIn(View):
    """The household's rules for rendering, all of them."""

    paused: bool = Field(
        default=False,
        description="Nothing is rendered but ten minutes ahead of somebody who listens, until this is false again.",
    )
    quiet: list[QuietHours] = Field(
        max_length=20,
        description="Times of day, `HH:MM` on the clock of the computer that Lectern runs on, in which nothing is "
        "rendered but ten minutes ahead of somebody who listens.",
    )
    battery: Restraint = Field(
        description="On battery: `on`: go on; `listening`: only ten minutes ahead of somebody who listens; `off`: only "
        "one minute ahead of them."
    )
    low_power: Restraint = Field(description="The same while the computer saves power.")
    share: int = Field(
        ge=25, le=100, description="Per cent of the time in which the computer may be kept busy; else it rests."
    )
    ahead_minutes: int = Field(ge=10, le=6_000, description="What `ahead` means: minutes of audio past the place.")
    render: Policy = Field(description="How much is rendered of books for which nobody chose that.")
    cap_bytes: int | None = Field(
        default=None,
        ge=0,
        description="So much audio there may be before the dashboard warns. Nothing is deleted by itself.",
    )


class PowerView(View):
    """How the computer is fed; null where it cannot be told, or has no such thing."""

    battery: bool | None
    low_power: bool | None


class RulesView(RulesIn):
    """The household's rules for rendering, and what they apply to."""

    warning: str | None = Field(description="One sentence where the file with the rules cannot be understood.")
    power: PowerView
    audio_bytes: int = Field(description="How much audio there is.")


class Rendering(Protocol):
    """What the house does with its rules."""

    async def rules(self) -> tuple[RulesView, str]:
        """The rules, and which version of them that is."""

    async def change(self, rules: RulesIn, tag: str | None) -> None:
        """Keep other rules if they are still the version `tag`, None for any. Raises Conflict, StoreError."""

    async def choose(self, book: str, render: Policy | None) -> None:
        """Choose how much of a book is rendered, None: as the household's rules say. Raises NotFound."""

    async def speeds(self) -> list[Hour]:
        """How fast was rendered in the last days, the earliest hour first."""

    async def arrange(self, books: Sequence[str]) -> None:
        """Have these books rendered first, in this order, all others as usual. Raises Conflict where one is gone."""


@get("/rendering", summary="When and how much is rendered", tags=["house"], responses=documented())
async def get_rendering(house: House) -> Response[RulesView]:
    """The household's rules. Where nobody changed them, the usual ones."""
    return _answer(*await house.rendering.rules())


@put("/rendering", summary="Change that", tags=["house"], responses=documented(403, 412, 413, 428, 507))
async def put_rendering(house: House, data: JSONBody[RulesIn], if_match: IfMatch = None) -> Response[RulesView]:
    """All of the rules at once. They hold from the next pass on."""
    _, tag = await house.rendering.rules()
    expected = None
    if (if_match or "").strip() != "*":
        if if_match is None:
            raise HttpError(428, "Send If-Match with the ETag of the rules that you edited, so that nothing is lost.")
        if precondition_failed({"if-match": if_match}, Entity(0, f'"{tag}"')):
            raise PreconditionFailed("The rules have been changed in the meantime; read them again.")
        expected = tag
    try:
        await house.rendering.change(data, expected)
    except Conflict as error:
        raise PreconditionFailed(str(error)) from error
    return _answer(*await house.rendering.rules())


def _answer(view: RulesView, tag: str) -> Response[RulesView]:
    return Response(view, headers={"etag": f'"{tag}"', "cache-control": "private, no-cache"})
