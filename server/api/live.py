"""Server-sent events: what happens in the house, as it happens."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Annotated, Any, Final

from litestar import Response, get
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import HeaderParameter, QueryParameter
from litestar.response import Stream

from server.access.model import Identity
from server.api.access import read_arrival
from server.api.common import Call, House
from server.api.identity import identity
from server.api.problems import documented
from server.events import GAP, Event, Hub
from server.render.places import OWNER

KEEP_ALIVE_S: Final = 15.0  # under the idle limits of phones and proxies, which start at 30 s
RETRY_MS: Final = 2_000
ASK_AGAIN_S: Final = 15.0  # whether whoever listens still may: a list may be edited by hand
PEOPLE: Final = "people.changed"

EVENTS: Final = """A stream that ends only with the server. Events: `book.added`, `book.changed`, `book.removed` {id};
a book whose `rendition` is another one has other audio, to be asked for again;
`book.renewed` {id}: the book was read anew, its chapters may have moved, and the place with them;
`import.started` {name, waiting}; `import.refused` {id, name, kind, reason};
`import.duplicate` {id, name, there}: the same book lies in the folder under other names too;
`library.notice` {notice}: what of the library folder is out of reach, null when nothing is any more;
`render.progress` {book, chapter, sentences, revision, rendered, total, speed};
`render.state` {state, detail, until, now, warning};
`words.found` {id}: a book was read through for words that must be guessed, or could not be;
`lexicon.changed` {layer, book}; `settings.changed` {name}; `backups.changed`: one was begun, or is there;
`rules.changed`: when and how much is rendered is another matter now;
`queue.changed` {books}: the owner put other books in order, to be rendered first; none: all is as usual;
`people.changed`: others may listen now, or do something else; the streams of all but the owner end with it;
`position` {person, book, chapter, sentence, word, device, updated, reason}, and `bookmarks` {person, book}: those of
whoever asks alone;
`tailnet.changed` {}: Tailscale came, went or has another address, and a phone may have to open another one;
`ears.changed` {book, chapter, sentence}: somebody said how a sentence sounds.
Comment lines keep the connection alive. Who comes back with Last-Event-ID gets what was missed. `gap` {}: that cannot
be told, since it is too long ago, the server began anew or the client fell far behind; ask for what is shown again."""

# What a listener does not get: these name files and folders, and only the owner can do something about it.
_OWNERS_KINDS: Final = frozenset({"import.refused", "import.duplicate", "library.notice", "tailnet.changed", PEOPLE})
_OWNERS_FIELDS: Final[dict[str, dict[str, str | None]]] = {
    "render.state": {"detail": None, "warning": None},
    "import.started": {"name": ""},
}

After = Annotated[
    str | None,
    QueryParameter(description="The same as Last-Event-ID, for clients that cannot set a header.", max_length=40),
]
LastSeen = Annotated[
    str | None, HeaderParameter(name="Last-Event-ID", description="`id` of the last event that was received.")
]


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
async def get_events(request: Call, house: House, after: After = None, last_seen: LastSeen = None) -> Response[Any]:
    # x-accel-buffering: a proxy in front must pass each event on at once.
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    if request.method == "HEAD":
        return Response(b"", media_type="text/event-stream", headers=headers)
    who = identity(request)
    arrival, _ = read_arrival(request.scope)

    async def same() -> bool:
        now = await house.access.admit(arrival, house.access.door(arrival))
        return isinstance(now, Identity) and (now.person, now.role) == (who.person, who.role)

    stream = lines(house.hub, after=last_seen or after, person=who.person, owner=who.role == "owner", same=same)
    return Stream(stream, media_type="text/event-stream", headers=headers)


async def _always() -> bool:
    return True


async def lines(
    hub: Hub,
    keep_alive_s: float = KEEP_ALIVE_S,
    *,
    after: str | None = None,
    person: str = OWNER,
    owner: bool = True,
    same: Callable[[], Awaitable[bool]] = _always,
) -> AsyncIterator[bytes]:
    """The hub's events that concern `person`, who may be an `owner`, as an event stream; ends with the hub.

    A comment when nothing happens for `keep_alive_s`. `after` as in `Hub.subscribe`. `same` tells whether they still
    may what they might: the stream of somebody else ends, and whoever comes back is asked again who they are.
    """
    asked_s = time.monotonic()
    events = hub.subscribe(after)
    following = asyncio.ensure_future(anext(events, None))
    try:
        await asyncio.sleep(0)  # lets the subscription begin, so that nothing is missed after the first line
        # The id is remembered without an event: a connection that is lost before the first one misses none either.
        here = f"id: {hub.latest}\n" if after is None else ""
        yield f"retry: {RETRY_MS}\n{here}\n".encode()
        while True:
            # asyncio.wait, not wait_for: a time-out must not cancel the subscription.
            done, _ = await asyncio.wait({following}, timeout=keep_alive_s)
            event = following.result() if done else None
            if done and event is None:
                return
            if event is None or event.kind in (PEOPLE, GAP) or time.monotonic() - asked_s > ASK_AGAIN_S:
                if not await same():
                    return
                asked_s = time.monotonic()
            if event is None:
                yield b": still here\n\n"
                continue
            if event.data.get("person", person) == person and (owner or event.kind not in _OWNERS_KINDS):
                yield encode(hub.name(event), event if owner else _bare(event))
            following = asyncio.ensure_future(anext(events, None))
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


def _bare(event: Event) -> Event:
    """An event as a listener gets it."""
    return replace(event, data=event.data | _OWNERS_FIELDS.get(event.kind, {}))


def encode(name: str, event: Event) -> bytes:
    data = json.dumps(event.data, ensure_ascii=False, separators=(",", ":"))  # never holds a bare line break
    return f"id: {name}\nevent: {event.kind}\ndata: {data}\n\n".encode()
