"""What the device can do: the one place where a choice is made by device.

A GPU has fast convolutions of its own and compiles fused kernels itself. A CPU has neither: convolutions become matrix
products there, and fused kernels need the system's C++ compiler, which a home machine may lack.
"""

import contextlib
import functools
import logging
import shutil
import struct
import tempfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
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


def drop_unfinished_kernels(folder: Path) -> list[Path]:
    """Remove the shared libraries in `folder` whose end is missing, and say which.

    MLX keeps the kernels it compiled for a CPU below the system's folder for temporary files and loads what it finds
    there by name. The linker writes in place, so where it was cut off (power, a full disk) half a library is left, and
    every process after that would fail.
    """
    dropped = []
    for path in sorted(folder.glob("lib*.so")):
        if not _is_whole(path):
            with contextlib.suppress(OSError):
                path.unlink()
                dropped.append(path)
                log.warning("removed %s, which was not written to its end", path)
    return dropped


def _is_whole(path: Path) -> bool:
    """Whether the table of sections, which an ELF file ends with, is there. Files of other kinds are none of ours."""
    try:
        with path.open("rb") as file:
            header = file.read(64)
        size = path.stat().st_size
    except OSError:
        return True
    if len(header) < 64:
        return False
    if header[:5] != b"\x7fELF\x02":
        return header[:4] != bytes(4)
    (offset,) = struct.unpack_from("<Q", header, 0x28)
    entry, count = struct.unpack_from("<HH", header, 0x3A)
    return bool(offset and offset + entry * count <= size)


@functools.cache
def _compiles() -> bool:
    if shutil.which("g++") is None:
        return False
    drop_unfinished_kernels(Path(tempfile.gettempdir()) / "mlx" / metadata.version("mlx") / "cpu")
    probe: Callable[[mx.array], mx.array] = mx.compile(lambda x: x * x + 1)
    try:
        mx.eval(probe(mx.ones((2,), dtype=mx.float32)))
    except RuntimeError as error:
        log.info("nothing is fused, the compiler does not help: %s", error)
        return False
    return True
