"""The whole daemon on a port, with tones for a voice: only the engine and the watcher of the folder are left out.

`python -m tests.browser.daemon` takes its settings from the environment as the real one does. With
`LECTERN_TEST_PATIENCE_S` a render process that says nothing for so long hangs; with `LECTERN_TEST_WEB` the pages come
from that folder; with `LECTERN_TEST_SAY` it is a Mac whose command `say` is that one.
"""

import asyncio
import contextlib
import os
import sys
from pathlib import Path

from server.api import create_app
from server.api.listener import Listener, open_sockets
from server.api.web import WEB
from server.audition.say import SayEngine
from server.audition.stage import Audition
from server.config import load_settings
from server.house import House
from server.render import supervisor
from server.searching import Indexer
from tests.fakes.synth import ENGINE


async def serve(house: House) -> None:
    app = create_app(house, web_folder=Path(os.environ.get("LECTERN_TEST_WEB", WEB)))
    listener = Listener(app, house.hub, open_sockets(house.settings))
    tasks = [
        asyncio.create_task(house.planner.run()),
        asyncio.create_task(Indexer(house.store, house.search, house.hub).run()),
    ]
    await listener.run(on_started=lambda: print("ready", flush=True))
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def main() -> None:
    settings = load_settings()
    if "LECTERN_TEST_PATIENCE_S" in os.environ:
        setattr(supervisor, "PASS_S", float(os.environ["LECTERN_TEST_PATIENCE_S"]))  # noqa: B010
    for folder in (settings.data, settings.library):
        folder.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(House(settings, ENGINE)) as house:
        if "LECTERN_TEST_SAY" in os.environ:
            house.audition = Audition(settings.data, [SayEngine(os.environ["LECTERN_TEST_SAY"], "darwin")])
        house.supervisor.command = (sys.executable, "-m", "tests.fakes.worker")
        asyncio.run(serve(house))


if __name__ == "__main__":
    main()
