"""The render process where the numbers are wrong: what it says, and of what."""

import io
import json
import os
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import pytest

from server.errors import NotSpeech
from server.render import messages, worker
from server.render.messages import Compute, PassFailed, PassRequest, Stop, Unfit, decode, encode
from server.render.worker import Orders, UnfitDevice, Voice
from tests.fakes.synth import ENGINE


def test_orders_that_nobody_understands_end_the_process(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.fakes.worker", "--data", str(tmp_path), "--threads", "0"]
    engine = json.dumps(ENGINE.model_dump())
    options = ["--bitrate", "48000", "--engine", engine, "--compute", "device"]
    ended = subprocess.run([*command, *options], input="nonsense\n", capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0 and "cannot be understood" in ended.stderr


def test_a_stop_that_comes_before_its_order_is_taken_holds_for_it_and_no_other() -> None:
    reading, writing = os.pipe()
    orders = Orders(io.FileIO(reading))
    first, second = (PassRequest(number, "b", 1, "s", "usual") for number in (1, 2))
    assert not orders.stopping()
    os.write(writing, encode(first) + encode(Stop()) + encode(second))
    assert orders.next() == first
    deadline = time.monotonic() + 60
    while orders._given < 2:
        assert time.monotonic() < deadline
    assert orders.stopping()
    assert orders.next() == second
    assert not orders.stopping()
    os.write(writing, encode(Stop()))
    while not orders.stopping():
        assert time.monotonic() < deadline
    os.close(writing)
    assert orders.next() is None and orders.stopping()


def test_no_field_of_a_message_takes_the_name_of_its_kind() -> None:
    for kind in (*get_args(messages.Order), *get_args(messages.Answer)):
        assert "kind" not in {field.name for field in fields(kind)}, kind


class Noisy:
    """A renderer out of which nothing but noise comes."""

    def render(self, *_: Any, begun: Any, **__: Any) -> None:
        begun(("s1",), "One.")
        raise NotSpeech("The engine returned noise.")


def rendered(compute: Compute, *, gpu: bool) -> Any:
    order, orders = PassRequest(1, "book", 1, "s1", "usual"), SimpleNamespace(stopping=lambda: False)
    return worker._render(order, Voice(Noisy(), "it", compute=compute, gpu=gpu), orders, io.BytesIO())  # type: ignore[arg-type]


@pytest.mark.parametrize("compute", ["device", "no-tf32"])
def test_a_sentence_is_not_blamed_while_there_is_something_else_to_compute_on(compute: Compute) -> None:
    with pytest.raises(UnfitDevice):
        rendered(compute, gpu=True)


@pytest.mark.parametrize(("compute", "gpu"), [("cpu", True), ("device", False), ("no-tf32", False), ("cpu", False)])
def test_a_sentence_is_blamed_where_there_is_nothing_else(compute: Compute, gpu: bool) -> None:
    assert rendered(compute, gpu=gpu) == PassFailed(1, ("s1",), "The engine returned noise.")


def test_a_machine_without_a_gpu_is_told_nothing_of_one() -> None:
    warnings = {(compute, gpu): Voice(None, "it", compute=compute, gpu=gpu).warning
                for compute in worker.COMPUTES for gpu in (True, False)}  # fmt: skip
    assert warnings["device", True] is warnings["device", False] is None
    for compute in ("no-tf32", "cpu"):
        assert "GPU" in (warnings[compute, True] or "")
        assert warnings[compute, False] and "GPU" not in (warnings[compute, False] or "")


def test_a_device_that_fails_as_the_model_is_loaded_gives_way_to_the_next(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from server.errors import DeviceWrong\n"
        "from server.render.worker import main\n"
        "def load(*_): raise DeviceWrong('it broke off')\n"
        "sys.exit(main(load=load))"
    )
    child = subprocess.run(
        [sys.executable, "-c", program, "--data", str(tmp_path), "--engine", ENGINE.model_dump_json()],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
    )
    assert decode(child.stdout) == Unfit("it broke off")
