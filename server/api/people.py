"""Who may listen here: oneself, the list of people, and the devices that came."""

import asyncio
from datetime import datetime
from typing import Annotated, Literal

from litestar import Response, delete, get, patch, post
from litestar.params import JSONBody, PathParameter
from pydantic import Field

from server.access.address import Address, best_address, home_address
from server.access.devices import Device
from server.access.model import OWNER, Role, Via
from server.access.people import Person, person_key
from server.access.qr import qr_svg
from server.api.access import COOKIE
from server.api.common import Call, House, off_loop
from server.api.household import Household
from server.api.identity import identity
from server.api.problems import HttpError, documented
from server.api.view import View
from server.errors import BadRequest, NotFound

PersonPath = Annotated[str, PathParameter(description="Key of the person.")]
COOKIE_S = 365 * 86_400


class Me(View):
    """Whoever asks."""

    person: str = Field(description="Key of the person: `owner`, or 12 hex digits.")
    role: Role = Field(description="`listener`: may listen, keep places and bookmarks; `owner`: may do everything.")
    name: str
    login: str | None = Field(description="What they sign in to Tailscale with.")
    device: str | None
    via: Via = Field(description="`loopback`: this computer; `serve`, `tailnet`: Tailscale; `lan`: the home network.")


class DeviceView(View):
    """A device that came through Tailscale."""

    name: str
    login: str | None
    who: str = Field(description="The name of the person in Tailscale.")
    via: Via
    seen: datetime = Field(description="When it last asked for something.")
    refused: str | None = Field(description="Code of the reason why it was not let in.")


class PersonView(View):
    """Somebody on the list."""

    id: str
    login: str
    name: str
    role: Role
    added: datetime | None
    devices: list[DeviceView]


class People(View):
    """Everybody who may listen besides the owner, and who came in vain."""

    people: list[PersonView]
    owner: str | None = Field(description="What the owner signs in to Tailscale with; null while that is not known.")
    devices: list[DeviceView] = Field(description="The owner's own that came through Tailscale, the latest first.")
    visitors: list[DeviceView] = Field(description="Devices that were not let in, the latest first.")
    tailscale: str = Field(description="One sentence on how Tailscale is.")
    warning: str | None = Field(description="One sentence where the file with the list cannot be understood.")


class PersonIn(View):
    """Somebody new."""

    login: str = Field(
        pattern=r"^[^\s@\x00-\x1f]{1,100}@[^\s@\x00-\x1f]{1,150}$",
        description="What they sign in to Tailscale with, such as `anna@example.com`.",
    )
    role: Role = "listener"
    name: str = Field(default="", max_length=100)


class PersonPatch(View):
    """What is given changes, the rest stays."""

    role: Role | None = None
    name: str | None = Field(default=None, max_length=100)


class AddressView(View):
    """The address for a phone."""

    url: str | None = Field(description="What to open; null where no phone can come in.")
    kind: Literal["serve", "tailnet", "lan", "none"]
    secure: bool = Field(description="Whether that is HTTPS, which offline listening needs.")
    advice: str | None = Field(description="What would make it possible, or better.")


class EnterIn(View):
    """The token of the home network."""

    token: str = Field(min_length=1, max_length=200)


class Entered(View):
    entered: bool


@get("/me", summary="Who asks", tags=["people"], responses=documented())
async def get_me(request: Call) -> Me:
    found = identity(request)
    return Me(
        person=found.person,
        role=found.role,
        name=found.name,
        login=found.login,
        device=found.device,
        via=found.via,
    )


@post("/enter", summary="Show the token of the home network", tags=["people"], status_code=200, responses=documented())
async def enter(request: Call, house: House, data: JSONBody[EnterIn]) -> Response[Entered]:
    """A cookie keeps it. Only where the owner lets the home network in, and only for a device that comes from there."""
    address = request.client.host if request.client else ""
    made = await off_loop(house.access.enter, address, data.token)
    if not isinstance(made, str):
        waiting = {} if made.retry_s is None else {"retry-after": str(made.retry_s)}
        raise HttpError(made.status, made.detail, waiting, code=made.code)
    cookie = f"{COOKIE}={made}; Path=/; Max-Age={COOKIE_S}; HttpOnly; SameSite=Lax"
    return Response(Entered(entered=True), headers={"set-cookie": cookie, "cache-control": "no-store"})


