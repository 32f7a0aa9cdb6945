"""Numbers as words: pure arithmetic and tables, no text is searched here."""

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = ["", "", *"twenty thirty forty fifty sixty seventy eighty ninety".split()]
_SCALES = ["", *["thousand", "million", "billion", "trillion", "quadrillion", "quintillion", "sextillion"]]
_ORDINALS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip
LARGEST = 1000 ** len(_SCALES) - 1


def _below_thousand(n: int, british: bool) -> list[str]:
    words: list[str] = []
    if n >= 100:
        words += [_SMALL[n // 100], "hundred"]
        n %= 100
        if n and british:
            words.append("and")
    if n >= 20:
        words.append(_TENS[n // 10])
        n %= 10
        if not n:
            return words
    if n or not words:
        words.append(_SMALL[n])
    return words


def cardinal(n: int, british: bool = False) -> str:
    """n ≥ 0 in words; digit by digit where it is too large to have a name. British has "and" before tens and units."""
    if n > LARGEST:
        return digits(str(n))
    if n < 1000:
        return " ".join(_below_thousand(n, british))
    words: list[str] = []
    groups: list[int] = []
    rest = n
    while rest:
        rest, group = divmod(rest, 1000)
        groups.append(group)
    for scale in range(len(groups) - 1, -1, -1):
        if not groups[scale]:
            continue
        if british and scale == 0 and groups[0] < 100:
            words.append("and")
        words += _below_thousand(groups[scale], british)
        if scale:
            words.append(_SCALES[scale])
    return " ".join(words)


def ordinal(n: int, british: bool = False) -> str:
    """n ≥ 0 as a place in order: "forty second"."""
    head, _, last = cardinal(n, british).rpartition(" ")
    if last in _ORDINALS:
        last = _ORDINALS[last]
    elif last.endswith("y"):
        last = last[:-1] + "ieth"
    else:
        last += "th"
    return f"{head} {last}".strip()


def pair(n: int) -> str:
    """The second half of a year or a time, 0–99: "oh five", "forty"."""
    return f"oh {_SMALL[n]}" if n < 10 else cardinal(n)


def year(n: int, british: bool = False) -> str:
    """A year as it is said; outside 1000–2099 it is a cardinal."""
    century, rest = divmod(n, 100)
    if not 1000 <= n <= 2099 or (century % 10 == 0 and rest < 10):
        return cardinal(n, british)
    if rest == 0:
        return f"{cardinal(century)} hundred"
    return f"{cardinal(century)} {pair(rest)}"


def decade(n: int, british: bool = False) -> str:
    """The ten years from n: "nineteen twenties", "sixties", "two thousands"."""
    said = year(n, british) if n >= 100 else cardinal(n)
    return plural(said)


def plural(words: str) -> str:
    """The plural of the last word of `words`, for number words and units."""
    if words.endswith("y"):
        return words[:-1] + "ies"
    return words + ("es" if words.endswith(("x", "s")) else "s")


def digits(text: str, zero: str = "oh") -> str:
    """Each digit by itself; anything else is passed over."""
    return " ".join(zero if char == "0" else _SMALL[int(char)] for char in text if char in "0123456789")


def decimal(text: str, british: bool = False) -> str:
    """An ASCII number with optional commas and decimal point: "1,234.50" → "… point five zero"."""
    whole, _, part = text.replace(",", "").partition(".")
    zero = "nought" if british and not int(whole or "0") else "zero"
    said = ""
    if whole:
        said = cardinal(int(whole), british) if int(whole) or not part else zero
        # A leading zero is a code, not a count: "007".
        if len(whole) > 1 and whole[0] == "0" and not part:
            return digits(whole)
    return f"{said} point {digits(part, 'zero')}".strip() if part else said


def fraction(top: int, bottom: int, british: bool = False) -> str:
    """top/bottom in words: "half", "three quarters", "five over forty"."""
    if (top, bottom) == (1, 2):
        return "half"
    if not 2 <= bottom <= 20 and bottom not in (32, 50, 64, 100, 1000):
        return f"{cardinal(top, british)} over {cardinal(bottom, british)}"
    part = {2: "half", 4: "quarter"}.get(bottom) or ordinal(bottom, british)
    if top != 1:
        part = "halves" if bottom == 2 else part + "s"
    return f"{cardinal(top, british)} {part}"
