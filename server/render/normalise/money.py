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
_SLASHED = re.compile(
    r"(?<![\w/])(\d{1,2})/(?:-|–|—)(?!\w)|(?<![\w/£'])(?!(?:[2-9]0)s)(\d{1,2})s\.(?=(\s*.?))|"
    r"(?<![\w/£'])(\d0)s\.(?= [a-z])"
)
# "£4 10/6", "£133–10–0": pounds, shillings and pence in one row.
_ROW = re.compile(r"£ ?(\d[\d,]*)(?: ?[–/.-] ?| )(\d{1,2})(?: ?[–-] ?|/)(\d{1,2}|[-–—])(½|¼|¾)?(?![\w/]|\.\d)")
_SHILLINGS_PENCE = re.compile(
    r"(?<![\w.,/£$])(\d{1,2})/(\d{1,2})(½|¼|¾)?(?![\w/]|\.\d| (?:of|time|inch|mile|hour|cup|full|ths?)\b)"
)
_PRICED = re.compile(
    r"(?<!\w)(?:cost|costs|paid|pay|pays|price|priced|worth|wages?|fee|owed?|charged?|sold|bought)\W[^.!?]{0,24}$|£|"
    r"\d[sd]\.",
    re.I,
)
_PARTS_OF_PENNY = re.compile(r"(?<![\w.,])([½¼¾]) ?d(?:\.(?=(\s*.?))|(?!\w))")
_BARE_PENCE = re.compile(r"(?<![\w.,/])(\d{1,2})(½)? ?d(?= [a-z])(?! (?:day|edition|ed|of|and)\b)")
_NEW_PENCE = re.compile(r"(?<![\w.,£$])(?!720|1080)(\d{1,3})p(?!\w)")
_OLD_POUNDS = re.compile(
    r"(?<!\w)L(?=\d{1,3},\d{3}(?!\d))|(?<=\bgood )L(?=\d{2,})|(?<=\bthan )L(?=\d{2,})|(?<=\bof )L(?=\d{2,})"
)
_OWING = re.compile(r"(?<![\w.)])[-−](?=[$£€]\d)")
_ROW_OF_SIGNS = re.compile(r"£\.? ?s\.? ?d\.?(?!\w)")
_LONE = re.compile(r"(?<![\d\w])([£$€])(?![\w.])")
_AMOUNT = re.compile(
    rf"(?:(US|C|A|NZ|HK) ?)?([$£€¥₹₽]) ?([-−]?(?:{_NUMBER}))"
    rf"(?: ?(?:[–—-]) ?[$£€¥₹₽]?({_NUMBER}))?(?:( ?(?:{_WORDS})(?!\w))|(mn|bn|tn|[mMbBkK])(?!\w))?(-)?"
)
_TRAILING = re.compile(rf"(?<![\w.,])({_NUMBER}) ?([€£])(?!\w)")
_CENTS = re.compile(r"(?<![\w.,])(\d+) ?¢")
_ARTICLE = re.compile(r"(?<!\w)(?:an?|the|his|her|their|this|that)$", re.I)
_EIGHTHS = {"½": "a halfpenny", "¼": "a farthing", "¾": "three farthings"}


_ANY = re.compile(r"[$£€¥₹₽¢]|[\d½¼¾] ?[sd]\.|\d/[\d–—-]|[\d½¼¾]d|\dp(?!\w)|L\d")


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


def _keep_stop(said: str, after: str | None) -> str:
    """`said` with the dot of what it stands for, where that dot may end the sentence too."""
    following = (after or "x").strip()
    return said + "." if not following or following in "”)’—" or following.isupper() else said


def _shillings_pence(match: re.Match[str], british: bool) -> str | None:
    """ "10/6": shillings and pence where it can be no fraction, or where the company is money."""
    shillings, pence = int(match[1]), int(match[2])
    if shillings > 19 or pence > 11 or not shillings:
        return None
    # Nobody writes a fraction so: two sixths, seven sixths.
    odd = pence in (6, 9, 10, 11) and (shillings > pence or (pence == 6 and shillings in (2, 3, 4)))
    if not odd and not _PRICED.search(match.string, 0, match.start()):
        return None
    if not odd and not british and "£" not in match.string:
        return None
    if not pence:
        return f"{cardinal(shillings)} shilling{'s' if shillings != 1 else ''}"
    half = " halfpenny" if match[3] == "½" else ""
    return f"{cardinal(shillings)} and {cardinal(pence)}{' pence' + half if half else ''}"


def _amount(match: re.Match[str], british: bool) -> str:
    one, many, cent, cents = _SIGNS[match[2]]
    number, upper, word, letter = match[3], match[4], match[5], match[6]
    if number[0] in "-−":
        return "minus " + _amount(_AMOUNT.match(match[0].replace(number[0], "", 1)) or match, british)
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
    if not _ANY.search(draft.text):
        return
    british = draft.british
    draft.sub(_OLD_POUNDS, "£")
    draft.sub(_OWING, "minus ")
    draft.sub(_ROW_OF_SIGNS, "pounds, shillings and pence")
    draft.sub(_ROW, lambda m: _coins(m[1], m[2], m[3] if m[3].isdigit() else None, m[4], british))
    draft.sub(_STERLING, lambda m: _coins(m[1] or m[5], m[2], m[3] or m[6], m[4] or m[7], british))
    draft.sub(_SHILLINGS, lambda m: _coins(None, m[1], m[2] or m[4], m[3] or m[5], british))
    draft.sub(_PARTS_OF_PENNY, lambda m: _keep_stop(_EIGHTHS[m[1]], m[2]))
    if british:
        draft.sub(_BARE_PENCE, lambda m: _pence(m[1], m[2]))
    draft.sub(_SHILLINGS_PENCE, lambda m: _shillings_pence(m, british))
    draft.sub(_SLASHED, lambda m: _keep_stop(_coins(None, m[1] or m[2] or m[4], None, None, british), m[3]))
    draft.sub(_NEW_PENCE, lambda m: f"{cardinal(int(m[1]), british)} {'penny' if m[1] == '1' else 'pence'}")
    draft.sub(_AMOUNT, lambda m: _amount(m, british))
    draft.sub(_TRAILING, lambda m: f"{decimal(m[1], british)} {_SIGNS[m[2]][1]}")
    draft.sub(_LONE, lambda m: _SIGNS[m[1]][0])
    draft.sub(_CENTS, lambda m: f"{cardinal(int(m[1]), british)} cent{'s' if m[1] != '1' else ''}")
