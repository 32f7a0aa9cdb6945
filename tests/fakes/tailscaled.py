"""A tailscaled to ask: its LocalAPI on a unix socket or on a port with a token, after its public behaviour.

What it does like the real one: answers are Go's JSON, lists that are empty come as null; any Origin or Referer, and
another Host than its own, is refused with 403; a missing token is 401, a wrong one 403; whois of a stranger is 404; the
bus streams one JSON object a line, first the state. `hang` takes connections and never answers. It never closes a
kept connection by itself; `stop` does, as a restart would.
"""

import asyncio
import base64
import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

VERSION = "1.98.4-tfake-gfake"
STATES = ("NoState", "InUseOtherUser", "NeedsLogin", "NeedsMachineAuth", "Stopped", "Starting", "Running")
OWN = 1001
OWNER = "owner@example.com"
NAME = "mac.tail1234.ts.net"
ADDRESSES = ("100.101.102.103", "fd7a:115c:a1e0::1234:5678")
PHONE, KIOSK, ANNA = "100.64.0.7", "100.64.0.9", "100.64.0.11"


class FakeTailscaled:
    """Change its fields while it runs; `tell` sends news of that to whoever watches."""

    def __init__(self, token: str | None = None) -> None:
        self.token = token
        self.state = "Running"
        self.addresses: list[str] | None = list(ADDRESSES)
        self.name, self.suffix = f"{NAME}.", "tail1234.ts.net"
        self.magic_dns = True
        self.cert_domains: list[str] | None = [NAME]
        self.tags: list[str] | None = None
        self.user_id, self.login = OWN, OWNER
        self.kernel = True
        self.peers: dict[str, dict[str, Any]] = {}
        self.passed_on: dict[str, str] = {}  # "127.0.0.1:port" → tailnet address, of connections it dialled itself
        self.serve: dict[str, Any] | None = None
        self.hang = False
        self.asked: list[str] = []
        self._watchers: set[asyncio.Queue[dict[str, Any]]] = set()
        self._serving: dict[asyncio.StreamWriter, asyncio.Task[None]] = {}
        self._server: asyncio.Server | None = None
        for address in ADDRESSES:
            self.add(address, "mac", OWN, OWNER, "Owner")
        self.add(PHONE, "iphone", OWN, OWNER, "Owner")
        self.add(KIOSK, "kiosk", 1002, "tagged-devices", "Tagged Devices", ["tag:kiosk"])
        self.add(ANNA, "annas-phone", 1003, "anna@example.com", "Anna")

    def add(self, address: str, host: str, user: int, login: str, display: str, tags: list[str] | None = None) -> None:
        node: dict[str, Any] = {
            "ID": user * 7,
            "StableID": f"n{host}CNTRL",
            "Name": f"{host}.{self.suffix}.",
            "User": user,
            "Addresses": [address + "/32"],
            "Hostinfo": {"OS": "iOS", "Hostname": host},
            "ComputedName": host,
            **({"Tags": tags} if tags else {}),
        }
        profile = {"ID": user, "LoginName": login, "DisplayName": display, "ProfilePicURL": ""}
        self.peers[address] = {"Node": node, "UserProfile": profile, "CapMap": None}

    async def start(self, path: Path | None = None, port: int = 0) -> int:
        """Listen on a socket's path, or on a port of 127.0.0.1; gives the port."""
        if path is not None:
            path.unlink(missing_ok=True)
            self._server = await asyncio.start_unix_server(self._serve, path)
            return 0
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port)
        found: int = self._server.sockets[0].getsockname()[1]
        return found

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            serving = dict(self._serving)
            for writer, task in serving.items():
                writer.transport.abort()
                task.cancel()
            await asyncio.gather(*serving.values(), return_exceptions=True)
            await self._server.wait_closed()
            self._server = None

    def tell(self, **changed: Any) -> None:
        """Change fields and send the news."""
        for field, value in changed.items():
            setattr(self, field, value)
        news: dict[str, Any] = {"Version": VERSION}
        if "state" in changed:
            news["State"] = STATES.index(self.state)
        if "addresses" in changed:
            news["SelfChange"] = {"Name": self.name, "Addresses": self.addresses}
        for queue in self._watchers:
            queue.put_nowait(news)

    def status(self) -> dict[str, Any]:
        up = self.state == "Running"
        addresses = self.addresses if up else None
        own: dict[str, Any] = {
            "ID": "nSelfCNTRL",
            "HostName": "mac",
            "DNSName": self.name if up else "",
            "OS": "macOS",
            "UserID": self.user_id,
            "TailscaleIPs": addresses,
            **({"Tags": self.tags} if self.tags else {}),
        }
        net = {"Name": OWNER, "MagicDNSSuffix": self.suffix, "MagicDNSEnabled": self.magic_dns}
        profile = {"ID": self.user_id, "LoginName": self.login, "DisplayName": "Owner"}
        return {
            "Version": VERSION,
            "TUN": self.kernel,
            "BackendState": self.state,
            "AuthURL": "",
            "TailscaleIPs": addresses,
            "Self": own,
            "Health": None,
            "MagicDNSSuffix": self.suffix if up else "",
            "CurrentTailnet": net if up else None,
            "CertDomains": self.cert_domains if up else None,
            "Peer": None,
            "User": {str(self.user_id): profile} if up else None,
        }

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task: asyncio.Task[None] | None = asyncio.current_task()
        assert task is not None
        self._serving[writer] = task
        try:
            while line := await reader.readline():
                method, target, _ = line.decode().split(" ", 2)
                headers: dict[str, str] = {}
                while said := (await reader.readline()).strip():
                    name, _, value = said.decode("latin-1").partition(":")
                    headers[name.lower()] = value.strip()
                self.asked.append(f"{method} {target}")
                if self.hang:
                    await asyncio.sleep(3_600)
                await self._answer(target, headers, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._serving.pop(writer, None)
            writer.close()

    async def _answer(self, target: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        asked = urlsplit(target)
        query = {name: values[0] for name, values in parse_qs(asked.query).items()}
        if (refusal := self._refusal(headers)) is not None:
            await _reply(writer, *refusal)
            return
        match asked.path.removeprefix("/localapi/v0/"):
            case "status":
                await _reply(writer, 200, self.status())
            case "whois":
                found = self.peers.get(self._address(query.get("addr", "")))
                await _reply(writer, 404, "no match for IP:port\n") if found is None else await _reply(
                    writer, 200, found
                )
            case "serve-config":
                await _reply(writer, 200, self.serve)
            case "watch-ipn-bus":
                await self._news(int(query.get("mask", "0")), writer)
            case _:
                await _reply(writer, 404, "404 page not found\n")

    def _refusal(self, headers: dict[str, str]) -> tuple[int, str] | None:
        if "origin" in headers or "referer" in headers or headers.get("host") not in ("", "local-tailscaled.sock"):
            return 403, "invalid localapi request\n"
        if self.token is None:
            return None
        kind, _, said = headers.get("authorization", "").partition(" ")
        if kind != "Basic":
            return 401, "auth required\n"
        return None if base64.b64decode(said).decode() == f":{self.token}" else (403, "bad password\n")

    def _address(self, pair: str) -> str:
        address = pair.rpartition(":")[0].strip("[]")
        return self.passed_on.get(pair, address)

    async def _news(self, mask: int, writer: asyncio.StreamWriter) -> None:
        queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._watchers.add(queue)
        first: dict[str, Any] = {"Version": VERSION}
        queue.put_nowait(first | ({"SessionID": "s", "State": STATES.index(self.state)} if mask & 2 else {}))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
        try:
            while True:
                line = json.dumps(await queue.get()).encode() + b"\n"
                writer.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
                await writer.drain()
        finally:
            self._watchers.discard(queue)


async def _reply(writer: asyncio.StreamWriter, status: int, body: Any) -> None:
    plain = isinstance(body, str)
    data = body.encode() if plain else json.dumps(body, indent="\t").encode()
    kind = "text/plain; charset=utf-8" if plain else "application/json"
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\nTailscale-Cap: 140\r\n\r\n"
    writer.write(head.encode() + data)
    await writer.drain()
