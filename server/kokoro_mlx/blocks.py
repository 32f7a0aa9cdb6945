"""Long activations as blocks of time, so that no array of the whole length has to be copied to be made or kept.

Axes: T time, C channels.
"""

from collections.abc import Iterable

import mlx.core as mx


def pad_time(x: mx.array, before: int, after: int) -> mx.array:
    """(T, C) → (before + T + after, C), with zeros."""
    return mx.pad(x, [(before, after), (0, 0)]) if before or after else x


def doubles(x: mx.array) -> mx.array:
    """(…, C) float32 → the same memory as (…, C / 2) of eight bytes, for moving: MLX moves one element at a time."""
    return x.view(mx.uint64)


def joined(parts: list[mx.array]) -> mx.array:
    """Parts in sequence, each (t, C) → (Σt, C)."""
    if len(parts) == 1:
        return parts[0]
    if parts[0].shape[-1] % 2:
        return mx.concatenate(parts)
    return mx.concatenate([doubles(part) for part in parts]).view(mx.float32)


class Blocks:
    """(T, C) in parts of any lengths. `forget` lets go of parts that are no longer needed."""

    def __init__(self, parts: Iterable[mx.array] = ()) -> None:
        self._parts: list[tuple[int, mx.array]] = []  # where each begins
        self._length = 0
        self._forgotten = 0
        for part in parts:
            self.append(part)

    def __len__(self) -> int:
        return self._length

    @property
    def parts(self) -> list[mx.array]:
        return [part for _, part in self._parts]

    def append(self, part: mx.array) -> None:
        self._parts.append((self._length, part))
        self._length += part.shape[0]

    def copy(self) -> "Blocks":
        """The same parts, to be forgotten separately."""
        return Blocks(self.parts)

    def forget(self, end: int) -> None:
        """Let go of the parts that lie before `end` altogether."""
        while self._parts and self._parts[0][0] + self._parts[0][1].shape[0] <= end:
            self._forgotten = self._parts[0][0] + self._parts[0][1].shape[0]
            del self._parts[0]

    def rows(self, low: int, high: int) -> mx.array:
        """Rows `[low, high)` as one array, zero where there are none. Raises ValueError for what is forgotten."""
        first, last = max(low, 0), min(high, self._length)
        if first < self._forgotten:
            raise ValueError(f"rows from {first} on are asked for, and those before {self._forgotten} are forgotten")
        found = [
            part[max(first - start, 0) : last - start]
            for start, part in self._parts
            if start < last and start + part.shape[0] > first
        ]
        if first > low:
            found.insert(0, mx.zeros((first - low, found[0].shape[1])))
        if high > last:
            found.append(mx.zeros((high - last, found[0].shape[1])))
        return joined(found)

    def whole(self) -> mx.array:
        """(T, C)."""
        return joined(self.parts)
