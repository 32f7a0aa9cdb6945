"""An executor and a synthesizer somewhere else: what is asked of them, and what they give, goes through JSON bytes."""

import base64
import json
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from server.render.engine import Synthesizer, Take
from server.render.index import Engine
from server.render.messages import (
    Message,
    PassBegun,
    PassDone,
    PassRequest,
    PassStopped,
    PreviewDone,
    PreviewRequest,
    Quarantine,
    decode,
    encode,
)
from server.render.supervisor import Supervisor


class WireExecutor:
    """Meets `server.render.executor.Executor`; counts the bytes that went either way."""

    def __init__(self, far: Supervisor) -> None:
        self._far = far
        self.bytes = 0
        self.on_begin: Callable[[PassBegun], None] | None = None
        far.on_begin = self._began

    def _over(self, message: Message) -> Any:
        line = encode(message)
        assert line.endswith(b"\n") and line.count(b"\n") == 1
        self.bytes += len(line)
        return decode(line)

    def _began(self, begun: PassBegun) -> None:
        if self.on_begin is not None:
            self.on_begin(self._over(begun))

    @property
    def running(self) -> bool:
        return self._far.running

    @property
    def device(self) -> str | None:
        return self._far.device

    @property
    def warning(self) -> str | None:
        return self._far.warning

    @property
    def in_flight(self) -> tuple[str, ...]:
        return self._far.in_flight

    async def render(self, request: PassRequest) -> PassDone | PassStopped:
        done: PassDone | PassStopped = self._over(await self._far.render(self._over(request)))
        return done

    async def preview(self, request: PreviewRequest) -> PreviewDone:
        done: PreviewDone = self._over(await self._far.preview(self._over(request)))
        return done

    async def quarantine(self, order: Quarantine) -> None:
        await self._far.quarantine(self._over(order))

    def guilty(self, error: Exception) -> str | None:
        return self._far.guilty(error)

    def stop_pass(self) -> None:
        self._far.stop_pass()

    def kill(self) -> None:
        self._far.kill()

    async def rest(self) -> None:
        await self._far.rest()

    async def end(self) -> None:
        await self._far.end()


class WireSynth:
    """Meets `server.render.engine.Synthesizer`: a pass goes out as phonemes, voice, speed and seed and nothing else,
    and comes back as audio and durations."""

    def __init__(self, far: Synthesizer) -> None:
        self._far = far

    @property
    def engine(self) -> Engine:
        return Engine.model_validate_json(self._far.engine.to_json())

    @property
    def voices(self) -> Collection[str]:
        return self._far.voices

    def render(self, phonemes: str, voice: str, *, speed: float, seed: int, stop: Callable[[], bool]) -> Take:
        order = json.dumps({"phonemes": phonemes, "voice": voice, "speed": speed, "seed": seed}).encode()
        take = self._far.render(**json.loads(order), stop=stop)
        sound = base64.b64encode(take.audio.astype("<f4").tobytes()).decode()
        told = json.loads(json.dumps({"audio": sound, "pred_dur": take.pred_dur}).encode())
        audio = np.frombuffer(base64.b64decode(told["audio"]), "<f4").astype(np.float32)
        return Take(audio, tuple(told["pred_dur"]))
