"""Running the application: several sockets, our own signals, a prompt end."""

import asyncio
import contextlib
import errno
import logging
import signal
import socket
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import uvicorn

from server.api.silent import Once, Silences, raise_handles
from server.config import Settings
from server.errors import SettingsError
from server.events import Hub

log = logging.getLogger(__name__)

BACKLOG: Final = 256
LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
# A request in flight gets this long; streams end at once with the hub. Together well under two seconds.
GRACE_S: Final = 1
KEEP_ALIVE_S: Final = 65  # over the 60 s that proxies keep their side open: theirs must be the one to close


def open_socket(host: str, port: int) -> socket.socket:
    """A listening socket on one address. Raises SettingsError with the way out."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is spelt out: asyncio turns Nagle's algorithm off only for sockets that say they are TCP, and with it
    # on every answer waits 40 ms for the client's delayed acknowledgement.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind((host, port))
        sock.listen(BACKLOG)
        sock.setblocking(False)
    except OSError as error:
        sock.close()
        raise SettingsError(_reason(host, port, error)) from error
    return sock


def _reason(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} of {host} is taken, perhaps by another Lectern: stop that program, "
            f"or choose another port with LECTERN_PORT, for example LECTERN_PORT={port % 65_535 + 1}."
        )
    if error.errno == errno.EACCES:
        return f"Port {port} needs the rights of an administrator: choose one over 1023 with LECTERN_PORT."
    if error.errno == errno.EADDRNOTAVAIL or isinstance(error, socket.gaierror):
        return f"This machine has no address {host}: LECTERN_HOST must be one of its own, such as 127.0.0.1."
    return f"Cannot listen on {host}, port {port} ({error.strerror}): check LECTERN_HOST and LECTERN_PORT."


def open_sockets(settings: Settings) -> list[socket.socket]:
    """The sockets for the configured address, or for every one where the home network is let in.

    And loopback, where the owner is known, if that is not among them: of both kinds, as `localhost` may mean either.
    """
    host = settings.host
    if settings.lan != "off" and host in LOOPBACK:
        host = "0.0.0.0"  # noqa: S104 - what for: nobody comes in without the token
    sockets = [open_socket("127.0.0.1" if host == "localhost" else host, settings.port)]
    beside = {"127.0.0.1": ("::1",), "localhost": ("::1",), "0.0.0.0": ("::",), "::": ("0.0.0.0",), "::1": ()}  # noqa: S104
    for other in beside.get(host, ("127.0.0.1", "::1")):
        # Best effort: a machine may have no IPv6, and nobody was promised it.
        with contextlib.suppress(SettingsError):
            sockets.append(open_socket(other, settings.port))
    return sockets


def _is_news(record: logging.LogRecord) -> bool:
    """Whether a line of the web server is worth showing: that it ends a request when it is told to stop is not."""
    ended = record.exc_info is not None and isinstance(record.exc_info[1], asyncio.CancelledError)
    return not ended and "timeout graceful shutdown exceeded" not in record.getMessage()


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        # Its own handling raises the signal again at the end: the process would die of it instead of exiting with 0,
        # and launchd would start it anew.
        yield


class Listener:
    """Serves an ASGI application on `sockets` until it is told to stop.

    `stop` first closes `hub`, which ends the event streams that would otherwise hold the server for ever.
    """

    def __init__(self, app: Any, hub: Hub, sockets: Iterable[socket.socket]) -> None:
        self._hub = hub
        self._sockets = list(sockets)
        self._added: dict[socket.socket, asyncio.Server] = {}
        logging.getLogger("uvicorn.error").addFilter(_is_news)
        self._server = _Server(
            uvicorn.Config(
                app,
                lifespan="on",
                log_config=None,
                access_log=False,
                proxy_headers=False,  # an address in a header is anybody's claim
                server_header=False,
                timeout_keep_alive=KEEP_ALIVE_S,
                timeout_graceful_shutdown=GRACE_S,
            )
        )

    @property
    def started(self) -> bool:
        return self._server.started

    async def add(self, sock: socket.socket) -> None:
        """Serve on another socket as well, which from now on is the listener's to close. Raises OSError."""
        server = self._server
        config = server.config

        def protocol() -> asyncio.Protocol:
            made: asyncio.Protocol = config.http_protocol_class(  # type: ignore[call-arg]
                config=config, server_state=server.server_state, app_state=server.lifespan.state
            )
            return made

        made = await asyncio.get_running_loop().create_server(protocol, sock=sock, backlog=BACKLOG)
        server.servers.append(made)
        self._added[sock] = made

    def drop(self, sock: socket.socket) -> None:
        """Serve on a socket that was added no longer; answers in flight are given."""
        if (made := self._added.pop(sock, None)) is not None:
            made.close()
            self._server.servers.remove(made)

    def stop(self) -> None:
        """End: may be called more than once, on the event loop."""
        self._hub.close()
        self._server.should_exit = True

    async def run(self, *, signals: bool = True, on_started: Callable[[], None] | None = None) -> None:
        """Serve until `stop`, or SIGTERM or SIGINT where `signals`; then close the sockets.

        Raises SettingsError when the application does not start.
        """
        loop = asyncio.get_running_loop()
        raise_handles()
        loop.set_exception_handler(Once())
        silences = asyncio.create_task(Silences(self._server.server_state.connections).run(), name="silences")
        caught = (signal.SIGTERM, signal.SIGINT) if signals else ()
        for number in caught:
            loop.add_signal_handler(number, self.stop)
        try:
            serving = asyncio.create_task(self._server.serve(sockets=self._sockets))
            while not self._server.started and not serving.done():
                await asyncio.sleep(0.02)
            if self._server.started and on_started is not None:
                on_started()
            await serving
            if not self._server.started:
                raise SettingsError("The server could not start; the lines above say why.")
        finally:
            silences.cancel()
            for number in caught:
                loop.remove_signal_handler(number)
            for sock in self._sockets:
                sock.close()
