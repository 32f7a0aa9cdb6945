"""The address for a phone, and its code."""

from dataclasses import replace
from typing import Any

import pytest

from server.access.address import Address, best_address
from server.access.qr import qr_lines, qr_svg
from server.config import Settings
from server.tailnet.serve import Front
from server.tailnet.shapes import State

NAME = "mac.tail1234.ts.net"
UP = State("Running", ("100.101.102.103",), NAME, True, (NAME,), 1001, "owner@example.com")
FRONT = Front(NAME, 443, "/", 8485, True, False)


@pytest.mark.parametrize(
    ("settings", "state", "fronts", "url", "kind"),
    [
        ({}, UP, [FRONT], f"https://{NAME}/", "serve"),
        ({}, UP, [replace(FRONT, front_port=8443)], f"https://{NAME}:8443/", "serve"),
        ({}, UP, [replace(FRONT, front_port=80, secure=False), FRONT], f"https://{NAME}/", "serve"),
        ({}, UP, [replace(FRONT, port=8484)], f"http://{NAME}:8484/", "tailnet"),  # it would be refused there
        ({}, UP, [replace(FRONT, path="/lectern")], f"http://{NAME}:8484/", "tailnet"),
        ({}, UP, [replace(FRONT, funnel=True)], f"http://{NAME}:8484/", "tailnet"),
        ({}, UP, [], f"http://{NAME}:8484/", "tailnet"),
        ({}, replace(UP, magic_dns=False), [], "http://100.101.102.103:8484/", "tailnet"),
        ({}, replace(UP, magic_dns=False, addresses=("fd7a::1",)), [], "http://[fd7a::1]:8484/", "tailnet"),
        ({}, replace(UP, kernel=False), [], "", "none"),
        ({}, State("NeedsLogin"), [FRONT], "", "none"),
        ({}, None, [], "", "none"),
        ({"tailscale": False}, UP, [FRONT], "", "none"),
        ({"lan": "listener"}, None, [], "http://192.168.1.5:8484/enter#tok", "lan"),
        ({"lan": "listener"}, UP, [FRONT], f"https://{NAME}/", "serve"),
    ],
)
def test_the_best_address_there_is(
    settings: dict[str, Any], state: State | None, fronts: list[Front], url: str, kind: str
) -> None:
    lan = "192.168.1.5" if "lan" in settings else ""
    found = best_address(Settings(**settings), state, fronts, lan, "tok")
    assert (found.url, found.kind) == (url, kind)
    assert found.secure == url.startswith("https")
    assert found.advice or kind == "lan" or found.secure


def test_the_code_is_drawn_black_on_white_with_its_quiet_zone() -> None:
    drawn = qr_svg(f"https://{NAME}/")
    assert drawn.startswith(b"<svg")
    assert b"#fff" in drawn
    assert b"script" not in drawn
    lines = qr_lines(f"https://{NAME}/")
    assert len({len(line) for line in lines}) == 1
    assert len(lines[0]) in range(2 * len(lines) - 2, 2 * len(lines) + 1)
    assert set("".join(lines)) <= set("█▀▄ ")
    assert lines[0] == "█" * len(lines[0])  # two light rows


def test_a_token_stands_where_no_log_keeps_it() -> None:
    address = best_address(Settings(lan="owner", tailscale=False), None, [], "192.168.1.5", "secret")
    assert address == Address("http://192.168.1.5:8484/enter#secret", "lan")
