"""Heteronyms that the lexicon lacks or the tagger confuses, told apart by the words around them (pure)."""

from collections.abc import Callable, Sequence
from typing import NamedTuple


class Tagged(NamedTuple):
    """A word of the tagger: its text, its Penn tag, and where it starts in the spoken text."""

    text: str
    tag: str
    start: int


Rule = Callable[[Sequence[Tagged], int], str | None]
_DETERMINERS = frozenset("a an the my his its our their your this no any every some another each".split())
_MODALS = frozenset("will would shall should can could may might must cannot 'll n't let let's".split())
_AFTER_VERB = frozenset(
    "a an the me him her us them it you my his its our their your this that these those in with from on to for at when "
    "if and or , . ; : ! ?".split()
)
# Nouns, or adjectives, that are stressed or voiced otherwise as verbs, and that the tagger takes for one another.
_PAIRS = frozenset(
    (
        "abuse attribute combine compact compound conduct conflict console consort content contest contract "
        "contrast converse convert convict decrease desert digest discount entrance escort estimate excuse export "
        "extract frequent graduate house import increase insult invalid moderate object perfect permit present "
        "produce progress project protest rebel record refuse reject separate subject survey suspect tear torment "
        "transfer transport upset use wind wound"
    ).split()
)


def retag(tokens: Sequence[Tagged]) -> Sequence[Tagged]:
    """`tokens` with the tag of a noun that can only be a verb, or the other way, put right."""
    made: list[Tagged] | None = None
    for i, token in enumerate(tokens):
        if token.text.lower() not in _PAIRS:
            continue
        tag = _retagged(tokens, i)
        if tag and tag[:2] != token.tag[:2]:
            made = made if made is not None else list(tokens)
            made[i] = token._replace(tag=tag)
    return made if made is not None else tokens


def _retagged(tokens: Sequence[Tagged], i: int) -> str | None:
    before, after = _at(tokens, i - 1), _at(tokens, i + 1)
    tag = tokens[i].tag
    if before in _MODALS or (before == "not" and _at(tokens, i - 2) in _MODALS):
        return "VB"
    if tag.startswith("NN") and after in _AFTER_VERB | {""}:
        if before in ("i", "we", "they", "who"):
            return "VBP"
        if i and tokens[i - 1].tag == "NNS" and tag == "NN":
            return "VBP"
    if tag in ("VB", "VBP") and before in _DETERMINERS and not _is_noun(tokens, i + 1):
        return "NN"
    return None


def _at(tokens: Sequence[Tagged], i: int) -> str:
    return tokens[i].text.lower() if 0 <= i < len(tokens) else ""


def _is_noun(tokens: Sequence[Tagged], i: int) -> bool:
    return 0 <= i < len(tokens) and tokens[i].tag.startswith("NN")


def _near(tokens: Sequence[Tagged], i: int, words: frozenset[str], reach: int = 8) -> bool:
    return any(token.text.lower() in words for token in tokens[max(0, i - reach) : i + reach + 1])


_WATER = frozenset(
    "fish fishing lake lakes river pond stream striped caught catch hooked angler rod bait trout perch".split()
)
_NUMBERS = frozenset("two three four five six seven eight nine ten several many few hinds".split())
_SMALL = frozenset(
    "detail details speck specks particle particles quantity quantities crack cracks fragment fragments examination "
    "inspection attention difference differences scrap scraps portion portions grain grains amount creature creatures "
    "insects observation inquiry description animals scale pieces points investigation analysis knowledge hand".split()
)
_ROWDY = frozenset(
    "terrible awful fearful frightful dreadful jolly blazing infernal tremendous devil such what rare".split()
)
_AXIAL = frozenset(
    "graph coordinate coordinates symmetry rotation x y vertical horizontal crystal earth planet ellipse".split()
)
_EYES = frozenset("eye eyes cheek cheeks face voice lashes".split())
_GROWING = frozenset("grew grow growing grows became become".split())
_IN_A_TOWN = frozenset("in to at from near for of via through reached left outside between".split())
_OF_A_MAN = frozenset("of poor like as than with old".split())


def _bass(tokens: Sequence[Tagged], i: int) -> str | None:
    return "bˈæs|bˈas" if _near(tokens, i, _WATER) else "bˈAs|bˈAs"


def _does(tokens: Sequence[Tagged], i: int) -> str | None:
    return "dˈOz|dˈQz" if _at(tokens, i - 1) in _NUMBERS else None


def _minute(tokens: Sequence[Tagged], i: int) -> str | None:
    if _at(tokens, i + 1) in _SMALL or _at(tokens, i - 1) in ("most", "very", "too", "so", "more"):
        return "mInˈut|mInjˈuːt"
    return None


