"""Quote marks and apostrophes, one glyph with two jobs: an apostrophe leaves here straight, a quote mark curly."""

import re

from server.render.normalise.draft import Draft, Speak
from server.render.normalise.speak import cardinal

_ANY = "'‘’‚‛ʼʹ´`′＇ʻ"
# Words that only ever begin with an elision; then those that are words of their own and need a true apostrophe (’).
_ELIDED = (
    "tis twas twere twill twould twasn tisn twixt em tain neath gainst pon nough nother cept fraid tween appen cello "
    "phone"
)
_EITHER = "round bout cause e er im is ere way till til stead ouse ome and ell alf ad ave as ow ot eard ere un"
_ALWAYS = re.compile(rf"(?<!\w)[{_ANY}](?=(?:{'|'.join(_ELIDED.split())})\b)", re.I)
_PERHAPS = re.compile(rf"(?<!\w)['’‘](?=(?:{'|'.join(dict.fromkeys(_EITHER.split()))})\b)", re.I)
_CLOSING = re.compile(r"(?<=[\w.,!?…—])['’](?!\w)")
_REAL = re.compile(r"(?:and|is|as|round|way|till|ere)\b", re.I)
_AND = re.compile(rf"(?<!\w)[{_ANY}]n[{_ANY}](?!\w)", re.I)
_INSIDE = re.compile(rf"(?<=\w)[{_ANY}](?=[^\W\d_])|(?<=\d)['’](?=s\b)|(?<=[A-Z]\.)['’](?=s\b)")
_YEAR = re.compile(rf"(?<!\w)[{_ANY}](?=\d\d(?:s|ers?)?(?!\w))")
_CUT_SHORT = "o|y|an|th|wi|t|ol|i|mo|po|fo|wan|hav|giv|tha|lil|sho|mos|jus|las"
_CLIPPED = re.compile(rf"(?<!\w)({_CUT_SHORT}|[^\W\d_]+in)[{_ANY}](?!\w)", re.I)
_FEET = re.compile(r"""(?<![\w.])(\d{1,2}) ?['’′] ?(\d{1,2}) ?(?:["”″]|''|’’|′′)""")
_PRIME = re.compile(r"(?<=\d) ?′(?!\w)")
_INCHES = re.compile(r"(?<=\d) ?″")
_ARC = re.compile(
    r"""(?<![\w.])(\d{1,3}) ?° ?(\d{1,2}) ?['’′](?: ?(\d{1,2}(?:\.\d+)?) ?(?:["”″]|''|’’|′′))?(?: ?([NSEW])(?!\w))?"""
)
# "a 20' drop": what follows is measured; else the mark closes a quotation.
_LONE_FEET = re.compile(
    r"(?<![\w.,'‘])(\d{1,3}) ?['’](?= ?(?:x|×|by) ?\d| (?:drop|deep|high|tall|long|wide|square|above|below|apart|"
    r"across|up|down|ladders?|poles?|walls?|boats?|ceilings?|falls?|boards?|planks?|beams?|waves?|cliffs?)\b)"
    r"|(?<=[x×] )(\d{1,3}) ?['’](?!\w)"
)
_LONE_INCHES = re.compile(r"""(?<=\d)(?: ?([½¼¾⅛⅜⅝⅞]))?["”](?!\w)""")
_DOUBLED = re.compile(r"''|‘‘|’’|``|´´|‚‚|,,(?=\w)")
_DOUBLES = dict.fromkeys(map(ord, '"„‟″‶＂〝〞«»'), '"')
_STRAIGHT = re.compile(r'"')
_SINGLE = re.compile(r"(?<![^\W_])['‘](?=[^\W_])|(?<=[\w,.!?…—])['’](?!\w)")


def _side(text: str, at: int) -> str:
    before = text[at - 1] if at else " "
    after = text[at + 1] if at + 1 < len(text) else " "
    nested = after.isspace() and text[at + 2 : at + 3] in ("'", "‘")
    opens = (before.isspace() or before in "([{—–-“‘'") and (nested or not after.isspace())
    return "“" if opens else "”"


