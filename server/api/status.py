"""The house at a glance: status, queue, the doctor's findings."""

from typing import Annotated, Final

from litestar import get, put
from litestar.params import JSONBody
from pydantic import AfterValidator, Field

from server.api.common import Call, House
from server.api.identity import identity
from server.api.problems import documented
from server.api.reports import Checks, Queue, Status
from server.api.spots import BookId
from server.api.view import View

MOST_IN_ORDER: Final = 200  # each is a small file that is written


@get("/status", summary="Status", tags=["house"], responses=documented())
async def get_status(request: Call, house: House) -> Status:
    """What a listener gets names no folder, and nothing that only the owner can mend."""
    status = await house.status()
    return status if identity(request).role == "owner" else for_listener(status)


def for_listener(status: Status) -> Status:
    """The same without sentences that may name folders of this machine."""
    worker = status.worker.model_copy(update={"detail": None, "warning": None})
    nothing = dict.fromkeys(("space", "notice", "polled"))
    return status.model_copy(update={**nothing, "library": "", "data": "", "importing": [], "worker": worker})


@get("/queue", summary="What is rendered next", tags=["house"], responses=documented())
async def get_queue(house: House) -> Queue:
    return await house.queue()


def _each_once(books: list[str]) -> list[str]:
    if len(set(books)) < len(books):
        raise ValueError("a book stands in it twice")
    return books


class OrderIn(View):
    """Which books are rendered first."""

    books: Annotated[list[BookId], AfterValidator(_each_once)] = Field(
        max_length=MOST_IN_ORDER,
        description="Ids of books, the first one first. All others come after them, as usual; empty: all as usual.",
        json_schema_extra={"uniqueItems": True},
    )


@put("/queue", summary="Put books in order", tags=["house"], responses=documented(403, 409, 413, 507))
async def put_queue(house: House, data: JSONBody[OrderIn]) -> Queue:
    """The whole order at once. It holds from the next pass on: only who listens has ten minutes before it."""
    await house.rendering.arrange(data.books)
    return await house.queue()


@get("/doctor", summary="What is missing and how to mend it", tags=["house"], responses=documented())
async def get_doctor(house: House) -> Checks:
    return Checks(checks=await house.doctor())
