"""A graph that ONNX Runtime's quantiser made small, widened to float32 again."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="onnx is not installed: widening the int8 model is not tested")
ort = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: widening the int8 model is not tested")
quantization = pytest.importorskip("onnxruntime.quantization")

from benchmarks.engines.widen import widen  # noqa: E402

INTEGER = {"MatMulInteger", "ConvInteger", "DynamicQuantizeLSTM", "DynamicQuantizeLinear", "DequantizeLinear"}


def _weights(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).uniform(-1, 1, shape).astype(np.float32)


def _float_model() -> Any:
    """ids (1, T) ▶ embedding ▶ linear, twice over the same weights ▶ convolution ▶ bidirectional LSTM."""
    arrays = {
        "table": _weights(7, 8),
        "linear": _weights(8, 8),
        "kernel": _weights(6, 8, 3),
        "kernel_bias": _weights(6),
        "lstm_w": _weights(2, 16, 6),
        "lstm_r": _weights(2, 16, 4),
        "lstm_b": _weights(2, 32),
    }
    node = onnx.helper.make_node
    nodes = [
        node("Gather", ["table", "ids"], ["looked_up"], name="look"),
        node("Tanh", ["looked_up"], ["bent"]),
        node("MatMul", ["bent", "linear"], ["once"], name="first"),
        node("MatMul", ["once", "linear"], ["twice"], name="second"),
        node("Transpose", ["twice"], ["channels"], perm=[0, 2, 1]),
        node("Conv", ["channels", "kernel", "kernel_bias"], ["filtered"], name="filter", pads=[2, 2], dilations=[2]),
        node("Transpose", ["filtered"], ["steps"], perm=[2, 0, 1]),
        node(
            "LSTM",
            ["steps", "lstm_w", "lstm_r", "lstm_b"],
            ["out"],
            name="lstm",
            hidden_size=4,
            direction="bidirectional",
        ),
    ]
    info = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        nodes,
        "tiny",
        [info("ids", onnx.TensorProto.INT64, [1, "T"])],
        [info("out", onnx.TensorProto.FLOAT, ["T", 2, 1, 4])],
        [onnx.numpy_helper.from_array(array, name) for name, array in arrays.items()],
    )
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 20)], ir_version=9)


def _with_bias_in_steps(model: Any) -> Any:
    """The same as older quantisers wrote it, the model's among them: the bias in whole steps, added to integers."""
    node, graph = onnx.helper.make_node, model.graph
    scale, integers = "filter_quant_scales_mul:0", "filtered_output_quantized"
    older = [
        node("Div", ["kernel_bias", scale], ["bias_tmp"]),
        node("Floor", ["bias_tmp"], ["bias_rounded"]),
        node("Cast", ["bias_rounded"], ["bias_steps"], to=onnx.TensorProto.INT32),
        node("Reshape", ["bias_steps", "filtered_bias_reshape_shape"], ["bias_reshaped"]),
        node("Add", [integers, "bias_reshaped"], ["bias_added"]),
        node("Cast", ["bias_added"], ["bias_added_cast"], to=onnx.TensorProto.FLOAT),
        node("Mul", ["bias_added_cast", scale], ["filtered"]),
    ]
    newer = ("filtered_bias_reshape_output", "filtered_output_quantized_cast_output", "filteredquant_scaled_output")
    nodes = [one for one in graph.node if one.output[0] not in (*newer, "filtered")]
    after = next(at for at, one in enumerate(nodes) if integers in one.output) + 1
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    del changed.graph.node[:]
    changed.graph.node.extend([*nodes[:after], *older, *nodes[after:]])
    return changed


@pytest.fixture(scope="module", params=["bias added after scaling", "bias added in steps"])
def quantised(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder: Path = tmp_path_factory.mktemp("graphs")
    onnx.save(_float_model(), folder / "float.onnx")
    quantization.quantize_dynamic(
        folder / "float.onnx", folder / "int8.onnx", weight_type=quantization.QuantType.QUInt8
    )
    model = onnx.load(folder / "int8.onnx")
    return _with_bias_in_steps(model) if request.param == "bias added in steps" else model


def _run(model: Any) -> Any:
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"ids": np.array([[0, 3, 6, 1, 2, 5]])})[0]


def test_no_integer_product_is_left_and_every_float_one_is_back(quantised: Any) -> None:
    assert {node.op_type for node in quantised.graph.node} >= INTEGER, "the quantiser did less than this test is for"
    widened = widen(quantised)
    onnx.checker.check_model(widened)
    kinds = Counter(node.op_type for node in widened.graph.node)
    wanted = Counter(node.op_type for node in _float_model().graph.node)
    assert {kind: kinds[kind] for kind in wanted} == wanted
    assert not INTEGER & kinds.keys()


def test_it_computes_what_the_float_graph_does_but_for_the_rounding_of_the_weights(quantised: Any) -> None:
    wanted, integer, widened = _run(_float_model()), _run(quantised), _run(widen(quantised))
    assert np.abs(widened - wanted).max() < 0.03
    # rounding the weights alone costs less than rounding the data too
    assert np.abs(widened - wanted).mean() < np.abs(integer - wanted).mean()


def test_weights_are_the_quantised_ones_to_the_last_step(quantised: Any) -> None:
    before = {item.name: onnx.numpy_helper.to_array(item) for item in quantised.graph.initializer}
    after = {item.name: onnx.numpy_helper.to_array(item) for item in widen(quantised).graph.initializer}
    steps = before["linear_quantized"].astype(np.float32) - np.float32(before["linear_zero_point"])
    np.testing.assert_array_equal(after["linear_float"], steps * before["linear_scale"])


def test_an_unknown_chain_is_refused(quantised: Any) -> None:
    strange = onnx.ModelProto()
    strange.CopyFrom(quantised)
    for node in strange.graph.node:
        if node.op_type == "Mul":
            node.op_type = "Div"
    with pytest.raises(ValueError, match="not followed by a cast and its scale"):
        widen(strange)
