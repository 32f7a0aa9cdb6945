"""Previews for the HTTP layer: a text read and said by the render process, between two passes."""

import itertools
import uuid

from server.api.previews import Preview, PreviewIn, Sentence, preview_url
from server.config import Settings
from server.errors import BadRequest
from server.render.index import SAMPLE_RATE
from server.render.messages import PreviewRequest
from server.render.planner import Planner
from server.render.store import Store


class Previews:
    """Asks the render process, through the planner that owns it."""

    def __init__(self, settings: Settings, store: Store, planner: Planner) -> None:
        self._settings = settings
        self._store = store
        self._planner = planner
        self._ids = itertools.count(1)

    def hold(self, settings: Settings) -> None:
        """Heed these settings from now on."""
        self._settings = settings

    async def make(self, asked: PreviewIn) -> Preview:
        """Read `asked.text`, and say it if that is wanted.

        Raises NotFound for a book or voice that is not there, BadRequest for a text that cannot be understood,
        RenderError, WorkerLost.
        """
        record = self._store.book(asked.book) if asked.book is not None else None
        named = asked.voice or (record.voice if record is not None else self._settings.voice)
        voice = str(self._store.blends.find(named))
        if not asked.text.strip():
            raise BadRequest("There is no text to say.")
        name = uuid.uuid4().hex if asked.audio else None
        done = await self._planner.asides.preview(
            PreviewRequest(
                id=next(self._ids),
                text=asked.text,
                voice=voice,
                book=asked.book,
                rules=asked.rules,
                inline=asked.inline,
                audio=name,
                speed=asked.speed or self._speed(asked),
            )
        )
        return Preview(
            voice=voice,
            sentences=[Sentence(**line) for line in done.lines],
            problems=list(done.problems),
            audio=preview_url(name) if name is not None else None,
            audio_s=done.audio_samples / SAMPLE_RATE,
        )

    def _speed(self, asked: PreviewIn) -> float:
        """As the book is read, where that is what is asked for."""
        return self._store.rendition(asked.book).speed if asked.book is not None and asked.voice is None else 1.0
