"""Snake, the generator's periodic activation: y + sin²(αy) / α, where y is the affine map of the AdaIN before it.

It is computed as gain · (u + sin²(πu) / π) with u = αy / π: the affine map takes the factor α / π along, and the
convolution that follows takes the gain π / α into its weights, so only the fixed function of u is left to do.

On a GPU that is MLX's sine. On a CPU the sine is the slowest thing of all; sin²(πu) has the period one, so after
rounding u to the nearest whole number it is a short even polynomial of the rest: within float32 rounding of the sine.
"""

import math
from collections.abc import Callable

import mlx.core as mx

from server.kokoro_mlx.device import fused, native

# sin²(πr) = r² (c₀ + c₁r² + … + c₅r¹⁰) on [−½, ½]: least squares over 8,001 points, error below 2·10⁻⁸.
# tests/unit/kokoro_mlx/test_snake.py fits it again.
COEFFICIENTS = (9.869603238, -32.46960173, 42.72580817, -30.08968645, 13.0055018, -3.294496946)

# Adding and subtracting 1.5 · 2²³ rounds a float32 below 2²² to a whole number: two additions, where a compiler
# without SSE4 in mind calls a function for each element.
_ROUND = 12582912.0

Bend = Callable[[mx.array, mx.array, mx.array], mx.array]


def rate(alpha: mx.array) -> mx.array:
    """What the affine map before is multiplied with, (C,) → (C,)."""
    return alpha * (1 / math.pi)


def gain(alpha: mx.array) -> mx.array:
    """What the result is still to be multiplied with, (C,) → (C,)."""
    return math.pi / alpha


def by_sine(x: mx.array, scale: mx.array, shift: mx.array) -> mx.array:
    """u + sin²(πu) / π with u = x · scale + shift: (T, C) and twice (C,) → (T, C)."""
    u = x * scale + shift
    sine = mx.sin(u * math.pi)
    return u + sine * sine * (1 / math.pi)


def _reduced(x: mx.array, scale: mx.array, shift: mx.array) -> tuple[mx.array, mx.array]:
    u = x * scale + shift
    rest = u - ((u + _ROUND) - _ROUND)
    return u, rest * rest


def _polynomial(u: mx.array, square: mx.array) -> mx.array:
    c0, c1, c2, c3, c4, c5 = (c / math.pi for c in COEFFICIENTS)
    fourth = square * square
    return u + square * ((c0 + c1 * square) + fourth * ((c2 + c3 * square) + fourth * (c4 + c5 * square)))


def bend() -> Bend:
    """`by_sine` in the way that suits the device.

    On a CPU x, scale and shift must have the same shape and lie in memory in one piece: only then does the compiler
    work on several elements at a time.
    """
    if native():
        return fused(by_sine, shapeless=True)
    reduced, polynomial = fused(_reduced), fused(_polynomial)
    return lambda x, scale, shift: polynomial(*reduced(x, scale, shift))
