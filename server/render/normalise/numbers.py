"""Every other number: ordinals, decades, ranges, fractions, measures, telephone numbers, codes, years, cardinals."""

import re

from server.render.normalise.draft import Draft, letters
from server.render.normalise.speak import cardinal, decade, decimal, digits, fraction, ordinal, pair, year

_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_DECADE = re.compile(r"(?<![\w.,])'?([12]\d\d0|\d0)(?:'?s)(?!\w)")
_SHORT_YEAR = re.compile(r"(?<!\w)'(\d\d)(?!\w)")
_ORDINAL = re.compile(
    r"(?<![\w.])(\d{1,3}(?:,\d{3})+|\d+)(?:st|nd|rd|th|ST|ND|RD|TH|d(?=\s[A-Z])"
    r"|d(?= (?:day|of|edition|and|instant)\b)|d(?=, \d{4}))(ly)?(?![\w])"
)
_PHONE = re.compile(
    r"(?<![\w.-])(?:\+\d{1,3} )?(?:(?:\(\d{3,5}\) ?|\d{3,5}[-.])\d{3,4}-\d{4}|(?:\d{3} )?\d{3}-\d{4})(?![\w-])"
    r"|(?<!\w)\+\d{1,3}(?:[ -]\(?\d{1,5}\)?){2,5}(?!\w)|(?<![\w.-])1-\d{3}-\d{3}-\d{4}(?![\w-])"
    r"|(?<![\w.])\d{3}\.\d{3}\.\d{4}(?![\w.])|(?<=[Cc]all )(?:911|999|112|411|101)(?!\w)|(?<=[Dd]ial )\d{3}(?![\w,.]\w)"
    r"|(?<=[Dd]ialed )\d{3}(?![\w,.]\w)|(?<=[Dd]ialled )\d{3}(?![\w,.]\w)|(?<=[Rr]ang )\d{3}(?![\w,.]\w)"
    r"|(?<![\w.-])\d{2,4}-\d{6,}(?![\w-])"
)
_VULGAR = {
    "½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅖": (2, 5), "⅗": (3, 5),
    "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6), "⅐": (1, 7), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8),
    "⅑": (1, 9), "⅒": (1, 10),
}  # fmt: skip
_MIXED = re.compile(rf"(?<![\w.,/])(?:(\d+)[ -]?)?([{''.join(_VULGAR)}])")
_SLASH = re.compile(r"(?<![\w.,/])(?:(\d+)[ -])?(\d{1,3})/(\d{1,4})(?![\w/]|\.\d)")
# "1.E.8", "3.2.1", "192.168.1.1": a place in a scheme, or an address of a machine.
_SECTION = re.compile(r"(?<![\w.])(\d{1,3}(?:\.[A-Z])?(?:\.(?:\d{1,3}|[A-Z]))*\.(?:\d{1,3}|[A-Z]))(?![\w]|\.\d)")
_SPACED = re.compile(r"(?<![\d.,] )(?<![\w.,])\d{1,3}(?: \d{3})* 000(?![\w.,]\w| \d)")
_HYPHENED = re.compile(r"(?<=\d)-(?=[^\W\d_])|(?<=[^\W\d_])-(?=\d)")
_NTHS = re.compile(r"(?<=/\d)(?:ths?|rds?|nds?)(?!\w)|(?<=/\d\d)(?:ths?|rds?|nds?)(?!\w)")
_PLUS = re.compile(r"(?<!\w)\+(?=\d)")
# A count, however much it looks like a year.
_COUNTED = re.compile(
    r"(?<![\d.,])(?<!\b[iI]n )(?<!\bof )(?<!\bby )(?<!ince )(?<!\bear )(?<!ntil )(?<!rom )(?<!\bto )"
    r"(?<!ring )(?<!fore )(?<!fter )"
    r"(1[0-9]\d[1-9]|1[0-9][1-9]0|20\d\d)(?= (?:men|women|children|people|miles|feet|pounds|dollars|francs|soldiers|"
    r"souls|persons|copies|votes|bales|acres|tons|yards|inches|houses|ships|guns|horses|sheep|cattle|prisoners|volumes|pages|words|"
    r"letters|lines|points|members|students|families|bottles|boxes|barrels|steps|stones|days|hours|minutes|seconds|times)\b)"
)
_ELIDED = re.compile(r"(?<![\w.,-])(1[0-9]|20)(\d)(\d)[–-]([1-9])(?![\w-]|[.,]\d)")
_APOSTROPHE_YEARS = re.compile(r"(?<=\d\d\d\d)[–-]'(?=\d\d(?!\w))|(?<='\d\d)[–-]'(?=\d\d(?!\w))")
_RANGE = re.compile(rf"(?<![\w.,-])({_NUMBER})(?: ?[–-] ?|—)(?={_NUMBER})(\d[\d,]*)(?![\w-]|\.\d)")
_MINUS = re.compile(r"(?<![\w.,)\]])[-−–](?=\d)|(?<=\()-(?=\d)|−(?=\d)")
_CODE = re.compile(r"(?<![\w.,'-])(?:([A-Za-z]{1,3})-?(\d{1,4})([A-Za-z])?|(\d{1,4})-?([A-Z]{1,2}|[a-z]))(?![\w'])")
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)")
_DECIMAL = re.compile(r"(?<![\d.])\d*\.\d+(?![\d.]*\.\d)")
_YEAR = re.compile(r"(?<![\d.,])(1[0-9]\d\d|20\d\d)(?![\d]|[.,]\d)")
_WHOLE = re.compile(r"\d+")
_PERCENT = re.compile(r"(?<=\w) ?%")
_UNITS = {
    "km": "kilometer", "cm": "centimeter", "mm": "millimeter", "m": "meter", "mi": "mile", "ft": "foot",
    "yd": "yard", "yds": "yard", "in.": "inch", "lb": "pound", "lbs": "pound", "oz": "ounce", "kg": "kilogram",
    "g": "gram", "mg": "milligram", "ml": "milliliter", "l": "liter", "mph": "mile per hour",
    "km/h": "kilometer per hour", "kph": "kilometer per hour", "m/s": "meter per second", "hr": "hour", "hrs": "hour",
    "min": "minute", "mins": "minute", "sec": "second", "secs": "second", "kW": "kilowatt", "W": "watt", "V": "volt",
    "yr": "year", "yrs": "year", "st": "stone",
    "Hz": "hertz", "kHz": "kilohertz", "MHz": "megahertz", "GHz": "gigahertz", "kB": "kilobyte", "KB": "kilobyte",
    "MB": "megabyte", "GB": "gigabyte", "TB": "terabyte", "°C": "degree Celsius", "°F": "degree Fahrenheit",
    "° C": "degree Celsius", "° F": "degree Fahrenheit", "°": "degree", "ha": "hectare", "cwt": "hundredweight",
}  # fmt: skip
_UNIT = re.compile(
    rf"(?<![\w.,])([-−]?)({_NUMBER})( ?(?:square|cubic)|)([ -]?)"
    rf"({'|'.join(sorted(map(re.escape, _UNITS), key=len, reverse=True))})"
    r"(?!\w|'|/(?!day|hour|week|month|year))(\.(?=\s?[a-z0-9;,:)])|(?<=in\.))?"
)
_WORDED = re.compile(
    r"(?<=(?:e|o|r|x|n|t|y) )(ft|in|lbs?|oz|yds?)\.(?= (?:[a-z]|\d|(?:one|two|three|four|five|six|seven|eight|nine)\b))"
)
_SAME = frozenset(("hertz", "kilohertz", "megahertz", "gigahertz", "hundredweight", "stone"))


