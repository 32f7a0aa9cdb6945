"""Where the sentences of a group are spoken: passes rendered and judged, and what is odd tried once more."""

import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from server.errors import RenderError
from server.render.engine import KOKORO, Synthesizer
from server.render.levels import level_db
from server.render.passes import Pass
from server.render.pronounce.words import Phonemes
from server.render.quality import Verdict, judge
from server.render.records import RenditionRecord
from server.render.takes import take
from server.render.timing import Part, join_pieces
from server.render.variants import Variant, another

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Heard:
    """The audio of a sentence, what is odd about it, and the variant that it is; None is the usual layout."""

    part: Part
    verdict: Verdict
    variant: Variant | None = None


class Booth:
    """Speaks `group`, the sentences that may share a pass, for a rendition. All raise Stopped, RenderError."""

    def __init__(
        self, synth: Synthesizer, rendition: RenditionRecord, group: Sequence[Phonemes], stop: Callable[[], bool]
    ) -> None:
        self._synth = synth
        self._rendition = rendition
        self._group = group
        self._stop = stop
        self._level_db = level_db(rendition.voice) if rendition.engine.name == KOKORO else None

    def speak(self, passes: Sequence[Pass], wanted: Collection[int]) -> dict[int, Heard]:
        """The sentences `wanted` of `passes`; one that is odd is tried in another layout, and the better kept.

        Raises NotSpeech when one of them is none, having tried nothing.
        """
        parts = self._render(passes, wanted)
        heard = {at: Heard(parts[at], self._judge(at, parts[at])) for at in wanted}
        return {at: self._better(at, first, passes) for at, first in heard.items()}

    def speak_otherwise(self, at: int, used: int, passes: Sequence[Pass]) -> Heard:
        """Sentence `at` in the next variant after number `used`, 0 for the usual layout, which is `passes`."""
        made = another(self._group, at, passes if not used else (), used)
        part = self._render(made.passes, [at], made.salt)[at]
        return self._better(at, Heard(part, self._judge(at, part), made), made.passes)

    def _better(self, at: int, first: Heard, used: Sequence[Pass]) -> Heard:
        if not first.verdict.findings:
            return first
        other = another(self._group, at, used, first.variant.number if first.variant else 0)
        try:
            part = self._render(other.passes, [at], other.salt)[at]
            second = Heard(part, self._judge(at, part), other)
        except RenderError as error:  # what there is can be heard, after all
            log.warning("a second attempt at an odd sentence failed: %s", error)
            return first
        kept = min(first, second, key=lambda heard: heard.verdict.weight)
        log.info("%s; then %s", first.verdict.findings, second.verdict.findings or "good")
        return kept

    def _judge(self, at: int, part: Part) -> Verdict:
        return judge(part, self._group[at], self._level_db, self._rendition.speed)

    def _render(self, passes: Iterable[Pass], wanted: Collection[int], salt: int = 0) -> dict[int, Part]:
        parts: dict[int, list[Part]] = {at: [] for at in wanted}
        voice, speed = self._rendition.voice, self._rendition.speed
        for one in passes:
            for at, cut in take(self._synth, one, self._group, voice=voice, speed=speed, stop=self._stop, salt=salt):
                if at in parts:
                    parts[at].append(cut)
        return {at: join_pieces(found) for at, found in parts.items()}
