"""Blocks into sentences: rules over the text as it stands, made for literary prose.

A boundary is looked for after each run of final marks with what closes behind it (quotes, brackets, note marks) and
white space. Whether it is one depends on the word before (abbreviation, initial, numeral), on what closes, and on the
word after (lower case, a dialogue tag, a word that starts sentences). Inside brackets that opened in mid-sentence
nothing ends.
"""

import hashlib
import itertools
import re
from collections import Counter

from server.library import abroad, languages
from server.library.languages import ENGLISH
from server.library.model import BlockKind
from server.library.words import AMBIGUOUS, CONNECTORS, REFERENCES, SPEECH_VERBS, STARTERS, TIMES, TITLES

_CLOSERS = "”’\"'»›)\\]}"
_CANDIDATE = re.compile(
    r"(?P<mark>[.!?…‼⁇⁈⁉‽]+(?:[ \u00a0\u2009\u200a\u202f][.…]+)*)"
    rf"(?P<close>[{_CLOSERS}]*)(?P<note>(?:\[\w{{1,4}}\]|[⁰¹²³⁴⁵⁶⁷⁸⁹*†‡]+)*[{_CLOSERS}]*)(?P<gap>\s+)"
    rf"|(?P<dash>[—–―-])(?P<cut>[”\"])(?P<space>\s+)(?=[“\"])"
    r"|(?P<full>[。！？]+[」』”’）]*)"
)
_OPENERS = "“‘\"'«‹([{¿¡—–―-_*"
_WORD_BEFORE = re.compile(r"(?:[^\W\d_]+\.)*[^\W_]+$")
_WORD_AFTER = re.compile(r"[^\W_]+(?:[’'][^\W_]+)?")
_NUMERAL = re.compile(r"(?:\d{1,3}|[ivxlc]{1,7}|[a-z])", re.IGNORECASE)
_BRACKETS = re.compile(r"[()\[\]]")
_LONGEST = 1_000  # characters of one sentence; longer ones are cut at a clause, which costs a breath and no word
_PIECE = 700
_CLAUSES = (
    re.compile(r"[;:—―–][”’\"']?\s+|[—―](?=\w)"),
    re.compile(r",[”’\"']?\s+"),
    re.compile(r"\s+(?=(?:and|but|or|because|when|while|which|who|then|so|for|yet)\s)", re.IGNORECASE),
    re.compile(r"\s+"),
)
_LONG_BRACKET = 400  # a bracket that closes later than this is no aside within a sentence
_LABEL_LINE = re.compile(
    r"\s*(?:(?:chapter|book|part|volume|canto|act|scene|letter|section|stave|epoch)\b.{0,24}|[ivxlcdm]+\.?|\d+\.?|.*[.!?:])\s*",
    re.IGNORECASE,
)


def split(text: str, kind: BlockKind = "paragraph", language: str = ENGLISH) -> list[tuple[int, int]]:
    """Spans `[start, end)` of the sentences of one block, in order, in code points, without outer white space.

    Together they hold every letter and digit of `text`, and none is much longer than a minute of speech. Code, which
    is announced and not read, is one; the label line of a heading ("Chapter One" above "The Storm") ends with its line.
    `language` is any tag.
    """
    if kind == "code":
        span = _trim(text, 0, len(text))
        return [span] if span and any(map(str.isalnum, text)) else []
    code = languages.primary(language)
    foreign = code != ENGLISH and code in languages.SPOKEN
    cuts = sorted(set(_lines(text, kind)) | set(abroad.boundaries(text, code) if foreign else _boundaries(text)))
    spans = []
    start = 0
    for cut in [*cuts, len(text)]:
        if span := _trim(text, start, cut):
            spans.append(span)
        start = cut
    if code in ("ja", "zh"):
        edges = [[start, *abroad.cut_wide(text, start, end), end] for start, end in spans]
        spans = [span for each in edges for pair in itertools.pairwise(each) if (span := _trim(text, *pair))]
    return _shorten(text, _absorb(text, spans))


def sentence_ids(texts: list[str]) -> list[str]:
    """One id for each text of a chapter, in order: content and occurrence, so it survives edits elsewhere."""
    seen: Counter[str] = Counter()
    ids = []
    for text in texts:
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        seen[digest] += 1
        ids.append(f"{digest}-{seen[digest]}")
    return ids


def _lines(text: str, kind: BlockKind) -> list[int]:
    """Line breaks that end a sentence whatever stands before them."""
    breaks = [match.start() for match in re.finditer("\n", text)]
    if kind == "heading":
        starts = [0, *breaks]
        return [cut for begin, cut in zip(starts, breaks, strict=False) if _LABEL_LINE.fullmatch(text[begin:cut])]
    return []


def _boundaries(text: str) -> list[int]:
    asides = _asides(text)
    cuts: list[int] = []
    start = 0
    for match in _CANDIDATE.finditer(text):
        if match["full"]:
            cut = match.end()
        elif match["dash"]:
            cut = match.end("cut")
        else:
            cut = match.end("note")
            if not _ends(text, match, start):
                continue
        # A bracket that opened with its sentence may hold several; one in mid-sentence is part of it.
        if any(opened < cut <= closed and text[start:opened].strip(_OPENERS + " \n") for opened, closed in asides):
            continue
        cuts.append(cut)
        start = cut
    return cuts


