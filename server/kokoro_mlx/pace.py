"""Where a pass is computed in steps: MLX is lazy, and somebody has to say when to compute and when to stop.

A stage that is computed in steps is a generator: it yields the arrays it wants computed now, and returns its result.
One lazy graph of the whole model would hold every intermediate array at once (gigabytes for 20 s). Computed step by
step, each is freed as soon as the next is there, and a pass can be stopped between two steps.
"""

from collections.abc import Callable, Generator, Sequence
from typing import TypeVar

import mlx.core as mx

T = TypeVar("T")
Steps = Generator[tuple[mx.array, ...], None, T]


class Stopped(Exception):
    """The pass was given up because `stop` said so; nothing of it is kept."""


class Pace:
    """Evaluates what it is given, having asked `stop` first."""

    def __init__(self, stop: Callable[[], bool] | None = None) -> None:
        self._stop = stop

    def __call__(self, *arrays: mx.array) -> None:
        """Compute `arrays`. Raises Stopped instead when the caller wants the pass to end."""
        if self._stop is not None and self._stop():
            raise Stopped("the pass was stopped")
        mx.eval(*arrays)

    def run(self, steps: Steps[T]) -> T:
        """Take all steps and give what they return. Raises Stopped."""
        return self.together([steps])[0]

    def together(self, passes: Sequence[Steps[T]], streams: Sequence[mx.Stream] = ()) -> list[T]:
        """Take a step of each of several passes in one evaluation, until all have returned. Raises Stopped.

        With streams, each pass is computed on its own: on a CPU that is a thread each. The numbers are those of each
        pass alone, bit by bit: no operation sees more than one of them.
        """
        results: dict[int, T] = {}
        while len(results) < len(passes):
            wanted: list[mx.array] = []
            for at, steps in enumerate(passes):
                if at in results:
                    continue
                with mx.stream(streams[at] if streams else mx.default_stream(mx.default_device())):
                    try:
                        wanted += next(steps)
                    except StopIteration as end:
                        results[at] = end.value
            if wanted:
                self(*wanted)
        return [results[at] for at in range(len(passes))]
