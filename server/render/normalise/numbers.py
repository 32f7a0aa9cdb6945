"""Every other number: ordinals, decades, ranges, fractions, measures, telephone numbers, codes, years, cardinals."""

import re

from server.render.normalise.draft import Draft, letters
from server.render.normalise.speak import cardinal, decade, decimal, digits, fraction, ordinal, pair, year

_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_DECADE = re.compile(r"(?<![\w.,])'?([12]\d\d0|\d0)(?:'?s)(?!\w)")
_SHORT_YEAR = re.compile(r"(?<!\w)'(\d\d)(?!\w)")
_ORDINAL = re.compile(r"(?<![\w.])(\d{1,3}(?:,\d{3})+|\d+)(?:st|nd|rd|th|ST|ND|RD|TH|d(?=\s[A-Z]))(ly)?(?![\w])")
_PHONE = re.compile(
    r"(?<![\w.-])(?:\+\d{1,3} )?(?:(?:\(\d{3,5}\) ?|\d{3,5}[-.])\d{3,4}-\d{4}|(?:\d{3} )?\d{3}-\d{4})(?![\w-])"
    r"|(?<!\w)\+\d{1,3}(?: \(?\d{1,5}\)?){2,5}(?!\w)"
)
_VULGAR = {
    "½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅖": (2, 5), "⅗": (3, 5),
    "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6), "⅐": (1, 7), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8),
    "⅑": (1, 9), "⅒": (1, 10),
}  # fmt: skip
_MIXED = re.compile(rf"(?<![\w.,/])(?:(\d+)[ -]?)?([{''.join(_VULGAR)}])")
_SLASH = re.compile(r"(?<![\w.,/])(?:(\d+)[ -])?(\d{1,3})/(\d{1,4})(?![\w/]|\.\d)")
_RANGE = re.compile(rf"(?<![\w.,-])({_NUMBER})(?: ?[–-] ?|—)(?={_NUMBER})(\d[\d,]*)(?![\w-])")
_MINUS = re.compile(r"(?<![\w.,)\]])[-−–](?=\d)|(?<=\()-(?=\d)|−(?=\d)")
_CODE = re.compile(r"(?<![\w.,'-])(?:([A-Za-z]{1,3})-?(\d{1,4})([A-Za-z])?|(\d{1,4})-?([A-Z]{1,2}|[a-z]))(?![\w'])")
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)")
_DECIMAL = re.compile(r"(?<![\d.])\d*\.\d+(?![\d.]*\.\d)")
_YEAR = re.compile(r"(?<![\d.,])(1[0-9]\d\d|20\d\d)(?![\d]|[.,]\d)")
_WHOLE = re.compile(r"\d+")
_PERCENT = re.compile(r"(?<=\d) ?%")
_UNITS = {
    "km": "kilometer", "cm": "centimeter", "mm": "millimeter", "m": "meter", "mi": "mile", "ft": "foot",
    "yd": "yard", "yds": "yard", "in.": "inch", "lb": "pound", "lbs": "pound", "oz": "ounce", "kg": "kilogram",
    "g": "gram", "mg": "milligram", "ml": "milliliter", "l": "liter", "mph": "mile per hour",
    "km/h": "kilometer per hour", "kph": "kilometer per hour", "m/s": "meter per second", "hr": "hour", "hrs": "hour",
    "min": "minute", "mins": "minute", "sec": "second", "secs": "second", "kW": "kilowatt", "W": "watt", "V": "volt",
    "Hz": "hertz", "kHz": "kilohertz", "MHz": "megahertz", "GHz": "gigahertz", "kB": "kilobyte", "KB": "kilobyte",
    "MB": "megabyte", "GB": "gigabyte", "TB": "terabyte", "°C": "degree Celsius", "°F": "degree Fahrenheit",
    "° C": "degree Celsius", "° F": "degree Fahrenheit", "°": "degree", "ha": "hectare", "cwt": "hundredweight",
}  # fmt: skip
_UNIT = re.compile(
    rf"(?<![\w.,])([-−]?)({_NUMBER})( ?(?:square|cubic)|)([ -]?)"
    rf"({'|'.join(sorted(map(re.escape, _UNITS), key=len, reverse=True))})(?!\w|'|/)(\.(?=\s?[a-z0-9;,:)]))?"
)
_SAME = frozenset(("hertz", "kilohertz", "megahertz", "gigahertz", "hundredweight"))


