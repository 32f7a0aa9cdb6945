"""Speech is speech: what the renderer made of our own text, listened to by Whisper."""

import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from benchmarks.hearing import pause_before, silence
from benchmarks.own_text import PARAGRAPHS, sentences
from benchmarks.words import Listener, plain, score
from server.render.aac import decode
from server.render.engine import kokoro_engine
from server.render.index import SAMPLE_RATE, SentenceEntry
from server.render.pronouncers import Pronouncers
from server.render.renderer import Renderer
from server.render.store import Store
from server.render.synth import KokoroSynth
from server.setup import check_models
from tests.fakes.books import make_book

pytestmark = [pytest.mark.speech, pytest.mark.timeout(900)]

# What the PyTorch reference got on the same phonemes: benchmarks/transcription.py, steps own, reference and report.
REFERENCE = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "own-text.json"
SPEECH_PEAK = 0.1
ONSET_MS = 30  # goal for the median; benchmarks/alignment.py has the figures over fifty sentences


@pytest.fixture(scope="module")
def entries(tmp_path_factory: pytest.TempPathFactory, models: Path) -> list[tuple[SentenceEntry, np.ndarray]]:
    """Each sentence's entry in the index with its audio, decoded from the file in the store."""
    engine = kokoro_engine(check_models(models).weights_sha256)
    store, book = Store(tmp_path_factory.mktemp("store")), make_book([PARAGRAPHS])
    store.put_book(
        book, source=Path(__file__), voice="af_heart", engine=engine, bitrate=48_000, added=datetime.now(UTC)
    )
    renderer = Renderer(store, KokoroSynth(models, engine, threads=0), Pronouncers())
    while renderer.render(book.id, 1, None, size="usual", begun=lambda *_: None, stop=lambda: False).sentences:
        pass
    index = store.chapter(book.id, 1)
    assert index.complete and not any(entry.failed for entry in index.sentences)
    return [(entry, decode(store.sentence_path(book.id, 1, entry.id).read_bytes())) for entry in index.sentences]


@pytest.fixture(scope="module")
def rendered(entries: list[tuple[SentenceEntry, np.ndarray]]) -> list[tuple[str, np.ndarray]]:
    return [(entry.text, audio) for entry, audio in entries]


def test_it_is_understood_as_well_as_the_reference(rendered: list[tuple[str, np.ndarray]]) -> None:
    listener, left = Listener(), list(rendered)
    said, heard = [], []
    for paragraph in PARAGRAPHS:
        mine, left = left[: len(sentences(paragraph))], left[len(sentences(paragraph)) :]
        said.append(" ".join(text for text, _ in mine))
        heard.append(listener.hear(np.concatenate([audio for _, audio in mine])))
    found, reference = score(said, heard), json.loads(REFERENCE.read_text())["reference"]
    # One point more, and not less than the one word that a point is on a text this short.
    allowed = reference["errors"] + max(1, found.words // 100)
    assert found.errors <= allowed, list(zip(said, heard, strict=True))
    # A listener forgives much, but not a lost "not".
    for wanted, got in zip(map(plain, said), map(plain, heard), strict=True):
        for word in ("didnt", "couldnt", "not", "nobody"):
            assert wanted.split().count(word) == got.split().count(word), (wanted, got)


def test_sentences_are_neither_silent_nor_clipped_nor_drawn_out(rendered: list[tuple[str, np.ndarray]]) -> None:
    for text, audio in rendered:
        assert np.isfinite(audio).all()
        assert SPEECH_PEAK < np.abs(audio).max() < 1.0, text
        letters_a_second = len(text) / (len(audio) / 24_000)
        assert letters_a_second > 4, text  # 0.6 s a word and slower would be repeats or noise


def test_words_are_lit_when_they_are_heard(entries: list[tuple[SentenceEntry, np.ndarray]]) -> None:
    """Words after a pause, the first of each sentence among them: the index against where the sound sets in."""
    off_ms = []
    for entry, audio in entries:
        words, silent = entry.words or (), silence(audio)
        for before, word in zip((None, *words), words, strict=False):
            between = entry.text[before.char_end if before else 0 : word.char_start]
            if before and not set(between) & set(",.;:!?—…"):
                continue
            pause = pause_before(silent, before.start if before else 0, word.start + SAMPLE_RATE // 20)
            if pause:
                off_ms.append((word.start - pause[1]) * 1_000 / SAMPLE_RATE)
    assert len(off_ms) >= len(entries)
    assert np.median(np.abs(off_ms)) <= ONSET_MS, sorted(off_ms)
    assert abs(np.median(off_ms)) <= ONSET_MS / 2, sorted(off_ms)
