"""A passage said by an engine, sentence by sentence: one sound, and where in it each word of the text is."""

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from server.audition.contract import SAMPLE_RATE, Engine, Said, WordSpan
from server.errors import BadRequest
from server.library.sentences import split

SENTENCE_S: Final = 0.35
PARAGRAPH_S: Final = 0.65
_PARAGRAPH: Final = re.compile(r"\n[^\S\n]*\n\s*")
_WORD: Final = re.compile(r"\w+(?:['’\-]\w+)*")
_QUIET: Final = 160  # of 32,767: below this nothing is heard


@dataclass(frozen=True, slots=True)
class Performance:
    """A passage as sound. Word spans index the passage; they are `timed` by the engine, else estimated."""

    pcm: bytes
    words: tuple[WordSpan, ...]
    timed: bool


def sentences(text: str) -> Iterator[tuple[int, int, float]]:
    """The sentences of a passage, code points [start, end) of it, and the seconds of silence after each."""
    at = 0
    for paragraph in _PARAGRAPH.split(text):
        begin = text.index(paragraph, at)
        at = begin + len(paragraph)
        spans = [(start, end) for start, end in split(paragraph) if paragraph[start:end].strip()]
        for number, (start, end) in enumerate(spans):
            yield begin + start, begin + end, PARAGRAPH_S if number == len(spans) - 1 else SENTENCE_S


async def perform(engine: Engine, text: str, voice: str) -> Performance:
    """All of `text`. Raises BadRequest where there is nothing to say, NotFound, RenderError."""
    parts: list[bytes] = []
    words: list[WordSpan] = []
    samples = 0
    for start, end, pause_s in sentences(text):
        said = await engine.say(text[start:end], voice)
        own = said.words if engine.declared.word_times else estimate(text[start:end], said)
        words += [
            WordSpan(one.char_start + start, one.char_end + start, one.start + samples, one.end + samples)
            for one in own
        ]
        parts += [said.pcm, bytes(2 * round(pause_s * SAMPLE_RATE))]
        samples += said.samples + round(pause_s * SAMPLE_RATE)
    if not parts:
        raise BadRequest("There is no text to say.")
    return Performance(b"".join(parts), tuple(words), engine.declared.word_times)


def estimate(sentence: str, said: Said) -> tuple[WordSpan, ...]:
    """Words in proportion to their letters, and what stands between them, over the part of `said` that is heard."""
    found = list(_WORD.finditer(sentence))
    if not found:
        return ()
    begin, end = heard(said.pcm)
    first, last = found[0].start(), found[-1].end()
    scale = (end - begin) / max(1, last - first)
    return tuple(
        WordSpan(
            match.start(),
            match.end(),
            begin + round((match.start() - first) * scale),
            begin + round((match.end() - first) * scale),
        )
        for match in found
    )


def heard(pcm: bytes) -> tuple[int, int]:
    """The samples [start, end) from the first that is heard to the last; all of them where none is."""
    samples = array("h", pcm[: len(pcm) // 2 * 2])
    loud = [at for at in range(0, len(samples), 24) if abs(samples[at]) > _QUIET]
    return (loud[0], min(len(samples), loud[-1] + 24)) if loud else (0, len(samples))
