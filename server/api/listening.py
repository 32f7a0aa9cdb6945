"""How long was listened, by day and book."""

from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Final

from litestar import get
from litestar.params import QueryParameter
from pydantic import Field

from server.api.common import Call, House
from server.api.identity import person
from server.api.problems import documented
from server.api.view import View
from server.errors import BadRequest

MOST_DAYS: Final = 400
USUAL_DAYS: Final = 30

From = Annotated[
    date | None, QueryParameter(name="from", description=f"The first day; without it, {USUAL_DAYS} days before `to`.")
]
To = Annotated[date | None, QueryParameter(name="to", description="The last day; today without it.")]


class HeardBook(View):
    """What was heard of a book on a day."""

    book: str = Field(description="Id of the book, which may have been deleted since.")
    title: str
    heard_s: float = Field(description="Seconds of its audio.")


class DayView(View):
    """What was heard on a day, by the clock of the computer that Lectern runs on."""

    day: date
    heard_s: float
    books: list[HeardBook]


class ListeningView(View):
    """Days on which something was heard, the earliest first."""

    days: list[DayView]
    heard_s: float


@get("/listening", summary="How long was listened", tags=["listening"], responses=documented())
async def get_listening(request: Call, house: House, first: From = None, last: To = None) -> ListeningView:
    """Of whoever asks, by day and book; known by the reports of their places. At most 400 days at once."""
    last = last or datetime.now(UTC).astimezone().date()
    try:
        first = first or last - timedelta(days=USUAL_DAYS)
        days = (last - first).days
    except OverflowError:
        raise BadRequest("There are no days before the first one.") from None
    if days >= MOST_DAYS:
        raise BadRequest(f"Ask for at most {MOST_DAYS} days at once.")
    return await house.places.listened(first, last, person(request))
