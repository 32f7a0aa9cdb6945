"""Sound from the command line, through whatever player the system has."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from server.errors import LecternError
from server.render.recital import Uttered
from server.render.soundfile import sound_file

PLAYERS: Sequence[tuple[str, ...]] = (
    ("afplay",),
    ("pw-play",),
    ("paplay",),
    ("aplay", "-q"),
    ("ffplay", "-nodisp", "-autoexit", "-loglevel", "quiet"),
)


def player() -> tuple[str, ...]:
    """The command that plays a sound file here. Raises LecternError when there is none."""
    for command in PLAYERS:
        if shutil.which(command[0]):
            return command
    remedy = "Write" if sys.platform == "darwin" else "Install ffmpeg, or write"
    raise LecternError(f"Nothing here can play sound. {remedy} it to a file with --out FILE.wav.")


def play(uttered: Iterator[Uttered]) -> list[Uttered]:
    """Play each sentence while the next is made; gives them all. Raises LecternError where it cannot be played."""
    command = player()
    done: list[Uttered] = []
    playing: subprocess.Popen[bytes] | None = None
    with tempfile.TemporaryDirectory(prefix="lectern-say-") as folder:
        try:
            for one in uttered:
                path = Path(folder) / f"{one.line}.wav"
                path.write_bytes(sound_file(one.audio, ".wav", 0))
                _wait(playing, command)
                playing = subprocess.Popen([*command, str(path)], stdin=subprocess.DEVNULL)
                done.append(one)
            _wait(playing, command)
        finally:
            if playing is not None and playing.poll() is None:
                playing.kill()
                playing.wait()
    return done


def _wait(playing: "subprocess.Popen[bytes] | None", command: Sequence[str]) -> None:
    if playing is not None and playing.wait() != 0:
        raise LecternError(f"{command[0]} could not play the sound. Write it to a file with --out FILE.wav.")
