"""Things made from files of the store, kept for as long as those files stay the same."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Generic, TypeVar

from server.render.files import stamp_of

T = TypeVar("T")


class Held(Generic[T]):
    """The last few things made, each as long as its files stay the same. Safe between threads.

    A player asks for a part every few seconds; a run of a long book takes far longer to lay out than to read from.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._held: OrderedDict[tuple[Any, ...], tuple[Any, T]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[Any, ...], files: Iterable[Path], make: Callable[[], T]) -> T:
        """What `make` gives, or gave for `key` when `files` were as they are now."""
        stamp = tuple(stamp_of(path) for path in files)
        with self._lock:
            if (held := self._held.get(key)) is not None and held[0] == stamp:
                self._held.move_to_end(key)
                return held[1]
        made = make()
        with self._lock:
            self._held[key] = (stamp, made)
            self._held.move_to_end(key)
            while len(self._held) > self._size:
                self._held.popitem(last=False)
        return made
