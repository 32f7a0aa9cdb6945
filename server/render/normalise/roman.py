"""Roman numerals: only in company that makes them numbers, so that the pronoun I and words such as mix stay."""

import re

from server.render.normalise.draft import Draft
from server.render.normalise.speak import cardinal, ordinal, year

_VALUES = {"M": 1000, "D": 500, "C": 100, "L": 50, "X": 10, "V": 5, "I": 1}
_SHAPE = r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
_VALID = re.compile(_SHAPE)
_NUMERAL = r"[IVXLCDM]+"
_PARTS = (
    "chapter|book|part|volume|act|scene|canto|section|letter|stave|article|appendix|psalm|sonnet|lesson|number|"
    "page|pages|figure|plate|table|phase|stage|type|class|case|title|verse|line|stanza|story|tale|episode|adventure|"
    "division|rule|note|war|mark|opus|symphony|olympiad|stage|level|grade|day|night|epistle|vol|fit|fytte"
)
_REGNAL = (
    "Henry|Louis|George|Edward|James|Charles|William|Elizabeth|Richard|John|Philip|Philippe|Napoleon|Pius|Leo|Mary|"
    "Clement|Innocent|Gregory|Benedict|Boniface|Alexander|Nicholas|Catherine|Frederick|Ferdinand|Francis|Peter|Paul|"
    "Urban|Otto|Rudolf|Rudolph|Wilhelm|Friedrich|Karl|Carlos|Felipe|Juan|Gustav|Gustavus|Christian|Haakon|Olaf|Harald|"
    "Ivan|Julius|Sixtus|Adrian|Stephen|Robert|David|Malcolm|Kenneth|Leopold|Albert|Baldwin|Umberto|Victor|Emmanuel|"
    "Ramses|Rameses|Ptolemy|Darius|Xerxes|Artaxerxes|Cleopatra|Theodosius|Justinian|Constantine|Michael|Maximilian|"
    "Joseph|Alfonso|Pedro|Sigismund|Casimir|Augustus|Eugenius|Celestine|Martin|Anne|Margaret|Isabella|Eric|Canute"
)
_RULERS = "King|Queen|Pope|Emperor|Empress|Tsar|Czar|Kaiser|Prince|Sultan|Pharaoh|Saint|of"
_AFTER_PART = re.compile(rf"(?<!\w)({_PARTS})(,? )(({_NUMERAL})(?:( ?[–-] ?)({_NUMERAL})(?!\w))?)(?![\w'])", re.I)
_AFTER_RULER = re.compile(rf"(?<!\w)(?:({_REGNAL})|(?<=(?:King|Pope) )([A-Z][a-z]+)) ({_NUMERAL})(?![\w]|\.[A-Z])")
_AFTER_NAME = re.compile(rf"(?<=[a-z]) ({_NUMERAL})(?!\w|'[a-z]|\.[A-Z])")
_LEADING = re.compile(rf"^\W*({_NUMERAL})(?=$|[.:—–) -])")
# No word of English is written so; kisses are.
_BARE = re.compile(r"(?<![\w'.])(?=[IVX]{2,}|[ivx]{2,})(?!X+\b|x+\b)([IVX]+|[ivx]+)(?![\w'])")
_OLD_FORM = re.compile(r"(?<![\w'.])([ivx]{0,5}j|[IVX]{0,5}J)(?![\w'])(?<![^ivxIVX]j)")
_PLACE = re.compile(
    rf"(?<!\w)({_NUMERAL})(?:th|st|nd|rd|TH|ST|ND|RD)(?!\w)"
    r"|(?<!\w)([IVX]{2,6})(?= (?:century|centuries|dynasty|Century)\b)"
)
_LONG = re.compile(r"(?<![\w'.])(?=[MDCLXVI]{4,}(?!\w)|(?:XL|XC|LX|CX|CL)[XVI](?!\w))([MDCLXVI]+)(?!['’]?\w)")
_TENS_FIRST = re.compile(r"^\W*(XX|XXX)(?=[.,:—])")
_LISTED = re.compile(r"(?<![\w.'])(?:I[IVX]|VI{1,3}|XI|XII|IX)[.,]")
_LIST_ITEM = re.compile(r"(?<![\w.'])(?<!\w )([IVX])\.(?=,? [^\W\d_])")
_WAR = re.compile(r"(?<!\w)WW(I{1,2}|1|2)(?!\w)")
_TWICE_TOLD = re.compile(
    r"(?<![\w.])(I{1,3}|[123]) (?=(?:(?:Sam(?:uel)?|Tim(?:othy)?|Pet(?:er)?|J(?:oh)?n)\.? (?:\d|[ivxl]+\b))"
    r"|(?:Kings|Kgs|Chron(?:icles)?|Chr|Cor(?:inthians)?|Thess(?:alonians)?|Macc(?:abees)?|Esdras)\b)"
)
_FIRST = re.compile(r"\s*(?:$|[,.;:!?)”]|'s|of\b|and\b|the\b)")
_FIRST_START = re.compile(r"\s+(?:was|is|had|did|died|reigned|ruled|became|made|came)\b")
_TITLE_START = re.compile(r"[.:—–) ]+(?:The|A|An|In|Of|How|On|To|THE|A|AN|IN|OF|HOW)\b")
_WORLD_WAR = re.compile(r"(?<!\w)(?:World|Gulf) War $", re.I)
_ONE = re.compile(r"\s*(?:$|[,.;:!?)”—–]|of\b|and\b|to\b|in\b|was\b|is\b)")


