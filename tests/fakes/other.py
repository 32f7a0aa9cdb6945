"""A store as another renderer would make it, with Apple's encoder: nothing in it fits access units.

Files begin with 2,112 samples of priming, hidden by their edit list, and end where the speech does; there are no zeros
at their ends, boxes that nobody asked for lie around, and there is no `silence`.
"""

import hashlib
import re
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from server.render.aac import encode
from server.render.index import ChapterIndex, SentenceEntry, Word
from server.render.layout import sentence_file
from server.render.records import BookRecord
from server.render.store import Store
from tests.fakes.synthetic import chapter, put, speech

PRIMING = 2_112
TEXTS = ("The Pond", "“Frogs, 🐸 frogs!”", "Nobody had counted them before the thaw.", "Then it froze again.")
GAPS = (9_001, 4_800, 12_345, 0)


@dataclass(frozen=True, slots=True)
class Loose:
    """A file, where its access units lie, and the samples that were encoded."""

    data: bytes
    offset: int
    sizes: list[int]
    config: bytes
    pcm: NDArray[np.float32]


def loose_file(pcm: NDArray[np.float32], bitrate: int = 48_000) -> Loose:
    """`pcm` [n], n any number, behind 2,112 samples of priming: the encoder's own 1,024 and as many zeros as lack."""
    shifted = np.concatenate([np.zeros(PRIMING - 1_024, np.float32), pcm])
    made = encode(np.pad(shifted, (0, -len(shifted) % 1_024)), bitrate)
    data = bytearray(made.data)
    edit = data.index(b"elst") + 12
    struct.pack_into(">Ii", data, edit, len(pcm), PRIMING)
    boxed, free = data.index(b"mdat") - 4, struct.pack(">I4s", 61, b"free") + bytes(53)
    chunk = data.index(b"stco") + 12
    struct.pack_into(">I", data, chunk, struct.unpack_from(">I", data, chunk)[0] + len(free))
    whole = bytes(data[:boxed]) + free + bytes(data[boxed:]) + free
    return Loose(whole, made.data_offset + len(free), made.au_sizes, made.codec_config, pcm)


def put_other(store: Store, folder: Path) -> tuple[BookRecord, dict[str, Loose]]:
    """A book with one chapter that another renderer has rendered, and its files by the ids of their sentences."""
    record = put(store, folder, [chapter(1, TEXTS)])
    return record, put_audio(store, record, 1)


def put_audio(store: Store, record: BookRecord, number: int) -> dict[str, Loose]:
    """Another renderer's audio for a chapter with `TEXTS`; gives its files by the ids of their sentences."""
    index = store.chapter(record.id, number)
    made: dict[str, Loose] = {}
    entries = []
    for entry, gap in zip(index.sentences, GAPS, strict=True):
        audio, spans = speech(entry.text)
        made[entry.id] = file = loose_file(audio[: len(audio) - len(audio) % 1_024 + 500 + 7 * len(made)])
        store.write_sentence(record.id, index.rendition, number, entry.id, file.data)
        entries.append(_entry(index, entry, file, spans, gap))
    config = next(iter(made.values())).config.hex()
    store.save_chapter(
        index.model_copy(update={"priming": PRIMING, "codec_config": config, "sentences": tuple(entries)})
    )
    return made


def _entry(
    index: ChapterIndex, entry: SentenceEntry, file: Loose, spans: list[tuple[int, int]], gap: int
) -> SentenceEntry:
    samples = len(file.pcm)
    words = tuple(
        Word(start=min(a, samples), end=min(b, samples), char_start=found.start(), char_end=found.end())
        for (a, b), found in zip(spans, re.finditer(r"\w+", entry.text), strict=True)
    )
    return SentenceEntry(
        **entry.without_audio().model_dump(exclude_none=True),
        file=sentence_file(index.chapter, entry.id),
        sha256=hashlib.sha256(file.data).hexdigest(),
        bytes=len(file.data),
        samples=samples,
        speech_start=0,
        speech_end=samples,
        gap_after_samples=gap,
        data_offset=file.offset,
        au_sizes=tuple(file.sizes),
        words=words,
        gate=(),
        provenance="0" * 16,
        seed=0,
    )
