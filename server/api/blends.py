"""Blends: the household's own mixes of voices, and the list of all voices there are."""

import logging
from typing import Annotated, Final

from litestar import delete, get, put
from litestar.params import JSONBody, PathParameter
from pydantic import Field

from server.api.common import House, off_loop
from server.api.household import Household
from server.api.problems import documented
from server.api.reports import BlendView, ShareView, Voices, VoiceView
from server.api.view import View
from server.errors import Conflict, StoreError
from server.render.recipes import MOST, Recipe, mix
from server.render.voices import VOICES

log = logging.getLogger(__name__)

NAME: Final = 40
Name = Annotated[str, PathParameter(description="What the blend is called; case does not count.", max_length=NAME)]


class ShareIn(View):
    """A voice and how much of it, in any unit."""

    voice: str = Field(max_length=40, description="Id of one of `voices`.", examples=["af_heart"])
    weight: float = Field(gt=0, le=1_000_000, allow_inf_nan=False)


class BlendIn(View):
    """What a blend is made of."""

    shares: list[ShareIn] = Field(min_length=1, max_length=MOST, description="Voices of one language.")
    name: str | None = Field(
        default=None, min_length=1, max_length=NAME, description="What it is called from now on, if that is new."
    )


class Blends(View):
    blends: list[BlendView]


class BlendGone(View):
    """A blend that is no more."""

    deleted: str


@get("/voices", summary="The voices there are", tags=["voices"], responses=documented())
async def get_voices(house: House) -> Voices:
    """The model's own, and the household's blends of them."""
    return await off_loop(_voices, house)


@get("/blends", summary="The household's blends", tags=["voices"], responses=documented())
async def list_blends(house: House) -> Blends:
    """By name."""
    blends = await off_loop(house.store.blends.all)
    return Blends(blends=[blend_view(name, made) for name, made in blends.items()])


@put(
    "/blends/{name:str}",
    summary="Keep a blend",
    tags=["voices"],
    responses=documented(403, 404, 409, 413, 507),
)
async def put_blend(house: House, name: Name, data: JSONBody[BlendIn]) -> BlendView:
    """What is rendered with the recipe that it had stays as it is."""
    return await off_loop(_put, house, name, data)


@delete(
    "/blends/{name:str}",
    summary="Forget a blend",
    tags=["voices"],
    status_code=200,
    responses=documented(403, 404, 409),
)
async def delete_blend(house: House, name: Name) -> BlendGone:
    """Only its name is forgotten: books that have its recipe keep their voice and their audio."""
    await off_loop(_delete, house, name)
    return BlendGone(deleted=name)


def _voices(house: Household) -> Voices:
    voices = [
        VoiceView(id=v.id, name=v.name, language=v.language, speaks=v.speaks.code, gender=v.gender, grade=v.grade)
        for v in VOICES
    ]
    try:
        blends = house.store.blends.all()
    except StoreError as error:  # the voices are there all the same
        log.error("the blends cannot be read: %s", error)
        blends = {}
    return Voices(voices=voices, blends=[blend_view(name, made) for name, made in blends.items()])


def blend_view(name: str, made: Recipe) -> BlendView:
    return BlendView(
        name=name,
        voice=str(made),
        speaks=made.lead.speaks.code,
        shares=[ShareView(voice=one.voice, weight=one.weight) for one in made.shares],
    )


def _put(house: Household, name: str, data: BlendIn) -> BlendView:
    made = mix((one.voice, one.weight) for one in data.shares)
    if data.name is not None and data.name.casefold() != name.casefold():
        _spare(house, name)
    return blend_view(house.store.blends.put(name, made, data.name), made)


def _delete(house: Household, name: str) -> None:
    _spare(house, name)
    house.store.blends.remove(name)


def _spare(house: Household, name: str) -> None:
    """Raise Conflict where new books are to have this blend: the setting would name nobody."""
    if name.casefold() == house.settings.voice.casefold():
        raise Conflict(f"“{name}” is the voice for new books (LECTERN_VOICE): change that setting first.")