def _single_quotes() -> Speak:
    """Single marks as the quotation marks they are: a closing one after a letter only where one was opened."""
    opened = False

    def mark(match: re.Match[str]) -> str | None:
        nonlocal opened
        at = match.start()
        before = match.string[at - 1] if at else " "
        if not before.isalnum() and match.string[at + 1 : at + 2].isalnum():
            opened = True
            return "“"
        if opened or not before.isalnum():
            opened = False
            return "”"
        return None

    return mark


_MEASURED = re.compile(r"""\d ?[½¼¾⅛⅜⅝⅞]?["”](?=\W|$)""")
_MEASURED_NOUN = re.compile(
    r" (?!(?:long|wide|deep|high|thick|tall|by|of|and|or|from|in|at|above|below|across|apart|x|to|is|was|on|"
    r"square)\b)[a-z]"
)


def _inches(match: re.Match[str]) -> str | None:
    before = _MEASURED.sub("", match.string[: match.start()])
    # A mark that closes what was opened before it measures nothing.
    if before.count("“") > before.count("”") or before.count('"') % 2:
        return None
    return (match[1] or "") + (" inch" if _MEASURED_NOUN.match(match.string, match.end()) else " inches")


def _lone_feet(match: re.Match[str]) -> str:
    number = match[1] or match[2]
    return f"{number} foot" if number == "1" or _MEASURED_NOUN.match(match.string, match.end()) else f"{number} feet"


def _arc(match: re.Match[str]) -> str:
    said = f"{match[1]} degree{'s' if match[1] != '1' else ''} {match[2]} minute{'s' if match[2] != '1' else ''}"
    if match[3]:
        said += f" {match[3]} second{'s' if match[3] != '1' else ''}"
    points = {"N": "north", "S": "south", "E": "east", "W": "west"}
    return said + (f" {points[match[4]]}" if match[4] else "")


def _measures(draft: Draft) -> None:
    """Marks behind a number that stand for feet, inches, and the parts of a degree."""
    if not any(char.isdigit() for char in draft.text):
        return
    if "°" in draft.text:
        draft.sub(_ARC, _arc)
    draft.sub(_FEET, lambda m: f"{cardinal(int(m[1]))} foot {cardinal(int(m[2]))}")
    draft.sub(_INCHES, " inches")
    draft.sub(_PRIME, " feet")
    draft.sub(_LONE_FEET, _lone_feet)
    draft.sub(_LONE_INCHES, _inches)


def _elision(match: re.Match[str]) -> str | None:
    """A mark before "and" or "is" opens a quotation where a clause begins, or where another mark closes it."""
    text, at = match.string, match.start()
    if match[0] == "’" or not _REAL.match(text, match.end()):
        return "\x01"
    inside = text[at - 1 : at] == " " and text[at - 2 : at - 1].isalnum()
    return "\x01" if inside and not _CLOSING.search(text, match.end()) else None


def settle(draft: Draft) -> None:
    """Leaves "'" only where letters are missing or owned, “ ” for quotations, and no other quote mark."""
    if not any(char in draft.text for char in _ANY + '"“”„‟″‶＂〝〞«»'):
        return
    _measures(draft)
    draft.sub(_INSIDE, "'")
    draft.sub(_DOUBLED, lambda m: "“" if m[0] in ("‘‘", "``", ",,", "‚‚") else ("”" if m[0] == "’’" else '"'))
    draft.translate(_DOUBLES)
    draft.sub(_STRAIGHT, lambda m: _side(m.string, m.start()))
    # Marked first, so that the sweep of quote marks below passes them by.
    draft.sub(_ALWAYS, "\x01")
    draft.sub(_PERHAPS, _elision)
    draft.sub(_YEAR, "\x01")
    draft.sub(_AND, "\x01n\x01")
    draft.sub(_CLIPPED, lambda m: m[1] + "\x01")
    if not any(mark in draft.text for mark in "“”"):
        draft.translate({ord("‛"): "‘", ord("‚"): "‘"})
        draft.sub(_SINGLE, _single_quotes())
    draft.sub(re.compile(rf"(?<![^\W\d_])[{_ANY}]|[{_ANY}](?![^\W\d_])"), "")
    draft.sub(re.compile("\x01"), "'")
