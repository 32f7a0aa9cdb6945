"""What the audition tells and takes over HTTP."""

from typing import Final

from pydantic import Field

from server.api.previews import LONGEST
from server.api.spots import BookId
from server.api.view import View
from server.audition.opinions import AuditionRecord
from server.audition.passages import PairKind

VOICE_CHARS: Final = 200
NOTE_CHARS: Final = 2_000
MOST_HEARD: Final = 20  # voices in a blind round


class PassageView(View):
    """A passage to hear voices with. Paragraphs are parted by empty lines."""

    id: str
    title: str
    listen_for: str
    text: str


class PairView(View):
    """Words to be said with a full stop, and with a question mark."""

    id: str
    kind: PairKind
    words: str


class EngineVoiceView(View):
    voice: str = Field(description="What a take is asked for with: `say:Daniel`.")
    name: str
    language: str = Field(description="BCP 47 tag.")


class EngineView(View):
    """An engine besides Lectern's own, and what it declares."""

    id: str
    name: str
    word_times: bool = Field(description="It times words; else their times are estimated.")
    pronunciation: bool = Field(description="It obeys pronunciation rules.")
    trouble: str | None = Field(description="Why it cannot be used here.")
    voices: list[EngineVoiceView]


class OpinionView(View):
    voice: str = Field(description="A voice, a recipe, or `engine:voice`.")
    stars: int = Field(description="1 to 5; 0 is none given.")
    note: str
    favourite: bool


class BlindView(View):
    voice: str
    won: int
    heard: int = Field(description="Rounds that it took part in.")


class PairScore(View):
    voice: str
    kind: PairKind
    right: int
    asked: int


class Opinions(View):
    """What somebody thinks of the voices; by voice."""

    voices: list[OpinionView]
    blind: list[BlindView]
    pairs: list[PairScore]


class AuditionView(Opinions):
    """Everything that an audition begins with."""

    passages: list[PassageView]
    minimal_pairs: list[PairView]
    engines: list[EngineView]
    voice: str = Field(description="The voice for new books.")


class TakeIn(View):
    """A text, and who is to say it."""

    text: str = Field(
        min_length=1, max_length=LONGEST, pattern=r"\S", description="Paragraphs are parted by empty lines."
    )
    voice: str = Field(
        min_length=1, max_length=VOICE_CHARS, description="A voice, a blend, a recipe, or `engine:voice`."
    )
    speed: float = Field(default=1.0, ge=0.5, le=2.0, description="Of Lectern's own voices.")
    book: BookId | None = Field(default=None, pattern=r"^[0-9a-f]{16}$", description="Whose pronunciations hold.")


class TakeWord(View):
    """A word: code points of the text, seconds of the sound."""

    char_start: int
    char_end: int
    start_s: float
    end_s: float


class TakeView(View):
    """A text said once."""

    voice: str
    audio: str = Field(description="Address of the sound, relative to the server. Kept for the next few dozen.")
    audio_s: float
    timed: bool = Field(description="The times of words are known; else they are estimated.")
    words: list[TakeWord]


class OpinionIn(View):
    """What is thought of a voice from now on."""

    voice: str = Field(min_length=1, max_length=VOICE_CHARS)
    stars: int = Field(default=0, ge=0, le=5)
    note: str = Field(default="", max_length=NOTE_CHARS)
    favourite: bool = False


class BlindIn(View):
    """A round without names: who was heard, and who was best."""

    heard: list[str] = Field(min_length=2, max_length=MOST_HEARD, json_schema_extra={"uniqueItems": True})
    won: str = Field(min_length=1, max_length=VOICE_CHARS)


class AnswerIn(View):
    """What a sentence was taken for."""

    voice: str = Field(min_length=1, max_length=VOICE_CHARS)
    pair: str = Field(min_length=1, max_length=40, description="Id of one of `minimal_pairs`.")
    question: bool = Field(description="It was said with a question mark.")
    taken: bool = Field(description="It was taken for a question.")


def opinions_view(told: AuditionRecord) -> Opinions:
    """What is kept, as lists by voice."""
    return Opinions(
        voices=[
            OpinionView(voice=voice, stars=one.stars, note=one.note, favourite=one.favourite)
            for voice, one in sorted(told.voices.items())
        ],
        blind=[BlindView(voice=voice, won=one.good, heard=one.of) for voice, one in sorted(told.blind.items())],
        pairs=[
            PairScore(voice=voice, kind=kind, right=one.good, asked=one.of)
            for voice, kinds in sorted(told.pairs.items())
            for kind, one in sorted(kinds.items())
        ],
    )
