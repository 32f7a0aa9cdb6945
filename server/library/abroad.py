"""Where sentences end in the languages other than English that are read aloud (pure).

Latin script: as in English, a mark ends a sentence unless the next word is in lower case or an abbreviation stands
before it; dashes, « », ¿ and ¡ may stand between. Devanagari ends in a danda. Chinese and Japanese have marks of their
own width with no space behind, and what a quotation is followed by belongs to it ("「…」と言った。").
"""

import re
from collections.abc import Iterator
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# After these a stop ends nothing before a name or a number; lower case, without the final dot.
ABBREVIATIONS: Final = {
    "es": _words(
        "sr sra sres sras srta srtas dr dra dres d dña ud vd uds vds pág págs núm núms art arts cap caps vol vols tel "
        "av avda prof profa ing lic gral gob sto sta s st ss fr mons exc excmo ilmo vda p pp ee a.c d.c p.ej ej cía min"
    ),
    "fr": _words(
        "m mm mme mmes mlle mlles dr drs me mgr st ste p pp t vol vols chap ch n no art fig av bd éd cf vs j.-c ex "
        "p.ex c.-à-d r.p prof capt gén col lt cie suiv"
    ),
    "it": _words(
        "sig sig.ra sig.na sigg sig.re dott dott.ssa dr prof prof.ssa proff ing avv on s ss sen mons gen col cap ten p "
        "pp pag pagg n nn vol voll art artt fig cfr es a.c d.c min v vv rev geom rag cav comm arch"
    ),
    "pt": _words(
        "sr sra srs sras srta dr dra drs dras d prof profa eng arq exmo exma ilmo ilma v.ex v.exa pág págs p pp vol "
        "vols cap caps art arts n fig av sto sta s pe fr gen cel cap.º ten maj a.c d.c ex tel r"
    ),
    "hi": _words("डॉ श्री श्रीमती प्रो पं सं मि पृ कु ई मो"),
}
# Abbreviations that may also be a sentence's last word: before a capital they end it.
_LAST: Final = _words("etc ecc jr ltda cía cie ee")
_OPENERS: Final = "“‘\"'«‹([{¿¡—–―-_*„"
_MARKS: Final = re.compile(
    r"(?P<stop>[.!?…‼⁇⁈⁉‽।॥]+)(?P<close>[”’\"'»›)\]}]*(?:[ \u00a0\u202f][»›])*)"
    r"(?P<note>(?:\[\w{1,4}\]|[⁰¹²³⁴⁵⁶⁷⁸⁹*†‡]+)*)(?P<gap>\s+|(?<=[।॥])(?=\S))"
)
_BEFORE: Final = re.compile(r"(?:[^\W\d_][\w\u0900-\u097f]*[.\-])*[^\W\d_][\w\u0900-\u097f]*[ºª]?$")
_FULL: Final = re.compile(r"[。！？!?｡]+[」』”’）)》〉】]*|(?:…{1,2}|—{1,2})[」』”’]+")
_GOES_ON: Final = re.compile(r"\s*(?:[、，。」』）]|と|って|という|とは|など|か、|の)")
_TAGGED: Final = re.compile(r"[^。！？，“「『]{0,8}?(?:说|說|道|问|問|喊|叫|答|笑|想|嚷|骂)道?[。，：！,:]")
_CLOSED: Final = "」』”’"
_WIDE_LONGEST = 160  # characters: one of them is said in the time of three or four letters
_WIDE_PIECE = 90
_WIDE_CLAUSE: Final = re.compile(r"[，、；：,;:—…][」』”’）]*")


def boundaries(text: str, language: str) -> list[int]:
    """Where a sentence of `text` ends and another may begin, ascending; `language` is a primary subtag."""
    return list(_wide(text) if language in ("ja", "zh") else _narrow(text, language))


def cut_wide(text: str, start: int, end: int) -> list[int]:
    """Where a sentence [start, end) without spaces that is too long for a breath is cut: at clauses, else anywhere."""
    cuts: list[int] = []
    while end - start > _WIDE_LONGEST:
        clauses = [match.end() for match in _WIDE_CLAUSE.finditer(text, start + 20, start + _WIDE_LONGEST)]
        start = min(clauses, key=lambda at: abs(at - start - _WIDE_PIECE), default=start + _WIDE_PIECE)
        cuts.append(start)
    return cuts


def _narrow(text: str, language: str) -> Iterator[int]:
    known = ABBREVIATIONS.get(language, frozenset())
    for match in _MARKS.finditer(text):
        bare = text[match.end() :].lstrip(_OPENERS + " \u00a0\u202f")
        first = next((char for char in bare[:40] if char.isalnum()), "")
        if first and first.islower():
            continue
        # Hindi has no capitals to tell a new sentence from "she said"; its own stop does.
        if language == "hi" and match["close"] and not set(match["stop"]) & set("।॥"):
            continue
        if match["stop"] == "." and not match["close"] and _is_abbreviation(text, match.start(), bare, known):
            continue
        yield match.end("note")


def _is_abbreviation(text: str, dot: int, after: str, known: frozenset[str]) -> bool:
    found = _BEFORE.search(text, max(0, dot - 24), dot)
    if found is None:  # "3. Kapitel" stands alone at the start of its line, "1999." ends a sentence
        return text[:dot].strip().isdigit() and len(text[:dot].strip()) <= 3
    word = found[0]
    if word.lower() in known:
        return word.lower() not in _LAST
    return len(word) == 1 and word.isupper() and after[:1].isupper() and text[: found.start()].strip() != ""


def _wide(text: str) -> Iterator[int]:
    for match in _FULL.finditer(text):
        closed = match[0][-1] in _CLOSED
        if match[0][0] in "…—" and not closed:
            continue
        if (
            match[0][0] in "!?"
            and text[match.end() : match.end() + 1].isascii()
            and not text[match.end() :][:1].isspace()
        ):
            continue
        if closed and (_GOES_ON.match(text, match.end()) or _TAGGED.match(text, match.end())):
            continue
        yield match.end()
