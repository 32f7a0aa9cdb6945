"""The doctor of a server that runs: each page that shows its health asks."""

import threading
from dataclasses import replace

from server.config import Settings
from server.setup import doctor
from server.setup.check import Check
from server.setup.typed import typed


class Checkup:
    """Every check anew, but for those that try something in a process of its own, which costs seconds of computing.

    Nothing that these look at changes under a server that runs: what was well is not tried again.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # pages that ask at once wait for one trial
        self._libraries: list[Check] = []
        self._numbers: Check | None = None

    def examine(self, settings: Settings) -> list[Check]:
        """As `lectern doctor`, with every command in it as it can be typed anywhere."""
        found = doctor.examine(settings, libraries=self._work, numbers=self._right)
        return [replace(f, detail=typed(f.detail, None), remedy=f.remedy and typed(f.remedy, None)) for f in found]

    def _work(self) -> list[Check]:
        with self._lock:
            if not self._libraries or not all(check.ok for check in self._libraries):
                self._libraries = doctor.libraries_work()
            return self._libraries

    def _right(self, settings: Settings) -> Check:
        if (told := doctor.numbers_told(settings)) is not None:
            return told
        with self._lock:
            if self._numbers is None or not self._numbers.ok:
                self._numbers = doctor.numbers_right(settings)
            return self._numbers
