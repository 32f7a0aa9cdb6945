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
_PERHAPS = re.compile(rf"(?<!\w)['’](?=(?:{'|'.join(dict.fromkeys(_EITHER.split()))})\b)", re.I)
_AND = re.compile(rf"(?<!\w)[{_ANY}]n[{_ANY}](?!\w)", re.I)
_INSIDE = re.compile(rf"(?<=\w)[{_ANY}](?=[^\W\d_])|(?<=\d)['’](?=s\b)")
_YEAR = re.compile(rf"(?<!\w)[{_ANY}](?=\d\d(?:s|ers?)?(?!\w))")
_CUT_SHORT = "o|an|th|wi|t|ol|i|mo|po|fo|wan|hav|giv|tha|lil|sho|mos|jus|las"
_CLIPPED = re.compile(rf"(?<!\w)({_CUT_SHORT}|[^\W\d_]+in)[{_ANY}](?!\w)", re.I)
_FEET = re.compile(r"""(?<![\w.])(\d{1,2}) ?['’′] ?(\d{1,2}) ?(?:["”″]|''|’’|′′)""")
_PRIME = re.compile(r"(?<=\d) ?′(?!\w)")
_INCHES = re.compile(r"(?<=\d) ?″")
_DOUBLED = re.compile(r"''|‘‘|’’|``|´´|‚‚|,,(?=\w)")
_DOUBLES = dict.fromkeys(map(ord, '"„‟″‶＂〝〞«»'), '"')
_STRAIGHT = re.compile(r'"')
_SINGLE = re.compile(r"(?<![^\W_])['‘](?=[^\W_])|(?<=[\w,.!?…—])['’](?!\w)")


def _side(text: str, at: int) -> str:
    before = text[at - 1] if at else " "
    after = text[at + 1] if at + 1 < len(text) else " "
    opens = (before.isspace() or before in "([{—–-“‘'") and not after.isspace()
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


def settle(draft: Draft) -> None:
    """Leaves "'" only where letters are missing or owned, “ ” for quotations, and no other quote mark."""
    if not any(char in draft.text for char in _ANY + '"“”„‟″‶＂〝〞«»'):
        return
    draft.sub(_FEET, lambda m: f"{cardinal(int(m[1]))} foot {cardinal(int(m[2]))}")
    draft.sub(_INCHES, " inches")
    draft.sub(_PRIME, " feet")
    draft.sub(_INSIDE, "'")
    draft.sub(_DOUBLED, lambda m: "“" if m[0] in ("‘‘", "``", ",,", "‚‚") else ("”" if m[0] == "’’" else '"'))
    draft.translate(_DOUBLES)
    draft.sub(_STRAIGHT, lambda m: _side(m.string, m.start()))
    for elision in (_ALWAYS, _PERHAPS, _YEAR):
        # Marked first, so that the sweep of quote marks below passes it by.
        draft.sub(elision, "\x01")
    draft.sub(_AND, "\x01n\x01")
    draft.sub(_CLIPPED, lambda m: m[1] + "\x01")
    if not any(mark in draft.text for mark in "“”"):
        draft.translate({ord("‛"): "‘", ord("‚"): "‘"})
        draft.sub(_SINGLE, _single_quotes())
    draft.sub(re.compile(rf"(?<![^\W\d_])[{_ANY}]|[{_ANY}](?![^\W\d_])"), "")
    draft.sub(re.compile("\x01"), "'")
