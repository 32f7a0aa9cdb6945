"""Voices as recipes: one voice by its id, or several with weights, such as `af_heart*0.6+af_bella*0.4`.

A recipe has one text, whoever wrote it and however: the shares are thousandths that make a whole, the heaviest comes
first. So equal mixes are one voice, and what was rendered with it is found again.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from server.errors import BadRequest
from server.render.voices import Voice, voice

MOST: Final = 4  # voices in a recipe: of more nobody can hear what each gives
LEAST: Final = 10  # thousandths of one
_WHOLE: Final = 1_000
_HEAVIEST: Final = 1_000_000
_PART = re.compile(r"\s*(\w+)\s*(?:\*\s*(\d{1,6}(?:\.\d{1,6})?|\.\d{1,6})\s*)?", re.ASCII)
_LONGEST: Final = 200


@dataclass(frozen=True, slots=True)
class Share:
    """A voice in a recipe, by its id, and how much of it: thousandths."""

    voice: str
    thousandths: int

    @property
    def weight(self) -> float:
        return self.thousandths / _WHOLE


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a voice is made of, the heaviest share first."""

    shares: tuple[Share, ...]

    def __str__(self) -> str:
        """Its one text: of a voice alone that is the id."""
        if len(self.shares) == 1:
            return self.shares[0].voice
        return "+".join(f"{one.voice}*{_decimal(one.thousandths)}" for one in self.shares)

    @property
    def lead(self) -> Voice:
        """The voice whose accent it speaks with."""
        return voice(self.shares[0].voice)


def mix(parts: Iterable[tuple[str, float | Fraction]]) -> Recipe:
    """The recipe of these voices with these weights, in whatever unit they are.

    Raises NotFound for an unknown voice; BadRequest for weights that are none, too many voices or several languages.
    """
    weights: dict[str, Fraction] = {}
    for name, weight in parts:
        if not 0 < weight <= _HEAVIEST:
            raise BadRequest(f"The weight of {name} is {weight}; it must be more than 0.")
        weights[voice(name).id] = weights.get(voice(name).id, Fraction(0)) + Fraction(str(weight))
    if not 1 <= len(weights) <= MOST:
        raise BadRequest(f"A voice is mixed from at most {MOST} voices, not {len(weights)}.")
    _check_languages([voice(name) for name in weights])
    whole = sum(weights.values())
    exact = {name: weight / whole * _WHOLE for name, weight in weights.items()}
    least = min(exact, key=lambda name: exact[name])
    if exact[least] < LEAST:
        raise BadRequest(f"The share of {least} is less than {LEAST / 10:g} % and could not be heard: leave it out.")
    return Recipe(tuple(Share(*one) for one in sorted(_rounded(exact).items(), key=lambda one: (-one[1], one[0]))))


def _rounded(exact: Mapping[str, Fraction]) -> dict[str, int]:
    """Whole thousandths that make a whole: what rounding down left goes to those that lost most by it."""
    shares = {name: int(share) for name, share in exact.items()}
    lost = sorted(exact, key=lambda name: (shares[name] - exact[name], -exact[name], name))
    for name in lost[: _WHOLE - sum(shares.values())]:
        shares[name] += 1
    return shares


def recipe(text: str) -> Recipe:
    """The recipe that `text` writes down. Raises NotFound for an unknown voice, BadRequest as `mix`."""
    if not is_mix(text):
        return Recipe((Share(voice(text.strip()).id, _WHOLE),))
    found = [_PART.fullmatch(part) for part in text[: _LONGEST + 1].split("+")]
    if len(text) > _LONGEST or not all(found):
        raise BadRequest(f"{text[:80]!r} is no recipe for a voice; write it like af_heart*0.6+af_bella*0.4.")
    return mix((one[1], Fraction(one[2] or 1)) for one in found if one is not None)


def is_mix(text: str) -> bool:
    """Whether `text` is meant as several voices rather than as the name of one."""
    return "*" in text or "+" in text


def _check_languages(voices: list[Voice]) -> None:
    first = voices[0]
    for other in voices[1:]:
        if other.speaks != first.speaks:
            raise BadRequest(
                f"{first.id} speaks {first.speaks.name} and {other.id} {other.speaks.name}: only voices of one "
                "language can be mixed."
            )


def _decimal(thousandths: int) -> str:
    return f"{thousandths / _WHOLE:.3f}".rstrip("0")
