"""Lines that are headings by their words, where text has no other way to say so: "CHAPTER I.", "Part Two", "第三章"."""

import re
from typing import Final, NamedTuple

PART: Final = 1
CHAPTER: Final = 2
_LONGEST: Final = 100  # characters of a heading; a line that is longer is a sentence that begins like one
_NUMBER_WORDS: Final = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty first second third fourth fifth sixth seventh eighth ninth tenth last "
    "un une deux trois quatre cinq six sept huit neuf dix premier première second seconde uno dos tres cuatro cinco "
    "seis siete ocho nueve diez primero primera segundo segunda due tre quattro cinque sei sette otto nove dieci primo "
    "prima secondo seconda um dois três quatro sete oito nove dez eins zwei drei vier fünf sechs sieben acht neun zehn "
    "erster erste zweiter zweite dritter dritte"
).split()
_PARTS: Final = "part book volume partie livre tome parte libro volumen livro teil buch band"
_CHAPTERS: Final = (
    "chapter chap letter stave canto act scene section lecture sonnet chapitre lettre chant acte scène capítulo "
    "capitulo carta acto escena capitolo lettera atto scena ato cena kapitel brief akt szene"
)
_NAMES: Final = """
prologue epilogue preface introduction foreword afterword interlude conclusion postscript appendix dedication contents
prólogo epílogo prefacio introducción índice prologo epilogo prefazione introduzione indice prefácio introdução sumário
préface avant-propos épilogue sommaire vorwort nachwort inhalt einleitung prolog epilog
"""
_ROMAN: Final = r"(?=[mdclxvi])m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})"
_WORDS: Final = rf"(?:the\s+)?(?:{'|'.join(_NUMBER_WORDS)})(?:[-\s](?:{'|'.join(_NUMBER_WORDS[:9])}))?"
_COUNT: Final = rf"(?:\d{{1,4}}|{_ROMAN}|{_WORDS})"
_NUMBERED = re.compile(
    rf"(?P<kind>{'|'.join((_PARTS + ' ' + _CHAPTERS).split())})\.?\s+(?P<count>{_COUNT})(?P<rest>(?:[\s.:,;—–-].*)?)",
    re.IGNORECASE | re.DOTALL,
)
_ORDINAL_FIRST = re.compile(
    rf"(?:the\s+)?(?:{'|'.join(_NUMBER_WORDS)})\s+(?P<kind>part|book|volume|chapter|act|partie|parte)\.?", re.IGNORECASE
)
_NAMED = re.compile(rf"(?:{'|'.join(_NAMES.split())})\b[.:]?(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_EAST = re.compile(
    r"第?[0-9０-９一二三四五六七八九十百千〇零两]{1,7}(?P<kind>[章回节節话話部卷篇編编])(?P<rest>(?:[\s:：].*)?)",
    re.DOTALL,
)
_HINDI = re.compile(r"(?:अध्याय|भाग|परिच्छेद)\s+\S{1,12}(?P<rest>(?:[\s:—–-].*)?)", re.DOTALL)
_BARE = re.compile(rf"(?P<count>\d{{1,3}}|{_ROMAN})\.?", re.IGNORECASE)
_SMALL_WORDS: Final = frozenset(
    "of the a an and in on at to for by with from de la le du des von und der die das".split()
)


class Heading(NamedTuple):
    """A line that is a heading: its level, whether its title may follow on the next line, whether it has a number."""

    level: int
    bare: bool
    numbered: bool = True


def heading_of(text: str) -> Heading | None:
    """What a paragraph is a heading of, by its words alone; None for what is none."""
    line = " ".join(text.split())
    if not line or len(line) > _LONGEST:
        return None
    if found := _NUMBERED.fullmatch(line):
        level = PART if found["kind"].lower() in _PARTS.split() else CHAPTER
        rest = found["rest"].strip(" .:,;—–-")
        return Heading(level, not rest) if _is_title(rest, found["rest"]) else None
    if found := _ORDINAL_FIRST.fullmatch(line):
        return Heading(CHAPTER if found["kind"].lower() in ("chapter", "act") else PART, True)
    if found := _NAMED.fullmatch(line):
        rest = found["rest"].strip(" .:,;—–-")
        return Heading(CHAPTER, False, False) if len(line) < 60 and (not rest or line.isupper()) else None
    if found := _EAST.fullmatch(line):
        return Heading(PART if found["kind"] in "部卷篇編编" else CHAPTER, not found["rest"].strip())
    if found := _HINDI.fullmatch(line):
        return Heading(CHAPTER, not found["rest"].strip())
    return None


def bare_number(text: str) -> int | None:
    """The number that a line is and nothing else, such as "IV." or "12"; None for any other line."""
    found = _BARE.fullmatch(text.strip())
    if found is None:
        return None
    return int(found["count"]) if found["count"].isdigit() else _roman(found["count"].lower())


def is_shouted(text: str) -> bool:
    """Whether a line is short and in capitals, as titles of stories are set in plain text."""
    line = " ".join(text.split())
    return sum(map(str.isalpha, line)) >= 3 and len(line) <= 60 and line.isupper() and line[-1] not in ",;"


def is_subtitle(text: str) -> bool:
    """Whether the line after "CHAPTER I" is its title rather than its first words."""
    line = " ".join(text.split())
    if not 0 < len(line) <= 80:
        return False
    if line[-1] in ",;:!?" or line[0] in "\"“‘'«—":
        return line.isupper()
    return line.isupper() or (_is_title(line.rstrip("."), "") and (line[-1] != "." or " " in line))


def _is_title(rest: str, written: str) -> bool:
    """Whether what follows a number is a title: set apart by a mark or written as one, not a sentence going on."""
    if not rest:
        return True
    if written.lstrip()[:1] in tuple(".:—–-") or rest.isupper():
        return rest[0].isupper() or not rest[0].isalpha() or rest[0] in "“\"'‘"
    words = [word for word in re.findall(r"[^\W\d_]+", rest) if word.lower() not in _SMALL_WORDS]
    return bool(words) and all(word[0].isupper() for word in words)


def _roman(text: str) -> int:
    values = [{"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}[letter] for letter in text]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))