def _row(tokens: Sequence[Tagged], i: int) -> str | None:
    if _at(tokens, i + 1) == "of" or _at(tokens, i - 1) in ("front", "back", "first", "second", "long"):
        return None
    before = [_at(tokens, at) for at in range(max(0, i - 3), i)]
    if before[-2:] == ["in", "a"]:
        return None
    had = "a" in before[-2:] and any(word in ("had", "have", "having", "make", "made", "making") for word in before)
    loud = any(word in _ROWDY for word in before)
    return "ɹˈW|ɹˈW" if loud or (had and _at(tokens, i + 1) in ("about", "with", "over", ".", ",", "!")) else None


def _polish(tokens: Sequence[Tagged], i: int) -> str | None:
    orders = tokens[i].text == "Polish" and _at(tokens, i + 1) in (
        "the",
        "your",
        "that",
        "his",
        "her",
        "it",
        "my",
        "up",
        "those",
    )
    return "pˈɑlɪʃ|pˈɒlɪʃ" if orders and _at(tokens, i - 1) in ("", ".", "“", "!", "?") else None


def _number(tokens: Sequence[Tagged], i: int) -> str | None:
    after = _at(tokens, i + 1)
    return (
        "nˈʌməɹ|nˈʌmə"
        if _at(tokens, i - 1) in _GROWING and (after in ("and", "in", "with", "than", ".", ",", ""))
        else None
    )


def _axes(tokens: Sequence[Tagged], i: int) -> str | None:
    return "ˈæksˌiz|ˈaksiːz" if _near(tokens, i, _AXIAL) else "ˈæksᵻz|ˈaksɪz"


def _bases(tokens: Sequence[Tagged], i: int) -> str | None:
    reasoned = _at(tokens, i + 1) == "of" and _at(tokens, i + 2) in (
        "his",
        "her",
        "their",
        "our",
        "my",
        "all",
        "comparison",
    )
    return "bˈAsˌiz|bˈAsiːz" if reasoned else "bˈAsᵻz|bˈAsɪz"


def _tear(tokens: Sequence[Tagged], i: int) -> str | None:
    cloth = _at(tokens, i - 1) in ("a", "the", "this", "long", "small", "big") and _at(tokens, i + 1) == "in"
    return "tˈɛɹ|tˈɛː" if cloth and not _near(tokens, i, _EYES) else None


def _before_noun(american: str, british: str, *starts: str) -> Rule:
    """A participle that is an adjective of its own between a determiner and a noun."""
    leaders = _DETERMINERS - {"no"} | {"most", "very", "that", "her", "whole", "o", "these", "those"} | set(starts)

    def rule(tokens: Sequence[Tagged], i: int) -> str | None:
        after = tokens[i + 1].tag if i + 1 < len(tokens) else "."
        if _at(tokens, i - 1) in leaders and after[:2] in ("NN", "JJ"):
            return f"{american}|{british}"
        return None

    return rule


def _blessed(tokens: Sequence[Tagged], i: int) -> str | None:
    if tokens[i].text == "Blessed" and _at(tokens, i + 1) in ("are", "be", "is", "virgin", "mother", "lady"):
        return "blˈɛsᵻd|blˈɛsɪd"
    return _before_noun("blˈɛsᵻd", "blˈɛsɪd", "not")(tokens, i)


def _beloved(tokens: Sequence[Tagged], i: int) -> str | None:
    return None if _at(tokens, i + 1) in ("by", "of") else "bəlˈʌvᵻd|bɪlˈʌvɪd"


def _job(tokens: Sequence[Tagged], i: int) -> str | None:
    named = tokens[i].text == "Job" and (_at(tokens, i - 1) in _OF_A_MAN or _at(tokens, i + 1) == "'s")
    return "ʤˈOb|ʤˈQb" if named else None


def _reading(tokens: Sequence[Tagged], i: int) -> str | None:
    town = _at(tokens, i - 1) in _IN_A_TOWN or _at(tokens, i + 1) in ("jail", "gaol", "station", "road", "abbey")
    return "ɹˈɛdɪŋ|ɹˈɛdɪŋ" if tokens[i].text == "Reading" and i and town else None


def _nice(tokens: Sequence[Tagged], i: int) -> str | None:
    town = tokens[i].text == "Nice" and _at(tokens, i - 1) in _IN_A_TOWN and not _is_noun(tokens, i + 1)
    return "nˈis|nˈiːs" if town else None


def _protest(tokens: Sequence[Tagged], i: int) -> str | None:
    return "pɹətˈɛst|pɹətˈɛst" if tokens[i].tag.startswith("VB") else None


RULES: dict[str, Rule] = {
    "bass": _bass, "does": _does, "minute": _minute, "row": _row, "polish": _polish, "number": _number, "axes": _axes,
    "bases": _bases, "tear": _tear, "aged": _before_noun("ˈAʤᵻd", "ˈAʤɪd"), "blessed": _blessed, "beloved": _beloved,
    "learned": _before_noun("lˈɜɹnᵻd", "lˈɜːnɪd"), "job": _job, "reading": _reading, "nice": _nice, "protest": _protest,
}  # fmt: skip
