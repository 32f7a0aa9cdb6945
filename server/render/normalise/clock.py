"""Times of day and dates."""

import re

from server.render.normalise.draft import Draft
from server.render.normalise.speak import cardinal, ordinal, pair, year

MONTHS = "January February March April May June July August September October November December".split()
_MONTH = "|".join([*MONTHS, *map(str.upper, MONTHS)])
_HALF = r"([ap])\.? ?m(?:\.|\b)"
_TIME = re.compile(rf"(?<![\w:.,])([01]?\d|2[0-4])[:.]([0-5]\d)(?::([0-5]\d))?\s?(?:{_HALF})(?!\w)", re.I)
_PLAIN_TIME = re.compile(r"(?<![\w:.,/])([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d))?(?![\w:]|\.\d)( hours)?")
_HOUR = re.compile(rf"(?<![\w:.,])(1[0-2]|0?[1-9])\s?{_HALF}(?!\w)", re.I)
_OCLOCK = re.compile(r"(?<![\w:.,])(1[0-2]|[1-9])( ?)(?=o'clock)", re.I)
_DOTTED_TIME = re.compile(
    r"(?<=\b[ab][ty] )(1[0-2]|\d)\.([0-5]\d)()()(?=[,;:!?)”—]|\.?$|\. |"
    r" (?:sharp|train|on|in|this|that|precisely|exactly|every|tomorrow|tonight|today|yesterday|and|to|when|or|for|"
    r"he|she|"
    r"they|we|I|it|the|bus|boat|express|o'clock)\b)"
)
_WATCH = re.compile(r"(?<![\w:.,])(0\d|1\d|2[0-4])([0-5]\d)(?= ?(?:hours|hrs)\b)")
_VERSES = re.compile(r"(?<=[a-zA-Z] )(\d{1,3}):(\d{1,3})(?:[-–](\d{1,3}))?(?![\w:]|\.\d)")
_RATIO = re.compile(r"(?<![\w:.,])(\d{1,4}):(\d{1,4})(?![\w:]|\.\d)")
_POINTED = re.compile(r"(?<![\w.])(0?[1-9]|[12]\d|3[01])\.(0?[1-9]|1[0-2])\.((?:1[5-9]|20)\d\d)(?!\w|\.\d)")
_DAYS = re.compile(
    rf"(?<!\w)({_MONTH}) (0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)? ?[-–] ?(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|"
    rf"th)?(?![\w:/]|[.,]\d)"
    rf"|(?<![\w.,/])(?:the )?(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)? ?[-–] ?(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|"
    rf"th)? (?:of )?({_MONTH})\b"
)
_ERA = re.compile(r"(?<=\d) ?(A\.D\.|B\.C\.E?\.?|C\.E\.|AD|BCE?|CE)(?![\w])|(?<!\w)(A\.D\.|AD) ?(?=\d)")
_ISO = re.compile(r"(?<![\w-])([12]\d{3})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?![\w-])")
_SLASHED = re.compile(r"(?<![\w/])(0?[1-9]|[12]\d|3[01])/(0?[1-9]|[12]\d|3[01])/((?:1\d|20)?\d\d)(?![\w/])")
_DAY_FIRST = re.compile(
    rf"(?<![\w.,/])(the )?(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th|d)?(?: of)? ({_MONTH})(?:,? (\d{{4}})(?![\w,]))?(?!\w)"
)
_MONTH_FIRST = re.compile(
    rf"(?<!\w)({_MONTH}) (the )?(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th|d)?(?![\w:/]|[.,]\d)(?:(,?) (\d{{4}})(?![\w,]))?"
)


# Books that are cited by chapter and verse.
_BOOKS = frozenset(
    "Genesis Exodus Leviticus Numbers Deuteronomy Joshua Judges Ruth Samuel Kings Chronicles Ezra Nehemiah Esther Job "
    "Psalm Psalms Proverbs Ecclesiastes Songs Solomon Isaiah Jeremiah Lamentations Ezekiel Daniel Hosea Joel Amos "
    "Obadiah "
    "Jonah Micah Nahum Habakkuk Zephaniah Haggai Zechariah Malachi Matthew Mark Luke John Acts Romans Corinthians "
    "Galatians Ephesians Philippians Colossians Thessalonians Timothy Titus Philemon Hebrews James Peter Jude "
    "Revelation "
    "Maccabees Esdras Tobit Judith Sirach Koran Quran Sura".split()
)


def _half(letter: str) -> str:
    return f"{letter.lower()}.m."


def _time(match: re.Match[str]) -> str:
    hour, minute = int(match[1]), int(match[2])
    said = cardinal(hour) if not minute else f"{cardinal(hour)} {pair(minute)}"
    if match[3]:
        said += f" and {cardinal(int(match[3]))} seconds"
    return f"{said} {_half(match[4])}"


