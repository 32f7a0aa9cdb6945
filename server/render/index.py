"""Chapter indexes as models, and what the store's other JSON files share with them (`records.py`).

docs/store-format.md says what each field means to a reader. Positions in audio are samples at `SAMPLE_RATE`, positions
in text are code points, spans are half-open `[start, end)`.
A field that has no value is left out of the file.
"""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Final, Literal, NamedTuple, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from server.library.model import BlockKind
from server.render.packed import Sizes

FORMAT: Final = 1  # of every file but the two below
INDEX_FORMAT: Final = 2  # of chapter indexes, and so of the store; 1 wrote words as objects and knew no journal
PLAN_VERSION: Final = 1  # of the rules that make sentences and passes; a larger one may cut the same book differently
SAMPLE_RATE: Final = 24_000
FRAME_SAMPLES: Final = 1_024  # one AAC access unit
PRIMING_SAMPLES: Final = 1_024  # decoded before a file's first sample; exactly one access unit

SAFE_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,63}")  # an id that may be a file name on every system

Id = Annotated[str, StringConstraints(pattern=rf"^{SAFE_NAME.pattern}$")]
HexBytes = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{2})+$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0)]
# From the folder of the index: whatever a store says, it is a file of one of its chapters.
AudioFile = Annotated[str, StringConstraints(pattern=r"^chapter-[0-9]{4,}/[0-9A-Za-z][0-9A-Za-z_-]*\.m4a$")]

# Why a sentence is rendered again: a person asked for it, or for another result; or it is said otherwise now.
Again = Literal["asked", "rule", "ears"]
# Why somebody should listen to it: the quality gate, or a listener, found it odd; or it was rendered anew since then.
# What was listened to and is good is accepted.
Ears = Literal["gate", "listener", "redone", "accepted"]


