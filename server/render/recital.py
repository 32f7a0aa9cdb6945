"""A text said once: read in sentences, and performed with the pauses of a book, without a store.

What a chapter's renderer does for good, for the ear and for scripts: `lectern say` and previews.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from server.library.languages import ENGLISH
from server.library.model import BlockKind
from server.library.sentences import split
from server.render import gate
from server.render.aac import lay_out
from server.render.engine import Synthesizer
from server.render.grouping import SHORT_BLOCK
from server.render.passes import Pass, plan
from server.render.pauses import boundary, gap_samples
from server.render.pronounce.overrides import Override
from server.render.pronounce.words import Phonemes
from server.render.takes import take
from server.render.timing import Part, join_pieces

_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_SPACE = re.compile(r"\s+")

Samples = NDArray[np.float32]
Overrides = Callable[[str], Sequence[Override]]
Inline = Callable[[str], tuple[str, list[Override]]]


class Pronouncer(Protocol):
    """Text to phonemes, as `server.render.g2p.G2P` does it."""

    def sentences(
        self, texts: Sequence[str], headings: Sequence[bool], overrides: Sequence[Sequence[Override]] | None = None
    ) -> list[Phonemes]: ...


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence: what stands there, what is said, and in which passes (from 0; none for silence)."""

    text: str
    block_index: int
    said: Phonemes
    passes: tuple[int, ...] = ()
    block: BlockKind = "paragraph"


@dataclass(frozen=True, slots=True)
class Uttered:
    """A sentence as sound: float32 [n] with the pause after it, and the samples [start, end) of each word in it."""

    line: int
    audio: Samples
    words: tuple[tuple[int, int], ...]


def read(
    text: str,
    pronouncer: Pronouncer,
    overrides: Overrides = lambda _text: (),
    inline: Inline | None = None,
    language: str = ENGLISH,
) -> list[Line]:
    """The sentences of `text`, whose paragraphs are parted by empty lines; any other white space is a space.

    `overrides` are asked of each sentence; `inline` takes forms such as [word](/phonemes/) out of a paragraph and
    says what they ask for, which goes before all.
    """
    found: list[tuple[int, str]] = []
    asked: list[list[Override]] = []
    for number, paragraph in enumerate(_PARAGRAPH.split(text.strip())):
        flat = _SPACE.sub(" ", paragraph).strip()
        flat, own = inline(flat) if inline is not None else (flat, [])
        for start, end in split(flat, language=language):
            found.append((number, flat[start:end]))
            asked.append(_merged(_within(own, start, end), overrides(flat[start:end])))
    texts = [sentence for _, sentence in found]
    said = pronouncer.sentences(texts, [False] * len(texts), asked)
    lines = [Line(sentence, number, one) for (number, sentence), one in zip(found, said, strict=True)]
    members: dict[int, list[int]] = {}
    for number, one in enumerate(passes_of(lines)):
        for piece in one.pieces:
            members.setdefault(piece.sentence, []).append(number)
    return [replace(line, passes=tuple(members.get(at, ()))) for at, line in enumerate(lines)]


def _within(overrides: Sequence[Override], start: int, end: int) -> list[Override]:
    return [
        replace(one, start=one.start - start, end=one.end - start)
        for one in overrides
        if start <= one.start and one.end <= end
    ]


def _merged(first: Sequence[Override], others: Sequence[Override]) -> list[Override]:
    """`first`, and those of `others` that do not overlap them."""
    free = [one for one in others if all(one.end <= kept.start or one.start >= kept.end for kept in first)]
    return [*first, *free]


def passes_of(lines: Sequence[Line]) -> list[Pass]:
    """The passes in which `lines` are rendered."""
    groups: list[int] = []
    last, size = -1, 0
    for line in lines:
        # As in a chapter: a paragraph too short to sound well alone takes the next one along.
        if (line.block_index != last and size >= SHORT_BLOCK) or not groups:
            groups.append(len(groups))
            size = 0
        else:
            groups.append(groups[-1])
        last, size = line.block_index, size + len(line.text)
    return plan([line.said for line in lines], groups)


def perform(
    lines: Sequence[Line],
    synth: Synthesizer,
    voice: str,
    *,
    speed: float = 1.0,
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[Uttered]:
    """Each line in order, as soon as the passes that hold it are rendered; silent ones are left out.

    Raises Stopped, RenderError, NotSpeech.
    """
    phonemes = [line.said for line in lines]
    waiting: dict[int, list[Part]] = {}
    for number, one in enumerate(passes_of(lines)):
        for at, cut in take(synth, one, phonemes, voice=voice, speed=speed, stop=stop):
            waiting.setdefault(at, []).append(cut)
        for at in sorted(waiting):
            if lines[at].passes[-1] == number:
                yield _uttered(lines, at, join_pieces(waiting.pop(at)))


def _uttered(lines: Sequence[Line], at: int, whole: Part) -> Uttered:
    gate.check(whole.audio, len(lines[at].said.phonemes))
    pcm, start, end = lay_out(whole.audio)
    following = next((line for line in lines[at + 1 :] if line.passes), None)
    gap = 0
    if following is not None:
        silence = len(pcm) - end + whole.tail_samples
        # A paragraph in between in which nothing is said is a scene break.
        breaks = range(lines[at].block_index + 1, following.block_index)
        gap = gap_samples(boundary(lines[at], following, breaks), silence, whole.pause_samples)
    return Uttered(
        line=at,
        audio=np.concatenate([pcm, np.zeros(gap, np.float32)]),
        words=tuple((start + span.start, start + span.end) for span in whole.words),
    )
