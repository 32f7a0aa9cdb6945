"""What a phone needs to come in, looked at from its point of view: Tailscale, its names, a certificate, the address."""

import asyncio
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx

from server.access.address import INSTALL, Address, best_address, command, home_address, our_front
from server.access.token import LanToken
from server.config import Settings
from server.errors import Conflict, LecternError
from server.setup.check import Check
from server.setup.running import ask_running
from server.tailnet.endpoint import finder
from server.tailnet.localapi import LocalApi
from server.tailnet.presence import Tailnet
from server.tailnet.serve import Front
from server.tailnet.shapes import State

REACH_S: Final = 10.0  # the first certificate takes Tailscale some seconds
ADMIN: Final = "https://login.tailscale.com/admin/dns"
MAC_APP: Final = Path("/Applications/Tailscale.app/Contents/MacOS/Tailscale")
TAILSCALE: Final = "Tailscale"
NAMES: Final = "Names in the tailnet"
CERTIFICATE: Final = "HTTPS certificate"
SERVED: Final = "Tailscale serve"
ADDRESS: Final = "Address for a phone"


@dataclass(frozen=True, slots=True)
class Sight:
    """All that the checks are made from."""

    state: State | None
    why: str
    fronts: Sequence[Front] = ()
    lan_address: str = ""
    token: str = ""


def look(settings: Settings) -> Sight:
    """Ask Tailscale, which takes a few seconds at most. Never raises."""
    return asyncio.run(_look(settings))


async def _look(settings: Settings) -> Sight:
    lan = home_address(settings)
    token = ""
    try:
        token = LanToken(settings.data).value if lan else ""
    except LecternError:
        lan = ""
    if not settings.tailscale:
        return Sight(None, "", (), lan, token)
    tailnet = Tailnet(LocalApi(finder(settings.tailscale_socket)))
    try:
        state = await tailnet.look()
        fronts = await tailnet.fronts() if state is not None else []
    finally:
        await tailnet.close()
    return Sight(state, tailnet.why, fronts, lan, token)


def phone_address(settings: Settings, seen: Sight) -> Address:
    """The address to open on a phone."""
    return best_address(settings, seen.state, seen.fronts, seen.lan_address, seen.token)


def phone_checks(settings: Settings, seen: Sight) -> list[Check]:
    """Every check, in the order in which they are to be mended. Without Tailscale nothing fails: it need not be."""
    state = seen.state
    checks = [_tailscale(settings, seen)]
    if state is not None and state.running:
        checks += [_names(state), _certificate(settings, state), _served(settings, seen.fronts)]
    return [*checks, _address(settings, seen)]


def _tailscale(settings: Settings, seen: Sight) -> Check:
    if not settings.tailscale:
        return Check(TAILSCALE, None, "Lectern does not use it.", "To use it, take LECTERN_TAILSCALE=no away.")
    if (state := seen.state) is None:
        unseen = "not running here" in seen.why
        remedy = INSTALL if unseen else "Start Tailscale again. On Linux: `sudo systemctl restart tailscaled`."
        return Check(TAILSCALE, None if unseen else False, f"{seen.why}.", remedy)
    if not state.running:
        remedy = {
            "NeedsLogin": "Sign in: open Tailscale from the menu bar, or run `tailscale up`.",
            "NeedsMachineAuth": "Approve this machine at https://login.tailscale.com/admin/machines.",
            "Stopped": "Turn Tailscale on: in the menu bar, or with `tailscale up`.",
        }.get(state.backend, "Wait a moment, then look again.")
        return Check(TAILSCALE, False, f"Not connected ({state.backend}).", remedy)
    where = ", ".join(state.addresses)
    if state.tagged:
        remedy = "Nobody is the owner through Tailscale then: put yourself on the list, as owner, on the dashboard."
        return Check(TAILSCALE, None, f"Connected ({where}), but this machine has a tag and is nobody's.", remedy)
    return Check(TAILSCALE, True, f"Connected as {state.login or 'you'} ({where}).")