def value(numeral: str) -> int | None:
    """The number that well-formed Roman letters stand for, in either case; None for anything else."""
    upper = numeral.upper()
    if not upper or not _VALID.fullmatch(upper):
        return None
    total = 0
    for char, after in zip(upper, [*upper[1:], ""], strict=True):
        amount = _VALUES[char]
        total += -amount if after and _VALUES[after] > amount else amount
    return total


def _part(match: re.Match[str], british: bool, heading: bool) -> str | None:
    number = value(match[4])
    word, written = match[1], match[4]
    if number is None or (written != written.upper() and (number > 100 or written != written.lower())):
        return None
    lone = written.upper() in ("I", "C", "D", "M", "L")
    # "the letter I had left", "part I was dreading": the pronoun follows as easily as the number does.
    if lone and _WORLD_WAR.search(match.string, 0, match.start(3)):
        return "one" if written == "I" else None
    if lone and not (heading or (word[0].isupper() and _ONE.match(match.string, match.end(4)))):
        return None
    if lone and written.islower():
        return None
    upper = value(match[6] or "")
    if match[6] and upper is None:
        return None
    return cardinal(number, british) + (f" to {cardinal(upper, british)}" if upper else "")


def _ruler(match: re.Match[str], british: bool) -> str | None:
    number = value(match[3])
    if number is None or number > 40 or match[3] in ("C", "D", "M", "L"):
        return None
    if match[1] == "Malcolm" and match[3] == "X":
        return None
    if match[3] == "I" and not _is_first(match):
        return None
    return f"the {ordinal(number, british)}"


def _is_first(match: re.Match[str]) -> bool:
    before = match.string[: match.start()].rstrip()
    if re.search(rf"(?<!\w)(?:{_RULERS})$", before) or _FIRST.match(match.string, match.end()):
        return True
    starts = not before or before[-1] in ".!?“"
    return starts and bool(_FIRST_START.match(match.string, match.end()))


def _name(match: re.Match[str], british: bool) -> str | None:
    number = value(match[1])
    before = re.search(r"([^\W\d_][\w'-]*)$", match.string[: match.start()])
    if number is None or len(match[1]) < 2 or number > 60 or not before or not before[1][0].isupper():
        return None
    return cardinal(number, british)


def _leading(match: re.Match[str], british: bool) -> str | None:
    number = value(match[1])
    rest = match.string[match.end(1) :]
    if number is None or number > 200:
        return None
    # "I Meet the Captain" begins with a word; "II The Captain" hardly can.
    if len(match[1]) == 1 and rest[:1] == " " and rest.strip():
        return None
    # "L. of G.", "C. Auguste": a hundred chapters are rare, initials are not.
    if match[1] in ("L", "C", "D", "M") and rest.strip(" .:—–)") and not _TITLE_START.match(rest):
        return None
    said = cardinal(number, british)
    return match[0][: -len(match[1])] + (said if not rest.strip() or rest[0] in ".:—–)" else said + ".")


def _old_form(numeral: str, british: bool) -> str | None:
    number = value(numeral.lower().replace("j", "i"))
    return cardinal(number, british) if number and (len(numeral) > 1) else None


def _place(numeral: str, british: bool) -> str | None:
    number = value(numeral)
    return ordinal(number, british) if number else None


def _long(numeral: str, british: bool) -> str | None:
    """A numeral too long to be a word: a year where it can be one."""
    number = value(numeral)
    if number is None:
        return None
    return year(number, british) if 1000 <= number <= 2099 else cardinal(number, british)


def romans(draft: Draft) -> None:
    """Says Roman numerals: after the name of a part, after a ruler or a name, and at the head of a heading."""
    british = draft.british
    text = draft.text
    if draft.heading:
        draft.sub(_LEADING, lambda m: _leading(m, british))
    draft.sub(_TENS_FIRST, lambda m: cardinal(value(m[1]) or 0), group=1)
    if "j" in text or "J" in text:
        draft.sub(_OLD_FORM, lambda m: _old_form(m[1], british))
    if "WW" in text:
        draft.sub(_WAR, lambda m: "World War " + ("one" if m[1] in ("I", "1") else "two"))
    draft.sub(
        _TWICE_TOLD, lambda m: ("first", "second", "third")[len(m[1]) - 1 if m[1][0] == "I" else int(m[1]) - 1] + " "
    )
    draft.sub(_PLACE, lambda m: _place(m[1] or m[2], british))
    if _LISTED.search(text):
        draft.sub(_LIST_ITEM, lambda m: cardinal(value(m[1]) or 0), group=1)
    draft.sub(_AFTER_PART, lambda m: _part(m, british, draft.heading), group=3)
    draft.sub(_AFTER_RULER, lambda m: _ruler(m, british), group=3)
    draft.sub(_LONG, lambda m: _long(m[1], british))
    draft.sub(_BARE, lambda m: cardinal(number, british) if (number := value(m[1])) and number <= 39 else None)
    draft.sub(_AFTER_NAME, lambda m: _name(m, british), group=1)
