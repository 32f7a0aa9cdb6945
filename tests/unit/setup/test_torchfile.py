import io
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from server.errors import SetupError
from server.setup.torchfile import flatten, read_torch

TINY = Path(__file__).parent / "data" / "tiny.pth"


def test_reads_what_pytorch_wrote() -> None:
    parts = read_torch(TINY)
    bert = parts["bert"]
    np.testing.assert_array_equal(bert["module.a.weight"], np.array([[0, 1, 2], [3, 4, 5]], np.float32))
    np.testing.assert_array_equal(bert["module.b.bias"], np.array([1.5, -2.0], np.float32))
    np.testing.assert_array_equal(bert["module.c.weight"], np.array([[0, 3], [1, 4], [2, 5]], np.float32))
    np.testing.assert_array_equal(bert["module.d"], np.array([4, 5, 6], np.float16))
    assert parts["decoder"]["e.num"].tolist() == [7]


def test_flattens_the_parts_and_drops_the_parallel_prefix() -> None:
    flat = flatten(read_torch(TINY))
    assert set(flat) == {"bert.a.weight", "bert.b.bias", "bert.c.weight", "bert.d", "decoder.e.num"}
    assert {array.dtype for array in flat.values()} == {np.dtype(np.float32)}


def test_flatten_refuses_what_is_no_tensor() -> None:
    with pytest.raises(SetupError, match=r"bert\.a in the weights is no tensor"):
        flatten({"bert": {"a": "text"}})


class _Touch:
    """A pickle that would make a file, were it run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.path,))


def _packed(program: bytes, **members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("archive/data.pkl", program)
        for name, data in members.items():
            archive.writestr(f"archive/data/{name}", data)
    return out.getvalue()


def test_a_pickle_that_calls_something_is_refused_and_not_run(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    path = tmp_path / "evil.pth"
    path.write_bytes(_packed(pickle.dumps({"bert": _Touch(trap)}, protocol=2)))
    with pytest.raises(SetupError, match="asks to load"):
        read_torch(path)
    assert not trap.exists()


@pytest.mark.parametrize("name", ["builtins eval", "os system", "torch load", "collections deque", "torch._utils os"])
def test_no_other_name_is_looked_up(name: str, tmp_path: Path) -> None:
    module, attribute = name.split()
    path = tmp_path / "evil.pt"
    path.write_bytes(_packed(f"c{module}\n{attribute}\n.".encode()))
    with pytest.raises(SetupError, match=f"asks to load {module}.{attribute}"):
        read_torch(path)


def test_a_dotted_way_around_the_list_is_refused(tmp_path: Path) -> None:
    # Protocol 4 can name attributes of attributes: OrderedDict.fromkeys.__globals__ and the like.
    program = b"\x80\x04\x8c\x0bcollections\x8c\x14OrderedDict.__init__\x93."
    path = tmp_path / "evil.pt"
    path.write_bytes(_packed(program))
    with pytest.raises(SetupError, match="asks to load"):
        read_torch(path)


def _tensor(offset: int, shape: tuple[int, ...], stride: tuple[int, ...], data: bytes = b"\0" * 16) -> bytes:
    """A file with one tensor over a storage that says it holds four floats, its program written by hand."""
    # ("storage", torch.FloatStorage, "0", "cpu", 4) as a persistent id
    storage = b"(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x04tQ"
    arguments = b"(" + storage + _int(offset) + _ints(shape) + _ints(stride) + b"I00\nccollections\nOrderedDict\n)Rt"
    return _packed(b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n" + arguments + b"R.", **{"0": data})


def _int(value: int) -> bytes:
    return b"I%d\n" % value


def _ints(values: tuple[int, ...]) -> bytes:
    return b"(" + b"".join(map(_int, values)) + b"t"


@pytest.mark.parametrize(
    ("offset", "shape", "stride"),
    [
        (0, (5,), (1,)),  # one more than there are
        (2, (3,), (1,)),  # past the end by its offset
        (0, (2, 2), (4, 1)),  # past the end by its stride
        (0, (1 << 40,), (0,)),  # four numbers blown up to a terabyte
        (-1, (1,), (1,)),
        (0, (2,), (-1,)),
        (0, (2, 2), (1,)),
    ],
)
def test_a_tensor_that_leaves_its_storage_is_refused(
    offset: int, shape: tuple[int, ...], stride: tuple[int, ...], tmp_path: Path
) -> None:
    path = tmp_path / "bad.pt"
    path.write_bytes(_tensor(offset, shape, stride))
    with pytest.raises(SetupError, match="not a whole PyTorch file"):
        read_torch(path)


def test_a_tensor_inside_its_storage_is_read(tmp_path: Path) -> None:
    path = tmp_path / "good.pt"
    path.write_bytes(_tensor(1, (3,), (1,), np.arange(4, dtype="<f4").tobytes()))
    assert read_torch(path).tolist() == [1, 2, 3]


def test_a_storage_of_another_size_than_declared_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "short.pt"
    path.write_bytes(_tensor(0, (2,), (1,), b"\0" * 8))
    with pytest.raises(SetupError, match="cut short"):
        read_torch(path)


def test_a_packed_member_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.pt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", b"\0" * 1_000_000)
    with pytest.raises(SetupError, match="packed or too large"):
        read_torch(path)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", pickle.dumps([1, 2]), _packed(b"\x80\x02"), _packed(b"garbage")])
def test_damage_is_told_in_one_sentence(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "half.pth"
    path.write_bytes(data)
    with pytest.raises(SetupError, match=r"half\.pth is not a whole PyTorch file"):
        read_torch(path)


def test_a_cut_download_is_refused(tmp_path: Path, torch_zip: Callable[[Any], bytes]) -> None:
    whole = torch_zip({"bert": {"a": np.ones((64, 64), np.float32)}})
    path = tmp_path / "cut.pth"
    for keep in (100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:keep])
        with pytest.raises(SetupError, match="fetch it again"):
            read_torch(path)
