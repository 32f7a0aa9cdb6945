"""The short convolutions: exact as algebra, close in float32, and the same as the plain sum as a layer."""

from fractions import Fraction

import mlx.core as mx
import numpy as np
import pytest

from server.kokoro_mlx import conv, device, winograd
from server.kokoro_mlx.blocks import Blocks, joined
from server.kokoro_mlx.conv import Conv, Each, ShortConv, TapConv
from tests.unit.kokoro_mlx.helpers import normal, params


def convolved(layer: ShortConv | TapConv, x: mx.array, before: Each | None = None) -> mx.array:
    return joined(list(layer(Blocks([x]), before)))


@pytest.mark.parametrize("taps", [3, 4])
def test_the_algorithm_is_exact(taps: int) -> None:
    """In fractions there is no rounding: four outputs of any tile are the plain sums."""
    m = winograd.scheme(taps).matrices
    tile = [Fraction(n * n - 5, 7) for n in range(winograd.TILE + taps - 1)]
    weight = [Fraction(3 - n, 2) for n in range(taps)]
    at = [
        sum(a * b for a, b in zip(row, tile, strict=True)) * sum(a * b for a, b in zip(other, weight, strict=True))
        for row, other in zip(m.split, m.weigh, strict=True)
    ]
    outputs = [sum(a * b for a, b in zip(row, at, strict=True)) for row in m.join]
    assert outputs == [sum(weight[k] * tile[i + k] for k in range(taps)) for i in range(winograd.TILE)]


@pytest.mark.parametrize("taps", [3, 4])
def test_the_kernels_are_the_matrices(taps: int) -> None:
    scheme = winograd.scheme(taps)
    tile = [normal(seed, 5, 2) for seed in range(scheme.inputs)]
    split = [np.array(point) for point in scheme.split([mx.array(x) for x in tile])]
    np.testing.assert_allclose(split, np.tensordot(np.array(scheme.matrices.split, float), tile, 1), atol=1e-5)
    joined = [np.array(y) for y in scheme.join([mx.array(x) for x in tile])]
    np.testing.assert_allclose(
        joined, np.tensordot(np.array(scheme.matrices.join, float), tile, 1), rtol=1e-5, atol=2e-4
    )


def test_the_number_of_points_is_the_number_of_products() -> None:
    with pytest.raises(ValueError, match="7 points, not 5"):
        winograd.matrices(4, [Fraction(1), Fraction(2)], infinity=False)


@pytest.mark.parametrize("dilation", [1, 3, 5])
@pytest.mark.parametrize("taps", [3, 7, 11])
@pytest.mark.parametrize("length", [1, 7, 479, 481, 1200])
def test_it_equals_the_plain_sum(length: int, taps: int, dilation: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conv, "SHORT_ROWS", 240)  # several blocks
    x, weight = mx.array(normal(1, length, 8)), mx.array(normal(2, taps, 8, 6) / np.sqrt(8 * taps))
    given = lambda steps: 2 * steps + 1  # noqa: E731  of the input, never of the padding
    short, plain = (convolved(layer(weight, dilation), x, given) for layer in (ShortConv, TapConv))
    assert short.shape == plain.shape
    np.testing.assert_allclose(np.array(short), np.array(plain), atol=4e-5)


def test_a_tile_longer_than_a_block_is_a_block() -> None:
    x, weight = mx.array(normal(1, 9000, 2)), mx.array(normal(2, 11, 2, 2))
    short, plain = (convolved(layer(weight, 400), x) for layer in (ShortConv, TapConv))
    np.testing.assert_allclose(np.array(short), np.array(plain), atol=1e-4)


@pytest.mark.parametrize(("inputs", "outputs"), [(257, 4), (256, 3)])
def test_channels_that_make_no_pairs_are_left_to_the_plain_sum(inputs: int, outputs: int) -> None:
    x, weight = mx.array(normal(1, 50, inputs)), mx.array(normal(2, 7, inputs, outputs) / 40)
    layer = Conv(params(weight=weight), often=True)
    np.testing.assert_allclose(np.array(layer(x)), np.array(convolved(TapConv(weight, 1), x)), atol=1e-4)


def test_its_error_is_that_of_float32() -> None:
    """Against float64, at the width of the model: a few times that of the plain sum, below −120 dB."""
    taps, channels, length = 11, 128, 480
    x, weight = normal(1, length, channels), normal(2, taps, channels, channels) / np.float32(np.sqrt(taps * channels))
    padded = np.pad(x.astype(np.float64), ((5, 5), (0, 0)))
    exact = sum(padded[k : k + length] @ weight[k].astype(np.float64) for k in range(taps))
    error = np.array(convolved(ShortConv(mx.array(weight), 1), mx.array(x))) - exact
    assert np.sqrt(np.mean(error**2) / np.mean(exact**2)) < 1e-6


def test_few_lengths_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fused kernel is traced for each length of what it is given, and the trace is kept: lengths have to be few."""
    seen: set[int] = set()

    def note(steps: mx.array) -> mx.array:
        seen.add(steps.shape[0])
        return steps

    layer = ShortConv(mx.array(normal(2, 7, 4, 4)), 3)
    for length in range(1, 3 * conv.SHORT_ROWS, 37):
        convolved(layer, mx.array(normal(1, length, 4)), note)
    assert len(seen) <= conv.SHORT_ROWS / 100


def test_without_a_compiler_the_plain_sum_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "_compiles", lambda: False)
    assert not device.fuses() or device.native()
    kernel = device.fused(lambda x: x + 1)
    assert float(kernel(mx.array(1.0))) == 2
