"""The whole daemon on a port, with tones for a voice: only the engine and the watcher of the folder are left out.

`python -m tests.browser.daemon` takes its settings from the environment as the real one does.
"""

import asyncio
import contextlib
import sys

from server.api import create_app
from server.api.listener import Listener, open_sockets
from server.config import load_settings
from server.house import House
from tests.fakes.synth import ENGINE


async def serve(house: House) -> None:
    listener = Listener(create_app(house), house.hub, open_sockets(house.settings))
    planner = asyncio.create_task(house.planner.run())
    await listener.run(on_started=lambda: print("ready", flush=True))
    planner.cancel()
    await asyncio.gather(planner, return_exceptions=True)


def main() -> None:
    settings = load_settings()
    for folder in (settings.data, settings.library):
        folder.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(House(settings, ENGINE)) as house:
        house.supervisor.command = (sys.executable, "-m", "tests.fakes.worker")
        asyncio.run(serve(house))


if __name__ == "__main__":
    main()
