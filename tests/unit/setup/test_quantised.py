"""The reader of the int8 export on a graph of six nodes, named and wired as the real one's."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from server.errors import SetupError
from server.setup.quantised import read_quantised

CONV = np.array([[[1, 2, 3]], [[4, 5, 250]]], np.uint8)  # (O, I, K)
LINEAR = np.array([[1, -2], [3, 4], [-5, 6]], np.int8)  # (I, O)
LSTM_W = np.arange(2 * 3 * 8, dtype=np.int8).reshape(2, 3, 8)  # directions, I, 4H with H = 2
LSTM_R = np.arange(2 * 2 * 8, dtype=np.int8).reshape(2, 2, 8)
LSTM_B = np.arange(2 * 16, dtype=np.float32).reshape(2, 16)


def _arrays() -> dict[str, np.ndarray]:
    return {
        "/encoder/text_encoder/cnn.0/Mul_output_0_quantized": CONV,
        "/encoder/text_encoder/cnn.0/Mul_output_0_scale": np.float32(0.5),
        "/encoder/text_encoder/cnn.0/Mul_output_0_zero_point": np.uint8(3),
        "onnx::MatMul_1_quantized": LINEAR,
        "onnx::MatMul_1_scale": np.array([0.5, 2], np.float32),
        "onnx::MatMul_1_zero_point": np.zeros(2, np.int8),
        "onnx::LSTM_1_quantized": LSTM_W,
        "onnx::LSTM_1_scale": np.array([1, 0.5], np.float32),
        "onnx::LSTM_1_zero_point": np.zeros(2, np.int8),
        "onnx::LSTM_2_quantized": LSTM_R,
        "onnx::LSTM_2_scale": np.array([2, 1], np.float32),
        "onnx::LSTM_3": LSTM_B,
        "/encoder/F0.1/Mul_output_0": np.full((4, 1, 3), 7, np.float32),
        "onnx::MatMul_9": np.arange(9, dtype=np.float32)[:, None],
        "decoder.decoder.generator.stft.inverse_basis": np.ones((2, 1, 4), np.float32),
        "encoder.text_encoder.embedding.weight_quantized": np.array([[1, -1]], np.int8),
        "encoder.text_encoder.embedding.weight_scale": np.float32(0.25),
        "encoder.text_encoder.cnn.0.1.gamma": np.ones(2, np.float32),
        "encoder.predictor.F0.1.pool.bias": np.zeros(4, np.float32),
        "decoder.decoder.generator.resblocks.0.alpha1.2": np.ones((1, 4, 1), np.float32),
        "some.shape.of.no.interest": np.ones(3, np.int64),
    }


def _save(path: Path) -> Path:
    def node(kind: str, name: str, *inputs: str) -> onnx.NodeProto:
        return helper.make_node(kind, list(inputs), [f"{name}_out"], name=name)

    zero = "onnx::MatMul_1_zero_point"
    lstm_zero = "onnx::LSTM_1_zero_point"
    stem = "/encoder/text_encoder/cnn.0/Mul_output_0"
    bert = "/encoder/bert/encoder/albert_layer_groups.0/albert_layers.0"
    nodes = [
        node(
            "ConvInteger", "/encoder/text_encoder/cnn.0/cnn.0.0/Conv_quant",
            "x", f"{stem}_quantized", "xz", f"{stem}_zero_point",
        ),
        node("MatMulInteger", f"{bert}/ffn/MatMul_quant", "x", "onnx::MatMul_1_quantized", "xz", zero),
        node("MatMulInteger", f"{bert}/ffn_1/MatMul_quant", "x", "onnx::MatMul_1_quantized", "xz", zero),
        node("MatMul", "/encoder/attention/MatMul", "x", "y"),
        node(
            "DynamicQuantizeLSTM", "/encoder/shared/LSTM_quant", "x", "onnx::LSTM_1_quantized",
            "onnx::LSTM_2_quantized", "onnx::LSTM_3", "", "", "", "", "onnx::LSTM_1_scale", lstm_zero,
            "onnx::LSTM_2_scale", lstm_zero,
        ),
        node("ConvTranspose", "/encoder/F0.1/pool/ConvTranspose", "x", "/encoder/F0.1/Mul_output_0"),
        node("MatMul", "/decoder/decoder/generator/m_source/l_linear/MatMul", "x", "onnx::MatMul_9"),
        node(
            "ConvTranspose", "/decoder/decoder/generator/istft/stft/ConvTranspose",
            "x", "decoder.decoder.generator.stft.inverse_basis",
        ),
    ]  # fmt: skip
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, [1])],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in _arrays().items()],
    )
    onnx.save(helper.make_model(graph), path)
    return path


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    return dict(read_quantised(_save(tmp_path_factory.mktemp("onnx") / "tiny.onnx")))


def test_every_weight_gets_its_name_in_the_checkpoint(weights: dict[str, np.ndarray]) -> None:
    lstm = [f"predictor.shared.{n}_l0{s}" for n in ("weight_ih", "weight_hh", "bias_ih", "bias_hh") for s in _SIDES]
    assert sorted(weights) == sorted(
        [
            "text_encoder.cnn.0.0.weight",
            "bert.encoder.albert_layer_groups.0.albert_layers.0.ffn.weight",
            *lstm,
            "predictor.F0.1.pool.weight",
            "predictor.F0.1.pool.bias",
            "decoder.generator.m_source.l_linear.weight",
            "text_encoder.embedding.weight",
            "text_encoder.cnn.0.1.gamma",
            "decoder.generator.resblocks.0.alpha1.2",
        ]
    )
    assert {array.dtype for array in weights.values()} == {np.dtype(np.float32)}


_SIDES = ("", "_reverse")


def test_scale_and_zero_point_are_undone(weights: dict[str, np.ndarray]) -> None:
    assert weights["text_encoder.cnn.0.0.weight"].tolist() == [[[-1, -0.5, 0]], [[0.5, 1, 123.5]]]
    assert weights["text_encoder.embedding.weight"].tolist() == [[0.25, -0.25]]


def test_a_linear_weight_comes_as_outputs_by_inputs(weights: dict[str, np.ndarray]) -> None:
    ffn = weights["bert.encoder.albert_layer_groups.0.albert_layers.0.ffn.weight"]
    assert ffn.tolist() == [[0.5, 1.5, -2.5], [-4, 8, 12]]
    assert weights["decoder.generator.m_source.l_linear.weight"].shape == (1, 9)


def test_lstm_gates_come_in_pytorchs_order(weights: dict[str, np.ndarray]) -> None:
    # Columns of the export are i0 i1 o0 o1 f0 f1 c0 c1; PyTorch's rows are i0 i1 f0 f1 c0 c1 o0 o1.
    order = [0, 1, 4, 5, 6, 7, 2, 3]
    first = weights["predictor.shared.weight_ih_l0"]
    assert first[:, 0].tolist() == [float(LSTM_W[0, 0, column]) for column in order]
    back = weights["predictor.shared.weight_hh_l0_reverse"]
    assert back[:, 1].tolist() == [float(LSTM_R[1, 1, column]) for column in order]
    assert weights["predictor.shared.weight_ih_l0_reverse"][0, 0] == LSTM_W[1, 0, 0] * 0.5
    assert weights["predictor.shared.bias_ih_l0"].tolist() == [float(column) for column in order]
    assert weights["predictor.shared.bias_hh_l0_reverse"].tolist() == [24.0 + column for column in order]


def test_another_file_is_told_as_such(tmp_path: Path) -> None:
    path = tmp_path / "not.onnx"
    path.write_bytes(b"no protobuf at all")
    with pytest.raises(SetupError, match=r"not\.onnx is not the int8 model"):
        read_quantised(path)