def _unit_name(unit: str, one: bool) -> str:
    name = _UNITS[unit]
    first, _, rest = name.partition(" ")
    if not one and first not in _SAME:
        first = {"foot": "feet", "inch": "inches"}.get(first, first + "s")
    return f"{first} {rest}".strip()


def _unit(match: re.Match[str], british: bool) -> str:
    sign, number, power, gap, unit = match.group(1, 2, 3, 4, 5)
    said = f"{'minus ' if sign else ''}{decimal(number, british)}{power}"
    return f"{said} {_unit_name(unit, number == '1' or gap == '-')}"


def _mixed(whole: str | None, top: int, bottom: int, british: bool) -> str:
    if whole is None:
        return "a quarter" if (top, bottom) == (1, 4) else fraction(top, bottom, british)
    part = fraction(top, bottom, british)
    part = f"a {part}" if part == "half" else part.replace("one ", "a ", 1) if part.startswith("one ") else part
    return f"{decimal(whole, british)} and {part}"


def _slash(match: re.Match[str], british: bool) -> str | None:
    top, bottom = int(match[2]), int(match[3])
    if not bottom:
        return None
    if (top, bottom) == (24, 7):
        return "twenty four seven"
    return _mixed(match[1], top, bottom, british)


def _one(number: str, british: bool, other: str = "") -> str:
    """One end of a range, a year where it looks like one."""
    if number.isdigit() and len(number) == 4 and "1000" <= number <= "2099" and (not other or len(other) in (2, 4)):
        return year(int(number), british)
    return decimal(number, british)


def _range(match: re.Match[str], british: bool) -> str | None:
    left, right = match[1], match[2].rstrip(",")
    trail = match[2][len(right) :]
    if len(left) == 4 and left.isdigit() and len(right) == 2 and int(right) > int(left[2:]):
        return f"{year(int(left), british)} to {pair(int(right))}{trail}"
    return f"{_one(left, british, right)} to {_one(right, british, left)}{trail}"


def _code_number(text: str) -> str:
    if text[0] == "0" or (len(text) == 4 and text[2:] != "00"):
        return digits(text) if text[0] == "0" else f"{cardinal(int(text[:2]))} {pair(int(text[2:]))}"
    if len(text) == 3:
        rest = int(text[1:])
        return f"{cardinal(int(text[0]))} {pair(rest)}" if rest else cardinal(int(text))
    return cardinal(int(text))


def _code(match: re.Match[str]) -> str | None:
    before, number, behind, first, last = match.groups()
    if first:
        return f"{_code_number(first)} {letters(last)}"
    word = before if len(before) > 1 and re.search("[aeiouyAEIOUY]", before) and not before.isupper() else None
    return f"{word or letters(before)} {_code_number(number)}" + (f" {letters(behind)}" if behind else "")


def numbers(draft: Draft) -> None:
    """Leaves no digit behind."""
    british = draft.british
    if not any(char.isdigit() or char in _VULGAR for char in draft.text):
        return
    draft.sub(_PHONE, lambda m: digits(m[0]))
    draft.sub(_DECADE, lambda m: decade(int(m[1]), british))
    draft.sub(_SHORT_YEAR, lambda m: pair(int(m[1])))
    draft.sub(_MIXED, lambda m: _mixed(m[1], *_VULGAR[m[2]], british))
    draft.sub(_SLASH, lambda m: _slash(m, british))
    draft.sub(_ORDINAL, lambda m: ordinal(int(m[1].replace(",", "")), british) + (m[2] or ""))
    draft.sub(_UNIT, lambda m: _unit(m, british))
    draft.sub(_PERCENT, " percent")
    draft.sub(_RANGE, lambda m: _range(m, british))
    draft.sub(_MINUS, "minus ")
    draft.sub(_CODE, _code)
    draft.sub(_GROUPED, lambda m: decimal(m[0], british))
    draft.sub(_YEAR, lambda m: year(int(m[0]), british))
    draft.sub(_DECIMAL, lambda m: decimal(m[0], british))
    draft.sub(_WHOLE, lambda m: f" {decimal(m[0], british)} ")
