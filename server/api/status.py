"""The house at a glance: status, queue, voices, the doctor's findings."""

from litestar import get

from server.api.common import House
from server.api.problems import documented
from server.api.reports import Checks, Queue, Status, Voices, VoiceView
from server.render.voices import VOICES


@get("/status", summary="Status", tags=["house"], responses=documented())
async def get_status(house: House) -> Status:
    return await house.status()


@get("/queue", summary="What is rendered next", tags=["house"], responses=documented())
async def get_queue(house: House) -> Queue:
    return await house.queue()


@get("/voices", summary="The voices there are", tags=["house"], responses=documented())
async def get_voices() -> Voices:
    views = [VoiceView(id=v.id, name=v.name, language=v.language, gender=v.gender, grade=v.grade) for v in VOICES]
    return Voices(voices=views)


@get("/doctor", summary="What is missing and how to mend it", tags=["house"], responses=documented())
async def get_doctor(house: House) -> Checks:
    return Checks(checks=await house.doctor())
