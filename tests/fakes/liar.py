"""The real render process with the real model, on a device made to lie; letters for phonemes, to start fast.

`LECTERN_TEST_LIES` says until which rung matrix products return noise of the right size, as MLX 0.30.1 did: `tf32`
(with TF32 only), `gpu` (on all but the CPU), `cpu` (everywhere). With `LECTERN_TEST_LIES_AFTER`, a path, they do so
only once that file exists: the device went bad later. `LECTERN_TEST_LIES_UNSEEN` keeps the check from seeing it.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from server.render.renderer import Renderer
from server.render.store import Store
from server.render.synth import KokoroSynth
from server.render.worker import Voice, main
from tests.fakes.worker import Letters

import mlx.core as mx  # isort: skip  (after the port, which brings the BLAS)

ROWS = 64  # smaller products stay right, as small ones have kernels of their own: so the durations stay sane
_noise = mx.random.normal((1 << 20,), key=mx.random.key(0))  # drawn once: it would take most of a test's time
_RUNGS = {"tf32": ("device",), "gpu": ("device", "no-tf32"), "cpu": ("device", "no-tf32", "cpu")}


Product = Callable[[mx.array, mx.array], mx.array]


def replace_products(
    make: Callable[[Product, mx.array, mx.array], mx.array], put: Callable[[Any, str, Any], None] = setattr
) -> None:
    """Let every matrix product a·b, with a bias or without, be `make(product, a, b)`; `product` computes right."""
    product, addmm = mx.matmul, mx.addmm

    def with_bias(c: mx.array, a: mx.array, b: mx.array) -> mx.array:
        return make(lambda a, b: addmm(c, a, b), a, b)

    put(mx, "addmm", with_bias)
    put(mx, "matmul", lambda a, b: make(product, a, b))
    put(mx.array, "__matmul__", lambda a, b: make(product, a, b))


def noise(right: mx.array) -> mx.array:
    """Noise as loud as the right result."""
    spread = mx.maximum(mx.sqrt(mx.mean(right * right)), 1e-3)
    drawn = mx.tile(_noise, -(-right.size // _noise.size))[: right.size]
    return spread * drawn.reshape(right.shape)


def load(store: Store, options: Any) -> Voice:
    lies = options.compute in _RUNGS[os.environ["LECTERN_TEST_LIES"]]
    assert (os.environ.get("MLX_ENABLE_TF32") == "0") == (options.compute != "device")
    later = os.environ.get("LECTERN_TEST_LIES_AFTER")

    def make(product: Product, a: mx.array, b: mx.array) -> mx.array:
        right = product(a, b)
        large = right.ndim == 2 and right.shape[0] >= ROWS
        return noise(right) if lies and large and (later is None or Path(later).exists()) else right

    replace_products(make)
    synth = KokoroSynth(options.data / "models", options.engine, 1, options.compute)
    check = (lambda: None) if "LECTERN_TEST_LIES_UNSEEN" in os.environ else synth.check
    return Voice(Renderer(store, synth, lambda _british: Letters()), synth.device, check, compute=options.compute)


if __name__ == "__main__":
    sys.exit(main(load=load))
