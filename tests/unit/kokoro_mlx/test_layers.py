"""The shared layers against plain numpy."""

import mlx.core as mx
import numpy as np
import pytest

from server.kokoro_mlx import blas, layers, weights
from server.kokoro_mlx.blocks import Blocks
from server.kokoro_mlx.exponential import gelu
from server.kokoro_mlx.layers import AdaIN, BiLSTM, StyledLayerNorm, leaky_relu, moments
from tests.unit.kokoro_mlx.helpers import Floats, normal, params


def sigmoid(x: Floats) -> Floats:
    return 1 / (1 + np.exp(-x))


def one_direction(x: Floats, w_ih: Floats, w_hh: Floats, bias: Floats) -> Floats:
    """PyTorch's LSTM as its documentation writes it, gates in the order i f g o."""
    size = w_hh.shape[1]
    h = c = np.zeros(size, np.float32)
    outputs = []
    for step in x:
        i, f, g, o = np.split(w_ih @ step + w_hh @ h + bias, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        outputs.append(h)
    return np.array(outputs)


@pytest.mark.parametrize("native", [False, True], ids=["in numpy", "in mlx"])
def test_lstm_reads_both_ways(native: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs, size = 5, 4
    x, torch = normal(0, 12, inputs), {}
    for i, direction in enumerate(("", "_reverse")):
        torch[f"l.weight_ih_l0{direction}"] = normal(10 + i, 4 * size, inputs)
        torch[f"l.weight_hh_l0{direction}"] = normal(20 + i, 4 * size, size)
        torch[f"l.bias_ih_l0{direction}"] = normal(30 + i, 4 * size)
        torch[f"l.bias_hh_l0{direction}"] = normal(40 + i, 4 * size)

    def run(x: Floats, direction: str) -> Floats:
        bias = torch[f"l.bias_ih_l0{direction}"] + torch[f"l.bias_hh_l0{direction}"]
        return one_direction(x, torch[f"l.weight_ih_l0{direction}"], torch[f"l.weight_hh_l0{direction}"], bias)

    wanted = np.concatenate([run(x, ""), run(x[::-1], "_reverse")[::-1]], axis=1)
    monkeypatch.setattr(layers, "native", lambda: native)
    y = BiLSTM(params(**weights.converted(torch)).at("l"))(mx.array(x))
    np.testing.assert_allclose(np.array(y), wanted, atol=2e-6)


def test_adain_gives_the_statistics_the_style_asks_for() -> None:
    x, style = 3 + 2 * normal(1, 400, 6), normal(2, 128)
    weight, bias = 0.1 * normal(3, 128, 12), normal(4, 12)
    y = np.array(AdaIN(params(fc__weight=weight, fc__bias=bias))(mx.array(x), mx.array(style)))
    gain, offset = np.split(style @ weight + bias, 2)
    np.testing.assert_allclose(y.mean(0), offset, atol=1e-4)
    np.testing.assert_allclose(y.std(0), np.abs(1 + gain), rtol=1e-3)


def test_moments_survive_a_large_mean() -> None:
    x = (1000 + normal(1, 5000, 3)).astype(np.float32)
    mean, variance = moments(Blocks([mx.array(x[:1700]), mx.array(x[1700:])]))
    np.testing.assert_allclose(np.array(mean), x.mean(0, dtype=np.float64), rtol=1e-6)
    np.testing.assert_allclose(np.array(variance), x.var(0, dtype=np.float64), rtol=1e-3)


def test_styled_layer_norm_normalises_each_step() -> None:
    x, style = normal(1, 9, 6), normal(2, 128)
    weight, bias = 0.1 * normal(3, 128, 12), normal(4, 12)
    y = StyledLayerNorm(params(fc__weight=weight, fc__bias=bias))(mx.array(x), mx.array(style))
    gain, offset = np.split(style @ weight + bias, 2)
    normalised = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(np.array(y), normalised * (1 + gain) + offset, atol=1e-5)


def test_gelu_is_the_tanh_form() -> None:
    """Values of 0.5 x (1 + tanh(√(2/π) (x + 0.044715 x³))); the erf form differs from the fourth place on."""
    x = mx.array([-2.0, -1.0, 0.5, 2.0])
    np.testing.assert_allclose(np.array(gelu(x)), [-0.0454023, -0.1588080, 0.3457140, 1.9545977], atol=2e-7)


def test_leaky_relu() -> None:
    np.testing.assert_allclose(np.array(leaky_relu(mx.array([-1.0, 2.0]), 0.2)), [-0.2, 2.0])


def test_without_a_blas_of_our_own_the_product_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix, vector, start = normal(1, 6, 8), normal(2, 6), normal(3, 8)
    totals = [start.copy(), start.copy()]
    blas.add_product(matrix, vector, totals[0])
    monkeypatch.setattr(blas, "_library", None)
    blas.add_product(matrix, vector, totals[1])
    np.testing.assert_allclose(totals[0], start + vector @ matrix, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(totals[1], totals[0], rtol=1e-5, atol=1e-6)
