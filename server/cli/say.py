"""`lectern say`: a text as sound, or as what would be said."""

import argparse
import json
import sys

from server.cli.console import Console
from server.cli.exits import OK
from server.cli.playing import play, player
from server.config import Settings, path_of
from server.errors import BadRequest, NotFound


def say(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    """Play the text, write it to a file, or print how it is read."""
    from server.aloud import check_target, read_aloud, save, utter

    text = _text(arguments.text)
    out = path_of(arguments.out) if arguments.out is not None else None
    if out is not None:
        check_target(out)
    elif not arguments.json:
        player()  # better said now than after the model is loaded
    reading = read_aloud(settings, text, voice=arguments.voice, book=arguments.book, inline=arguments.inline)
    uttered = []
    if out is not None:
        uttered = list(utter(settings, reading, speed=arguments.speed))
        save(out, uttered, settings.bitrate)
    if arguments.json:
        for sentence in reading.objects(uttered):
            console.say(json.dumps(sentence, ensure_ascii=False))
    elif out is None:
        play(utter(settings, reading, speed=arguments.speed))
    return OK


def _text(given: list[str]) -> str:
    if given == ["-"]:
        try:
            text = sys.stdin.buffer.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise BadRequest(f"The text on standard input is not UTF-8 (byte {error.start}).") from error
    else:
        text = " ".join(given)
    if not text.strip():
        raise NotFound("There is no text to say.")
    return text
