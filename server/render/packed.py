"""Lengths of access units as an index writes them: two digits each, base 36. AAC allows a mono unit 768 bytes."""

from typing import Annotated, Final

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_PACKED: Final = [first + second for first in _DIGITS for second in _DIGITS]
_SIZES: Final = {packed: size for size, packed in enumerate(_PACKED)}


def _unpacked(found: object) -> object:
    """Format 1 wrote an array of numbers."""
    if not isinstance(found, str):
        return found
    sizes = [_SIZES.get(found[at : at + 2]) for at in range(0, len(found), 2)]
    if None in sizes:
        raise ValueError("sizes are two digits each, 0 to 9 and a to z")
    return tuple(sizes)


def _packed(sizes: tuple[int, ...]) -> str:
    return "".join([_PACKED[size] for size in sizes])


Sizes = Annotated[
    tuple[Annotated[int, Field(ge=0, lt=len(_PACKED))], ...],
    BeforeValidator(_unpacked),
    PlainSerializer(_packed),
    WithJsonSchema({"type": "string", "pattern": r"^([0-9a-z]{2})*$"}),
]
