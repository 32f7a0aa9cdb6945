"""A chapter that is as long as one likes, of a few dozen sentences said again and again, and what must be heard of it.

Everything is real but the speech: each sentence is encoded once and its file written as often as it is said.
"""

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar

import av
import numpy as np
from numpy.typing import NDArray

from server.render.aac import Encoded, decode, encode, lay_out, silence_au
from server.render.index import FRAME_SAMPLES, SAMPLE_RATE, ChapterIndex
from server.render.records import BookRecord
from server.render.store import Store
from tests.fakes.synthetic import chapter, keep, put, speech

Samples = NDArray[np.float32]
GAPS = (0, 5, 13, 29, 47)  # access units of silence, in turn


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence and its sound: the samples that were encoded, where the speech lies in them, and the file."""

    text: str
    pcm: Samples
    span: tuple[int, int]
    file: Encoded


def voices(count: int, bitrate: int) -> list[Said]:
    """`count` different sentences of about four seconds, as loud bursts of tone and noise."""
    found = []
    for number in range(count):
        text = " ".join(f"word{number}{'abcdefghij'[n % 10] * (1 + n % 7)}" for n in range(11))
        audio, _ = speech(text)
        found.append(said(text, audio, bitrate))
    return found


def said(text: str, audio: Samples, bitrate: int) -> Said:
    """`audio` [n] as a sentence's file."""
    pcm, start, end = lay_out(audio)
    return Said(text, pcm, (start, end), encode(pcm, bitrate))


def put_long(store: Store, folder: Path, sentences: Sequence[Said], seconds: float, bitrate: int) -> BookRecord:
    """A book in `store` with one chapter of at least `seconds`, said by `sentences` in turn."""
    folder.mkdir(parents=True, exist_ok=True)
    texts, total = list[str](), 0
    while total < seconds * SAMPLE_RATE:
        total += len(_of(sentences, len(texts)).pcm) + _gap(len(texts))
        texts.append(f"{len(texts)}. {_of(sentences, len(texts)).text}")
    record = put(store, folder, [chapter(1, texts)], bitrate=bitrate)
    index = store.chapter(record.id, 1)
    entries = [
        keep(store, index, entry, _of(sentences, n).file, _of(sentences, n).span, _gap(n))
        for n, entry in enumerate(index.sentences)
    ]
    config = sentences[0].file.codec_config
    store.add_audio(record.id, index.rendition, 1, entries, codec_config=config, silence=silence_au(bitrate))
    return record


def heard_alone(sentences: Sequence[Said], index: ChapterIndex) -> Iterator[Samples]:
    """What each file of the chapter decodes to by itself, and zeros for the gap after it."""
    alone = [decode(one.file.data) for one in sentences]
    for n, entry in enumerate(index.sentences):
        yield _of(alone, n)
        yield np.zeros(entry.gap_after_samples or 0, np.float32)


def decoded(data: bytes | BinaryIO) -> Iterator[Samples]:
    """The samples of a stream, block by block as the decoder gives them."""
    with av.open(io.BytesIO(data) if isinstance(data, bytes) else data, "r") as container:
        for frame in container.decode(audio=0):
            yield frame.to_ndarray()[0]


@dataclass(frozen=True, slots=True)
class Compared:
    """How far a stream is from what it should be: samples of each, and the largest difference in dB of full scale."""

    heard: int
    expected: int
    worst_db: float


def compare(heard: Iterable[Samples], expected: Iterable[Samples]) -> Compared:
    """Two streams sample by sample, without holding either: what is late by one sample differs everywhere after."""
    left, right = _Blocks(heard), _Blocks(expected)
    worst = 0.0
    while (length := min(left.ready(), right.ready())) > 0:
        worst = max(worst, float(np.abs(left.take(length) - right.take(length)).max()))
    return Compared(left.rest(), right.rest(), 20 * float(np.log10(max(worst, 1e-12))))


class _Blocks:
    """A stream of samples that is taken in pieces of any length."""

    def __init__(self, blocks: Iterable[Samples]) -> None:
        self._blocks = iter(blocks)
        self._block: Samples = np.zeros(0, np.float32)
        self._taken = 0

    def ready(self) -> int:
        """How many samples can be taken now; 0 at the end."""
        while not len(self._block):
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._block = block
        return len(self._block)

    def take(self, length: int) -> Samples:
        piece, self._block = self._block[:length], self._block[length:]
        self._taken += length
        return piece

    def rest(self) -> int:
        """Take all that is left; gives how many samples there were."""
        while (length := self.ready()) > 0:
            self.take(length)
        return self._taken


T = TypeVar("T")


def _of(some: Sequence[T], number: int) -> T:
    return some[number % len(some)]


def _gap(number: int) -> int:
    return _of(GAPS, number) * FRAME_SAMPLES
