"""Books and stores whose speech is bursts of tone and noise: everything is real but the voice."""

import hashlib
import re
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from server.library.model import BlockKind, Book, Chapter, Sentence, Silence
from server.render.aac import Encoded, encode, lay_out, silence_au
from server.render.index import SAMPLE_RATE, ChapterIndex, Engine, SentenceEntry, Word
from server.render.layout import sentence_file
from server.render.pauses import boundary, gap_samples
from server.render.records import BookRecord
from server.render.store import Store

Samples = NDArray[np.float32]

ENGINE = Engine(name="synthetic", version="1", weights="0000")
TEXTS = (
    "The Gate",
    "“Go on, 😀 go!”",
    "Nobody moved, and nobody said why.",
    "Cafe\u0301 — 𝔄lpha?",
    "She waited.",
    "No.",
    "The rain came over the hill and did not stop before the evening.",
)


def sentence(text: str, number: int = 1, *, block: int = 0, kind: BlockKind = "paragraph") -> Sentence:
    """A sentence alone in its block."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return Sentence(
        f"{digest}-{number}", text, block, kind, "OEBPS/c.xhtml", f"/html/body/p[{block + 1}]", 0, len(text)
    )


def chapter(number: int, texts: Sequence[str] = TEXTS, *, enabled: bool = True) -> Chapter:
    """A heading and then two sentences a paragraph, with a scene break before the last block."""
    sentences: list[Sentence] = []
    for ordinal, text in enumerate(texts):
        repeat = 1 + sum(one.text == text for one in sentences)
        block = 0 if ordinal == 0 else 1 + (ordinal - 1) // 2 + (ordinal == len(texts) - 1)
        sentences.append(sentence(text, repeat, block=block, kind="heading" if ordinal == 0 else "paragraph"))
    breaks = (sentences[-1].block - 1,) if len(texts) > 2 else ()
    rule = None if enabled else "toc"
    silences = (Silence("note-mark", number, "*" * number, "c.xhtml", 0),)
    return Chapter(number, f"Chapter {number}", enabled, rule, tuple(sentences), breaks, silences)


def book(path: Path, chapters: Sequence[Chapter] | None = None) -> Book:
    """A book whose file is written at `path`."""
    path.write_bytes(b"an EPUB, as far as the store can tell")
    return Book(
        id=hashlib.sha256(path.read_bytes()).hexdigest()[:16],
        title="A Short Walk",
        subtitle=None,
        authors=("An Author",),
        language="en",
        chapters=tuple(chapters or (chapter(1, TEXTS[:2], enabled=False), chapter(2), chapter(3, TEXTS[::-1]))),
        cover=b"\xff\xd8not really",
        cover_type="image/jpeg",
        warnings=(),
        identifiers=("urn:isbn:9780000000002",),
    )


def put(store: Store, folder: Path, chapters: Sequence[Chapter] | None = None, *, bitrate: int = 48_000) -> BookRecord:
    """A book in `store`, without audio."""
    source = folder / "walk.epub"
    return store.put_book(
        book(source, chapters),
        source=source,
        voice="af_heart",
        engine=ENGINE,
        bitrate=bitrate,
        added=datetime(2026, 7, 1, 8, 30, tzinfo=UTC),
    )


def speech(text: str) -> tuple[Samples, list[tuple[int, int]]]:
    """Loud bursts of a voice-like tone with noise, one a word of `text`, and the samples of each."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
    random = np.random.default_rng(seed)
    blocks, spans, at = [], [], 0
    for word in re.findall(r"\w+", text):
        length = int(random.integers(1_500, 2_000)) + 700 * len(word)
        time = np.arange(length) / SAMPLE_RATE
        tone = sum(np.sin(2 * np.pi * k * random.uniform(110, 220) * time) / k for k in range(1, 6))
        burst = 0.2 * tone * np.sin(np.pi * np.arange(length) / length) + 0.02 * random.standard_normal(length)
        pause = np.zeros(int(random.integers(0, 1_200)))
        blocks += [burst, pause]
        spans.append((at, at + length))
        at += length + len(pause)
    return np.concatenate([*blocks, np.zeros(10)]).astype(np.float32), spans


def render(store: Store, record: BookRecord, number: int, ids: Collection[str] | None = None) -> ChapterIndex:
    """Give sentences of a chapter (None: all) their audio, with the real encoder."""
    index = store.chapter(record.id, number)
    entries = []
    for position, entry in enumerate(index.sentences):
        if ids is None or entry.id in ids:
            after = index.sentences[position + 1] if position + 1 < len(index.sentences) else None
            entries.append(_rendered(store, index, entry, after))
    config = encode(np.zeros(1_024, np.float32), 48_000).codec_config
    return store.add_audio(record.id, index.rendition, number, entries, codec_config=config, silence=silence_au(48_000))


def _rendered(store: Store, index: ChapterIndex, entry: SentenceEntry, after: SentenceEntry | None) -> SentenceEntry:
    audio, spans = speech(entry.text)
    pcm, start, end = lay_out(audio)
    words = tuple(
        Word(start=start + a, end=start + b, char_start=found.start(), char_end=found.end())
        for (a, b), found in zip(spans, re.finditer(r"\w+", entry.text), strict=True)
    )
    gap = gap_samples(boundary(entry, after, index.breaks), len(pcm) - end)
    return keep(store, index, entry, encode(pcm, 48_000), (start, end), gap, words)


def keep(
    store: Store,
    index: ChapterIndex,
    entry: SentenceEntry,
    made: Encoded,
    span: tuple[int, int],
    gap: int,
    words: tuple[Word, ...] = (),
    take: str = "",
) -> SentenceEntry:
    """Write a sentence's file, whose speech lies at `span`; give its entry."""
    store.write_sentence(index.book, index.rendition, index.chapter, entry.id, made.data, take=take)
    return SentenceEntry(
        **entry.without_audio().model_dump(exclude_none=True),
        file=sentence_file(index.chapter, entry.id, take),
        sha256=hashlib.sha256(made.data).hexdigest(),
        bytes=len(made.data),
        samples=(len(made.au_sizes) - 1) * 1_024,
        speech_start=span[0],
        speech_end=span[1],
        gap_after_samples=gap,
        data_offset=made.data_offset,
        au_sizes=tuple(made.au_sizes),
        words=words,
        gate=(),
        provenance=hashlib.sha256(entry.text.encode()).hexdigest()[:16],
        seed=0,
    )
