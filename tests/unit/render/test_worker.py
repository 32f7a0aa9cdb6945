"""The render process where the numbers are wrong: what it says, and of what."""

import io
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from server.errors import NotSpeech
from server.render import worker
from server.render.messages import Compute, PassFailed, PassRequest, Unfit, decode
from server.render.worker import UnfitDevice, Voice
from tests.fakes.synth import ENGINE


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