def _unit_name(unit: str, one: bool) -> str:
    name = _UNITS[unit]
    first, _, rest = name.partition(" ")
    if not one and first not in _SAME:
        first = {"foot": "feet", "inch": "inches"}.get(first, first + "s")
    return f"{first} {rest}".strip()


def _unit(match: re.Match[str], british: bool) -> str | None:
    sign, number, power, gap, unit = match.group(1, 2, 3, 4, 5)
    rest = match.string[match.end() :]
    if unit in ("W", "V", "m", "l", "g") and re.match(r"\. [A-Z]\.", rest):
        return None
    if unit == "st" and not re.match(r"\.? \d+ ?lb", rest):
        return None
    said = f"{'minus ' if sign else ''}{decimal(number, british)}{power}"
    stop = "." if unit == "in." and re.match(r"\s*(?:$|[A-Z”])", rest) else ""
    return f"{said} {_unit_name(unit, number == '1' or gap == '-')}{stop}"


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
    if (top, bottom) in ((24, 7), (9, 11)) or (top == bottom and not match[1]):
        return f"{cardinal(top)} {cardinal(bottom)}"
    return _mixed(match[1], top, bottom, british)


def _one(number: str, british: bool, other: str = "") -> str:
    """One end of a range, a year where it looks like one."""
    if number.isdigit() and len(number) == 4 and "1000" <= number <= "2099" and (not other or len(other) in (2, 4)):
        return year(int(number), british)
    return decimal(number, british)


