"""Keeps the machine from falling asleep while there is something to render. Only macOS needs that asked."""

import asyncio
import contextlib
import logging
import sys
from typing import Final

log = logging.getLogger(__name__)

# -i: no idle sleep; the display may. -w PID, which follows: until that process ends, however it and the daemon end.
CAFFEINATE: Final = ("caffeinate", "-i", "-w")
END_S: Final = 2.0


class Awake:
    """Runs one command that keeps the machine awake, while a process works; None runs none."""

    def __init__(self, command: tuple[str, ...] | None = CAFFEINATE if sys.platform == "darwin" else None) -> None:
        self._command = command
        self._process: asyncio.subprocess.Process | None = None
        self._for: int | None = None

    async def hold(self, pid: int | None) -> None:
        """Keep the machine awake until `release`, or until process `pid` ends. Never raises: it is a convenience."""
        if self._command is None or pid is None:
            return
        if self._process is not None and self._process.returncode is None and self._for == pid:
            return
        await self.release()
        nowhere = asyncio.subprocess.DEVNULL
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command, str(pid), stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True
            )
            self._for = pid
        except OSError as error:
            log.warning("%s cannot be run (%s): the machine may fall asleep", self._command[0], error.strerror)
            self._command = None

    async def release(self) -> None:
        """Let the machine sleep."""
        process, self._process = self._process, None
        if process is None or process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        try:
            async with asyncio.timeout(END_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
