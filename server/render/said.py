"""How the sentences of a book are to be said now, and which of those rendered were said otherwise."""

import hashlib
import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from server.render.announced import announcement
from server.render.index import SentenceEntry
from server.render.pronounce.overrides import Override
from server.render.pronouncers import Pronouncer
from server.render.records import RenditionRecord
from server.render.store import Store
from server.render.voices import voice as find_voice

_BATCH = 256  # sentences


class Asked(NamedTuple):
    """All that decides a sentence's phonemes, but for the voice that says them."""

    text: str
    heading: bool
    otherwise: tuple[Override, ...]


def asked(store: Store, book: str, entries: Sequence[SentenceEntry], voice: str) -> list[Asked]:
    """What a pronouncer of `voice` is asked for each sentence, by the rules as they are now. Raises NotFound."""
    rules = store.lexicon.of_book(store.book(book))
    speaker = find_voice(voice)
    overrides = partial(rules.overrides, british=speaker.british, only_text=not speaker.english)
    return [
        Asked(
            entry.text,
            entry.block == "heading",
            announcement(entry, speaker.speaks.code) or tuple(overrides(entry.text)),
        )
        for entry in entries
    ]


def provenance(phonemes: str, rendition: RenditionRecord) -> str:
    """A hash of all that decides a sentence's sound: what is said, by which voice, how fast, by which engine."""
    said = [phonemes, rendition.voice, rendition.speed, rendition.engine.model_dump(), rendition.bitrate]
    return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode()).hexdigest()[:32]


def stale(
    store: Store,
    book: str,
    pronouncer: Pronouncer,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
    name: str | None = None,
) -> dict[int, set[str]]:
    """Sentences, by chapter, that would be said otherwise than they are rendered; a novel takes a quarter of a minute.

    Of the rendition that plays, or of the one called `name`, which has the same text. `progress` is told how many are
    looked at, of how many. Raises NotFound, StoreError.
    """
    record, rendition = store.book(book), store.rendition(book, name)
    rendered = [
        (chapter.number, entry)
        for chapter in record.chapters
        if chapter.enabled
        for entry in store.chapter(book, chapter.number, rendition.id).sentences
        if entry.rendered
    ]
    found: dict[int, set[str]] = {}
    for at in range(0, len(rendered), _BATCH):
        batch = rendered[at : at + _BATCH]
        wanted = asked(store, book, [entry for _, entry in batch], rendition.voice)
        texts, headings, otherwise = zip(*wanted, strict=True)
        said = pronouncer.sentences(texts, headings, otherwise)
        for (number, entry), spoken in zip(batch, said, strict=True):
            if provenance(spoken.phonemes, rendition) != entry.provenance:
                found.setdefault(number, set()).add(entry.id)
        progress(at + len(batch), len(rendered))
    return found
