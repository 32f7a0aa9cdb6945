"""Where a listener, not the dictionary, decides what is said (pure)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from server.render.normalise import Replacement, Span, Spoken, normalise
from server.render.pronounce.vocabulary import KNOWN

# Stands in the spoken text for what no rule may read on its own: a word that the tagger takes for a name.
_STAND_IN = "Thing"
_VOWELS = frozenset("AIOQWYaeiouæɑɐɒɔəɚɛɜɪɨʊʌᵊᵻ")  # each is a syllable: diphthongs are one symbol


@dataclass(frozen=True, slots=True)
class Override:
    """What is said for the source range [start, end): exactly one of words, phonemes and stress is given.

    `words` are read as if they stood there ("" is silence), `phonemes` are the model's own symbols, `stress` is the
    syllable (from 1) that carries the stress of what the dictionary says, 0 for none. `rule` names where it comes from.
    """

    start: int
    end: int
    words: str | None = None
    phonemes: str | None = None
    stress: int | None = None
    rule: str = ""

    def __post_init__(self) -> None:
        given = [each for each in (self.words, self.phonemes, self.stress) if each is not None]
        if not 0 <= self.start < self.end or len(given) != 1:
            raise ValueError(f"{self} needs a range, and one of words, phonemes and stress")
        if self.phonemes is not None and not set(self.phonemes) <= KNOWN:
            raise ValueError(f"{self} has phonemes that the model does not know")


@dataclass(frozen=True, slots=True)
class Fixed:
    """Where in the spoken text an override with phonemes or a stress stands: [start, end)."""

    start: int
    end: int
    override: Override


def apart(overrides: Iterable[Override], length: int) -> list[Override]:
    """`overrides` within a text of `length`, in order, the first and longest of those that overlap."""
    kept: list[Override] = []
    for one in sorted(overrides, key=lambda one: (one.start, -one.end)):
        if one.end <= length and (not kept or kept[-1].end <= one.start):
            kept.append(one)
    return kept


def spoken_with(
    text: str, overrides: Sequence[Override], *, british: bool = False, heading: bool = False
) -> tuple[Spoken, list[Fixed]]:
    """The spoken text, and where in it sounds are settled. `overrides` are in order and do not overlap."""
    written = [Replacement(one.start, one.end, one.words) for one in overrides if one.words is not None]
    sounded = [one for one in overrides if one.words is None]
    spoken = normalise(text, british=british, heading=heading, replacements=written)
    # A rule may have read the range together with its neighbours ("million" in "$1.2 million"): then it is kept apart.
    lost = [one for one in sounded if spoken.exactly(one.start, one.end) is None]
    if lost:
        written += [Replacement(one.start, one.end, f" {_stand_in(text, one)} ") for one in lost]
        written.sort(key=lambda one: one.start)
        spoken = normalise(text, british=british, heading=heading, replacements=written)
        if any(spoken.exactly(one.start, one.end) is None for one in sounded):
            spoken = _in_pieces(text, written, sounded, british=british)  # in the middle of an address, for one
    places = [(one, spoken.exactly(one.start, one.end)) for one in sounded]
    return spoken, [Fixed(*place, one) for one, place in places if place is not None]


def _stand_in(text: str, one: Override) -> str:
    return _STAND_IN if one.stress is None else text[one.start : one.end]


def _in_pieces(text: str, written: Sequence[Replacement], sounded: Sequence[Override], *, british: bool) -> Spoken:
    """The spoken text with each of the `sounded` ranges, and what stands between them, read by itself."""
    said = ""
    spans: list[Span] = []
    letters: list[int] = []
    ends = [*((one.start, one.end) for one in sounded), (len(text), len(text))]
    at = 0
    for i, (start, end) in enumerate(ends):
        inside = [one for one in written if at <= one.start and one.end <= start]
        own = [Replacement(one.start - at, one.end - at, one.text) for one in inside]
        piece = normalise(text[at:start], british=british, replacements=own)
        letters += [place + len(said) for place in piece.letters]
        said += piece.text
        spans += [(first + at, last + at) for first, last in piece.spans]
        if i < len(sounded):
            word = normalise(_stand_in(text, sounded[i]), british=british).text
            word = f" {word} "
            said += word
            spans += [(start, end)] * len(word)
        at = end
    return Spoken(said, tuple(spans), tuple(letters))


def stressed(phonemes: str, syllable: int) -> str:
    """`phonemes` with their one stress on a syllable (from 1; past the end: the last), or with none for 0."""
    plain = phonemes.replace("ˈ", "").replace("ˌ", "")
    vowels = [at for at, char in enumerate(plain) if char in _VOWELS]
    if not syllable or not vowels:
        return plain
    at = vowels[min(syllable, len(vowels)) - 1]
    return plain[:at] + "ˈ" + plain[at:]
