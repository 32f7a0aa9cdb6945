"""Browsers that Playwright cannot drive: WebKitGTK by WebDriver over HTTP, Debian's Firefox by Marionette."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

START_S = 60
MINI = ("/usr/lib/*/webkit2gtk-4.1/MiniBrowser", "/usr/lib/*/webkit2gtk-4.0/MiniBrowser")


class Driver(Protocol):
    """One page of a browser."""

    def go(self, url: str) -> None: ...

    def click(self, selector: str) -> None:
        """As a finger would: what may only begin in a tap begins."""

    def run(self, script: str) -> Any:
        """What the body of a function returns, in the page."""

    def until(self, true: str, seconds: float = 90) -> Any:
        """Wait until an expression holds in the page; gives it."""


class _Page:
    """What both have in common."""

    def run(self, script: str) -> Any:
        raise NotImplementedError

    def until(self, true: str, seconds: float = 90) -> Any:
        end = time.monotonic() + seconds
        while not (found := self.run(f"return ({true})")):
            assert time.monotonic() < end, f"waited in vain for {true}"
            time.sleep(0.1)
        return found


class WebKit(_Page):
    """A MiniBrowser that WebKitWebDriver has opened."""

    def __init__(self, port: int, browser: str) -> None:
        self._base = f"http://127.0.0.1:{port}/session"
        options = {"binary": browser, "args": ["--automation"]}
        made = self._post("", {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}})
        self._base += f"/{made['sessionId']}"

    def go(self, url: str) -> None:
        self._post("/url", {"url": url})

    def run(self, script: str) -> Any:
        return self._post("/execute/sync", {"script": script, "args": []})

    def click(self, selector: str) -> None:
        found = self._post("/element", {"using": "css selector", "value": selector})
        self._post(f"/element/{next(iter(found.values()))}/click", {})

    def close(self) -> None:
        request = urllib.request.Request(self._base, method="DELETE")
        with contextlib.suppress(OSError), urllib.request.urlopen(request, timeout=30):
            pass

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        request = urllib.request.Request(
            self._base + path, json.dumps(body).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]


class Firefox(_Page):
    """A headless Firefox, spoken to by Marionette: a length, a colon and a JSON array, each way."""

    def __init__(self, port: int) -> None:
        self._line = socket.create_connection(("127.0.0.1", port), timeout=120)
        self._count = 0
        self._read()  # it greets
        self._send("WebDriver:NewSession", {})

    def go(self, url: str) -> None:
        self._send("WebDriver:Navigate", {"url": url})

    def run(self, script: str) -> Any:
        return self._send("WebDriver:ExecuteScript", {"script": script, "args": []})["value"]

    def click(self, selector: str) -> None:
        found = self._send("WebDriver:FindElement", {"using": "css selector", "value": selector})["value"]
        self._send("WebDriver:ElementClick", {"id": next(iter(found.values()))})

    def close(self) -> None:
        self._line.close()

    def _send(self, command: str, given: dict[str, Any]) -> Any:
        self._count += 1
        text = json.dumps([0, self._count, command, given]).encode()
        self._line.sendall(f"{len(text)}:".encode() + text)
        _, _, error, result = self._read()
        assert error is None, error
        return result

    def _read(self) -> Any:
        size = b""
        while (byte := self._line.recv(1)) != b":":
            assert byte, "Firefox has gone"
            size += byte
        text = b""
        while len(text) < int(size):
            text += self._line.recv(int(size) - len(text))
        return json.loads(text)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _listening(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def _until(true: Callable[[], bool], process: "subprocess.Popen[bytes]", what: str) -> None:
    end = time.monotonic() + START_S
    while not true():
        assert process.poll() is None and time.monotonic() < end, f"{what} did not start"
        time.sleep(0.1)


PLAYS_HLS = "return document.createElement('audio').canPlayType('application/vnd.apple.mpegurl') !== ''"


@contextlib.contextmanager
def webkit(*, hls: bool = False) -> Iterator[WebKit]:
    """A WebKitGTK on a screen of its own; skips the test where it is not installed.

    `hls`: it plays HLS by itself, as Safari does; it can, but is built not to unless it is told.
    """
    driver, screen = shutil.which("WebKitWebDriver"), shutil.which("Xvfb")
    browser = next((str(path) for name in MINI for path in Path("/").glob(name[1:])), None)
    if not driver or not screen or not browser:
        pytest.skip("WebKitGTK's driver or Xvfb is not here: the player is not tested in it")
    with _screen(screen) as display, tempfile.TemporaryDirectory() as home:
        port = _free_port()
        environ = os.environ | {"DISPLAY": display, "HOME": home, "LIBGL_ALWAYS_SOFTWARE": "1", "NO_AT_BRIDGE": "1"}
        # As root it has no sandbox to give; the only pages are ours.
        environ |= {"WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1", "GTK_A11Y": "none"}
        environ |= {"WEBKIT_GST_ENABLE_HLS_SUPPORT": "1"} if hls else {}
        command = [driver, f"--port={port}", "--host=127.0.0.1"]
        process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _until(lambda: _listening(port), process, "WebKitWebDriver")
            page = WebKit(port, browser)
            if hls and not page.run(PLAYS_HLS):
                page.close()
                pytest.skip("GStreamer's bad plugins are not here: the player is not tested in a WebKit that plays HLS")
            yield page
            page.close()
        finally:
            process.terminate()
            process.wait(30)


@contextlib.contextmanager
def _screen(program: str) -> Iterator[str]:
    """A screen that nobody sees; gives its name."""
    read, write = os.pipe()
    command = [program, "-displayfd", str(write), "-screen", "0", "1280x900x24", "-nolisten", "tcp"]
    process = subprocess.Popen(command, pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        with os.fdopen(read) as said:
            yield f":{said.readline().strip()}"
    finally:
        process.terminate()
        process.wait(30)


@contextlib.contextmanager
def _loudspeaker(program: str, home: str) -> Iterator[None]:
    """A loudspeaker that nobody hears, at `home`/sound: without one Firefox refuses to play."""
    loaded = [f"--load=module-native-protocol-unix auth-anonymous=1 socket={home}/sound", "--load=module-null-sink"]
    command = [program, "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", *loaded]
    environ = os.environ | {"HOME": home, "XDG_RUNTIME_DIR": home}
    process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _until(lambda: (Path(home) / "sound").exists(), process, "PulseAudio")
        yield
    finally:
        process.terminate()
        process.wait(30)


@contextlib.contextmanager
def firefox() -> Iterator[Firefox]:
    """A Firefox with a profile of its own; skips the test where it is not installed."""
    program, sound = shutil.which("firefox-esr") or shutil.which("firefox"), shutil.which("pulseaudio")
    if not program or not sound:
        pytest.skip("Firefox or PulseAudio is not here: the player is not tested in it")
    with tempfile.TemporaryDirectory() as home, _loudspeaker(sound, home):
        port = _free_port()
        quiet = {
            "media.autoplay.default": 0,
            "app.update.enabled": False,
            "network.captive-portal-service.enabled": False,
        }
        lines = [f'user_pref("{name}", {json.dumps(value)});' for name, value in quiet.items()]
        lines.append(f'user_pref("marionette.port", {port});')
        (Path(home) / "user.js").write_text("\n".join(lines))
        command = [program, "--headless", "--marionette", "--no-remote", "--profile", home]
        environ = os.environ | {"HOME": home, "PULSE_SERVER": f"unix:{home}/sound", "MOZ_DISABLE_CONTENT_SANDBOX": "1"}
        process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _until(lambda: _listening(port), process, "Firefox")
            page = Firefox(port)
            yield page
            page.close()
        finally:
            process.terminate()
            process.wait(30)