def _plain_time(match: re.Match[str]) -> str:
    hour, minute = int(match[1]), int(match[2])
    said = "zero" if hour == 0 else cardinal(hour)
    if len(match[1]) == 2 and match[1][0] == "0" and hour:
        said = f"oh {said}"
    if match[3]:
        return f"{said} {pair(minute) if minute else 'hundred'} and {cardinal(int(match[3]))} seconds"
    if minute:
        return f"{said} {pair(minute)}{match[4] or ''}"
    if match[4] or not 1 <= hour <= 12:
        return f"{said} hundred{match[4] or ''}"
    return f"{said} o'clock"


def _day(day: int, month: int, its_year: int | None, british: bool, style: str = "") -> str:
    name = MONTHS[month - 1]
    date = f"the {ordinal(day)} of {name}" if british or style == "day" else f"{name} {ordinal(day)}"
    if its_year is None:
        return date
    return f"{date}{',' if not british and style != 'day' else ''} {year(its_year, british)}"


def _slashed(match: re.Match[str], british: bool) -> str | None:
    first, second, number = int(match[1]), int(match[2]), int(match[3])
    day, month = (first, second) if british else (second, first)
    if month > 12:
        day, month = month, day
    if month > 12:
        return None
    if len(match[3]) == 2:
        number += 2000 if number < 40 else 1900
    return _day(day, month, number, british)


def _day_first(match: re.Match[str], british: bool) -> str:
    when = int(match[4]) if match[4] else None
    said = _day(int(match[2]), MONTHS.index(match[3].capitalize()) + 1, when, british, "day")
    return said if match[1] or " of " not in match[0] else said.removeprefix("the ")


def _month_first(match: re.Match[str], british: bool) -> str:
    article = "the " if british or match[2] else ""
    said = f"{match[1]} {article}{ordinal(int(match[3]))}"
    return f"{said}{match[4]} {year(int(match[5]), british)}" if match[5] else said


def _watch(match: re.Match[str]) -> str:
    hour, minute = int(match[1]), int(match[2])
    said = f"oh {cardinal(hour)}" if hour < 10 and hour else cardinal(hour) if hour else "zero"
    return f"{said} {pair(minute) if minute else 'hundred'}"


def _verses(match: re.Match[str], british: bool) -> str | None:
    """Chapter and verse: after the name of a book only, where a time of day cannot be."""
    book = re.search(r"([^\W\d_]+) $", match.string[: match.start()])
    if not book or book[1] not in _BOOKS:
        return None
    said = f"{cardinal(int(match[1]), british)} {cardinal(int(match[2]), british)}"
    return said + (f" to {cardinal(int(match[3]), british)}" if match[3] else "")


def _days(match: re.Match[str], british: bool) -> str | None:
    first, last = int(match[2] or match[4]), int(match[3] or match[5])
    if last <= first:
        return None
    if match[6]:
        return f"the {ordinal(first)} to the {ordinal(last)} of {match[6]}"
    the = "the " if british else ""
    return f"{match[1]} {the}{ordinal(first)} to {the}{ordinal(last)}"


def clock(draft: Draft) -> None:
    """Says times and dates as a reader would."""
    if not any(char.isdigit() for char in draft.text):
        return
    british = draft.british
    if "." in draft.text:
        draft.sub(_POINTED, lambda m: _day(int(m[1]), int(m[2]), int(m[3]), british))
        draft.sub(_DOTTED_TIME, _plain_time)
    if "ours" in draft.text or "hrs" in draft.text:
        draft.sub(_WATCH, _watch)
    if "-" in draft.text or "–" in draft.text:
        draft.sub(_DAYS, lambda m: _days(m, british))
    draft.sub(_ISO, lambda m: _day(int(m[3]), int(m[2]), int(m[1]), british))
    draft.sub(_SLASHED, lambda m: _slashed(m, british))
    draft.sub(_DAY_FIRST, lambda m: _day_first(m, british))
    draft.sub(_MONTH_FIRST, lambda m: _month_first(m, british))
    colon = ":" in draft.text
    if colon:
        draft.sub(_VERSES, lambda m: _verses(m, british))
    draft.sub(_TIME, _time)
    draft.sub(_PLAIN_TIME, _plain_time)
    if colon:
        draft.sub(_RATIO, lambda m: f"{cardinal(int(m[1]), british)} to {cardinal(int(m[2]), british)}")
    draft.sub(_HOUR, lambda m: f"{cardinal(int(m[1]))} {_half(m[2])}")
    draft.sub(_OCLOCK, lambda m: cardinal(int(m[1])) + ("" if m[2] else " "), group=1)
    draft.sub(_ERA, lambda m: (" " if m[1] else "") + ".".join(c for c in (m[1] or m[2]) if c.isalpha()) + (". "))
