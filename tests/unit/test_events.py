import asyncio

from server.events import BACKLOG, GAP, Hub


async def test_every_subscriber_gets_every_event_in_order() -> None:
    hub = Hub()
    streams = [hub.subscribe(), hub.subscribe()]
    readers = [asyncio.ensure_future(anext(stream)) for stream in streams]
    await asyncio.sleep(0)
    hub.publish("book.added", id="a", kind="data may use any name")
    got = await asyncio.gather(*readers)
    assert [event.data["id"] for event in got] == ["a", "a"]
    assert got[0].data["kind"] == "data may use any name"


async def test_a_slow_subscriber_loses_its_oldest_events_only() -> None:
    hub = Hub()
    stream = hub.subscribe()
    first = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    hub.publish("n", n=-1)
    await first
    for n in range(BACKLOG + 10):
        hub.publish("n", n=n)
    assert (await anext(stream)).kind == GAP  # and is told so
    assert (await anext(stream)).data["n"] == 10


async def test_closing_ends_every_stream_even_a_full_one() -> None:
    hub = Hub()
    stream = hub.subscribe()
    first = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    for n in range(BACKLOG + 1):
        hub.publish("n", n=n)
    await first
    hub.close()
    assert len([event async for event in stream]) <= BACKLOG
    assert [event async for event in hub.subscribe()] == []
