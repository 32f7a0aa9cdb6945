"""Money: signs before or after, scale words, hundredths, and pounds, shillings and pence."""

import re

from server.render.normalise.draft import Draft
from server.render.normalise.speak import cardinal, decimal

_SIGNS = {
    "$": ("dollar", "dollars", "cent", "cents"), "£": ("pound", "pounds", "penny", "pence"),
    "€": ("euro", "euros", "cent", "cents"), "¥": ("yen", "yen", "", ""), "₹": ("rupee", "rupees", "paisa", "paise"),
    "₽": ("rouble", "roubles", "kopeck", "kopecks"),
}  # fmt: skip
_SCALES = {"m": "million", "mn": "million", "M": "million", "bn": "billion", "b": "billion", "B": "billion",
           "k": "thousand", "K": "thousand", "tn": "trillion"}  # fmt: skip
_WORDS = "hundred|thousand|million|billion|trillion"
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_STERLING = re.compile(
    r"£ ?(\d[\d,]*),? (\d{1,2}) ?s\.?(?:,? ?(\d{1,2})(½|¼|¾)? ?d(?:\.|\b))?"
    r"|£ ?(\d[\d,]*),? (\d{1,2})(½|¼|¾)? ?d(?:\.|\b)"
)
_SHILLINGS = re.compile(
    r"(?<![\w.,£$])(\d{1,2}) ?s\.?,? ?(\d{1,2})(½|¼|¾)? ?d(?:\.|\b)|(?<![\w.,])(\d{1,2})(½|¼|¾)? ?d\."
)
_SLASHED = re.compile(r"(?<![\w/])(\d{1,2})/(?:-|–)(?!\w)|(?<![\w/£])(\d{1,2})s\.(?=\s[a-z])")
_AMOUNT = re.compile(
    rf"(?:(US|C|A|NZ|HK) ?)?([$£€¥₹₽]) ?({_NUMBER})"
    rf"(?: ?(?:[–—-]) ?[$£€¥₹₽]?({_NUMBER}))?(?:( ?(?:{_WORDS})(?!\w))|(mn|bn|tn|[mMbBkK])(?!\w))?(-)?"
)
_TRAILING = re.compile(rf"(?<![\w.,])({_NUMBER}) ?([€£])(?!\w)")
_CENTS = re.compile(r"(?<![\w.,])(\d+) ?¢")
_ARTICLE = re.compile(r"(?<!\w)(?:an?|the|his|her|their|this|that)$", re.I)
_EIGHTHS = {"½": "a halfpenny", "¼": "a farthing", "¾": "three farthings"}


def _pence(count: str | None, part: str | None) -> str:
    if not count:
        return ""
    n = int(count)
    extra = f" {_EIGHTHS[part]}" if part else ""
    if part == "½":
        return f"{cardinal(n)} pence halfpenny" if n > 1 else "a penny halfpenny"
    said = {1: "one penny", 2: "twopence", 3: "threepence", 6: "sixpence"}.get(n, f"{cardinal(n)} pence")
    return said + (" and" + extra if extra else "")


def _coins(pounds: str | None, shillings: str | None, pence: str | None, part: str | None, british: bool) -> str:
    said = []
    if pounds and int(pounds.replace(",", "")):
        n = int(pounds.replace(",", ""))
        said.append(f"{cardinal(n, british)} pound{'s' if n != 1 else ''}")
    if shillings and int(shillings):
        said.append(f"{cardinal(int(shillings))} shilling{'s' if int(shillings) != 1 else ''}")
    if pence and int(pence):
        said += ["and", _pence(pence, part)] if said else [_pence(pence, part)]
    return " ".join(said)


def _amount(match: re.Match[str], british: bool) -> str:
    one, many, cent, cents = _SIGNS[match[2]]
    number, upper, word, letter = match[3], match[4], match[5], match[6]
    country = {"US": "U.S. ", "C": "Canadian ", "A": "Australian ", "NZ": "New Zealand ", "HK": "Hong Kong "}
    one, many = (country.get(match[1] or "", "") + unit for unit in (one, many))
    scale = word.strip() if word else _SCALES.get(letter or "", "")
    joined = "-" if match[7] else ""
    # "a $2 million house": the unit is singular before a noun, which an article shows.
    before = match.string[: match.start()].rstrip()
    following = re.match(r" [^\W\d_]", match.string[match.end() :])
    if following and _ARTICLE.search(before) and (scale or before[-1] in "aA"):
        many = one
    if upper or scale:
        said = decimal(number, british) + (f" to {decimal(upper, british)}" if upper else "")
        return f"{said}{' ' + scale if scale else ''} {many}{' ' if joined else ''}"
    whole, _, part = number.replace(",", "").partition(".")
    if joined:
        return f"{decimal(number, british)} {one} "
    if len(part) != 2 or not cent:
        return f"{decimal(number, british)} {one if number == '1' else many}"
    n, hundredths = int(whole), int(part)
    if not n and hundredths:
        return f"{cardinal(hundredths)} {cent if hundredths == 1 else cents}"
    said = f"{cardinal(n, british)} {one if n == 1 else many}"
    if not hundredths:
        return said
    if match[2] == "£":
        return f"{said} {cardinal(hundredths)}"
    return f"{said} and {cardinal(hundredths)} {cent if hundredths == 1 else cents}"


def money(draft: Draft) -> None:
    """Says every sum of money in full."""
    if not re.search(r"[$£€¥₹₽¢]|\d ?[sd]\.|\d/-|\dd", draft.text):
        return
    british = draft.british
    draft.sub(_STERLING, lambda m: _coins(m[1] or m[5], m[2], m[3] or m[6], m[4] or m[7], british))
    draft.sub(_SHILLINGS, lambda m: _coins(None, m[1], m[2] or m[4], m[3] or m[5], british))
    draft.sub(_SLASHED, lambda m: _coins(None, m[1] or m[2], None, None, british))
    draft.sub(_AMOUNT, lambda m: _amount(m, british))
    draft.sub(_TRAILING, lambda m: f"{decimal(m[1], british)} {_SIGNS[m[2]][1]}")
    draft.sub(_CENTS, lambda m: f"{cardinal(int(m[1]), british)} cent{'s' if m[1] != '1' else ''}")
