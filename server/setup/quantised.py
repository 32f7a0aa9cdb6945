"""The weights inside the int8 ONNX export of Kokoro-82M, as float32 under their PyTorch names.

The export renames: modules sit in node names (`/encoder/F0.1/conv1/Conv_quant`), weight norm is folded, linear
weights are transposed, LSTM gates are in ONNX's order. An int8 array W comes with a scale s and a zero point z, for
the whole array or for each output channel: w = (W − z)·s.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from server.errors import SetupError

Floats = NDArray[np.float32]
Named = Iterator[tuple[str, Floats]]

# Arrays that kept their own name and precision in the export.
_KEPT = re.compile(r"\.(bias|gamma|beta)$|(LayerNorm|layer_norm)\.weight$|\.alpha[12]\.\d$")


def read_quantised(path: Path) -> dict[str, Floats]:
    """PyTorch names to dequantised float32 arrays, weight norm folded. Raises SetupError when it is another file."""
    import onnx  # heavy, and only this source needs it

    try:
        graph = onnx.load(path).graph
        arrays = {item.name: onnx.numpy_helper.to_array(item) for item in graph.initializer}
        return dict(_weights(graph.node, arrays))
    except Exception as error:  # protobuf's error for a damaged file has no ancestor but this
        raise SetupError(f"{path} is not the int8 model that was expected ({error}); fetch it again.") from error


def _weights(nodes: Any, arrays: Mapping[str, NDArray[Any]]) -> Named:
    seen: set[str] = set()
    for node in nodes:
        read = _READERS.get(node.op_type)
        # PL-BERT's one layer runs twelve times: each run is a node of its own over the first one's weights.
        if read is not None and node.input[1] in arrays and node.input[1] not in seen:
            seen.add(node.input[1])
            yield from read(node, arrays)
    for name, array in arrays.items():
        if array.dtype == np.float32 and _KEPT.search(name):
            yield _module(name), array
        elif name.endswith("embeddings.weight_quantized") or name.endswith(".embedding.weight_quantized"):
            # One zero point serves every array that shares its value, under the first one's name: here it is 0.
            yield _module(name.removesuffix("_quantized")), _widen(array, arrays[_scale(name)], 0)


def _convolution(node: Any, arrays: Mapping[str, NDArray[Any]]) -> Named:
    _data, weight, _data_zero, zero = node.input
    yield f"{_owner(node)}.weight", _widen(arrays[weight], arrays[_scale(weight)], arrays[zero])


def _linear(node: Any, arrays: Mapping[str, NDArray[Any]]) -> Named:
    _data, weight, _data_zero, zero = node.input
    yield f"{_owner(node)}.weight", _widen(arrays[weight], arrays[_scale(weight)], arrays[zero]).T


def _plain_linear(node: Any, arrays: Mapping[str, NDArray[Any]]) -> Named:
    yield f"{_owner(node)}.weight", arrays[node.input[1]].T


def _plain_convolution(node: Any, arrays: Mapping[str, NDArray[Any]]) -> Named:
    # The inverse STFT is exported as a convolution with constant bases: mathematics, not weights.
    if "istft" not in node.name:
        yield f"{_owner(node)}.weight", arrays[node.input[1]]


def _lstm(node: Any, arrays: Mapping[str, NDArray[Any]]) -> Named:
    """W (2, I, 4H), R (2, H, 4H), B (2, 8H), one scale and zero point for each direction."""
    quantised = [arrays[name] for name in (*node.input[1:3], *node.input[8:12])]
    inputs, hidden, input_scale, input_zero, hidden_scale, hidden_zero = quantised
    biases = arrays[node.input[3]]
    name, gates = _owner(node), hidden.shape[2]
    for side, suffix in enumerate(("", "_reverse")):
        wide = _widen(inputs[side], input_scale[side], input_zero[side]).T
        own = _widen(hidden[side], hidden_scale[side], hidden_zero[side]).T
        yield f"{name}.weight_ih_l0{suffix}", _torch_gates(wide)
        yield f"{name}.weight_hh_l0{suffix}", _torch_gates(own)
        yield f"{name}.bias_ih_l0{suffix}", _torch_gates(biases[side, :gates])
        yield f"{name}.bias_hh_l0{suffix}", _torch_gates(biases[side, gates:])


_READERS: Mapping[str, Callable[[Any, Mapping[str, NDArray[Any]]], Named]] = {
    "ConvInteger": _convolution,
    "MatMulInteger": _linear,
    "MatMul": _plain_linear,
    "Conv": _plain_convolution,
    "ConvTranspose": _plain_convolution,
    "DynamicQuantizeLSTM": _lstm,
}


def _widen(array: NDArray[Any], scale: Any, zero: Any) -> Floats:
    steps = array.astype(np.int32) - np.asarray(zero, np.int32)
    return (steps.astype(np.float32) * np.asarray(scale, np.float32)).astype(np.float32)


def _torch_gates(array: Floats) -> Floats:
    """First axis of four gates from ONNX's order (input, output, forget, cell) to PyTorch's (i, f, cell, o)."""
    i, o, f, g = np.split(array, 4)
    return np.concatenate([i, f, g, o])


def _scale(name: str) -> str:
    return name.removesuffix("_quantized") + "_scale"


def _owner(node: Any) -> str:
    """Module of a node: `/encoder/text_encoder/cnn.0/cnn.0.0/Conv_quant` → `text_encoder.cnn.0.0`."""
    path: list[str] = []
    for part in node.name.strip("/").split("/")[:-1]:
        # A container names its child in full: the child stands for both.
        if path and part.startswith(path[-1] + "."):
            path.pop()
        path.append(part)
    return _module(".".join(path))


def _module(name: str) -> str:
    """A name in the export as in the checkpoint: without the two wrappers, the predictor's own parts under it."""
    name = name.removeprefix("encoder.")
    name = name.replace("decoder.decoder.", "decoder.", 1) if name.startswith("decoder.decoder.") else name
    return f"predictor.{name}" if re.match(r"(F0|N|shared|F0_proj|N_proj)(\.|$)", name) else name
