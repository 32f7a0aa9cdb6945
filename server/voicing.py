"""The voices of a book for the HTTP layer: another one beside the one it has, and back again."""

import asyncio
import logging

from server.api.renditions import RenditionGone, RenditionList, RenditionView, SoundIn
from server.events import Hub
from server.library.catalog import Catalog, Shelved
from server.library.languages import spoken
from server.render.choices import Sound
from server.render.counting import put_rows
from server.render.index import SAMPLE_RATE, Engine
from server.render.planner import Planner
from server.render.renditions import Kept, sound_of
from server.render.store import Store
from server.render.voices import require_language

log = logging.getLogger(__name__)

SAMPLES_A_CHARACTER = 1_600  # 15 characters a second, until the book itself has told
KNOWN_CHARACTERS = 500  # so much must be rendered before the book's own pace is trusted


class Voicing:
    """Asks the store, keeps the counters true and tells the house."""

    def __init__(self, store: Store, catalog: Catalog, planner: Planner, hub: Hub, engine: Engine) -> None:
        self._store = store
        self._catalog = catalog
        self._planner = planner
        self._hub = hub
        self._engine = engine

    async def of(self, book: str) -> RenditionList:
        return await asyncio.to_thread(self._of, book)

    async def sound(self, book: str, asked: SoundIn) -> Sound:
        return await asyncio.to_thread(heard, self._store, book, asked)

    async def choose(self, book: str, sound: Sound) -> None:
        """Nothing is rendered meanwhile, so that the listener is served next with what was chosen."""
        if await asyncio.to_thread(self._is_so, book, sound):
            return
        async with self._planner.quiet():
            await asyncio.to_thread(self._turn, book, sound)
        # The same sentences, in other files: whoever holds an index reads it again.
        self._hub.publish("book.changed", id=book)
        self._planner.wake()

    def _is_so(self, book: str, sound: Sound) -> bool:
        """It plays, and no other was chosen that could not be turned to."""
        return sound_of(self._store.rendition(book)) == sound and self._store.choices(book).sound in (None, sound)

    async def delete(self, book: str, rendition: str) -> RenditionGone:
        freed = await asyncio.to_thread(self._remove, book, rendition)
        self._hub.publish("book.changed", id=book)
        return RenditionGone(deleted=rendition, freed_bytes=freed)

    def _remove(self, book: str, rendition: str) -> int:
        freed = self._store.renditions.remove(book, rendition)
        self._catalog.weigh(book, self._store.renditions.beside(book))
        return freed

    def _turn(self, book: str, sound: Sound) -> None:
        record = self._store.renditions.turn_to(book, sound, self._engine)
        put_rows(self._store, self._catalog, record)

    def _of(self, book: str) -> RenditionList:
        item, record = self._catalog.book(book), self._store.book(book)
        kept = self._store.renditions.of(book)
        samples = _speech_samples(item, next((one.record.speed for one in kept if one.plays), 1.0))
        speed = self._planner.speed
        language = spoken(record.read_as or record.language)
        return RenditionList(
            renditions=[rendition_view(one) for one in kept],
            language=language.code if language is not None else "",
            sentences=sum(chapter.sentences for chapter in item.spoken),
            speech_s=samples / SAMPLE_RATE,
            render_s=samples / SAMPLE_RATE / speed if speed else None,
        )


def heard(store: Store, book: str, asked: SoundIn) -> Sound:
    """How a book will sound when `asked` has changed. Raises NotFound, BadRequest."""
    record, playing = store.book(book), sound_of(store.rendition(book))
    voice = str(store.blends.find(asked.voice)) if asked.voice is not None else playing.voice
    require_language(voice, record.read_as or record.language, record.title)
    speed = round(asked.speed, 2) if asked.speed is not None else playing.speed
    return Sound(voice=voice, speed=speed, bitrate=asked.bitrate or playing.bitrate)


def rendition_view(kept: Kept) -> RenditionView:
    return RenditionView(
        id=kept.record.id,
        voice=kept.record.voice,
        speed=kept.record.speed,
        bitrate=kept.record.bitrate,
        plays=kept.plays,
        current=kept.current,
        sentences=kept.rendered,
        audio_s=kept.samples / SAMPLE_RATE,
        audio_bytes=kept.bytes,
        freed_bytes=kept.freed_bytes,
    )


def _speech_samples(item: Shelved, speed: float) -> float:
    """How long all of a book is at speed 1: by what is rendered of it, where that is enough to tell."""
    known = sum(chapter.rendered_characters for chapter in item.spoken)
    samples = sum(chapter.audio_samples for chapter in item.spoken)
    pace = samples * speed / known if known >= KNOWN_CHARACTERS else SAMPLES_A_CHARACTER
    return sum(chapter.characters for chapter in item.spoken) * pace
