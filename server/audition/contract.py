"""What an engine has to be to take part in the audition, and what it declares of itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

SAMPLE_RATE: Final = 24_000  # Hz, of all sound here, as of the books


@dataclass(frozen=True, slots=True)
class Declared:
    """What an engine is and what it can do. `id` stands in front of its voices' names: `say:Daniel`."""

    id: str
    name: str
    word_times: bool  # it tells when each word is said; else that is estimated from the letters
    pronunciation: bool  # it obeys the pronunciation rules of a book


@dataclass(frozen=True, slots=True)
class EngineVoice:
    """A voice of an engine; `language` is a BCP 47 tag."""

    id: str
    name: str
    language: str


@dataclass(frozen=True, slots=True)
class WordSpan:
    """A word: code points [char_start, char_end) of the text, samples [start, end) of its sound."""

    char_start: int
    char_end: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence as sound: 16-bit little-endian samples at 24 kHz, one channel; `words` where the engine times them."""

    pcm: bytes
    words: tuple[WordSpan, ...] = ()

    @property
    def samples(self) -> int:
        return len(self.pcm) // 2


class Engine(Protocol):
    """Says sentences. What it runs may be a program, a library or a server of the household's own."""

    @property
    def declared(self) -> Declared: ...

    def trouble(self) -> str | None:
        """Why it cannot be used on this machine, in one sentence; None where it can."""

    async def voices(self) -> Sequence[EngineVoice]:
        """Those that can be used now. Raises RenderError."""

    async def say(self, sentence: str, voice: str) -> Said:
        """One sentence in one of its voices. Cancelling it ends it.

        Raises NotFound for a voice that is not there, RenderError.
        """
