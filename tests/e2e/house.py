"""A real `lectern serve` in a folder of its own, started, killed and asked over HTTP."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

PATIENCE_S = 240.0


class House:
    """The server process, its data and library folders. The model is linked in, not copied."""

    def __init__(self, folder: Path, models: Path, *, module: str = "server", **settings: str) -> None:
        self.data, self.library = folder / "data", folder / "books"
        self.data.mkdir(parents=True, exist_ok=True)
        self.library.mkdir(exist_ok=True)
        if not (self.data / "models").is_symlink():
            (self.data / "models").symlink_to(models)
        self.url = f"http://127.0.0.1:{free_port()}"
        self.log = folder / "serve.log"
        self._module = module  # whose `serve` is started
        self._settings = {"LECTERN_SETTLE_S": "0.5", "LECTERN_SAMPLE": "no", **settings}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "LECTERN_DATA": str(self.data),
            "LECTERN_LIBRARY": str(self.library),
            "LECTERN_PORT": self.url.rpartition(":")[2],
            **self._settings,
        }

    def start(self) -> None:
        with self.log.open("ab") as log:
            command = [sys.executable, "-m", self._module, "serve"]
            self._process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)
        self.until(self.answers, "the server answers")

    def answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/api/v1/status", trust_env=False).is_success
        except httpx.TransportError:
            return False

    def kill(self) -> None:
        """As a power cut would."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> int:
        """As Ctrl-C would; gives the exit code."""
        assert self._process is not None
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        return self._process.wait(timeout=30)

    def get(self, path: str, **headers: str) -> httpx.Response:
        return httpx.get(f"{self.url}/api/v1{path}", headers=headers, trust_env=False, timeout=30)

    def put(self, path: str, body: dict[str, Any]) -> httpx.Response:
        return httpx.put(f"{self.url}/api/v1{path}", json=body, trust_env=False, timeout=30)

    def books(self) -> list[dict[str, Any]]:
        books: list[dict[str, Any]] = self.get("/books").json()["books"]
        return books

    def chapter(self, book: str, number: int) -> dict[str, Any]:
        index: dict[str, Any] = self.get(f"/books/{book}/chapters/{number}").json()
        return index

    def rendered(self, book: str) -> int:
        return int(self.get(f"/books/{book}").json()["sentences"]["rendered"])

    @property
    def pid(self) -> int:
        """Of the server process, which runs."""
        assert self._process is not None
        return self._process.pid

    def worker_pids(self) -> list[int]:
        """The render processes that work on this house's data."""
        pattern = f"--data {self.data} --threads"
        found = subprocess.run(["pgrep", "-f", "--", pattern], capture_output=True)
        return [int(pid) for pid in found.stdout.split()]

    def until_alone(self) -> None:
        """Wait until the render process has ended by itself, as it does when its daemon is gone."""
        end = time.monotonic() + PATIENCE_S
        while pids := self.worker_pids():
            assert time.monotonic() < end, f"the render process {pids} did not end with its daemon"
            time.sleep(0.02)

    def until(self, true: Callable[[], Any], what: str, patience_s: float = PATIENCE_S) -> Any:
        """Wait for something; gives it. Fails with the server's last lines when it does not come."""
        end = time.monotonic() + patience_s
        while time.monotonic() < end:
            if found := true():
                return found
            if self._process is not None and self._process.poll() is not None:
                raise AssertionError(f"the server ended while it was waited that {what}:\n{self.last_lines()}")
            time.sleep(0.1)
        raise AssertionError(f"waited {patience_s} s in vain that {what}:\n{self.last_lines()}")

    def last_lines(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-25:])


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
