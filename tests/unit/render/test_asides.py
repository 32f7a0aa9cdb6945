"""What is said besides books takes its turn: previews before all, speech for programs after every listener."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from server.errors import Conflict
from server.render import asides
from server.render.asides import Asides
from server.render.messages import PreviewDone, PreviewRequest

REQUEST = PreviewRequest(1, "Hear this.", "af_heart", None, "", inline=False, audio="0" * 32, form=".pcm")


class OneVoice:
    """Says one thing at a time, until it is let go on or stopped; what is stopped raises Conflict, as the real one."""

    in_flight: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.said: list[int] = []
        self.begun: list[int] = []
        self.stops = 0
        self._on = asyncio.Event()
        self._stopped = False

    def go_on(self) -> None:
        self._on.set()

    def stop_pass(self) -> None:
        self.stops += 1
        self._stopped = True
        self._on.set()

    async def preview(self, request: PreviewRequest) -> PreviewDone:
        assert len(self.begun) == len(self.said) + self.stops, "two at once"
        self.begun.append(request.id)
        self._stopped = False
        self._on.clear()
        await self._on.wait()
        if self._stopped:
            raise Conflict("It was broken off.")
        self.said.append(request.id)
        return PreviewDone(request.id, (), (), 24_000)


class Desk:
    def __init__(self) -> None:
        self.voice = OneVoice()
        self.pressed = False
        self.one = asyncio.Lock()
        executor: Any = self.voice
        self.asides = Asides(executor, self.one, lambda: self.pressed)

    async def until(self, true: Any) -> None:
        async with asyncio.timeout(10):
            while not true():
                await asyncio.sleep(0.005)


@pytest.fixture
async def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(asides, "LOOK_S", 0.005)
    return Desk()


async def test_a_program_waits_while_somebody_waits_for_the_voice(desk: Desk) -> None:
    desk.pressed = True
    asked = asyncio.create_task(desk.asides.speak(REQUEST))
    await asyncio.sleep(0.05)
    assert desk.voice.begun == [] and not desk.one.locked()
    desk.pressed = False
    await desk.until(lambda: desk.voice.begun)
    desk.voice.go_on()
    assert (await asked).id == 1


async def test_a_listener_breaks_it_off_and_it_is_said_afterwards(desk: Desk) -> None:
    asked = asyncio.create_task(desk.asides.speak(REQUEST))
    await desk.until(lambda: desk.voice.begun)
    desk.pressed = True
    desk.asides.give_way()
    await desk.until(lambda: not desk.one.locked())  # a pass may run now
    await asyncio.sleep(0.02)
    assert desk.voice.begun == [1] and not asked.done()
    desk.pressed = False
    await desk.until(lambda: len(desk.voice.begun) == 2)
    desk.voice.go_on()
    assert (await asked).audio_samples == 24_000


async def test_a_preview_does_not_wait_for_it(desk: Desk) -> None:
    asked = asyncio.create_task(desk.asides.speak(REQUEST))
    await desk.until(lambda: desk.voice.begun)
    preview = asyncio.create_task(desk.asides.preview(replace(REQUEST, id=2)))
    await desk.until(lambda: desk.voice.begun == [1, 2])
    desk.voice.go_on()
    assert (await preview).id == 2
    await desk.until(lambda: desk.voice.begun == [1, 2, 1])
    desk.voice.go_on()
    assert (await asked).id == 1


async def test_a_program_that_goes_leaves_nothing_running(desk: Desk) -> None:
    asked = asyncio.create_task(desk.asides.speak(REQUEST))
    await desk.until(lambda: desk.voice.begun)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert desk.voice.stops == 1 and not desk.one.locked()


async def test_where_listeners_leave_no_time_it_is_told(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asides, "PATIENCE_S", 0.05)
    desk.pressed = True
    with pytest.raises(TimeoutError):
        await desk.asides.speak(REQUEST)
    assert desk.voice.begun == []
