"""From a PyTorch state dict to the file the port loads, once and offline; the model itself never guesses a layout.

    state dict ──fold_weight_norm──▶ folded ──convert──▶ port layout ──save──▶ kokoro.safetensors ──load──▶ mlx arrays

Axes: O output channels, I input channels, K kernel taps, H hidden size of one LSTM direction.

    kind                    PyTorch                         here
    linear                  (O, I)                          (I, O)
    convolution             (O, I, K)                       (K, I, O)
    transposed convolution  (I, O, K)                       (I, K·O)
    the same, depthwise     (I, 1, K)                       (K, I)
    LSTM, per direction     weight_ih (4H, I)               input.weight (I, 2·4H)     both directions, gates i f o g
                            weight_hh (4H, H)               hidden.weight (2, H, 4H)
                            bias_ih + bias_hh (4H,)         bias (2·4H,)
    query, key, value       three of (O, I)                 qkv.weight (I, 3·O)
    snake alpha             (1, C, 1)                       (C,)
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import numpy as np

from server.kokoro_mlx import safetensors
from server.kokoro_mlx.safetensors import Array, WeightsError
from server.kokoro_mlx.schema import BERT_LAYER, Shape, torch_shapes

FORMAT = "kokoro-mlx/1"

Precision = Literal["float32", "float16", "bfloat16"]
_CODES: dict[Precision, safetensors.Code] = {"float32": "F32", "float16": "F16", "bfloat16": "BF16"}

# Tensors of the checkpoint that inference never reads.
_UNUSED = ("bert.pooler.", "bert.embeddings.position_ids", "bert.embeddings.token_type_ids", "decoder.generator.stft.")
_QKV = ("query", "key", "value")


def fold_weight_norm(state: Mapping[str, Array]) -> dict[str, Array]:
    """PyTorch names → the same with weight norm folded: weight = g · v / ‖v‖, norm over all axes but the first.

    A row whose v is all zero becomes zero (PyTorch's own formula gives NaN there). Accepts tensors that are already
    folded, the older `weight_g`/`weight_v` and the newer `parametrizations.weight.original0/1`, and a `module.` in
    the name. Drops what inference never reads, identity AdaIN norms among it. Raises WeightsError on any other norm.
    """
    plain = {_plain_name(name): array for name, array in state.items()}
    folded: dict[str, Array] = {}
    for name, array in plain.items():
        if name.startswith(_UNUSED) or name.endswith(".weight_g"):
            continue
        if name.endswith((".norm.weight", ".norm.bias")):
            _check_identity(name, array)
        elif name.endswith(".weight_v"):
            base = name.removesuffix("_v")
            if f"{base}_g" not in plain:
                raise WeightsError(f"{name} has no {base}_g beside it")
            folded[base] = _fold(plain[f"{base}_g"], array)
        else:
            folded[name] = np.asarray(array, np.float32)
    return folded


def convert(folded: Mapping[str, Array]) -> dict[str, Array]:
    """Folded PyTorch tensors → port layout, float32, contiguous. Raises WeightsError on missing, extra or misshapen."""
    _check("the state dict", {name: array.shape for name, array in folded.items()}, torch_shapes())
    arrays = {name: np.ascontiguousarray(array, np.float32) for name, array in converted(folded).items()}
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise WeightsError(f"{name} holds values that are not finite")
    return arrays


def port_shapes() -> dict[str, Shape]:
    """Name and shape of every array in the port's file."""
    # Stand-ins without data go through the very conversion, so that the layout is written down once.
    stand_ins = {name: np.broadcast_to(np.int8(0), shape) for name, shape in torch_shapes().items()}
    return {name: array.shape for name, array in converted(stand_ins).items()}


def save(
    path: Path,
    arrays: Mapping[str, Array],
    metadata: Mapping[str, str] | None = None,
    precision: Precision = "float32",
) -> None:
    """Write arrays in port layout to `path`, the same bytes for the same arrays. Raises WeightsError as `convert`.

    Rounded to half precision the file is half as large; README.md says what that costs.
    """
    _check("the arrays to save", {name: array.shape for name, array in arrays.items()}, port_shapes())
    safetensors.write(path, arrays, {**(metadata or {}), "format": FORMAT}, _CODES[precision])


def check(path: Path) -> Precision:
    """Compare the file's header with what the port needs, without reading the data; the precision it is stored in.

    Raises WeightsError naming missing, extra or misshapen tensors or a mixture of precisions, FileNotFoundError when
    there is no file.
    """
    header, _ = safetensors.read_header(path)
    found = header.pop("__metadata__", {}).get("format")
    if found != FORMAT:
        raise WeightsError(f"{path} is not in the layout {FORMAT} (it says {found!r}): convert the weights again")
    _check(str(path), {name: tuple(entry["shape"]) for name, entry in header.items()}, port_shapes())
    codes = {entry["dtype"] for entry in header.values()}
    for precision, code in _CODES.items():
        if codes == {code}:
            return precision
    raise WeightsError(f"{path} is stored as {', '.join(sorted(codes))}, not as one of {', '.join(_CODES)}")


def load(path: Path) -> dict[str, Array]:
    """The file's arrays in port layout as float32, strictly: raises as `check` does. The model reads by `params`."""
    check(path)
    return {name: np.asarray(array, np.float32) for name, array in safetensors.read(path).items()}


def _plain_name(name: str) -> str:
    name = name.replace("module.", "")
    name = name.replace("parametrizations.weight.original0", "weight_g")
    return name.replace("parametrizations.weight.original1", "weight_v")


def _check_identity(name: str, array: Array) -> None:
    if not (array == (1 if name.endswith("weight") else 0)).all():
        raise WeightsError(f"{name} is not the identity: this checkpoint is not Kokoro-82M v1.0")


def _fold(g: Array, v: Array) -> Array:
    v64 = np.asarray(v, np.float64)
    rows = (len(v64),) + (1,) * (v64.ndim - 1)
    norm = np.sqrt(np.square(v64).reshape(len(v64), -1).sum(1)).reshape(rows)
    scale = np.asarray(g, np.float64).reshape(rows) / np.where(norm == 0, 1, norm)
    return (scale * v64).astype(np.float32)


def _check(what: str, found: Mapping[str, Shape], wanted: Mapping[str, Shape]) -> None:
    """Raises WeightsError with the first names of each kind of difference."""
    shared = found.keys() & wanted.keys()
    problems = {
        "missing": sorted(wanted.keys() - found.keys()),
        "not known": sorted(found.keys() - wanted.keys()),
        "misshapen": [f"{n} {found[n]} for {wanted[n]}" for n in sorted(shared) if found[n] != wanted[n]],
    }
    told = [
        f"{kind}: {', '.join(n[:5])}{f' and {len(n) - 5} more' if n[5:] else ''}" for kind, n in problems.items() if n
    ]
    if told:
        raise WeightsError(f"{what} does not hold Kokoro-82M v1.0: {'; '.join(told)}")


def converted(folded: Mapping[str, Array]) -> dict[str, Array]:
    arrays: dict[str, Array] = {}
    for name, array in folded.items():
        base, _, leaf = name.rpartition(".")
        if leaf == "weight_ih_l0":
            arrays |= _convert_lstm(base, folded)
        elif "_l0" in leaf:
            continue  # its siblings, taken with weight_ih_l0
        elif base.startswith(f"{BERT_LAYER}.attention.") and base.endswith(_QKV):
            if base.endswith("query"):
                parent = base.removesuffix(".query")
                parts = [folded[f"{parent}.{part}.{leaf}"] for part in _QKV]
                arrays[f"{parent}.qkv.{leaf}"] = np.concatenate([part.T for part in parts], axis=-1)
        else:
            arrays[name] = _convert_one(name, array)
    return arrays


def _convert_one(name: str, array: Array) -> Array:
    if ".alpha" in name:
        return array.reshape(-1)
    if array.ndim == 3 and ".pool." in name:
        return array[:, 0].T
    if array.ndim == 3 and ".ups." in name:
        return array.transpose(0, 2, 1).reshape(len(array), -1)
    if array.ndim == 3:
        return array.transpose(2, 1, 0)
    if array.ndim == 2 and "embedding.weight" not in name and "embeddings.weight" not in name:
        return array.T
    return array


def _convert_lstm(base: str, folded: Mapping[str, Array]) -> dict[str, Array]:
    def both(leaf: str) -> list[Array]:
        return [_gates(folded[f"{base}.{leaf}_l0{direction}"]) for direction in ("", "_reverse")]

    biases = zip(both("bias_ih"), both("bias_hh"), strict=True)
    return {
        f"{base}.input.weight": np.concatenate([w.T for w in both("weight_ih")], axis=1),
        f"{base}.hidden.weight": np.stack([w.T for w in both("weight_hh")]),
        f"{base}.bias": np.concatenate([ih + hh for ih, hh in biases]),
    }


def _gates(array: Array) -> Array:
    """PyTorch's i f g o along the first axis → i f o g, so that one sigmoid covers three gates in a row."""
    i, f, g, o = np.split(array, 4)
    return np.concatenate([i, f, o, g])