class Record(BaseModel):
    """A frozen piece of the store's JSON. What writes it, or asks for it over HTTP, must know its fields exactly."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def read(cls, data: bytes | str) -> Self:
        """What a file says, without the fields that only a newer version knows. Raises ValidationError."""
        return cls.model_validate_json(data, extra="ignore")

    def to_json(self) -> str:
        """Compact JSON in field order, without the fields that have no value, ending in a line feed."""
        return self.model_dump_json(exclude_none=True) + "\n"


class Word(NamedTuple):
    """One word: where it sounds (samples after priming) and where it stands (code points of the sentence's text).

    An array in the file: a chapter has ten thousand of them. Format 1 wrote objects, which are read too.
    """

    start: Count
    end: Count
    char_start: Count
    char_end: Count


class Source(Record):
    """Where a sentence stands in the EPUB: content document, element path, code points of its block's text."""

    doc: str
    path: str
    char_start: Count
    char_end: Count


class Engine(Record):
    """What turned phonemes into sound; `weights` is a hash of the weights it used."""

    name: str
    version: str
    weights: str


class Opinion(Record):
    """What was thought of a sentence before somebody said that it sounds wrong."""

    ears: Ears
    note: str | None = None
    complained: datetime | None = None


class Take(Record):
    """The audio that a sentence had before the one that it has, and what was thought of it."""

    file: AudioFile
    sha256: Sha256
    bytes: Count
    samples: Count
    speech_start: Count
    speech_end: Count
    gap_after_samples: Count
    data_offset: Count
    au_sizes: Sizes
    words: tuple[Word, ...]
    gate: tuple[str, ...]
    provenance: str
    seed: int
    guessed: tuple[str, ...] | None = None
    variant: int | None = None
    ears: Ears | None = None
    note: str | None = None
    complained: datetime | None = None
    thought: Opinion | None = None


class SentenceEntry(Record):
    """A sentence of a chapter. The audio fields, `file` … `seed`, are all there or all missing."""

    id: Id
    text: str
    block: BlockKind
    block_index: Count
    source: Source
    file: AudioFile | None = None
    sha256: Sha256 | None = None
    bytes: Count | None = None
    samples: Count | None = None
    speech_start: Count | None = None
    speech_end: Count | None = None
    gap_after_samples: Count | None = None
    data_offset: Count | None = None
    au_sizes: Sizes | None = None
    words: tuple[Word, ...] | None = None
    gate: tuple[str, ...] | None = None
    provenance: str | None = None
    seed: int | None = None
    guessed: tuple[str, ...] | None = None
    again: Again | None = None
    failed: str | None = None
    variant: Annotated[int, Field(ge=1)] | None = None
    ears: Ears | None = None
    note: str | None = None
    complained: datetime | None = None
    thought: Opinion | None = None
    earlier: Take | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of all audio that it names."""
        return tuple(one.file for one in (self, self.earlier) if one is not None and one.file is not None)

    @property
    def rendered(self) -> bool:
        return self.file is not None

    @property
    def settled(self) -> bool:
        """Rendered and not to be rendered again, or given up on: nothing is left to do for it."""
        return (self.file is not None and self.again is None) or self.failed is not None

    @property
    def length_samples(self) -> int:
        """What it takes of the chapter's time line: its audio and the pause after it; 0 while not rendered."""
        return (self.samples or 0) + (self.gap_after_samples or 0)

    def without_audio(self) -> Self:
        """The same sentence, not rendered and not given up on."""
        return self.model_copy(update=dict.fromkeys((*AUDIO_FIELDS, *_BESIDE_AUDIO)))

    @model_validator(mode="after")
    def _check(self) -> Self:
        missing = [name for name in AUDIO_FIELDS if getattr(self, name) is None]
        if missing and len(missing) < len(AUDIO_FIELDS):
            raise ValueError(f"sentence {self.id} has some audio fields but not {', '.join(missing)}")
        if missing and (self.again, self.ears, self.earlier) != (None, None, None):
            raise ValueError(f"sentence {self.id} has no audio that could be judged or rendered again")
        if missing:
            return self
        if self.failed is not None:
            raise ValueError(f"sentence {self.id} has audio and cannot be failed")
        self._check_audio()
        return self

    def _check_audio(self) -> None:
        # `or 0` and `or ()` only tell the type checker what the caller knows: the fields are set.
        samples, speech_start, speech_end = self.samples or 0, self.speech_start or 0, self.speech_end or 0
        if not 0 <= speech_start <= speech_end <= samples:
            raise ValueError(f"sentence {self.id}: speech [{speech_start}, {speech_end}) is not inside {samples}")
        before, char_before = speech_start, 0
        for word in self.words or ():
            if not before <= word.start <= word.end <= speech_end:
                raise ValueError(f"sentence {self.id}: word {word} overlaps the one before or leaves the speech")
            if not char_before <= word.char_start < word.char_end <= len(self.text):
                raise ValueError(f"sentence {self.id}: word {word} does not follow in the text")
            before, char_before = word.end, word.char_end


AUDIO_FIELDS: Final = (
    "file", "sha256", "bytes", "samples", "speech_start", "speech_end", "gap_after_samples", "data_offset",
    "au_sizes", "words", "gate", "provenance", "seed",
)  # fmt: skip
_OURS: Final = {"codec_config": None, "silence": None, "priming": PRIMING_SAMPLES, "frame": FRAME_SAMPLES}
_BESIDE_AUDIO = ("guessed", "again", "failed", "variant", "ears", "note", "complained", "thought", "earlier")


def _newest(found: object) -> object:
    """What is read is what would be written: format 1 differs only in how the file writes it."""
    return INDEX_FORMAT if found == 1 else found


class ChapterIndex(Record):
    """One chapter in one rendition: its sentences in order, with or without audio yet."""

    format: Annotated[Literal[2], BeforeValidator(_newest)] = INDEX_FORMAT
    book: Id
    rendition: Id
    chapter: Annotated[int, Field(ge=1)]
    title: str
    enabled: bool
    rule: str | None = None
    revision: Count = 0
    complete: bool = False
    sample_rate: Literal[24_000] = SAMPLE_RATE
    frame: Annotated[int, Field(ge=1)] = FRAME_SAMPLES
    priming: Count = PRIMING_SAMPLES
    samples_total: Count = 0
    codec_config: HexBytes | None = None
    silence: HexBytes | None = None
    engine: Engine
    voice: str
    plan_version: int = PLAN_VERSION
    breaks: tuple[Count, ...] = ()
    sentences: tuple[SentenceEntry, ...] = ()

    @property
    def has_audio(self) -> bool:
        return any(sentence.rendered for sentence in self.sentences)

    @property
    def joinable(self) -> bool:
        """Whether its files can be joined by access units; another renderer's may not be (docs, section 10)."""
        return self.silence is not None or not self.has_audio

    @model_validator(mode="after")
    def _check_units(self) -> Self:
        for entry in self.sentences:
            samples, units = entry.samples or 0, len(entry.au_sizes or ())
            whole = self.priming + samples
            if entry.rendered and units * self.frame < whole:
                raise ValueError(f"sentence {entry.id}: {units} access units for {samples} samples")
            odd = samples % self.frame or (entry.gap_after_samples or 0) % self.frame or units * self.frame != whole
            if entry.rendered and self.silence is not None and (odd or self.priming != self.frame):
                raise ValueError(f"sentence {entry.id} is no whole number of access units, and there is `silence`")
        return self

    def position(self, sid: str) -> int:
        """Place of sentence `sid` in `sentences`, from 0; raises KeyError."""
        for position, sentence in enumerate(self.sentences):
            if sentence.id == sid:
                return position
        raise KeyError(sid)

    def with_entries(
        self, entries: Iterable[SentenceEntry], *, codec_config: bytes | None = None, silence: bytes | None = None
    ) -> "ChapterIndex":
        """The index with these sentences in place of those with the same ids; raises KeyError for an unknown id.

        Give `codec_config` and `silence` with the first audio; later they stay as they are.
        """
        new = {entry.id: entry for entry in entries}
        sentences = tuple(new.pop(sentence.id, sentence) for sentence in self.sentences)
        if new:
            raise KeyError(next(iter(new)))
        update: dict[str, Any] = {"sentences": sentences}
        if codec_config is not None:
            update["codec_config"] = codec_config.hex()
        if silence is not None:
            update["silence"] = silence.hex()
        return self.model_copy(update=update)

    def without_audio(self) -> "ChapterIndex":
        """The same text with nothing rendered."""
        sentences = tuple(entry.without_audio() for entry in self.sentences)
        return self.model_copy(update={"sentences": sentences}).ours().totals()

    def ours(self) -> "ChapterIndex":
        """The index, ready for what is rendered here where it has no audio, whoever made what was there."""
        return self if self.has_audio else self.model_copy(update=_OURS)

    def totals(self) -> "ChapterIndex":
        """The index with `samples_total` and `complete` as its sentences say."""
        return self.model_copy(
            update={
                "samples_total": sum(sentence.length_samples for sentence in self.sentences),
                "complete": all(one.rendered or one.failed is not None for one in self.sentences),
            }
        )
