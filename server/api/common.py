"""What the route modules share: the injected house, the call, path parameters, and lookups off the event loop."""

import asyncio
import re
from collections.abc import Callable
from typing import Annotated, Any, Final, ParamSpec, TypeVar

from litestar import Request
from litestar.di import NamedDependency
from litestar.params import PathParameter, SkipValidation

from server.api.household import Household
from server.errors import NotFound
from server.render.index import SAFE_NAME

P = ParamSpec("P")
T = TypeVar("T")

Call = Request[Any, Any, Any]
House = NamedDependency[SkipValidation[Household]]

BookPath = Annotated[str, PathParameter(description="Id of the book.")]
ChapterPath = Annotated[int, PathParameter(description="Number of the chapter, from 1.")]
SentencePath = Annotated[str, PathParameter(description="Id of the sentence.")]

LAST_CHAPTER: Final = 99_999
_BOOK = re.compile(r"[0-9a-f]{16}")


def plausible(book: str, number: int = 1, sentence: str | None = None) -> None:
    """Check the form of ids from a path: what is asked of the disk is never a stranger's text. Raises NotFound."""
    if _BOOK.fullmatch(book) is None:
        raise NotFound("There is no such book.")
    if not 1 <= number <= LAST_CHAPTER:
        raise NotFound("There is no such chapter.")
    if sentence is not None and SAFE_NAME.fullmatch(sentence) is None:
        raise NotFound("There is no such sentence.")


async def off_loop(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run blocking `work` in a thread."""
    return await asyncio.to_thread(work, *args, **kwargs)
