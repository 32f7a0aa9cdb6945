"""Dashes, ellipses, hyphens, stutters and the spacing that the model's pauses hang on."""

import re

from server.render.normalise.draft import Draft

# What is heard again is no word and no prefix: "no-nonsense", "re-read" and "going on—one breath" keep all they have.
_STUTTERED = re.compile(
    r"(?<![\w'-])([bcdfghj-np-tv-z][hlr]?|s[ktpmnwcq]|tw|[bcdfgjklmptvw][aeiou](?<!be)(?<!co)(?<!de)(?<!do)(?<!go)(?<!la)(?<!me)(?<!pa)"
    r"(?<!to)(?<!we)(?<!ma))(?:[-–—…]+ ?\1)*[-–—…]+ ?(\1[^\W\d_']*)"
    r"|(?<![\w'-])([ai])(?:-\3)*-(\3[^\W\d_']*)",
    re.I,
)
_OLD_STYLE = re.compile(r"(?<!\w)(to|To|TO)-(day|morrow|night|DAY|MORROW|NIGHT)(?!\w)")
_HYPHEN = re.compile(r"(?<=[^\W_]|')-(?=[^\W_]|')")
_ELLIPSIS = re.compile(r" ?(?:\.(?: ?\.){2,}|…(?:[ ]?[….])*)")
_DASH = re.compile(r" ?(?:-{2,}|[—–](?: ?[—–-])*|(?<=\s)-(?=\s)) ?")
_LOOSE = re.compile(r"-+(?!\w)|(?<!\w)-+(?=\W|$)|^-+")
_AND_OR = re.compile(r"(?<=(?<!\w)and)/(?=or(?!\w))", re.I)
_INITIALS_SLASH = re.compile(r"(?<![a-z])(?<=[A-Z])/(?=[A-Z]{2,4}(?!\w))")
_EITHER = re.compile(
    r"(?<!\w)(either|he|she|his|her|him|himself|herself|they|them|their|s)/(or|he|she|his|hers?|him|himself|herself|they|them|their)(?!\w)",
    re.I,
)
_SHORTHAND = re.compile(r"(?<!\w)(w/o?|b/c)(?!\w)", re.I)
_PER = re.compile(r"(?<=\w) ?/(?=(?:second|minute|hour|day|night|week|month|year|person|head)(?!\w))")
_SLASH = re.compile(r"(?<=\w) ?/ ?(?=\w)")
_ORPHAN = re.compile(r"[^\w\s.,;:!?…—“”()'&%+$£€@\ue000-]")
_BEFORE_STOP = re.compile(r" +(?=[,.;:!?…”)])")
_AFTER_OPEN = re.compile(r"(?<=[“(]) +")
_REPEATED = re.compile(r"([!?])[!?]+|([,;:])[,;:]+")
_DRAWN = re.compile(r"([^\W\d_])\1{2,}")
_HUSH = {"shh": "shush", "sh": "shush", "ssh": "shush", "hm": "hmm", "hmph": "humph",
         "brr": "burr", "grr": "gurr", "pst": "pist", "psst": "pist", "tsk": "tisk", "zz": "zuz", "zzz": "zuz",
         "pfft": "fft", "mhm": "mm hum"}  # fmt: skip
_INTERJECTION = re.compile(rf"(?<!\w)({'|'.join(sorted(_HUSH, key=len, reverse=True))})(?![\w'])", re.I)
_EMPTY = re.compile(r"\(\W*\)|“\s*”")
_END = re.compile(r"(?<=\w)[,;:]+$")


def _stuttered(match: re.Match[str]) -> str | None:
    start, word = (match[1], match[2]) if match[1] else (match[3], match[4])
    if len(word) <= len(start):
        return None
    # "W-w-what" is said "What": the start is heard again by nobody but the page.
    return start[0] + word[1:] if start[0].isupper() and word[0].islower() else word


def _ellipsis(match: re.Match[str]) -> str:
    return "…"


def _dash(match: re.Match[str]) -> str:
    text, start, end = match.string, match.start(), match.end()
    before = text[start - 1] if start else ""
    after = text[end] if end < len(text) else ""
    left = "" if not before or before in "“(" else " " if after and after not in "”)" else ""
    right = "" if not after or after in "”),.;:!?" else " "
    return f"{left}—{right}"


def _drawn(match: re.Match[str]) -> str:
    # "Noooo" and "Shhh": one or two of a letter is all that any dictionary knows.
    return match[1] * (1 if match[1].lower() in "aiuhy" else 2)


def _either(match: re.Match[str]) -> str:
    first, second = match[1], match[2]
    if first.lower() == "either":
        return f"{first} {second}"
    return f"{'he' if first.lower() == 's' else first} or {'she' if first.lower() == 's' else second}"


def _slashes(draft: Draft) -> None:
    draft.sub(_AND_OR, " ")
    draft.sub(_EITHER, _either)
    draft.sub(_SHORTHAND, lambda m: {"w/": "with", "w/o": "without", "b/c": "because"}[m[1].lower()])
    draft.sub(_PER, " per ")
    draft.sub(_INITIALS_SLASH, " ")
    draft.sub(_SLASH, " slash ")


def punctuate(draft: Draft) -> None:
    """Gives every pause the one mark that the model knows for it, and no mark twice."""
    draft.sub(_OLD_STYLE, lambda m: m[1] + m[2].lower())
    if any(mark in draft.text for mark in "-–—…"):
        draft.sub(_STUTTERED, _stuttered)
    draft.sub(_DRAWN, _drawn)
    draft.sub(_INTERJECTION, lambda m: _HUSH[m[1].lower()])
    draft.sub(_HYPHEN, " ")
    draft.sub(_ELLIPSIS, _ellipsis)
    draft.sub(re.compile(r"…(?=[^\W_])"), "… ")
    draft.sub(_DASH, _dash)
    if "/" in draft.text:
        _slashes(draft)
    draft.sub(_LOOSE, "")
    draft.sub(_ORPHAN, " ")
    draft.sub(_REPEATED, lambda m: ("?" if "?" in m[0] else "!") if m[1] else m[2])
    draft.sub(_EMPTY, "")
    draft.sub(_BEFORE_STOP, "")
    draft.sub(_AFTER_OPEN, "")
