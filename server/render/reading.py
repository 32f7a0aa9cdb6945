"""A text as it is read: what `lectern say --json` prints and previews answer, one object a sentence."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from server.render.index import SAMPLE_RATE
from server.render.lexicon.inline import inline as read_inline
from server.render.lexicon.match import RuleSet
from server.render.recital import Line, Pronouncer, Uttered, read
from server.render.voices import voice as find_voice


@dataclass(frozen=True, slots=True)
class Reading:
    """A text in sentences, and the voice that is to say it."""

    voice: str
    lines: tuple[Line, ...]

    def objects(self, uttered: Sequence[Uttered] = ()) -> Iterator[dict[str, Any]]:
        """One JSON object a sentence. Character spans are half-open, in code points of its own `sentence`;
        times, where it was `uttered`, are seconds from the beginning of the audio.
        """
        starts = {one.line: at for one, at in zip(uttered, _starts(uttered), strict=False)}
        times = {one.line: one.words for one in uttered}
        for at, line in enumerate(self.lines):
            words = [
                {
                    "word": line.text[word.char_start : word.char_end],
                    "char_start": word.char_start,
                    "char_end": word.char_end,
                    "phonemes": line.said.phonemes[word.ph_start : word.ph_end],
                }
                for word in line.said.words
            ]
            if at in times:
                for one, (start, end) in zip(words, times[at], strict=True):
                    one["start_s"] = round((starts[at] + start) / SAMPLE_RATE, 4)
                    one["end_s"] = round((starts[at] + end) / SAMPLE_RATE, 4)
            yield {
                "sentence": line.text,
                "paragraph": line.block_index,
                "spoken": line.said.spoken,
                "phonemes": line.said.phonemes,
                "words": words,
                "unknown": list(line.said.guessed),
                "rules": list(line.said.rules),
                "passes": list(line.passes),
                "voice": self.voice,
            }


def interpret(text: str, voice: str, pronouncer: Pronouncer, rules: RuleSet, *, inline: bool = False) -> Reading:
    """`text` as `voice` would read it, `rules` obeyed, and [word](/phonemes/) too if `inline` says so.

    Raises NotFound for a voice that is not there, BadRequest for a form that cannot be understood.
    """
    spoken = find_voice(voice)
    overrides = partial(rules.overrides, british=spoken.british, only_text=not spoken.english)
    forms = partial(read_inline, british=spoken.british) if inline else None
    return Reading(voice, tuple(read(text, pronouncer, overrides, forms, spoken.speaks.code)))


def _starts(uttered: Sequence[Uttered]) -> Iterator[int]:
    return itertools.accumulate((len(one.audio) for one in uttered[:-1]), initial=0)
