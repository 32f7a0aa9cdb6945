"""Stopping between evaluations, and the BLAS under them."""

import subprocess
import sys

import mlx.core as mx
import pytest

from server.kokoro_mlx import blas
from server.kokoro_mlx.pace import Pace, Steps, Stopped


def test_the_hook_is_asked_before_each_evaluation() -> None:
    answers = iter([False, False, True])
    pace = Pace(lambda: next(answers))
    pace(mx.ones(1))
    pace(mx.ones(1))
    with pytest.raises(Stopped):
        pace(mx.ones(1))


def counted(steps: int, seen: list[int]) -> Steps[int]:
    x = mx.zeros(())
    for step in range(steps):
        x = x + 1
        yield (x,)
        seen.append(step)
    return int(x)


def test_several_passes_take_their_steps_together() -> None:
    asked, seen = 0, list[int]()

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return False

    assert Pace(stop).together([counted(2, seen), counted(3, seen), counted(0, seen)]) == [2, 3, 0]
    assert asked == 3  # once for each evaluation, not for each pass
    assert seen == [0, 0, 1, 1, 2]


def test_a_stream_each_changes_nothing() -> None:
    streams = [mx.new_stream(mx.cpu), mx.new_stream(mx.cpu)]
    assert Pace().together([counted(4, []), counted(2, [])], streams) == [4, 2]


def test_a_thread_count_is_positive() -> None:
    with pytest.raises(ValueError, match="not 0"):
        blas.set_threads(0)


@pytest.mark.skipif(sys.platform != "linux", reason="macOS has Accelerate")
def test_mlx_computes_with_the_fast_blas() -> None:
    """The dynamic linker itself says whose cblas_sgemm MLX was bound to."""
    program = "import server.kokoro_mlx, mlx.core as mx; mx.eval(mx.ones((8, 8)) @ mx.ones((8, 8)))"
    run = subprocess.run(
        [sys.executable, "-c", program], env={"LD_DEBUG": "bindings"}, capture_output=True, text=True, timeout=120
    )
    bound = [
        line for line in run.stderr.splitlines() if "cblas_sgemm'" in line and "libmlx.so" in line.split(" to ")[0]
    ]
    assert bound, "MLX asked for no cblas_sgemm"
    assert "openblas" in bound[-1].split(" to ")[1]


def test_mlx_first_is_noticed() -> None:
    program = "import mlx.core, server.kokoro_mlx as k; print(k.blas.described())"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert sys.platform != "linux" or "mlx was imported first" in run.stdout
