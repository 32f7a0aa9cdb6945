"""The house at a glance: status, queue, the doctor's findings."""

from litestar import get

from server.api.common import Call, House
from server.api.identity import identity
from server.api.problems import documented
from server.api.reports import Checks, Queue, Status


@get("/status", summary="Status", tags=["house"], responses=documented())
async def get_status(request: Call, house: House) -> Status:
    """What a listener gets names no folder, and nothing that only the owner can mend."""
    status = await house.status()
    return status if identity(request).role == "owner" else for_listener(status)


def for_listener(status: Status) -> Status:
    """The same without sentences that may name folders of this machine."""
    worker = status.worker.model_copy(update={"detail": None, "warning": None})
    nothing = dict.fromkeys(("space", "notice", "polled"))
    return status.model_copy(update={**nothing, "library": "", "data": "", "importing": [], "worker": worker})


@get("/queue", summary="What is rendered next", tags=["house"], responses=documented())
async def get_queue(house: House) -> Queue:
    return await house.queue()


@get("/doctor", summary="What is missing and how to mend it", tags=["house"], responses=documented())
async def get_doctor(house: House) -> Checks:
    return Checks(checks=await house.doctor())