def _asides(text: str) -> list[tuple[int, int]]:
    """Spans from each outermost opening bracket to the one that closes it, where that is not far off."""
    spans = []
    opened: list[int] = []
    for match in _BRACKETS.finditer(text):
        if match[0] in "([":
            opened.append(match.start())
        elif opened:
            begin = opened.pop()
            if not opened and match.start() - begin <= _LONG_BRACKET:
                spans.append((begin, match.start()))
    return spans


def _ends(text: str, match: "re.Match[str]", start: int) -> bool:
    """Whether the final mark found in `match` ends the sentence that began at `start`."""
    rest = text[match.end() : match.end() + 80]
    bare = rest.lstrip(_OPENERS + " \u00a0")
    quoted = rest[:1] in "“‘\"'«" and rest[:1] != ""
    word = _WORD_AFTER.match(bare)
    after = word[0] if word else ""
    if not bare:
        return True
    if after and after[0].islower() and not quoted:
        return False
    if after and after[0].islower() and text[match.start() - 1 : match.start()] in ",;—":
        return False
    mark = match["mark"]
    closed = any(mark_ in match["close"] + match["note"] for mark_ in "”’\"'»")
    if mark != ".":
        if closed and _is_tag(bare):
            return False
        # “Well… I don’t know”: the pronoun is no evidence of a new sentence.
        return not (mark[-1] in ".…" and mark[0] in ".…" and not closed and not quoted and after == "I")
    return _stop_ends(text, match.start(), start, after, quoted, closed)


def _stop_ends(text: str, dot: int, start: int, after: str, quoted: bool, closed: bool) -> bool:
    """Whether the single full stop at `dot` ends a sentence before the word `after`."""
    found = _WORD_BEFORE.search(text, max(start, dot - 24), dot)
    if not found:
        return True
    before, low = found[0], found[0].lower()
    begins = after.lower() in STARTERS or quoted or closed
    alone = not text[start : found.start()].strip(_OPENERS + " \n")
    if alone and _NUMERAL.fullmatch(before) and (before[0].isdigit() or before.isupper()) and not closed and not quoted:
        return False  # "1. Wash it.", "IV. The Flight"
    if low in TITLES:
        return closed or (low in ("st", "mt", "ft") and after.lower() in STARTERS and after != "I")
    if low in CONNECTORS:
        return closed
    if low in REFERENCES:
        return not (after[:1].isdigit() or (re.fullmatch("[IVXLC]+", after) and after != "I")) or closed
    if low in TIMES:
        return not _is_day(after)
    if low in AMBIGUOUS or "." in before:
        return begins
    if len(before) == 1 and before.isalpha() and before.isupper():
        return begins or (before == "I" and _follows_lower(text, found.start()))
    return True


def _follows_lower(text: str, position: int) -> bool:
    """Whether the word before `position` is in lower case: "It was I." against "Charles I."."""
    words = text[max(0, position - 24) : position].split()
    return bool(words) and words[-1][-1:].islower() and words[-1][:1].islower()


def _is_tag(bare: str) -> bool:
    """Whether a text starts like a dialogue tag: a name, perhaps with its title, and a verb of speaking."""
    for index, word in enumerate(bare.split()[:5]):
        clean = word.strip("“”‘’\"'.,;:!?()")
        if index and clean in SPEECH_VERBS:
            return True
        if index == 0 and clean.lower() in STARTERS and clean != "I":
            return False
        if not clean[:1].isupper():
            return False
    return False


def _is_day(word: str) -> bool:
    return word[:3].lower() in {"mon", "tue", "wed", "thu", "fri", "sat", "sun"} and word.lower().endswith("day")


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    piece = text[start:end]
    begin = start + len(piece) - len(piece.lstrip())
    stop = start + len(piece.rstrip())
    return (begin, stop) if begin < stop else None


def _absorb(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join marks that stand alone (". . .", "”") to a neighbour: a sentence has something to say."""
    joined: list[tuple[int, int]] = []
    pending: int | None = None
    for start, end in spans:
        if not any(map(str.isalnum, text[start:end])):
            if joined:
                joined[-1] = (joined[-1][0], end)
            elif pending is None:
                pending = start
            continue
        joined.append((start if pending is None else pending, end))
        pending = None
    return joined


def _shorten(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Cut what is no sentence any more but a page: at clauses, else before a joining word, else between words."""
    result: list[tuple[int, int]] = []
    for start, end in spans:
        while end - start > _LONGEST:
            pieces = -(-(end - start) // _PIECE)
            cut = _near(text, start, start + (end - start) // pieces)
            if span := _trim(text, start, cut):
                result.append(span)
            start = cut
        if span := _trim(text, start, end):
            result.append(span)
    return _absorb(text, result) if len(result) != len(spans) else result


def _near(text: str, start: int, wanted: int) -> int:
    """The best place for a cut near `wanted`; in a run of letters without end, `wanted` itself."""
    low, high = max(start + 1, wanted - 250), wanted + 250
    for clause in _CLAUSES:
        ends = [match.end() for match in clause.finditer(text, low, high)]
        if ends:
            return min(ends, key=lambda end: abs(end - wanted))
    return wanted
