"""nginx, serving a folder on a port of its own, as it is set up for files: one worker, sendfile, no log of requests."""

import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.e2e.house import free_port

_CONFIG = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; default_type application/octet-stream;
  types {{ audio/mp4 m4a; }}
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
  uwsgi_temp_path {folder}; scgi_temp_path {folder};
  server {{ listen 127.0.0.1:{port}; root {root}; }}
}}
"""


class Nginx:
    """Runs while the block does."""

    def __init__(self, root: Path) -> None:
        self.port = free_port()
        self._root = root

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="lectern-nginx-")
        config = Path(self._folder.name) / "nginx.conf"
        config.write_text(_CONFIG.format(folder=self._folder.name, port=self.port, root=self._root))
        Path(self._folder.name).chmod(0o755)
        self._process = subprocess.Popen(["nginx", "-c", str(config), "-g", f"user {_user()};"])
        until = time.monotonic() + 20
        while len(self.pids()) < 2 and time.monotonic() < until:
            time.sleep(0.05)
        return self

    def pids(self) -> list[int]:
        """The master and its worker."""
        found = subprocess.run(["pgrep", "-P", str(self._process.pid)], capture_output=True, text=True)
        return [self._process.pid, *map(int, found.stdout.split())]

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._process.terminate()
        self._process.wait(20)
        self._folder.cleanup()


def _user() -> str:
    """nginx started by an administrator would otherwise give its worker a user that may not read the store."""
    return subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