@get("/people", summary="Who may listen here", tags=["people"], responses=documented())
async def list_people(house: House) -> People:
    return await off_loop(_people, house)


@post("/people", summary="Let somebody listen", tags=["people"], responses=documented(409, 413, 507))
async def add_person(house: House, data: JSONBody[PersonIn]) -> PersonView:
    """They are let in from their next request on."""
    state = house.access.tailnet.state
    if state is not None and state.login and data.login.strip().casefold() == state.login.casefold():
        raise BadRequest("That is you: your own devices are let in without being on the list.")
    made = await off_loop(house.access.people.add, data.login, data.role, data.name)
    house.hub.publish("people.changed")
    return _person(made, house.access.devices.all())


@patch(
    "/people/{person:str}",
    summary="Change what somebody may do",
    tags=["people"],
    responses=documented(404, 409, 413, 507),
)
async def change_person(house: House, person: PersonPath, data: JSONBody[PersonPatch]) -> PersonView:
    changed = await off_loop(house.access.people.change, person, data.role, data.name)
    house.hub.publish("people.changed")
    return _person(changed, house.access.devices.all())


@delete(
    "/people/{person:str}",
    summary="Let somebody listen no longer",
    tags=["people"],
    responses=documented(404, 409, 507),
)
async def remove_person(house: House, person: PersonPath) -> None:
    """Their next request is refused. Their places stay, for when they come back."""
    await off_loop(house.access.people.remove, person)
    house.hub.publish("people.changed")


@get("/address", summary="The address for a phone", tags=["people"], responses=documented())
async def get_address(house: House) -> AddressView:
    found = await _address(house)
    return AddressView(url=found.url or None, kind=found.kind, secure=found.secure, advice=found.advice)


@get(
    "/address/qr.svg",
    summary="The same as a QR code",
    tags=["people"],
    media_type="image/svg+xml",
    responses=documented(404),
)
async def get_address_qr(house: House) -> Response[bytes]:
    """404 where no phone can come in. In the home network the code holds the token."""
    found = await _address(house)
    if not found.url:
        raise NotFound("There is no address that a phone could open.")
    drawn = await asyncio.to_thread(qr_svg, found.url)
    return Response(drawn, media_type="image/svg+xml", headers={"cache-control": "no-store"})


async def _address(house: Household) -> Address:
    tailnet, lan = house.access.tailnet, await off_loop(home_address, house.settings)
    fronts = await tailnet.fronts() if tailnet.state is not None else []
    token = await off_loop(lambda: house.access.token.value) if lan else ""
    return best_address(house.settings, tailnet.state, fronts, lan, token)


def _people(house: Household) -> People:
    access = house.access
    devices, state = access.devices.all(), access.tailnet.state
    listed = access.people.all()
    known = {person.id for person in listed}
    return People(
        people=[_person(person, devices) for person in listed],
        owner=(state.login or None) if state is not None else None,
        devices=[_device(one) for one in devices if one.person == OWNER],
        visitors=[_device(one) for one in devices if one.person is None and not _listed(one, known)],
        tailscale=_tailscale(house),
        warning=access.people.warning,
    )


def _listed(device: Device, known: set[str]) -> bool:
    """Whether a device that was refused would be let in by now."""
    return device.login is not None and person_key(device.login) in known


def _person(person: Person, devices: list[Device]) -> PersonView:
    own = [_device(one) for one in devices if one.login is not None and person_key(one.login) == person.id]
    told = person.model_dump()
    return PersonView(id=person.id, devices=own, **told)


def _device(device: Device) -> DeviceView:
    return DeviceView(**device.model_dump(exclude={"key", "person"}))


def _tailscale(house: Household) -> str:
    if not house.settings.tailscale:
        return "Lectern does not use Tailscale (LECTERN_TAILSCALE)."
    state = house.access.tailnet.state
    if state is None:
        return f"{house.access.tailnet.why}."
    if not state.running:
        return f"Tailscale is here but not connected ({state.backend})."
    return f"Tailscale is connected, as {state.name or state.addresses[0]}."
