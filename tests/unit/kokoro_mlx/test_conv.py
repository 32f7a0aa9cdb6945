"""Every convolution against the sum it stands for, written out in numpy."""

import mlx.core as mx
import numpy as np
import pytest

from server.kokoro_mlx import conv
from server.kokoro_mlx.blocks import Blocks
from server.kokoro_mlx.conv import Conv, Double, StridedConv, Upsample
from tests.unit.kokoro_mlx.helpers import Floats, normal, params


def direct(x: Floats, weight: Floats, bias: Floats, dilation: int) -> Floats:
    """y[t] = b + Σ_k x[t + kD − reach] · w[k], one output step after the other, in float64."""
    taps = len(weight)
    reach = dilation * (taps - 1) // 2
    y = np.tile(bias.astype(np.float64), (len(x), 1))
    for t in range(len(x)):
        for k in range(taps):
            if 0 <= (at := t + k * dilation - reach) < len(x):
                y[t] += x[at].astype(np.float64) @ weight[k]
    return y.astype(np.float32)


@pytest.mark.parametrize("dilation", [1, 3, 5])
@pytest.mark.parametrize("taps", [1, 3, 7, 11])
@pytest.mark.parametrize("native", [False, True])
def test_both_ways_of_convolving_equal_the_sum(
    taps: int, dilation: int, native: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conv, "native", lambda: native)
    x, weight, bias = normal(1, 40, 6), normal(2, taps, 6, 5), normal(3, 5)
    y = Conv(params(weight=weight, bias=bias), dilation=dilation)(mx.array(x))
    np.testing.assert_allclose(np.array(y), direct(x, weight, bias, dilation), atol=2e-5)


@pytest.mark.parametrize("length", [1023, 1024, 1025, 2500])
def test_blocks_of_rows_leave_no_seam(length: int) -> None:
    x, weight, bias = normal(1, length, 2), normal(2, 7, 2, 3), normal(3, 3)
    y = Conv(params(weight=weight, bias=bias), dilation=5)(mx.array(x))
    np.testing.assert_allclose(np.array(y), direct(x, weight, bias, 5), atol=2e-5)


def test_a_convolution_shorter_than_its_reach_sees_only_zeros_beyond() -> None:
    x, weight, bias = normal(1, 2, 3), normal(2, 11, 3, 3), normal(3, 3)
    y = Conv(params(weight=weight, bias=bias), dilation=5)(mx.array(x))
    np.testing.assert_allclose(np.array(y), direct(x, weight, bias, 5), atol=2e-5)


@pytest.mark.parametrize("native", [False, True])
def test_what_comes_before_is_applied_to_the_input_and_not_to_the_padding(
    native: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conv, "native", lambda: native)
    x, weight, bias = normal(1, 1500, 2), normal(2, 11, 2, 3), normal(3, 3)
    y = Conv(params(weight=weight, bias=bias), dilation=5)(mx.array(x), before=lambda part: part + 1)
    np.testing.assert_allclose(np.array(y), direct(x + 1, weight, bias, 5), atol=4e-5)


def test_no_bias_means_none() -> None:
    x, weight = normal(1, 9, 3), normal(2, 1, 3, 4)
    y = Conv(params(weight=weight))(mx.array(x))
    np.testing.assert_allclose(np.array(y), x @ weight[0], atol=1e-5)


@pytest.mark.parametrize(("taps", "stride", "padding"), [(3, 2, 1), (12, 6, 3)])
def test_strided(taps: int, stride: int, padding: int) -> None:
    x, weight, bias = normal(1, 61, 4), normal(2, taps, 4, 5), normal(3, 5)
    padded = np.pad(x, ((padding, padding), (0, 0)))
    steps = (len(padded) - taps) // stride + 1
    wanted = [sum(padded[t * stride + k] @ weight[k] for k in range(taps)) + bias for t in range(steps)]
    y = StridedConv(params(weight=weight, bias=bias), stride=stride, padding=padding)(mx.array(x))
    np.testing.assert_allclose(np.array(y), np.array(wanted), atol=2e-5)


@pytest.mark.parametrize("length", [1, 2, 101, 102, 103, 640])
def test_upsampling_in_chunks_of_time_is_the_single_call(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    x, weight, bias = normal(1, length, 4), normal(2, 4, 12 * 3), normal(3, 3)
    layer = Upsample(params(weight=weight, bias=bias), stride=6)
    once = np.array(layer(mx.array(x)))
    monkeypatch.setattr(conv, "SHORT_ROWS", 6 * 17)
    parts = list(layer.blocks(Blocks([mx.array(x)])))
    assert len(parts) == -(-(length + 1) // 17)
    assert max(len(part) for part in parts) <= 6 * 17
    np.testing.assert_allclose(np.concatenate([np.array(part) for part in parts]), once, atol=1e-5)
    reflected = np.concatenate([np.array(part) for part in layer.blocks(Blocks([mx.array(x)]), reflected=True)])
    np.testing.assert_allclose(reflected, np.concatenate([once[1:2], once]), atol=1e-5)


@pytest.mark.parametrize("stride", [6, 10])
def test_upsample_is_the_transposed_convolution(stride: int) -> None:
    length, inputs, outputs, taps = 7, 4, 3, 2 * stride
    x, torch_weight, bias = normal(1, length, inputs), normal(2, inputs, outputs, taps), normal(3, outputs)
    full = np.zeros(((length - 1) * stride + taps, outputs))
    for t in range(length):
        for k in range(taps):
            full[t * stride + k] += x[t].astype(np.float64) @ torch_weight[:, :, k]
    wanted = full[stride // 2 : stride // 2 + length * stride] + bias  # padding S / 2 cuts both ends
    weight = torch_weight.transpose(0, 2, 1).reshape(inputs, -1)
    y = Upsample(params(weight=weight, bias=bias), stride=stride)(mx.array(x))
    np.testing.assert_allclose(np.array(y), wanted, atol=2e-5)


def test_double_is_the_depthwise_transposed_convolution() -> None:
    length, channels = 6, 4
    x, weight, bias = normal(1, length, channels), normal(2, 3, channels), normal(3, channels)
    full = np.zeros((2 * length + 2, channels))
    for t in range(length):
        for k in range(3):
            full[2 * t + k] += x[t] * weight[k]
    wanted = full[1 : 2 * length + 1] + bias  # padding 1, output padding 1
    y = Double(params(weight=weight, bias=bias))(mx.array(x))
    np.testing.assert_allclose(np.array(y), wanted, atol=1e-5)
