"""Where a pass is computed in steps: MLX is lazy, and somebody has to say when to compute and when to stop."""

from collections.abc import Callable

import mlx.core as mx


class Stopped(Exception):
    """The pass was given up because `stop` said so; nothing of it is kept."""


class Pace:
    """Evaluates what it is given, having asked `stop` first.

    One lazy graph of the whole generator would hold every intermediate array at once (gigabytes for 20 s). Evaluated
    step by step, each is freed as soon as the next is there, and a pass can be stopped between two steps.
    """

    def __init__(self, stop: Callable[[], bool] | None = None) -> None:
        self._stop = stop

    def __call__(self, *arrays: mx.array) -> None:
        """Compute `arrays`. Raises Stopped instead when the caller wants the pass to end."""
        if self._stop is not None and self._stop():
            raise Stopped("the pass was stopped")
        mx.eval(*arrays)
