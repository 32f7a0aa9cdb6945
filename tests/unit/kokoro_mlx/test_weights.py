"""Folding, converting, and the strictness of files."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from server.kokoro_mlx import safetensors, weights
from server.kokoro_mlx.safetensors import Array, WeightsError
from server.kokoro_mlx.schema import torch_shapes
from server.kokoro_mlx.voices import load_voices, save_voices
from tests.unit.kokoro_mlx.helpers import normal

CONV = "decoder.generator.conv_post"


def zeros() -> dict[str, Array]:
    return {name: np.broadcast_to(np.float32(0), shape) for name, shape in torch_shapes().items()}


def test_weight_norm_folds_to_g_times_the_direction_of_v() -> None:
    v, g = normal(1, 3, 4, 5), normal(2, 3, 1, 1)
    folded = weights.fold_weight_norm({"module.a.weight_v": v, "module.a.weight_g": g})
    wanted = g * v / np.linalg.norm(v.reshape(3, -1), axis=1).reshape(3, 1, 1)
    np.testing.assert_allclose(folded["a.weight"], wanted, rtol=1e-6)


def test_the_newer_names_fold_too() -> None:
    v, g = normal(1, 3, 4, 5), normal(2, 3, 1, 1)
    prefix = "a.parametrizations.weight.original"
    newer = weights.fold_weight_norm({f"{prefix}0": g, f"{prefix}1": v})
    older = weights.fold_weight_norm({"a.weight_g": g, "a.weight_v": v})
    assert np.array_equal(newer["a.weight"], older["a.weight"])


def test_a_zero_row_stays_zero() -> None:
    v = normal(1, 2, 4, 5)
    v[1] = 0
    folded = weights.fold_weight_norm({"a.weight_v": v, "a.weight_g": np.ones((2, 1, 1), np.float32)})
    assert np.isfinite(folded["a.weight"]).all()
    assert not folded["a.weight"][1].any()


def test_folded_weights_pass_through_and_unused_ones_go() -> None:
    state = {"a.weight": normal(1, 2, 2), "bert.pooler.weight": normal(2, 2, 2), "b.norm.weight": normal(3, 3) * 0 + 1}
    assert weights.fold_weight_norm(state).keys() == {"a.weight"}


def test_a_norm_that_does_something_is_refused() -> None:
    with pytest.raises(WeightsError, match=r"b\.norm\.weight"):
        weights.fold_weight_norm({"b.norm.weight": np.full(3, 2.0)})


def test_v_without_g_is_refused() -> None:
    with pytest.raises(WeightsError, match=r"a\.weight_g"):
        weights.fold_weight_norm({"a.weight_v": normal(1, 2, 2)})


def test_convert_names_what_is_missing_unknown_and_misshapen() -> None:
    state = zeros()
    del state[f"{CONV}.bias"]
    state["decoder.surprise"] = np.zeros(1, np.float32)
    state[f"{CONV}.weight"] = np.zeros((22, 128, 9), np.float32)
    with pytest.raises(WeightsError) as raised:
        weights.convert(state)
    for told in (f"missing: {CONV}.bias", "not known: decoder.surprise", "(22, 128, 9) for (22, 128, 7)"):
        assert told in str(raised.value)


def test_convert_refuses_nan() -> None:
    state = zeros() | {f"{CONV}.bias": np.full(22, np.nan, np.float32)}
    with pytest.raises(WeightsError, match=CONV):
        weights.convert(state)


def test_layouts() -> None:
    names = {
        "conv": f"{CONV}.weight",
        "up": "decoder.generator.ups.0.weight",
        "pool": "decoder.decode.3.pool.weight",
        "linear": "bert_encoder.weight",
        "table": "text_encoder.embedding.weight",
    }
    shapes = torch_shapes()
    given = {kind: normal(i, *shapes[name]) for i, (kind, name) in enumerate(names.items())}
    found = weights.convert(zeros() | {names[kind]: array for kind, array in given.items()})
    out = {kind: found[name] for kind, name in names.items()}
    assert out["conv"][2, 5, 7] == given["conv"][7, 5, 2]
    assert out["up"].reshape(512, 20, 256)[3, 4, 6] == given["up"][3, 6, 4]
    assert out["pool"][1, 9] == given["pool"][9, 0, 1]
    assert out["linear"][3, 4] == given["linear"][4, 3]
    assert np.array_equal(out["table"], given["table"])
    assert {name: array.shape for name, array in found.items()} == weights.port_shapes()


def test_query_key_and_value_become_one() -> None:
    base = "bert.encoder.albert_layer_groups.0.albert_layers.0.attention"
    parts = {part: normal(i, 768, 768) for i, part in enumerate(("query", "key", "value"))}
    found = weights.convert(zeros() | {f"{base}.{part}.weight": array for part, array in parts.items()})
    assert np.array_equal(found[f"{base}.qkv.weight"][:, 768:1536], parts["key"].T)


def test_a_saved_file_loads_the_same_and_is_the_same_bytes(tmp_path: Path) -> None:
    arrays = weights.convert(zeros() | {f"{CONV}.weight": normal(1, 22, 128, 7)})
    weights.save(tmp_path / "one", arrays, {"source": "a test"})
    weights.save(tmp_path / "two", dict(reversed(arrays.items())), {"source": "a test"})
    loaded = weights.load(tmp_path / "one")
    assert loaded.keys() == arrays.keys()
    assert all(np.array_equal(loaded[name], arrays[name]) for name in arrays)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert not list(tmp_path.glob("*.part"))


def test_a_file_that_is_cut_short_or_something_else_is_refused(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    safetensors.write(whole, {"a": normal(1, 100)}, {})
    for name, data in (
        ("cut", whole.read_bytes()[:-4]),
        ("text", b"not weights"),
        ("empty", b""),
        ("odd", b"\x02" + bytes(7) + b"[]"),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(WeightsError, match=name):
            weights.check(path)
    with pytest.raises(WeightsError, match="convert the weights again"):
        weights.check(whole)


def test_bfloat16_reads_as_float32(tmp_path: Path) -> None:
    import mlx.core as mx

    values = mx.array(normal(1, 50)).astype(mx.bfloat16)
    mx.save_safetensors(str(tmp_path / "half.safetensors"), {"a": values})
    read = safetensors.read(tmp_path / "half.safetensors")["a"]
    assert np.array_equal(read, np.array(values.astype(mx.float32)))


@pytest.mark.parametrize("code", ["F16", "BF16"])
def test_halves_are_rounded_as_mlx_rounds_them(tmp_path: Path, code: safetensors.Code) -> None:
    import mlx.core as mx

    ties = np.array([1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-11, 1 + 3 * 2**-11], np.float32)
    odd = np.array([0.0, -0.0, 1e-7, 6e-8, 60_000.0, -(2.0**-20)], np.float32)
    numbers = np.concatenate([normal(1, 5000), 1e-4 * normal(2, 5000), ties, -ties, odd])
    safetensors.write(tmp_path / "half", {"a": numbers}, {}, code)
    wanted = np.array(mx.array(numbers).astype(mx.float16 if code == "F16" else mx.bfloat16).astype(mx.float32))
    for found in (safetensors.read(tmp_path / "half")["a"], _read_by_mlx(tmp_path / "half")):
        assert np.array_equal(found, wanted)
        assert np.array_equal(np.signbit(found), np.signbit(wanted))


def _read_by_mlx(path: Path) -> Array:
    import mlx.core as mx

    loaded = mx.load(str(path), format="safetensors")
    assert isinstance(loaded, dict)
    return np.array(loaded["a"].astype(mx.float32))


@pytest.mark.parametrize(("code", "number"), [("F16", 65_520.0), ("BF16", 3.4e38), ("BF16", np.nan), ("F32", np.inf)])
def test_a_number_that_does_not_fit_is_refused(tmp_path: Path, code: safetensors.Code, number: float) -> None:
    with pytest.raises(WeightsError, match="large"):
        safetensors.write(tmp_path / "half", {"large": np.array([1, number], np.float32)}, {}, code)
    assert not (tmp_path / "half").exists()


def test_each_precision_loads_and_says_which_it_is(tmp_path: Path) -> None:
    arrays = weights.convert(zeros() | {f"{CONV}.weight": normal(1, 22, 128, 7)})
    sizes = {}
    nearness: dict[weights.Precision, float] = {"float32": 0.0, "float16": 2.0**-11, "bfloat16": 2.0**-8}
    for precision, near in nearness.items():
        path = tmp_path / precision
        weights.save(path, arrays, precision=precision)
        assert weights.check(path) == precision
        loaded = weights.load(path)[f"{CONV}.weight"]
        assert loaded.dtype == np.float32
        np.testing.assert_allclose(loaded, arrays[f"{CONV}.weight"], rtol=near, atol=1e-7)
        sizes[precision] = path.stat().st_size
    assert max(sizes["float16"], sizes["bfloat16"]) < 0.51 * sizes["float32"]


def test_a_mixture_of_precisions_is_refused(tmp_path: Path) -> None:
    arrays = weights.convert(zeros())
    arrays[f"{CONV}.bias"] = arrays[f"{CONV}.bias"].astype(np.float16)
    safetensors.write(tmp_path / "mixed", arrays, {"format": weights.FORMAT})
    with pytest.raises(WeightsError, match="F16, F32"):
        weights.check(tmp_path / "mixed")


def test_weight_norm_of_halves_folds_in_full_precision() -> None:
    v, g = normal(1, 3, 4, 5).astype(np.float16), normal(2, 3, 1, 1).astype(np.float16)
    state: dict[str, Array] = {"a.weight_v": v, "a.weight_g": g, "bert.embeddings.position_ids": np.arange(512)[None]}
    folded = weights.fold_weight_norm(state)
    assert folded.keys() == {"a.weight"}
    assert folded["a.weight"].dtype == np.float32
    v64 = v.astype(np.float64)
    norms = np.linalg.norm(v64.reshape(3, -1), axis=1).reshape(3, 1, 1)
    np.testing.assert_allclose(folded["a.weight"], g * v64 / norms, rtol=1e-6)


def test_what_we_write_mlx_reads(tmp_path: Path) -> None:
    import mlx.core as mx

    safetensors.write(tmp_path / "a.safetensors", {"a": normal(1, 3, 5), "b": normal(2, 7)}, {"k": "v"})
    loaded: Any
    loaded, metadata = mx.load(str(tmp_path / "a.safetensors"), return_metadata=True)
    assert np.array_equal(np.array(loaded["a"]), normal(1, 3, 5))
    assert metadata == {"k": "v"}


def test_voices_come_back_as_tables(tmp_path: Path) -> None:
    table = normal(1, 510, 1, 256)
    save_voices(tmp_path / "v", {"af_one": table, "bm_two": table[:, 0]})
    voices = load_voices(tmp_path / "v")
    assert voices.keys() == {"af_one", "bm_two"}
    assert np.array_equal(voices["af_one"], table[:, 0])
    with pytest.raises(WeightsError, match="af_short"):
        save_voices(tmp_path / "v", {"af_short": table[:500]})
    with pytest.raises(WeightsError, match="af_nan"):
        save_voices(tmp_path / "v", {"af_nan": np.full((510, 256), np.nan, np.float32)})


@pytest.mark.parametrize("lacking", ["dtype", "shape", "data_offsets"])
def test_a_header_that_does_not_say_all_of_a_tensor_is_refused(tmp_path: Path, lacking: str) -> None:
    entry = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
    del entry[lacking]
    header = json.dumps({"__metadata__": {"format": weights.FORMAT}, "a": entry}).encode()
    (path := tmp_path / "torn").write_bytes(struct.pack("<Q", len(header)) + header + bytes(4))
    with pytest.raises(WeightsError, match="its header cannot be read"):
        weights.check(path)
