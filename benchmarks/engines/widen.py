"""A dynamically quantised ONNX graph → the same graph in float32, with the very same weights.

ONNX Runtime's quantiser replaces a product by a chain: the data is quantised, multiplied as integers, cast back and
scaled. Here each chain becomes one float node again, over weights w = (W − z)·s:

    DynamicQuantizeLinear ▶ MatMulInteger ▶ Cast ▶ Mul                        → MatMul
    DynamicQuantizeLinear ▶ ConvInteger (▶ Add: the bias in steps) ▶ Cast ▶ Mul → Conv (with its bias)
    DynamicQuantizeLSTM                                                       → LSTM
    Gather of a quantised table ▶ DequantizeLinear                            → Gather
"""

from collections import defaultdict
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_LSTM_WEIGHTS = 8  # where DynamicQuantizeLSTM's scales and zero points begin, after LSTM's own inputs


def widen(model: Any) -> Any:
    """The float32 ModelProto of a dynamically quantised one. Raises ValueError on a chain that is not known."""
    graph = _Graph(model.graph)
    nodes = _needed([made for node in model.graph.node for made in graph.widened(node)], model.graph.output)
    used = {name for node in nodes for name in node.input}
    widened = onnx.ModelProto()
    widened.CopyFrom(model)
    del widened.graph.node[:], widened.graph.initializer[:]
    widened.graph.node.extend(nodes)
    widened.graph.initializer.extend(
        item for item in [*model.graph.initializer, *graph.made.values()] if item.name in used
    )
    return widened


class _Graph:
    def __init__(self, graph: Any) -> None:
        self._arrays = {item.name: onnx.numpy_helper.to_array(item) for item in graph.initializer}
        self._makers = {name: node for node in graph.node for name in node.output}
        self._users: dict[str, list[Any]] = defaultdict(list)
        for node in graph.node:
            for name in node.input:
                self._users[name].append(node)
        self._replaced: set[str] = set()
        self.made: dict[str, Any] = {}

    def widened(self, node: Any) -> list[Any]:
        """What stands in place of `node`: itself, a float node for the chain that it begins, or nothing at its end."""
        if node.output[0] in self._replaced:
            return []
        if node.op_type in ("MatMulInteger", "ConvInteger"):
            return [self._product(node)]
        if node.op_type == "DynamicQuantizeLSTM":
            return [self._lstm(node)]
        if node.op_type == "DequantizeLinear":
            return [self._lookup(node)]
        return [node]

    def _product(self, node: Any) -> Any:
        data, quantised, _, zero = node.input
        quantiser = self._makers[data]
        if quantiser.op_type != "DynamicQuantizeLinear":
            raise ValueError(f"{node.name} takes integers from {quantiser.op_type}")
        weight = self._float(quantised, self._arrays[_scale_name(quantised)], self._arrays[zero])
        inputs, tail = [quantiser.input[0], weight], self._next(node)
        if tail.op_type == "Add":
            inputs.append(self._bias(tail))
            tail = self._next(tail)
        if tail.op_type != "Cast" or (tail := self._next(tail)).op_type != "Mul":
            raise ValueError(f"{node.name} is not followed by a cast and its scale")
        self._replaced.add(tail.output[0])
        return _node(node, node.op_type.removesuffix("Integer"), inputs, tail.output)

    def _bias(self, add: Any) -> str:
        """The float bias behind an Add of integers: its way there is Div (by the scale), Floor, Cast, Reshape."""
        name = next(name for name in add.input if name in self._makers and self._makers[name].op_type == "Reshape")
        while name in self._makers:
            name = self._makers[name].input[0]
        return str(name)

    def _lstm(self, node: Any) -> Any:
        own, quantised = list(node.input[:_LSTM_WEIGHTS]), node.input[_LSTM_WEIGHTS:]
        for place, (scale, zero) in enumerate((quantised[:2], quantised[2:4]), start=1):
            # (2, I, 4H) here, (2, 4H, I) in the plain operator; one scale and zero for each direction
            step, offset = (self._arrays[name].reshape(2, 1, -1) for name in (scale, zero))
            own[place] = self._float(own[place], step, offset, axes=(0, 2, 1))
        return _node(node, "LSTM", own, node.output)

    def _lookup(self, node: Any) -> Any:
        gather = self._makers[node.input[0]]
        scale, zero = (self._arrays[name] for name in node.input[1:3])
        table = self._float(gather.input[0], scale, zero)
        return _node(gather, "Gather", [table, *gather.input[1:]], node.output)

    def _next(self, node: Any) -> Any:
        (user,) = self._users[node.output[0]]
        return user

    def _float(self, name: str, scale: Any, zero: Any, axes: tuple[int, ...] | None = None) -> str:
        """Name of the initializer with the values of the quantised one; made once, however many nodes use it."""
        wide = name.removesuffix("_quantized") + "_float"
        if wide not in self.made:
            steps = self._arrays[name].astype(np.int32) - np.asarray(zero, np.int32)
            values = steps.astype(np.float32) * np.asarray(scale, np.float32)
            values = values if axes is None else values.transpose(axes)
            self.made[wide] = onnx.numpy_helper.from_array(np.ascontiguousarray(values), wide)
        return wide


def _node(like: Any, kind: str, inputs: list[str], outputs: Any) -> Any:
    made = onnx.NodeProto(op_type=kind, name=like.name.removesuffix("_quant"), input=inputs, output=outputs)
    made.attribute.extend(like.attribute)
    return made


def _needed(nodes: list[Any], outputs: Any) -> list[Any]:
    """Those of `nodes`, in order, that an output depends on."""
    wanted, kept = {item.name for item in outputs}, []
    for node in reversed(nodes):
        if wanted.intersection(node.output):
            kept.append(node)
            wanted.update(node.input)
    return kept[::-1]


def _scale_name(quantised: str) -> str:
    return quantised.removesuffix("_quantized") + "_scale"
