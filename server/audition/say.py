"""The system voices of macOS, through its command `say`: no times for words, no pronunciations, a Mac only."""

import asyncio
import contextlib
import io
import re
import shutil
import sys
import tempfile
import wave
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from server.audition.contract import SAMPLE_RATE, Declared, EngineVoice, Said
from server.errors import NotFound, RenderError

COMMAND: Final = "/usr/bin/say"
PATIENCE_S: Final = 60.0  # a voice that was chosen in the system's settings may be fetched first
_VOICE: Final = re.compile(r"^(?P<name>\S.*?)\s+(?P<language>[a-z]{2,3}[-_][A-Za-z0-9_]+)\s+#", re.MULTILINE)
_ORDER: Final = re.compile(r"\[(?=\[)")  # [[rate 300]] is an order to `say`; the text of a book gives none


class SayEngine:
    """Implements `server.audition.contract.Engine`."""

    declared = Declared(id="say", name="macOS system voices", word_times=False, pronunciation=False)

    def __init__(self, command: str = COMMAND, platform: str = sys.platform) -> None:
        self._command = command
        self._platform = platform
        self._voices: tuple[EngineVoice, ...] = ()

    def trouble(self) -> str | None:
        """Why it cannot be used here."""
        if self._platform != "darwin":
            return "The system voices of macOS can be heard only where Lectern runs on a Mac."
        if shutil.which(self._command) is None:
            return f"The command {self._command}, which macOS comes with, is not there."
        return None

    async def voices(self) -> Sequence[EngineVoice]:
        """Those that are installed. Raises RenderError."""
        if not self._voices:
            listed = (await self._run("-v", "?")).decode("utf-8", "replace")
            self._voices = tuple(
                EngineVoice(id=found["name"], name=found["name"], language=found["language"].replace("_", "-"))
                for found in _VOICE.finditer(listed)
            )
        return self._voices

    async def say(self, sentence: str, voice: str) -> Said:
        """One sentence. Raises NotFound for a voice that is not installed, RenderError."""
        if voice not in {one.id for one in await self.voices()}:
            raise NotFound(f"This Mac has no voice {voice!r}: System Settings, Accessibility, Spoken Content has more.")
        with tempfile.TemporaryDirectory(prefix="lectern-say-") as folder:
            file = Path(folder, "said.wav")
            form = ("--file-format=WAVE", f"--data-format=LEI16@{SAMPLE_RATE}")
            # The text goes in by standard input: as an argument it could look like an option.
            await self._run("-v", voice, "-o", str(file), *form, "-f", "-", told=_ORDER.sub("[ ", sentence))
            return Said(await asyncio.to_thread(read_wav, file))

    async def _run(self, *arguments: str, told: str = "") -> bytes:
        if (why := self.trouble()) is not None:
            raise RenderError(why)
        try:
            process = await asyncio.create_subprocess_exec(
                self._command,
                *arguments,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )
        except OSError as error:
            raise RenderError(f"{self._command} cannot be started ({error.strerror}).") from error
        try:
            async with asyncio.timeout(PATIENCE_S):
                out, _ = await process.communicate(told.encode())
        except TimeoutError:
            raise RenderError(f"The system voice said nothing for {PATIENCE_S:.0f} seconds; try another.") from None
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if process.returncode:
            raise RenderError("The system voice could not say this; try another voice, or another text.")
        return out


def read_wav(path: Path) -> bytes:
    """The samples of a WAV file of 16 bits, one channel, 24 kHz. Raises RenderError for any other."""
    try:
        with wave.open(io.BytesIO(path.read_bytes())) as file:
            if (file.getnchannels(), file.getsampwidth(), file.getframerate()) != (1, 2, SAMPLE_RATE):
                raise RenderError("The engine gave sound of another form than it was asked for.")
            samples: bytes = file.readframes(file.getnframes())
            return samples
    except (OSError, EOFError, wave.Error) as error:
        raise RenderError("The engine gave no sound that can be played.") from error
