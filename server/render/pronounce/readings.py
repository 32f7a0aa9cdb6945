"""Words whose reading the lexicon lacks or confuses: clipped speech by form, heteronyms by their company."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from server.render.pronounce.company import RULES as COMPANY
from server.render.pronounce.company import Tagged, retag
from server.render.pronounce.derive import possessive
from server.render.pronounce.names import NAMES

__all__ = ["Reading", "Tagged", "dropped_g", "readings", "retag"]


class Reading(NamedTuple):
    """Phonemes (American, then British) for the spoken range [start, end)."""

    start: int
    end: int
    american: str
    british: str


# Spoken forms with their apostrophe, lower case. None of them is a word without it, or it is another one.
_CLIPPED = {
    "'twas": "twˈʌz|twˈɒz", "'tis": "tˈɪz|tˈɪz", "'twere": "twˈɜɹ|twˈɜː", "'twill": "twˈɪl|twˈɪl",
    "'twould": "twˈʊd|twˈʊd", "'tisn't": "tˈɪzᵊnt|tˈɪzᵊnt", "'twasn't": "twˈʌzᵊnt|twˈɒzᵊnt", "'em": "əm|əm",
    "'im": "ɪm|ɪm", "'e": "i|iː", "'er": "ɜɹ|ɜː", "'is": "ɪz|ɪz", "'bout": "bˈWt|bˈWt", "'round": "ɹˈWnd|ɹˈWnd",
    "'cause": "kəz|kəz", "'un": "ən|ən", "'n'": "ən|ən", "'til": "tˈɪl|tˈɪl", "'till": "tˈɪl|tˈɪl",
    "'neath": "nˈiθ|nˈiːθ", "'tain't": "tˈAnt|tˈAnt", "'tween": "twˈin|twˈiːn", "'gainst": "ɡˈɛnst|ɡˈɛnst",
    "'ere": "hˈɪɹ|ˈɪə", "'ouse": "ˈWs|ˈWs", "'ome": "ˈOm|ˈQm", "'alf": "ˈæf|ˈɑːf", "'ad": "ˈæd|ˈad",
    "'ave": "ˈæv|ˈav", "'as": "ˈæz|ˈaz", "'ow": "ˈW|ˈW", "'ot": "ˈɑt|ˈɒt", "'ell": "ˈɛl|ˈɛl", "'eard": "ˈɜɹd|ˈɜːd",
    "'way": "wˈA|wˈA", "'stead": "stˈɛd|stˈɛd", "'pon": "pˈɑn|pˈɒn", "'nother": "nˈʌðəɹ|nˈʌðə", "'and": "ˈænd|ˈand",
    "y'": "jə|jə",
    "o'": "ə|ə", "an'": "ən|ən", "th'": "ðə|ðə", "wi'": "wɪ|wɪ", "t'": "tə|tə", "ol'": "ˈOl|ˈQl", "i'": "ɪ|ɪ",
    "mo'": "mˈO|mˈQ", "po'": "pˈO|pˈQ", "fo'": "fˈO|fˈQ", "wan'": "wˈɑn|wˈɒn", "hav'": "hæv|hav", "giv'": "ɡˈɪv|ɡˈɪv",
    "tha'": "ðæt|ðat", "lil'": "lˈɪl|lˈɪl", "sho'": "ʃˈO|ʃˈQ", "mos'": "mˈOs|mˈQst", "jus'": "ʤˈʌs|ʤˈʌs",
    "ay": "ˈI|ˈI", "'cello": "ʧˈɛlO|ʧˈɛlQ", "'phone": "fˈOn|fˈQn",
    "they'd've": "ðˈAdəv|ðˈAdəv", "i'd've": "ˈIdəv|ˈIdəv", "we'd've": "wˈidəv|wˈiːdəv", "you'd've": "jˈudəv|jˈuːdəv",
    "he'd've": "hˈidəv|hˈiːdəv", "she'd've": "ʃˈidəv|ʃˈiːdəv", "wouldn't've": "wˈʊdᵊntəv|wˈʊdᵊntəv",
    "couldn't've": "kˈʊdᵊntəv|kˈʊdᵊntəv", "shouldn't've": "ʃˈʊdᵊntəv|ʃˈʊdᵊntəv",
    "d'you": "djʊ|djʊ", "d'ye": "djə|djə", "bo'sun": "bˈOsᵊn|bˈQsᵊn", "bos'n": "bˈOsᵊn|bˈQsᵊn",
    "las'": "lˈæs|lˈɑːs", "tyger": "tˈIɡəɹ|tˈIɡə",
}  # fmt: skip
_CLIPPED_FORM = re.compile(
    rf"(?<![\w'])(?:{'|'.join(sorted(map(re.escape, _CLIPPED), key=len, reverse=True))})(?![\w'])", re.I
)
_DROPPED_G = re.compile(r"(?<![\w'])([^\W\d_]+in)'(?!\w)")

_LEAD_METAL = frozenset(
    (
        "pipe pipes poisoning poison bullet bullets shot weight weights pencil pencils paint coffin coffins ingot "
        "roof roofs sheet sheets mine mines glass ore lined balls ball solder seal seals soldier soldiers plate "
        "plates acetate"
    ).split()
)
_BOW_BEND = frozenset(
    "took take takes taking made make makes making low deep slight stiff polite formal gave with".split()
)
_SHIP = frozenset("ship boat stern starboard port larboard waves prow deck water sea anchor vessel canoe".split())
_AUXILIARY = frozenset(
    "will would shall should can could may might must do does did to 'll wo ca not n't please let let's and or".split()
)
_HAVE = frozenset("have has had having was were is are been being be 've 's 'd well".split())
_PAST = frozenset(["yesterday", "ago", "last", "once", "then", "already", "when"])
_HABIT = frozenset("daily often always usually never sometimes every nightly weekly".split())


def _words(tokens: Sequence[Tagged], start: int, stop: int) -> list[str]:
    return [token.text.lower() for token in tokens[max(0, start) : max(0, stop)]]


def _read(tokens: Sequence[Tagged], i: int) -> str | None:
    token = tokens[i]
    before, after = _words(tokens, i - 3, i), _words(tokens, i + 1, i + 6)
    past, present = "ɹˈɛd|ɹˈɛd", "ɹˈid|ɹˈiːd"
    if any(word in _HAVE for word in before[-2:]):
        return past
    if (before and before[-1] in _AUXILIARY) or (
        len(before) > 1 and before[-2] in ("will", "would", "did", "n't", "to")
    ):
        return present
    if any(word in _PAST for word in after):
        return past
    if any(word in _HABIT for word in before[-2:] + after[:3]) and token.tag != "VBN":
        return present
    if before and before[-1] in ("he", "she", "it"):
        return past
    # Fiction tells in the past: a bare "I read" is that, a command at the head of a sentence is not.
    return past if token.tag in ("VBD", "VBN", "VBP") and before else present


def _lead(tokens: Sequence[Tagged], i: int) -> str | None:
    before, after = _words(tokens, i - 2, i), _words(tokens, i + 1, i + 3)
    metal = "lˈɛd|lˈɛd"
    if after and after[0] in _LEAD_METAL:
        return metal
    if tokens[i].tag.startswith("NN") and (
        any(word in ("of", "molten", "heavy", "white", "red", "like", "as") for word in before[-1:])
        and after[:1] not in (["in"], ["over"], ["role"], ["singer"])
    ):
        return metal
    return None


def _bow(tokens: Sequence[Tagged], i: int) -> str | None:
    before, after = _words(tokens, i - 3, i), _words(tokens, i + 1, i + 8)
    near = set(_words(tokens, i - 8, i)) | set(after)
    bend = "bˈW|bˈW"
    if tokens[i].tag.startswith("VB"):
        return bend
    if before[-1:] == ["a"] and any(word in _BOW_BEND for word in before[:-1]):
        return bend
    if any(
        word in ("low", "deep", "slight", "stiff", "polite", "formal", "gallant", "courtly") for word in before[-1:]
    ):
        return bend
    if before[-2:] in (["at", "the"], ["in", "the"], ["over", "the"], ["off", "the"]) or (
        near & _SHIP and "the" in before
    ):
        return bend
    return None


def _close(tokens: Sequence[Tagged], i: int) -> str | None:
    before, after = _words(tokens, i - 1, i), _words(tokens, i + 1, i + 2)
    shut, near = "klˈOz|klˈQz", "klˈOs|klˈQs"
    if before and before[0] in (
        "stay",
        "stayed",
        "came",
        "come",
        "so",
        "too",
        "very",
        "keep",
        "kept",
        "stood",
        "get",
        "got",
    ):
        return near
    if not before and after and after[0] in ("the", "your", "that", "those", "it", "his", "her", "my", "all"):
        return shut
    return None


def _tear(tokens: Sequence[Tagged], i: int) -> str | None:
    before, after = _words(tokens, i - 3, i), _words(tokens, i + 1, i + 2)
    if any(word in _AUXILIARY for word in before[-2:]) and after and after[0] in (
        "it", "the", "them", "him", "her", "me", "us", "up", "down", "apart", "off", "out", "his", "my", "your", "at"
    ):  # fmt: skip
        return "tˈɛɹ|tˈɛː"
    return None


def _record(tokens: Sequence[Tagged], i: int) -> str | None:
    before, after = _words(tokens, i - 1, i), _words(tokens, i + 1, i + 2)
    if (
        (not before or before[0] in _AUXILIARY)
        and after
        and after[0] in ("the", "a", "it", "this", "that", "his", "her")
    ):
        return "ɹəkˈɔɹd|ɹɪkˈɔːd"
    if before and before[0] in ("the", "a", "this", "his", "her", "their", "its", "on", "off"):
        return "ɹˈɛkəɹd|ɹˈɛkɔːd"
    return None


_RULES: dict[str, Callable[[Sequence[Tagged], int], str | None]] = {
    "read": _read, "lead": _lead, "bow": _bow, "close": _close, "tear": _tear, "record": _record,
}  # fmt: skip


def _pair(start: int, end: int, both: str) -> Reading:
    american, _, british = both.partition("|")
    return Reading(start, end, american, british)


def _name(tokens: Sequence[Tagged], i: int) -> Reading:
    """A name of the table, with what it owns: the "'s" is said with it."""
    token = tokens[i]
    end = token.start + len(token.text)
    said = _pair(token.start, end, NAMES[token.text.lower()])
    if i + 1 < len(tokens) and tokens[i + 1].text == "'s" and tokens[i + 1].start == end:
        return Reading(token.start, end + 2, possessive(said.american, False), possessive(said.british, True))
    return said


def readings(text: str, tokens: Sequence[Tagged]) -> list[Reading]:
    """The readings that context decides in `text`, in order, not overlapping."""
    found = [_pair(*match.span(), _CLIPPED[match[0].lower()]) for match in _CLIPPED_FORM.finditer(text)]
    for i, token in enumerate(tokens):
        word = token.text.lower()
        said = _RULES[word](tokens, i) if word in _RULES else None
        if said is None and word in COMPANY:
            said = COMPANY[word](tokens, i)
        if said is None and word in NAMES:
            found.append(_name(tokens, i))
        elif said:
            found.append(_pair(token.start, token.start + len(token.text), said))
    return sorted(found)


def dropped_g(text: str) -> list[tuple[int, int, str]]:
    """Ranges of words such as "goin'", each with the whole word whose last sound is changed."""
    return [(*match.span(), match[1] + "g") for match in _DROPPED_G.finditer(text)]
