"""Marks that are not words: brackets, note marks, emphasis, emoji, and signs that have a name."""

import re
import unicodedata

from server.render.normalise.draft import Draft, letters
from server.render.normalise.speak import cardinal, decimal, ordinal

_NOTE = re.compile(r"\s?\[(?:\d{1,4}|[*†‡a-z]|note \d+|citation needed)\](?![\w(])", re.I)
_NOTE_ROUND = re.compile(
    r"(?<=[.!?,;”])\(\d{1,3}\)(?!\w)|(?<=[a-z]{5}[.,;!?])\d{1,3}(?=\s|$)|(?<=[.!?]”)\d{1,3}(?=\s|$)"
)
# "[Smith](2020)" and "[word](/x/)" are what a page showed: text in brackets, and nothing to obey.
_LINKED = re.compile(r"\](?=\()")
_BRACKET = re.compile(r"[\[\]]")
_RAISED_NOTE = re.compile(r"(?<=[^\W\d_])[¹²³⁴-⁹⁰]+(?!\w)|(?<=[.,;:!?”’)…])[¹²³⁴-⁹⁰]+(?!\w)|(?<!\w)[¹²³⁴-⁹⁰]+(?!\w)")
_POWER = re.compile(r"(?<=\d)([⁻]?)([¹²³⁴-⁹⁰]+)(?![¹²³⁴-⁹⁰])|(?<=\w)\^(-?)(\d{1,4})(?!\w)")
_SQUARED = re.compile(r"(?<![^\W\d_])(k?m|cm|mm|ft|in|yd|[a-zA-Z])([²³])(?!\w)")
_RAISED_FRACTION = re.compile(r"(\d?)([¹²³⁴-⁹⁰]+)/([₀-₉]+)")
_FORMULA = re.compile(r"(?<!\w)(?:[A-Z][a-z]?[₀-₉]*)*[A-Z][a-z]?[₀-₉]+(?:[A-Z][a-z]?[₀-₉]*)*(?!\w)")
_LOWERED = re.compile(r"[₀-₉]+")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>|&(?:nbsp|amp|lt|gt|quot|apos|#\d{1,7});")
_EMPHASIS = re.compile(r"(?<!\w)[*_~]+(?=\S)|(?<=\S)[*_~]+(?!\w)|[*_~]{2,}")
_UNDERSCORE = re.compile(r"[*_~|\\^`{}\[\]]+")
_NUMBERED = re.compile(r"(?<!\w)(?:#|№|Nº|N°)\s?(\d+)")
_NAMED = {
    "§§": "sections", "§": "section", "©": "copyright", "®": "", "™": "", "±": "plus or minus", "÷": "divided by",
    "≈": "about", "≠": "is not equal to", "≤": "at most", "≥": "at least", "∞": "infinity", "√": "root of", "π": "pi",
    "µ": "micro", "→": "to", "‰": "per mille", "℃": "degrees Celsius", "℉": "degrees Fahrenheit", "@": "at",
}  # fmt: skip
# Within a Greek word it is a letter of it.
_PI = r"(?<![\u0370-\u03ff])π(?![\u0370-\u03ff])"
_NAME = re.compile("|".join([*(re.escape(sign) for sign in _NAMED if sign != "π"), _PI]))
_BY = re.compile(r"(?<=[\dst]) ?[×✕] ?(?=\d)|(?<=[\dts]) x (?=\d)|(?<=[1-9])x(?=\d)")
_EQUALS = re.compile(r"(?<=\w) ?= ?(?=[\w−-])")
_PLUS = re.compile(r"(?<=\w)\+(?=\w)|(?<=\w) \+ (?=\w)")
_SMALLER = re.compile(r"(?<=\d) ?([<>]) ?(?=\d)")
_COLD = re.compile(r"(?:(?<=[^\d]\s)|(?<=\()|^)–(?=\d+(?:\.\d+)? ?°)")
_LESS = re.compile(r"(?<=\d) − (?=\d)|(?<=\d) - (?=[\d.,]+ ?=)")
_INITIALS_AND = re.compile(r"(?<!\w)([A-Z]{1,2})&([A-Z]{1,2})(?!\w)")
_AND = re.compile(r"(?<=\w) ?& ?(?=\w)|(?<=\S) & (?=\S)")
_KEPT = frozenset("+%&$€£¥@#/=<>°′″−×¢₹₽")


def _power(match: re.Match[str]) -> str:
    exponent = int((match[2] or match[4]).translate(_RAISED))
    if match[1] or match[3]:
        return f" to the minus {cardinal(exponent)}"
    return {2: " squared", 3: " cubed"}.get(exponent, f" to the {ordinal(exponent)}")


def _lowered(match: re.Match[str]) -> str:
    return f" {decimal(match[0].translate(_RAISED))} "


def _formula(match: re.Match[str]) -> str:
    parts = re.findall(r"[A-Za-z]|[₀-₉]+", match[0])
    return " ".join(letters(part) if part.isalpha() else decimal(part.translate(_RAISED)) for part in parts)


def _squared(match: re.Match[str]) -> str | None:
    power = "squared" if match[2] == "²" else "cubed"
    if len(match[1]) == 1 and match[1] != "m":
        return f"{letters(match[1])} {power}"
    return f"{'square' if match[2] == '²' else 'cubic'} {match[1]}"


def strip(draft: Draft) -> None:
    """Silences note marks, markup and pictures; names the signs that a reader would say."""
    draft.sub(_TAG, " ")
    draft.sub(_NOTE, "")
    draft.sub(_NOTE_ROUND, "")
    draft.sub(_LINKED, " ")
    draft.sub(_BRACKET, "")
    draft.sub(_RAISED_FRACTION, lambda m: f"{m[1]} {m[2].translate(_RAISED)}/{m[3].translate(_RAISED)}")
    draft.sub(_SQUARED, _squared)
    draft.sub(_POWER, _power)
    draft.sub(_RAISED_NOTE, "")
    draft.sub(_FORMULA, _formula)
    draft.sub(_LOWERED, _lowered)
    draft.sub(_NUMBERED, lambda m: f"number {m[1]}")
    draft.sub(_BY, " by ")
    draft.sub(_LESS, " minus ")
    draft.sub(_SMALLER, lambda m: " is less than " if m[1] == "<" else " is more than ")
    draft.sub(_EQUALS, " equals ")
    draft.sub(_PLUS, " plus ")
    draft.sub(_COLD, "−")
    draft.sub(_INITIALS_AND, lambda m: f"{letters(m[1])} and {letters(m[2])}")
    draft.sub(_AND, " and ")
    draft.sub(_NAME, lambda m: f" {_NAMED[m[0]]} ")
    draft.sub(_EMPHASIS, "")
    draft.sub(_UNDERSCORE, " ")
    pictures = {
        ord(char): " "
        for char in set(draft.text)
        if ord(char) > 0x7F and char not in _KEPT and unicodedata.category(char) in ("So", "Sk", "Sm", "Cn", "Sc")
    }
    draft.translate(pictures)
