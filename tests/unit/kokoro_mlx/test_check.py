"""The check of a device's numbers: it passes what is right and notices what is not."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from server.kokoro_mlx import Kokoro, check, layers, load
from server.kokoro_mlx.check import Reading, TooOldError, WrongNumbersError
from tests.fakes.liar import Product, noise, replace_products

import mlx.core as mx  # isort: skip  (after the port, which brings the BLAS)

Make = Callable[[Product, mx.array, mx.array], mx.array]


@pytest.fixture
def products(monkeypatch: pytest.MonkeyPatch) -> Callable[[Make], None]:
    """Puts something else in the place of every matrix product."""
    return lambda make: replace_products(make, monkeypatch.setattr)


def rounded(x: mx.array, bits: int) -> mx.array:
    """float32 with so many bits of its 24 left: 11 are TF32, 8 bfloat16."""
    lost = 24 - bits
    whole = np.array(x, np.float32).view(np.uint32).astype(np.uint64) + (1 << (lost - 1))
    return mx.array((whole >> lost << lost).astype(np.uint32).view(np.float32))


@pytest.mark.parametrize("version", ["0.30.6", "0.30.7", "0.31.0", "1.0", "0.32.4+local", "0.30.10"])
def test_a_new_enough_mlx_is_taken(version: str) -> None:
    check.require(version)


@pytest.mark.parametrize("version", ["0.30.1", "0.30.5", "0.9.12", "0.29.4.dev1"])
def test_an_mlx_that_may_compute_noise_is_not(version: str) -> None:
    with pytest.raises(TooOldError, match=r"0\.30\.6"):
        check.require(version)


def test_the_installed_mlx_and_this_machine_are_in_order() -> None:
    check.require()
    check.probe()


@pytest.mark.parametrize("rows", [1, 500])
def test_a_probe_notices_products_of_one_size_that_are_noise(products: Callable[[Make], None], rows: int) -> None:
    products(lambda product, a, b: noise(product(a, b)) if a.shape[0] >= rows else product(a, b))
    with pytest.raises(WrongNumbersError, match="matrix product"):
        check.probe()


@pytest.mark.parametrize(("name", "kernel"), [("elementary", "arctan2"), ("elementary", "sigmoid")])
def test_a_probe_notices_a_function_that_is_off(monkeypatch: pytest.MonkeyPatch, name: str, kernel: str) -> None:
    right = getattr(mx, kernel)
    monkeypatch.setattr(mx, kernel, lambda *given: right(*given) * 0.99)
    with pytest.raises(WrongNumbersError, match=name):
        check.probe()


def test_a_probe_notices_numbers_that_are_none(products: Callable[[Make], None]) -> None:
    products(lambda product, a, b: product(a, b) * float("nan"))
    with pytest.raises(WrongNumbersError):
        check.probe()


def test_a_reading_survives_being_written() -> None:
    random = np.random.default_rng(0)
    reading = Reading(*(random.standard_normal(5).astype(np.float32) for _ in range(4)))
    check.compare(Reading.from_json(reading.to_json()), reading)
    for broken in ({}, {"durations": 3}, {**reading.to_json(), "sound": "a"}):
        with pytest.raises((KeyError, ValueError, TypeError)):
            Reading.from_json(broken)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def model(models: Path) -> Iterator[Kokoro]:
    yield load(models / "kokoro.safetensors", threads=1)


@pytest.fixture(scope="module")
def known(models: Path) -> Reading:
    from server.setup import check_models

    reading = check.stored(check_models(models).weights_sha256)
    if reading is None:
        pytest.skip("these weights have no stored reading")
    return reading


@pytest.mark.speech
def test_the_model_reads_here_as_it_was_stored(model: Kokoro, known: Reading) -> None:
    found = check.read(model)
    check.compare(found, known)
    # Far inside: another BLAS and another number of threads are no reason to distrust a device.
    for name, limit in check.LIMITS.items():
        assert check.distance(getattr(found, name), getattr(known, name)) < limit / 50, name


@pytest.mark.speech
def test_tf32_done_right_is_taken_and_half_precision_is_not(
    model: Kokoro, known: Reading, products: Callable[[Make], None]
) -> None:
    products(lambda product, a, b: product(rounded(a, 11), rounded(b, 11)))
    check.compare(check.read(model), known)
    products(lambda product, a, b: product(rounded(a, 8), rounded(b, 8)))
    with pytest.raises(WrongNumbersError, match="is off by"):
        check.compare(check.read(model), known)


FAULTS: dict[str, Make] = {
    "noise in PL-BERT": lambda product, a, b: noise(product(a, b)) if a.shape[-1] == 768 else product(a, b),
    "noise in the generator": lambda product, a, b: noise(product(a, b)) if a.shape[-2] >= 256 else product(a, b),
    "no numbers": lambda product, a, b: product(a, b) * float("nan"),
    "all zero": lambda product, a, b: mx.zeros_like(product(a, b)),
}


@pytest.mark.speech
@pytest.mark.parametrize("fault", FAULTS)
def test_the_model_does_not_read_right_with(
    fault: str, model: Kokoro, known: Reading, products: Callable[[Make], None]
) -> None:
    products(FAULTS[fault])
    with pytest.raises(WrongNumbersError):
        check.compare(check.read(model), known)


@pytest.mark.speech
def test_a_broken_lstm_is_noticed(model: Kokoro, known: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    right: Any = layers.recur_on_cpu
    monkeypatch.setattr(layers, "recur_on_cpu", lambda gates, weight: right(0.9 * gates, weight))
    with pytest.raises(WrongNumbersError, match=r"pitch|durations"):
        check.compare(check.read(model), known)