def _names(state: State) -> Check:
    if state.magic_dns and state.name:
        return Check(NAMES, True, f"MagicDNS is on: this machine is {state.name}.")
    remedy = f"Turn MagicDNS on at {ADMIN}: without it there is no certificate, and only addresses of digits."
    return Check(NAMES, None, "MagicDNS is off.", remedy)


def _certificate(settings: Settings, state: State) -> Check:
    if state.cert_domains:
        return Check(CERTIFICATE, True, f"Tailscale may have one for {', '.join(state.cert_domains)}.")
    remedy = f"Turn HTTPS certificates on at {ADMIN}, then run `{command(settings)}`: offline listening needs HTTPS."
    return Check(CERTIFICATE, None, "HTTPS certificates are off in your tailnet.", remedy)


def _served(settings: Settings, fronts: Sequence[Front]) -> Check:
    wrong = [front for front in fronts if front.port == settings.port]
    if wrong:
        detail = (
            f"{wrong[0].url} passes on to port {settings.port}, where everybody would be the owner: Lectern refuses it."
        )
        return Check(SERVED, False, detail, f"Run `{_undo(wrong[0])}`, then `{command(settings)}`.")
    ours = [front for front in fronts if front.port == settings.served_port]
    open_to_all = [front for front in ours if front.funnel]
    if open_to_all:
        detail = f"{open_to_all[0].url} is open to the whole internet (Funnel): Lectern refuses it."
        return Check(SERVED, False, detail, f"Run `tailscale funnel --https={open_to_all[0].front_port} off`.")
    if (front := our_front(settings, fronts)) is not None:
        if front.secure:
            return Check(SERVED, True, f"{front.url} comes here.")
        return Check(SERVED, None, f"{front.url} comes here, without a certificate.", f"Run `{command(settings)}`.")
    if ours:
        detail = f"{ours[0].url} comes here, but Lectern's pages need the root of an address."
        return Check(SERVED, False, detail, f"Run `{_undo(ours[0])}`, then `{command(settings)}`.")
    remedy = f"For HTTPS run `{command(settings)}`, or `lectern phone --serve`."
    return Check(SERVED, None, "Nothing is served: a phone comes in without HTTPS.", remedy)


def _undo(front: Front) -> str:
    path = "" if front.path == "/" else f" --set-path={front.path}"
    return f"tailscale serve --{'https' if front.secure else 'http'}={front.front_port}{path} off"


def _address(settings: Settings, seen: Sight) -> Check:
    found = phone_address(settings, seen)
    if not found.url:
        return Check(ADDRESS, None, "No phone can come in.", found.advice)
    shown = found.url.partition("#")[0]  # a token is for a camera, not for a report that somebody sends on
    try:
        runs = ask_running(settings) is not None
    except Conflict as error:
        return Check(ADDRESS, False, str(error))
    if not runs:
        return Check(ADDRESS, None, f"{shown}, once Lectern runs.", "Start it: `lectern serve`.")
    if (trouble := answers(shown)) is not None:
        return Check(ADDRESS, False, f"{shown} {trouble}.", found.advice or "Look at the checks above.")
    return Check(ADDRESS, True, shown)


def answers(url: str) -> str | None:
    """What is wrong when this machine opens the address as a phone would; None when Lectern answers."""
    try:
        reply = httpx.get(f"{url.rstrip('/').removesuffix('/enter')}/api/v1/me", timeout=REACH_S, trust_env=False)
    except httpx.HTTPError as error:
        return f"cannot be reached ({error})"
    if reply.status_code == 200 or reply.status_code == 401:
        return None
    try:
        return f"answers: {reply.json()['detail'].rstrip('.')}"
    except (ValueError, KeyError, TypeError, AttributeError):
        return f"is answered by something else ({reply.status_code})"


def tailscale_program() -> str | None:
    """Tailscale's own command, None where there is none."""
    if (found := shutil.which("tailscale")) is not None:
        return found
    return str(MAC_APP) if MAC_APP.exists() else None
