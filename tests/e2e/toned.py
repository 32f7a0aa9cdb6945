"""`lectern` as it is, with tones for a voice and no model: `python -m tests.e2e.toned serve --service`."""

import sys
from typing import Any

from server import app
from server.__main__ import main
from server.cli import house as commands
from server.house import House
from tests.fakes.synth import ENGINE

_init = House.__init__


def toned(self: House, *given: Any) -> None:
    _init(self, *given)
    self.supervisor.command = (sys.executable, "-m", "tests.fakes.worker")


if __name__ == "__main__":
    setattr(House, "__init__", toned)  # noqa: B010
    setattr(app, "prepare", lambda settings: settings.data.mkdir(parents=True, exist_ok=True) or ENGINE)  # noqa: B010
    setattr(commands, "install_model", lambda settings, console: "")  # noqa: B010
    sys.exit(main())