def _section(match: re.Match[str]) -> str | None:
    parts = match[1].split(".")
    lettered = any(part.isalpha() for part in parts)
    if len(parts) < 3 and not lettered:
        return None
    said = [letters(part) if part.isalpha() else cardinal(int(part)) for part in parts]
    return " ".join(said) if lettered else " point ".join(said)


def _elided(match: re.Match[str]) -> str | None:
    """ "1861–2" """
    century, ten, one, last = match.groups()
    if int(last) <= int(one):
        return None
    return f"{year(int(century + ten + one))} to {cardinal(int(last))}"


def _range(match: re.Match[str], british: bool) -> str | None:
    left, right = match[1], match[2].rstrip(",")
    trail = match[2][len(right) :]
    if "—" in match[0] and (len(left) != len(right) or "." in left):
        return None
    if len(left) == 3 and len(right) == 2 and left.isdigit() and int(right) > int(left[1:]):
        return f"{cardinal(int(left), british)} to {cardinal(int(left[0] + right), british)}{trail}"
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
    if "." in draft.text:
        draft.sub(_WORDED, lambda m: _unit_name({"in": "in."}.get(m[1], m[1]), False))
    if not any(char.isdigit() or char in _VULGAR for char in draft.text):
        return
    draft.sub(_PHONE, lambda m: digits(m[0]))
    if "." in draft.text:
        draft.sub(_SECTION, _section)
    draft.sub(_SPACED, lambda m: m[0].replace(" ", ","))
    draft.sub(_APOSTROPHE_YEARS, "–")
    draft.sub(_ELIDED, _elided)
    draft.sub(_DECADE, lambda m: decade(int(m[1]), british))
    draft.sub(_SHORT_YEAR, lambda m: pair(int(m[1])))
    draft.sub(_NTHS, "")
    draft.sub(_MIXED, lambda m: _mixed(m[1], *_VULGAR[m[2]], british))
    draft.sub(_SLASH, lambda m: _slash(m, british))
    draft.sub(_ORDINAL, lambda m: ordinal(int(m[1].replace(",", "")), british) + (m[2] or ""))
    draft.sub(_UNIT, lambda m: _unit(m, british))
    draft.sub(_PERCENT, " percent")
    draft.sub(_RANGE, lambda m: _range(m, british))
    draft.sub(_MINUS, "minus ")
    draft.sub(_CODE, _code)
    draft.sub(_HYPHENED, " ")
    draft.sub(_PLUS, "plus ")
    draft.sub(_COUNTED, lambda m: cardinal(int(m[1]), british))
    draft.sub(_GROUPED, lambda m: decimal(m[0], british))
    draft.sub(_YEAR, lambda m: year(int(m[0]), british))
    draft.sub(_DECIMAL, lambda m: decimal(m[0], british))
    draft.sub(_WHOLE, lambda m: f" {decimal(m[0], british)} ")
