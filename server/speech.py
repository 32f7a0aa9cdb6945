"""Speech for other programs: a text said piece by piece, after everybody who listens, and put together to one file."""

import asyncio
import itertools
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from server.api.speech import Format, SpeechBusy
from server.config import Settings
from server.errors import BadRequest
from server.library.sentences import split
from server.render.blends import Blends
from server.render.files import write_atomically
from server.render.index import SAMPLE_RATE
from server.render.messages import PREVIEWS, PreviewRequest
from server.render.planner import Planner
from server.render.wavefile import as_wav

PIECE_CHARS: Final = 300  # about twenty seconds of speech: so long nobody else can be served
WAITING: Final = 8  # programs; more of them are told to come back
# From sound to sound, as between sentences and paragraphs of a book; a piece ends in some silence of its own.
CLAUSE_S: Final = 0.1
SENTENCE_S: Final = 0.35
PARAGRAPH_S: Final = 0.65
# Names that programs know from elsewhere: they get the household's voice.
ELSEWHERE: Final = frozenset("alloy ash ballad cedar coral echo fable marin nova onyx sage shimmer verse".split())
_PARAGRAPH: Final = re.compile(r"\n\s*\n")
_STOP: Final = re.compile(r"[,;:–—]\s")
_SPACE: Final = re.compile(r"\s+")
_SHARE: Final = re.compile(r"([a-z]{2}_[a-z0-9]+)(?:\(([0-9]{1,6}(?:\.[0-9]{0,6})?|\.[0-9]{1,6})\))?")


class Speech:
    """Implements `server.api.speech.Speech`. `planner` owns the render process."""

    def __init__(self, settings: Settings, blends: Blends, planner: Planner) -> None:
        self._settings = settings
        self._blends = blends
        self._planner = planner
        self._folder = settings.data / PREVIEWS
        self._ids = itertools.count(2**40)  # apart from those of previews
        self._one = asyncio.Lock()
        self._waiting = 0

    def hold(self, settings: Settings) -> None:
        """Heed these settings from now on."""
        self._settings = settings

    async def say(self, text: str, voice: str, speed: float, kind: Format) -> bytes:
        """`text` as a sound file. Cancelling it ends it.

        Raises NotFound for an unknown voice, BadRequest, RenderError, SpeechBusy, SetupError.
        """
        recipe = str(self._blends.find(recipe_of(voice, self._settings.voice)))
        pieces = list(pieces_of(text))
        if not pieces:
            raise BadRequest("There is no text to say.")
        if self._waiting >= WAITING:
            raise SpeechBusy("Too many programs wait for the voice; try again in a while.")
        self._waiting += 1
        try:
            async with self._one:
                return await self._said(pieces, recipe, speed, kind)
        except TimeoutError:
            raise SpeechBusy("Somebody listens, and the voice has no time for others just now; try again.") from None
        finally:
            self._waiting -= 1

    async def _said(self, pieces: list[tuple[str, float]], voice: str, speed: float, kind: Format) -> bytes:
        parts: list[bytes] = []
        for text, pause_s in pieces:
            sound = await self._piece(text, voice, speed)
            parts += [sound, bytes(2 * round(pause_s * SAMPLE_RATE))]
        pcm = b"".join(parts[:-1])
        if kind == "pcm":
            return pcm
        if kind == "wav":
            return as_wav(pcm)
        return await self._encoded(pcm, kind)

    async def _piece(self, text: str, voice: str, speed: float) -> bytes:
        name = uuid.uuid4().hex
        order = PreviewRequest(
            id=next(self._ids), text=text, voice=voice, book=None, rules="", inline=False, audio=name, speed=speed,
            form=".pcm",
        )  # fmt: skip
        try:
            await self._planner.asides.speak(order)
            return await asyncio.to_thread(self._file(name, "pcm").read_bytes)
        finally:
            self._file(name, "pcm").unlink(missing_ok=True)

    async def _encoded(self, pcm: bytes, kind: Format) -> bytes:
        source, name = uuid.uuid4().hex, uuid.uuid4().hex
        order = PreviewRequest(
            id=next(self._ids), text="", voice="", book=None, rules="", inline=False, audio=name, form=f".{kind}",
            source=source,
        )  # fmt: skip
        try:
            await asyncio.to_thread(write_atomically, self._file(source, "pcm"), pcm)
            await self._planner.asides.speak(order)
            return await asyncio.to_thread(self._file(name, kind).read_bytes)
        finally:
            for path in (self._file(source, "pcm"), self._file(name, kind)):
                path.unlink(missing_ok=True)

    def _file(self, name: str, kind: str) -> Path:
        return self._folder / f"{name}.{kind}"


def pieces_of(text: str) -> Iterator[tuple[str, float]]:
    """`text` in pieces of at most `PIECE_CHARS`, whole sentences where they are no longer; and the pause after each."""
    for paragraph in _PARAGRAPH.split(text):
        flat = _SPACE.sub(" ", paragraph).strip()
        piece = ""
        for start, end in split(flat):
            sentence = flat[start:end]
            while len(sentence) > PIECE_CHARS:
                if piece:
                    yield piece, SENTENCE_S
                    piece = ""
                at = _cut(sentence)
                yield sentence[:at].strip(), CLAUSE_S
                sentence = sentence[at:].strip()
            if piece and len(piece) + len(sentence) >= PIECE_CHARS:
                yield piece, SENTENCE_S
                piece = ""
            piece = f"{piece} {sentence}".strip()
        if piece:
            yield piece, PARAGRAPH_S


def _cut(sentence: str) -> int:
    """Where one that is too long is cut: after a comma or the like, else between two words."""
    head = sentence[:PIECE_CHARS]
    stops = [match.end() for match in _STOP.finditer(head) if match.end() > PIECE_CHARS // 3]
    return stops[-1] if stops else (head.rfind(" ") + 1 or PIECE_CHARS)


def recipe_of(voice: str, own: str) -> str:
    """A voice as the household names it; other programs write mixes as `af_heart+af_bella` or `af_heart(2)+af_sky`."""
    if voice.lower() in ELSEWHERE or not voice.strip():
        return own
    found = [_SHARE.fullmatch(part.strip()) for part in voice.split("+")]
    if len(found) < 2 or not all(found):
        return voice
    named = [(match[1], float(match[2] or 1)) for match in found if match is not None]
    total = sum(share for _, share in named)
    if total <= 0:
        return voice
    shares = [round(share / total, 3) for _, share in named]
    shares[0] = round(1 - sum(shares[1:]), 3)
    return "+".join(f"{name}*{share}" for (name, _), share in zip(named, shares, strict=True))
