"""What the device can do: the one place where a choice is made by device.

A GPU has fast convolutions of its own and compiles fused kernels itself. A CPU has neither: convolutions become matrix
products there, and fused kernels need the system's C++ compiler, which a home machine may lack.
"""

import functools
import logging
import shutil
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import mlx.core as mx

log = logging.getLogger(__name__)

P = ParamSpec("P")
R = TypeVar("R")


def native() -> bool:
    """Whether this device is better served by MLX's own convolution and sine."""
    return bool(mx.default_device().type == mx.DeviceType.gpu)


def fuses() -> bool:
    """Whether MLX can make one kernel of several operations here."""
    return native() or _compiles()


def fused(function: Callable[P, R], *, shapeless: bool = False) -> Callable[P, R]:
    """`function` as one kernel where MLX can make one, else op by op.

    MLX fuses at most 24 operations in chains of at most 11, a constant counting as one, and a `shapeless` function
    costs two more for each operand; what is longer is cut in two, and the cut is no longer contiguous memory, which
    is five times slower on a CPU. A function that is not `shapeless` is traced again for each new shape and the trace
    is kept: give it few shapes.
    """
    compiled: Callable[P, R] = mx.compile(function, shapeless=shapeless)
    return compiled if fuses() else function


@functools.cache
def _compiles() -> bool:
    if shutil.which("g++") is None:
        return False
    probe: Callable[[mx.array], mx.array] = mx.compile(lambda x: x * x + 1)
    try:
        mx.eval(probe(mx.ones((2,), dtype=mx.float32)))
    except RuntimeError as error:
        log.info("nothing is fused, the compiler does not help: %s", error)
        return False
    return True
