"""What all readers of other languages share: sentences in, phonemes out, and what a listener wants said otherwise."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from server.render.foreign.text import readable
from server.render.pronounce.groups import stopped
from server.render.pronounce.overrides import Override, apart
from server.render.pronounce.vocabulary import PUNCTUATION
from server.render.pronounce.words import Phonemes

_SILENT = "".join(PUNCTUATION) + " "


class Replaced(ABC):
    """A reader of one language. Subclasses say how a clean text sounds."""

    @abstractmethod
    def say(self, text: str) -> str:
        """Phonemes of a clean text, whose marks are the model's; "" where there is nothing to say."""

    def sentences(
        self,
        texts: Sequence[str],
        headings: Sequence[bool],
        overrides: Sequence[Sequence[Override]] | None = None,
    ) -> list[Phonemes]:
        """Phonemes of each text, without words; a text with nothing to say has none. No text fails.

        An override with words is read as if they stood there, one with phonemes is said as it is; a stress moves
        nothing here.
        """
        wanted = overrides if overrides is not None else [()] * len(texts)
        return [self._sentence(text, own) for text, _, own in zip(texts, headings, wanted, strict=True)]

    def _sentence(self, text: str, overrides: Sequence[Override]) -> Phonemes:
        runs: list[str] = []
        written = []
        at = 0
        told = ""
        for one in apart([one for one in overrides if one.stress is None], len(text)):
            told += text[at : one.start]
            at = one.end
            if one.phonemes is None:
                told += one.words or ""
                continue
            written.append(readable(told))
            runs += [self.say(written[-1]).rstrip(".") if told.strip() else "", one.phonemes]
            told = ""
        written.append(readable(told + text[at:]))
        runs.append(self.say(written[-1]))
        phonemes = " ".join(filter(None, (run.strip() for run in runs)))
        if not phonemes.strip(_SILENT):
            return Phonemes("", ())
        return Phonemes(stopped(phonemes), (), (), " ".join(filter(None, written)))
