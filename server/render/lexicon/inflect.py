"""The endings that follow a word: which forms a rule also serves, and how they sound and are spelled (pure)."""

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

Ending = Literal["s", "'s", "'d", "'ll", "'ve", "'re", "ed", "ing"]


class Form(NamedTuple):
    """A written form: the stem as it stands in it, what follows, and which ending that is, if any."""

    stem: str
    rest: str
    ending: Ending | None


_CLITICS: Final[tuple[Ending, ...]] = ("'s", "'d", "'ll", "'ve", "'re")
_LAST_WORD: Final = re.compile(r"[^\W\d_]+$")
_HISSES: Final = re.compile(r"(?:[sxz]|[cs]h)$")
_CONSONANT_Y: Final = re.compile(r"[^aeiou]y$")
_CONSONANT_O: Final = re.compile(r"[^aeiou]o$")
# One syllable, one vowel, one consonant: it is doubled before -ed and -ing ("stop", not "stay", "fix" or "look").
_DOUBLES: Final = re.compile(r"^[^aeiou]*(?:qu)?[aeiouy][bdfgklmnprstvz]$")
_MUTE_E: Final = re.compile(r"[^eoy]e$")
# Words that only look as if they were forms of another ("evening" is not what "even" does).
_OTHERS: Final = frozenset(
    "does evening evenings feed feeding heed herring need needed needing news seed seeding shed shedding weed weeding "
    "wedding ceiling during bring ring king thing wing sing ping string spring being hundred sacred naked wicked "
    "rugged wretched crooked red bed its his hers yes gas us".split()
)
_SHORTEST: Final = 3  # a shorter word takes no ending without an apostrophe: "be" has little to do with "bed"
_STOPS_S: Final = frozenset("ptkfθ")
_HISSES_S: Final = frozenset("szʃʒʧʤ")
_STOPS_ED: Final = frozenset("pkfθʃsʧ")
_FLAPPED: Final = frozenset("AIOWYiuæɑəɛɪɹʊʌ")  # after these an American t before an ending is a flap
_VOWEL_LIKE: Final = frozenset("AIOQWYiuæaɑɒɔəɛɜɪʊʌᵻː")


def forms(written: str) -> Iterator[Form]:
    """The word or phrase itself and the forms that follow from its spelling; a name has no -ed and no -ing."""
    yield Form(written, "", None)
    found = _LAST_WORD.search(written)
    if found is None or (found.start() and written[found.start() - 1] == "'"):
        return
    for ending in _CLITICS:
        yield Form(written, ending, ending)
    last, name = found[0], written != written.lower()
    if len(last) < _SHORTEST:
        return
    head = written[: found.start()]
    for form in _spelled(last, name=name):
        if name or form.stem + form.rest not in _OTHERS:
            yield Form(head + form.stem, form.rest, form.ending)


def _spelled(word: str, *, name: bool) -> Iterator[Form]:
    low = word.lower()
    if _CONSONANT_Y.search(low):
        yield Form(word[:-1], "ies", "s")
    if _HISSES.search(low):
        yield Form(word, "es", "s")
    elif name or not _CONSONANT_Y.search(low):
        yield Form(word, "s", "s")
    if _CONSONANT_O.search(low):
        yield Form(word, "es", "s")
    if name:
        return
    if _CONSONANT_Y.search(low):
        yield Form(word[:-1], "ied", "ed")
        yield Form(word, "ing", "ing")
    elif low.endswith("e"):
        yield Form(word, "d", "ed")
        yield Form(word[:-1] if _MUTE_E.search(low) else word, "ing", "ing")
    elif _DOUBLES.search(low):
        yield Form(word, low[-1] + "ed", "ed")
        yield Form(word, low[-1] + "ing", "ing")
    else:
        yield Form(word, "ed", "ed")
        yield Form(word, "ing", "ing")
        if low[-1] in "lmnprt":  # "travelled" beside "traveled"
            yield Form(word, low[-1] + "ed", "ed")
            yield Form(word, low[-1] + "ing", "ing")


def put_on(words: str, ending: Ending) -> str:
    """`words` with an ending, spelled: "Saint Mary Mead" and "'s" make "Saint Mary Mead's"."""
    if ending in _CLITICS:
        return words + ending
    found = _LAST_WORD.search(words)
    if found is None:
        return words
    form = next((each for each in _spelled(found[0], name=False) if each.ending == ending), None)
    if form is None:
        return words
    return words[: found.start()] + form.stem + (form.rest.upper() if found[0].isupper() else form.rest)


def sound(stem: str, ending: Ending, *, british: bool, written_r: bool = False) -> str:
    """The phonemes of a form from those of its stem; `written_r` brings back a British r before a vowel."""
    last = stem[-1:]
    if ending in ("s", "'s"):
        if last in _STOPS_S:
            return stem + "s"
        return stem + (("ɪz" if british else "ᵻz") if last in _HISSES_S else "z")
    if ending == "ed":
        return _ed(stem, british)
    if ending == "ing":
        if not british and last == "t" and stem[-2:-1] in _FLAPPED:
            return stem[:-1] + "Tɪŋ"
        return stem + ("ɹ" if british and written_r and last in "əː" else "") + "ɪŋ"
    open_ended = last in _VOWEL_LIKE
    if ending == "'ll":
        return stem + ("ɹ" if british and written_r and last in "əː" else "") + "ᵊl"
    if ending == "'d":
        return stem + ("əd" if last in "td" else "d")
    if ending == "'ve":
        return stem + ("v" if open_ended else "əv")
    return stem + ("ə" if british else "əɹ")


def _ed(stem: str, british: bool) -> str:
    last = stem[-1:]
    if last in _STOPS_ED:
        return stem + "t"
    if last not in ("t", "d"):
        return stem + "d"
    if british:
        return stem + "ɪd"
    flapped = last == "t" and stem[-2:-1] in _FLAPPED
    return (stem[:-1] + "T" if flapped else stem) + "ᵻd"
