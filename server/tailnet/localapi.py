"""A client of Tailscale's LocalAPI: few questions, each with a time limit; a lost endpoint is looked for anew."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, Final

import httpx

from server.tailnet.endpoint import Endpoint, Finder, find
from server.tailnet.shapes import Peer, State, read_peer, read_state

LIMIT_S: Final = 2.0  # for any question, looking for the endpoint included
HOST: Final = "local-tailscaled.sock"
MASK: Final = 2 | 1 << 8  # the state at once, and no more news than somebody can read


class Unreachable(Exception):
    """Tailscale is not there, does not answer in time, or will not talk to us; the message says which."""


class LocalApi:
    """Every question raises Unreachable, and nothing else, when it gets no answer within `limit_s`."""

    def __init__(self, looking: Finder = find, limit_s: float = LIMIT_S) -> None:
        self._find = looking
        self._limit_s = limit_s
        self._known: tuple[Endpoint, httpx.AsyncClient] | None = None

    async def status(self) -> State:
        """This machine's own state."""
        return read_state(await self._ask("status", {"peers": "false"}))

    async def whois(self, address: str, port: int = 0) -> Peer | None:
        """Who is at an address; None for somebody whom Tailscale does not know."""
        pair = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
        told = await self._ask("whois", {"proto": "tcp", "addr": pair}, missing=True)
        return read_peer(told) if told else None

    async def serve_config(self) -> dict[str, Any]:
        """What `tailscale serve` and `tailscale funnel` are told to do; empty for nothing."""
        return await self._ask("serve-config", {})

    async def watch(self) -> AsyncIterator[dict[str, Any]]:
        """News as they come, the first at once; ends or raises Unreachable when Tailscale goes away."""
        try:
            async with asyncio.timeout(self._limit_s) as limit:
                client = await self._client()
                limit_s = httpx.Timeout(self._limit_s, read=None)
                async with client.stream("GET", _path("watch-ipn-bus"), params={"mask": MASK}, timeout=limit_s) as news:
                    _check(news)
                    limit.reschedule(None)
                    async for line in news.aiter_lines():
                        if isinstance(told := _json(line), dict):
                            yield told
        except (httpx.HTTPError, OSError, TimeoutError) as error:
            await self.close()
            raise Unreachable(_reason(error)) from error

    async def close(self) -> None:
        """Forget the endpoint: the next question looks for it anew."""
        known, self._known = self._known, None
        if known is not None:
            await known[1].aclose()

    async def _ask(self, what: str, parameters: dict[str, str], *, missing: bool = False) -> dict[str, Any]:
        """An answer as an object; with `missing`, empty for 404."""
        try:
            async with asyncio.timeout(self._limit_s):
                known = self._known is not None
                try:
                    return await self._once(what, parameters, missing=missing)
                except (httpx.HTTPError, OSError, Unreachable):
                    await self.close()
                    if not known:
                        raise
                    # Tailscale was restarted or updated since: its port, its token or just its socket is another.
                    return await self._once(what, parameters, missing=missing)
        except (httpx.HTTPError, OSError, TimeoutError) as error:
            await self.close()
            raise Unreachable(_reason(error)) from error

    async def _once(self, what: str, parameters: dict[str, str], *, missing: bool) -> dict[str, Any]:
        client = await self._client()
        answer = await client.get(_path(what), params=parameters)
        if missing and answer.status_code == 404:
            return {}
        _check(answer)
        told = _json(answer.text)
        if told is None:
            return {}  # Go's nil
        if not isinstance(told, dict):
            raise Unreachable(f"Tailscale's answer to {what} cannot be understood")
        return told

    async def _client(self) -> httpx.AsyncClient:
        if self._known is None:
            endpoint = await self._find()
            if endpoint is None:
                raise Unreachable("Tailscale is not running here")
            self._known = (endpoint, _client_of(endpoint, self._limit_s))
        return self._known[1]


def _client_of(endpoint: Endpoint, limit_s: float) -> httpx.AsyncClient:
    """No Origin, no Referer and the right Host, or Tailscale takes us for a web page and refuses."""
    limits = httpx.Limits(max_connections=16, max_keepalive_connections=4)
    if endpoint.path:
        transport = httpx.AsyncHTTPTransport(uds=endpoint.path, limits=limits)
        return httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}", timeout=limit_s, trust_env=False)
    return httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{endpoint.port}",
        headers={"host": HOST},
        auth=("", endpoint.token),
        limits=limits,
        timeout=limit_s,
        trust_env=False,
    )


def _path(what: str) -> str:
    return f"/localapi/v0/{what}"


def _check(answer: httpx.Response) -> None:
    if answer.status_code in (401, 403):
        raise Unreachable("Tailscale does not talk to Lectern (wrong token, or another user's)")
    if answer.status_code != 200:
        raise Unreachable(f"Tailscale answers with {answer.status_code}")


def _json(text: str) -> Any:
    try:
        return json.loads(text) if text.strip() else None
    except ValueError:
        return False  # neither an object nor nothing


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        return "Tailscale does not answer"
    return f"Tailscale cannot be reached ({str(error) or type(error).__name__})"
