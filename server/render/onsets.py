"""When a word is heard, as against when the durations say that it starts (data and a lookup, pure).

The model aligns symbols some 75 ms later than their sound, and a sound is heard later still where it begins in
silence: a stop is heard at its burst. In running speech there is no silence in the space before a word: its frames
belong to the sound that follows, unless that is a stop, which fills them with its closure.

Measured by benchmarks/onsets.py in eight voices, 278 onsets, and judged on 124 others: off by 10 ms (median) and 38 ms
(95 %), where one constant is off by 23 and 61 ms, and a constant for each voice as well; a correction by voice on top
of this table gains nothing.
"""

from collections.abc import Sequence
from typing import Final

UNIT_SAMPLES: Final = 600  # one frame of a duration, 25 ms
MARKS: Final = frozenset(';:,.!?—…"“”()')  # symbols of the vocabulary that are heard as pause or melody only

_STRESS: Final = "ˈˌ"
_KINDS: Final = {
    **dict.fromkeys("bdɡɾʤð", "voiced stop"),  # ð begins a word as a stop does
    **dict.fromkeys("ptk", "voiceless stop"),
    **dict.fromkeys("fvszʃʒʧ", "strong fricative"),
    **dict.fromkeys("θh", "weak fricative"),
    **dict.fromkeys("mnŋlɹwj", "sonorant"),
}
_VOWEL: Final = "vowel"
# Kind of the first sound → units to add to the word's nominal start, and how much to take off of the space before it.
# Weak fricatives show no landmark in running speech: there the aligner was asked (benchmarks/aligner.py).
AFTER_MARK: Final = {
    "voiced stop": (-0.2, 0.5), "voiceless stop": (-2.0, 0.0), "strong fricative": (-3.2, 0.0),
    "weak fricative": (-1.5, 0.0), "sonorant": (-3.0, 0.0), _VOWEL: (-1.9, 0.0),
}  # fmt: skip
IN_SPEECH: Final = {
    "voiced stop": (-1.2, 0.0), "voiceless stop": (0.3, 1.0), "strong fricative": (-1.9, 1.0),
    "weak fricative": (-3.0, 0.0), "sonorant": (-1.5, 1.0), _VOWEL: (-1.1, 1.0),
}  # fmt: skip


def kind_of(symbol: str) -> str:
    """The kind of sound that `symbol` is, as the tables name it."""
    return _KINDS.get(symbol, _VOWEL)


def heard_at(phonemes: str, starts: Sequence[int], at: int) -> int:
    """The sample at which the word that begins with symbol `at` of the pass string `phonemes` is heard.

    `starts` holds the nominal sample at which each symbol starts.
    """
    first = at
    while first + 1 < len(phonemes) and phonemes[first] in _STRESS:
        first += 1
    before = phonemes[:at].rstrip(" ")
    table = AFTER_MARK if not before or before[-1] in MARKS else IN_SPEECH
    fixed, share = table[kind_of(phonemes[first])]
    space = starts[at] - starts[len(before)]
    return starts[at] + round(fixed * UNIT_SAMPLES - share * space)
