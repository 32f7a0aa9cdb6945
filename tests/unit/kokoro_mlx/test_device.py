"""What the device can do, and what a crash leaves behind."""

import subprocess
import sys
from pathlib import Path

import pytest

from server.kokoro_mlx import blas, device

import mlx.core as mx  # isort: skip  (after the port, which brings the BLAS)

PROGRAM = """
import server.kokoro_mlx, mlx.core as mx
from server.kokoro_mlx.device import fused, fuses
print(fuses(), float(fused(lambda x: x * 3 + 1)(mx.array(2.0))))
"""


def run(tmp_path: Path) -> str:
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        cwd=Path(__file__).parents[3],
    )
    return found.stdout.strip() or found.stderr[-500:]


@pytest.mark.skipif(not device.fuses() or device.native(), reason="nothing is compiled for a CPU here")
@pytest.mark.parametrize("left", [0, 1000])
def test_half_a_kernel_left_by_a_crash_is_made_again(left: int, tmp_path: Path) -> None:
    assert blas.described()
    assert run(tmp_path) == "True 7.0"
    kernels = sorted(tmp_path.glob("mlx/*/cpu/lib*.so"))
    assert kernels
    for kernel in kernels:
        kernel.write_bytes(kernel.read_bytes()[:left])
    assert run(tmp_path) == "True 7.0"


def test_whole_kernels_and_other_files_stay(tmp_path: Path) -> None:
    whole = Path(mx.__file__)  # an extension module is a shared library
    if whole.read_bytes()[:4] != b"\x7fELF":
        pytest.skip("no ELF here")
    kept, cut, other = tmp_path / "liba.so", tmp_path / "libb.so", tmp_path / "libc.txt"
    kept.write_bytes(whole.read_bytes())
    cut.write_bytes(whole.read_bytes()[:-100])
    other.write_text("x")
    assert device.drop_unfinished_kernels(tmp_path) == [cut]
    assert kept.exists() and other.exists() and not cut.exists()
