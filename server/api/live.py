"""Server-sent events: what happens in the house, as it happens."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Final

from litestar import get
from litestar.openapi.datastructures import ResponseSpec
from litestar.response import Stream

from server.api.common import House
from server.api.problems import documented
from server.events import Event, Hub

KEEP_ALIVE_S: Final = 15.0  # under the idle limits of phones and proxies, which start at 30 s
RETRY_MS: Final = 2_000

EVENTS: Final = """A stream that ends only with the server. Events: `book.added`, `book.changed`, `book.removed` {id};
`book.renewed` {id}: the book was read anew, its chapters may have moved, and the place with them;
`import.started` {name, waiting}; `import.refused` {id, name, kind, reason};
`import.duplicate` {id, name, there}: the same book lies in the folder under other names too;
`library.notice` {notice}: what of the library folder is out of reach, null when nothing is any more;
`render.progress` {book, chapter, sentences, revision, rendered, total, speed};
`render.state` {state, detail, now, warning};
`lexicon.changed` {layer, book};
`position` {book, chapter, sentence, word, device, updated}. Comment lines keep the connection alive. A client that
falls far behind loses the oldest events: after a gap, ask for what is shown again."""


@get(
    "/events",
    summary="Live events",
    description=EVENTS,
    tags=["live"],
    media_type="text/event-stream",
    responses={
        **documented(),
        200: ResponseSpec(str, generate_examples=False, description="Events.", media_type="text/event-stream"),
    },
)
async def get_events(house: House) -> Stream:
    # x-accel-buffering: a proxy in front must pass each event on at once.
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return Stream(lines(house.hub), media_type="text/event-stream", headers=headers)


async def lines(hub: Hub, keep_alive_s: float = KEEP_ALIVE_S) -> AsyncIterator[bytes]:
    """The hub's events as an event stream, a comment when nothing happens for `keep_alive_s`; ends with the hub."""
    events = hub.subscribe()
    following = asyncio.ensure_future(anext(events, None))
    try:
        await asyncio.sleep(0)  # lets the subscription begin, so that nothing is missed after the first line
        yield f"retry: {RETRY_MS}\n\n".encode()
        while True:
            # asyncio.wait, not wait_for: a time-out must not cancel the subscription.
            done, _ = await asyncio.wait({following}, timeout=keep_alive_s)
            if not done:
                yield b": still here\n\n"
                continue
            if (event := following.result()) is None:
                return
            yield encode(event)
            following = asyncio.ensure_future(anext(events, None))
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


def encode(event: Event) -> bytes:
    data = json.dumps(event.data, ensure_ascii=False, separators=(",", ":"))  # never holds a bare line break
    return f"id: {event.id}\nevent: {event.kind}\ndata: {data}\n\n".encode()
