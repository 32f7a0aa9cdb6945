"""Convolutions over time with half the multiplications, after Toom, Cook and Winograd.

Axes: T time, J tiles of four steps, I input channels, O output channels, K kernel taps, D dilation, P points.

Four outputs of a kernel of four taps are the product of two polynomials of degree three, transposed. A polynomial
product needs no 16 multiplications but one at each of seven points: evaluate both, multiply, interpolate. Here the
multiplications are whole matrices (I, O), so the evaluation at the points is cheap beside them:

    tile of seven inputs ──split──▶ a value at each point ──matrix product──▶ … ──join──▶ four outputs

Kernels of 7 and 11 taps are two and three segments of four taps; a segment sees the tiles of its neighbour, one tile
later, so what was split once serves all of them. Kernels of three taps have a scheme of six points of their own. With
dilation D a step is D rows: rows apart by D form a tile. Matrices for 12 outputs of 11 taps: 63 instead of 132.

Source: A. Lavin, S. Gray, "Fast Algorithms for Convolutional Neural Networks" (2015), for two dimensions; the matrices
are derived below in exact arithmetic. The points are ± pairs, whose even and odd parts are shared, chosen by measured
error: 3 to 3.5 times that of the plain sum, 6·10⁻⁷ of the output's level.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import mlx.core as mx
import numpy as np

from server.kokoro_mlx.device import fused

TILE = 4  # outputs of one tile

Row = tuple[Fraction, ...]
Kernel = Callable[..., tuple[mx.array, ...]]


@dataclass(frozen=True, slots=True)
class Matrices:
    """`join` (TILE, P), `weigh` (P, taps), `split` (P, TILE + taps − 1): y = join · ((weigh · w) ⊙ (split · x))."""

    join: tuple[Row, ...]
    weigh: tuple[Row, ...]
    split: tuple[Row, ...]


def matrices(taps: int, pairs: Sequence[Fraction], *, infinity: bool) -> Matrices:
    """The exact algorithm for `taps` taps at the points 0, each ± pair in turn, and infinity where asked for."""
    finite = [Fraction(0)] + [sign * point for point in pairs for sign in (1, -1)]
    size = TILE + taps - 1
    if len(finite) + infinity != size:
        raise ValueError(f"{TILE} outputs of {taps} taps need {size} points, not {len(finite) + infinity}")

    def values(degrees: int) -> list[list[Fraction]]:
        rows = [[point**degree for degree in range(degrees)] for point in finite]
        return [*rows, [Fraction(0)] * (degrees - 1) + [Fraction(1)]] if infinity else rows

    split = list(zip(*_inverse(values(size)), strict=True))  # transposed: a convolution, not a polynomial product
    scales = [max(abs(entry) for entry in row) for row in split]  # moved to the weights, where they cost nothing
    return Matrices(
        join=tuple(zip(*values(TILE), strict=True)),
        weigh=tuple(tuple(entry * scale for entry in row) for row, scale in zip(values(taps), scales, strict=True)),
        split=tuple(tuple(entry / scale for entry in row) for row, scale in zip(split, scales, strict=True)),
    )


def _inverse(matrix: list[list[Fraction]]) -> list[list[Fraction]]:
    """Gauss and Jordan, in fractions."""
    size = len(matrix)
    rows = [[*row, *(Fraction(int(i == j)) for j in range(size))] for i, row in enumerate(matrix)]
    for i in range(size):
        pivot = next(k for k in range(i, size) if rows[k][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [entry / rows[i][i] for entry in rows[i]]
        for k in range(size):
            if k != i:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [row[size:] for row in rows]


def weighted(coefficients: Sequence[Fraction | float], arrays: Sequence[mx.array]) -> mx.array:
    """Σ c · x over the coefficients that are not zero, with no multiplication by one."""
    terms = [x if c == 1 else float(c) * x for c, x in zip(coefficients, arrays, strict=True) if c]
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


class Scheme:
    """One algorithm with its kernels: `split` takes tiles apart into points, `join` makes outputs of products."""

    def __init__(self, taps: int, pairs: Sequence[Fraction], *, infinity: bool) -> None:
        self.taps, self.inputs = taps, TILE + taps - 1
        self.matrices = matrices(taps, pairs, infinity=infinity)
        split = self.matrices.split
        self._pairs = len(pairs)
        single = [0, *range(1 + 2 * self._pairs, len(split))]
        self._single = [(at, _sum_kernel(split[at])) for at in single]
        self._paired = [_pair_kernel(split[1 + 2 * i], split[2 + 2 * i]) for i in range(self._pairs)]
        self._even, self._odd = (_join_kernel(pairs, odd=odd, infinity=infinity) for odd in (False, True))

    def split(self, tile: Sequence[mx.array]) -> list[mx.array]:
        """The inputs of a tile, each (J, …) → a value at each point, each (J, …)."""
        points: dict[int, mx.array] = {at: kernel(*tile)[0] for at, kernel in self._single}
        for i, kernel in enumerate(self._paired):
            points[1 + 2 * i], points[2 + 2 * i] = kernel(*tile)
        return [points[at] for at in range(len(points))]

    def join(self, products: Sequence[mx.array]) -> list[mx.array]:
        """A product at each point, each (J, …) → the outputs of a tile, each (J, …)."""
        outputs: list[mx.array] = []
        for pair in zip(self._even(*products), self._odd(*products), strict=True):
            outputs += pair
        return outputs

    def weigh(self, segment: np.ndarray[tuple[int, int, int], np.dtype[np.float64]]) -> list[mx.array]:
        """The taps of a segment (taps, I, O) → its matrix at each point, each (I, O)."""
        rows = np.array(self.matrices.weigh, np.float64)
        return [mx.array(np.tensordot(row, segment, 1).astype(np.float32)) for row in rows]


@functools.cache
def scheme(taps: int) -> Scheme:
    """The scheme for kernels of this many taps."""
    if taps == 3:
        return Scheme(3, (Fraction(2, 3), Fraction(4, 3)), infinity=True)
    return Scheme(4, (Fraction(1, 2), Fraction(5, 4), Fraction(4)), infinity=False)


def _sum_kernel(row: Row) -> Kernel:
    return fused(lambda *tile: (weighted(row, tile),))


def _pair_kernel(plus: Row, minus: Row) -> Kernel:
    """Rows of +a and −a differ in the sign of their odd part alone.

    The second value is made from the first: two that only share their parts would not become one kernel.
    """
    even = [(a + b) / 2 for a, b in zip(plus, minus, strict=True)]
    odd = [(a - b) / 2 for a, b in zip(plus, minus, strict=True)]

    def kernel(*tile: mx.array) -> tuple[mx.array, ...]:
        o = weighted(odd, tile)
        first = weighted(even, tile) + o
        return first, first - 2.0 * o

    return fused(kernel)


def _join_kernel(pairs: Sequence[Fraction], *, odd: bool, infinity: bool) -> Kernel:
    """Every second of the four outputs, those of even number or the odd ones: Σ aⁱ (product at a ± product at −a).

    Here too the later one is made from the earlier: its sum at the first pair is that of the earlier times a².
    """
    first, others = pairs[0] ** 2, [(at, pairs[at]) for at in range(1, len(pairs))]

    def kernel(*products: mx.array) -> tuple[mx.array, ...]:
        couples = [(products[1 + 2 * at], products[2 + 2 * at]) for at in range(len(pairs))]
        merged = [p - m if odd else p + m for p, m in couples]
        early = weighted([point if odd else 1 for point in pairs], merged)
        late = float(first) * early
        for at, point in others:
            late = late + float((point**2 - first) * (point if odd else 1)) * merged[at]
        if infinity and odd:
            late = late + products[-1]
        return (early if odd else early + products[0]), late

    return fused(kernel)
