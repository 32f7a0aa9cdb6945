"""A fast BLAS under MLX on Linux. Import this before `mlx.core`; on macOS it does nothing, MLX uses Accelerate there.

The Linux wheel of MLX bundles the reference BLAS: 2–5 GFLOPS on a core that can do 60–100. `ngsolve-openblas` carries
an OpenBLAS with plain symbol names and kernels for every x86-64 core: loaded first, with its symbols global, it is what
the dynamic linker binds MLX's cblas_* calls to. (numpy's copy prefixes its names; `cmeel-openblas` is built for AVX-512
alone and kills the process on a core without.)
"""

import ctypes
import logging
import os
import re
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import numpy.typing as npt

log = logging.getLogger(__name__)

_DISTRIBUTION = "ngsolve-openblas"
_LIBRARY = "ngsolve_openblas"

_library: ctypes.CDLL | None = None
_described = "not loaded yet"

Floats = npt.NDArray[np.float32]

# cblas: CblasRowMajor, CblasTrans, and the step from one element of a vector to the next
_ROW_MAJOR, _TRANSPOSED, _ONE = ctypes.c_int(101), ctypes.c_int(112), ctypes.c_int(1)

# glibc's mallopt: numbers from <malloc.h>
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_MMAP_ABOVE_BYTES = 1 << 30
_KEEP_FREE_BYTES = 512 << 20


def load() -> str:
    """Load the fast BLAS once and say in words what MLX computes with. Never raises: without it MLX is only slow."""
    global _library, _described
    if sys.platform != "linux":
        _described = "Accelerate"
    elif _library is None:
        if "mlx.core" in sys.modules:
            log.warning("mlx was imported before kokoro_mlx: it keeps its own, slow BLAS")
            _described = "MLX's own reference BLAS (slow): mlx was imported first"
            return _described
        try:
            _library = _open(_installed())
            _described = f"OpenBLAS {metadata.version(_DISTRIBUTION)}"
            set_threads(1)
        except (metadata.PackageNotFoundError, OSError) as error:
            log.warning("no fast BLAS, MLX will be slow: %s", error)
            _described = f"MLX's own reference BLAS (slow): {error}"
    return _described


def described() -> str:
    """What MLX computes with, in words, for a report to the user."""
    return _described


def set_threads(count: int) -> None:
    """Let matrix products use `count` threads. Another count may change the last bits of the audio, nothing more."""
    if count < 1:
        raise ValueError(f"a thread count is at least 1, not {count}")
    if _library is not None:
        _library.openblas_set_num_threads(ctypes.c_int(count))


def add_product(matrix: Floats, vector: Floats, total: Floats) -> None:
    """total (O,) += vector (I,) · matrix (I, O), all in one piece each.

    A matrix product of a single row packs the whole matrix anew each time, which takes three times as long. MLX has no
    other product on a CPU, so this one asks the BLAS itself.
    """
    if _library is None:
        total += vector @ matrix
        return
    inputs, outputs = matrix.shape
    _library.cblas_sgemv(
        *(_ROW_MAJOR, _TRANSPOSED, ctypes.c_int(inputs), ctypes.c_int(outputs), ctypes.c_float(1)),
        *(ctypes.c_void_p(matrix.ctypes.data), ctypes.c_int(outputs), ctypes.c_void_p(vector.ctypes.data), _ONE),
        *(ctypes.c_float(1), ctypes.c_void_p(total.ctypes.data), _ONE),
    )


def keep_buffers() -> bool:
    """Ask glibc to reuse freed buffers instead of returning them at once; True where it agreed.

    A pass allocates and frees buffers of tens of megabytes hundreds of times. By default each is mapped, zeroed page by
    page on first touch and unmapped again: a fifth of the time of a 20 s pass.
    """
    if sys.platform != "linux":
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):  # another C library than glibc
        return False
    return bool(mallopt(_M_MMAP_THRESHOLD, _MMAP_ABOVE_BYTES)) and bool(mallopt(_M_TRIM_THRESHOLD, _KEEP_FREE_BYTES))


def _installed() -> Path:
    folder = Path(str(metadata.distribution(_DISTRIBUTION).locate_file(_LIBRARY)))
    for path in folder.glob("libopenblas*.so*"):
        return path
    raise OSError(f"no OpenBLAS in {folder}")


def _open(path: Path) -> ctypes.CDLL:
    """Raises OSError when the library, or the Fortran runtime it needs, cannot be loaded."""
    try:
        return ctypes.CDLL(str(path), mode=os.RTLD_GLOBAL | os.RTLD_NOW)
    except OSError as error:
        if "libgfortran.so.5" not in str(error):
            raise
    _lend_fortran_runtime()
    return ctypes.CDLL(str(path), mode=os.RTLD_GLOBAL | os.RTLD_NOW)


def _lend_fortran_runtime() -> None:
    """Satisfy OpenBLAS's need for libgfortran.so.5 on a system without one, from the copy inside MLX's own wheel.

    That copy goes by a name with a hash in it, and the linker only accepts the name it was asked for. So its bytes are
    put into anonymous memory with the name they had before the wheel was repaired, and loaded from there.
    """
    folder = Path(str(metadata.distribution("mlx-cpu").locate_file("mlx_cpu.libs")))
    fortran = next(folder.glob("libgfortran-*.so.5*"), None)
    if fortran is None:
        raise OSError(f"libgfortran.so.5 is not on this system, nor in {folder}")
    for needed in folder.glob("libquadmath-*"):
        ctypes.CDLL(str(needed))
    hashed, plain = fortran.name.encode(), b"libgfortran.so.5"
    renamed = re.sub(re.escape(hashed) + b"\0", plain.ljust(len(hashed) + 1, b"\0"), fortran.read_bytes())
    descriptor = os.memfd_create("libgfortran.so.5")
    try:
        os.write(descriptor, renamed)
        ctypes.CDLL(f"/proc/self/fd/{descriptor}")
    finally:
        os.close(descriptor)
