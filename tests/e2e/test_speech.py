"""Speech is speech: what the renderer made of our own text, listened to by Whisper."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from benchmarks.words import Listener, plain, score
from server.render.aac import decode
from server.render.engine import kokoro_engine
from server.render.g2p import G2P
from server.render.renderer import Renderer
from server.render.store import Store
from server.render.synth import KokoroSynth
from server.setup import check_models
from tests.fakes.books import make_book

pytestmark = [pytest.mark.speech, pytest.mark.timeout(900)]

# The reference (kokoro 0.9.4 in PyTorch, same weights, voice and phonemes) makes as many errors on this text as
# benchmarks/results/own-text.json says; the port may make one in a hundred words more.
TEXT = [
    "The ferry left at seven in the morning, and nobody on the quay waved. | “You didn’t wait,” said the old captain. "
    "| “No,” she answered. | “I couldn’t.”",
    "There were twelve boxes in the cellar, each of them locked. | Only the third one had a key, and it was not the "
    "key that anybody expected.",
    "It rained for nineteen days. | On the twentieth the river came over the wall, quietly, like a guest who does not "
    "want to wake the house.",
]
SPEECH_PEAK = 0.1


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory, models: Path) -> list[tuple[str, np.ndarray]]:
    """Each sentence with its audio, decoded from the file in the store."""
    engine = kokoro_engine(check_models(models).weights_sha256)
    store, book = Store(tmp_path_factory.mktemp("store")), make_book([TEXT])
    store.put_book(
        book, source=Path(__file__), voice="af_heart", engine=engine, bitrate=48_000, added=datetime.now(UTC)
    )
    renderer = Renderer(store, KokoroSynth(models, engine, threads=0), G2P)
    while renderer.render(book.id, 1, None, size="usual", begun=lambda *_: None, stop=lambda: False).sentences:
        pass
    index = store.chapter(book.id, 1)
    assert index.complete and not any(entry.failed for entry in index.sentences)
    return [(entry.text, decode(store.sentence_path(book.id, 1, entry.id).read_bytes())) for entry in index.sentences]


def test_every_sentence_is_understood(rendered: list[tuple[str, np.ndarray]]) -> None:
    listener = Listener()
    said = [text for text, _ in rendered]
    heard = [listener.hear(audio) for _, audio in rendered]
    found = score(said, heard)
    assert found.rate <= 0.05, list(zip(said, heard, strict=True))
    # A listener forgives much, but not a lost "not".
    for wanted, got in zip(map(plain, said), map(plain, heard), strict=True):
        for word in ("didnt", "couldnt", "not", "nobody", "no"):
            assert wanted.split().count(word) <= got.split().count(word) + (word == "no"), (wanted, got)


def test_sentences_are_neither_silent_nor_clipped_nor_drawn_out(rendered: list[tuple[str, np.ndarray]]) -> None:
    for text, audio in rendered:
        assert np.isfinite(audio).all()
        assert SPEECH_PEAK < np.abs(audio).max() < 1.0, text
        letters_a_second = len(text) / (len(audio) / 24_000)
        assert letters_a_second > 4, text  # 0.6 s a word and slower would be repeats or noise
