"""From written text to spoken text: rules by kind, in the one order in which none of them tears another's work.

Pure: no model, no dictionary, no state. Each spoken character carries the range of the source that it speaks for.
"""

from collections.abc import Sequence

from server.render.normalise.abbreviations import widen
from server.render.normalise.addresses import addresses
from server.render.normalise.apostrophes import settle
from server.render.normalise.capitals import uncapital
from server.render.normalise.characters import clean
from server.render.normalise.clock import clock
from server.render.normalise.draft import Draft, Replacement, Span, Spoken
from server.render.normalise.foreign import romanise
from server.render.normalise.marks import strip
from server.render.normalise.money import money
from server.render.normalise.numbers import numbers
from server.render.normalise.punctuation import punctuate
from server.render.normalise.roman import romans

__all__ = ["Replacement", "Span", "Spoken", "normalise"]

_RULES = (clean, addresses, settle, strip, romanise, widen, romans, money, clock, numbers, uncapital, punctuate)


def normalise(
    text: str, *, british: bool = False, heading: bool = False, replacements: Sequence[Replacement] = ()
) -> Spoken:
    """What `text` sounds like in plain words and pauses; `british` has its own numbers and dates.

    `replacements`, in order and apart, are read as if they stood in the text.
    """
    draft = Draft(text, british, heading)
    draft.replace(replacements)
    for rule in _RULES:
        rule(draft)
    return draft.finish()
