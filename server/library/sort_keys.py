"""What titles and names are put in order by, where a book does not say itself: "Hobbit, The" and "Verne, Jules" (pure).

The words for names are those that libraries use in English: articles belong to the surname ("La Fontaine, Jean de"),
prepositions go behind the first names ("Beethoven, Ludwig van").
"""

import re
from collections.abc import Iterable
from typing import Final

from server.library.languages import ENGLISH, primary

_ARTICLES: Final = {
    "en": "the a an",
    "de": "der die das den dem des ein eine einen einem einer eines",
    "fr": "le la les un une des l' l’",
    "es": "el la los las un una unos unas",
    "it": "il lo la i gli le un uno una l' l’ un' un’",
    "pt": "o a os as um uma uns umas",
    "nl": "de het een 't ’t",
    "sv": "en ett den det de",
    "da": "en et den det de",
    "no": "en et ei den det de",
    "nb": "en et ei den det de",
    "ca": "el la els les un una l' l’",
    "hu": "a az egy",
}
# "A is for Axe", "A to Z": a letter, no article.
_NO_ARTICLE = re.compile(r"a\s+(?:is|was|to|or|and|&|[-–—=+])(?:\s|$)", re.IGNORECASE)
# Parts of a surname when they are written large, and the few that are also when they are written small.
_LARGE: Final = frozenset(
    "von van vom de der den ten te di da do dos das del la le les du des el mac mc st. san santa ben ibn al bin".split()
)
_SMALL: Final = frozenset("la le les du des el della dello mac ap".split())
_HONORIFICS: Final = frozenset(
    "sir dame lord lady dr dr. mr mr. mrs mrs. ms ms. prof prof. rev rev. fr. st. saint pr".split()
)
_SUFFIX = re.compile(r"(?:jr|sr|esq|ph\.?d|m\.?d|ii|iii|iv)\.?", re.IGNORECASE)
# Words that no person's name has: a house, a society, nobody in particular.
_NO_PERSON: Final = frozenset(
    """anonymous unknown various press books publishing publishers university college society institute association
    company corporation inc inc. ltd ltd. gmbh project committee department ministry council foundation group team
    staff editors magazine journal library museum church and & of the for""".split()
)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def title_sort(title: str, language: str) -> str:
    """The title with a leading article of `language` put behind it; as it is where there is none."""
    articles = _ARTICLES.get(primary(language) or ENGLISH, "").split()
    if _NO_ARTICLE.match(title):
        return title
    for article in sorted(articles, key=len, reverse=True):
        elided = article[-1] in "'’" and len(article) > 1
        head, rest = title[: len(article)], title[len(article) :]
        if head.casefold() == article and rest.strip() and (elided or rest[0].isspace()):
            return f"{rest.strip()}, {head}"
    return title


def names_sort(names: Iterable[str]) -> str | None:
    """`name_sort` of each name, with " & " between them; None for no names."""
    return " & ".join(map(name_sort, names)) or None


def name_sort(name: str) -> str:
    """A person's name, last name first; a name of one word, in another order already or of no person as it is."""
    words = name.split()
    comma = name.find(",")
    if comma >= 0 and not all(_SUFFIX.fullmatch(word) for word in name[comma + 1 :].split()):
        return name
    words = [word.rstrip(",") for word in words]
    before: list[str] = []
    after: list[str] = []
    while len(words) > 1 and words[0].casefold() in _HONORIFICS:
        before.append(words.pop(0))
    while len(words) > 1 and _SUFFIX.fullmatch(words[-1]):
        after.insert(0, words.pop())
    if len(words) < 2 or _UNSPACED.search(name) or any(word.casefold() in _NO_PERSON for word in words):
        return name
    last = len(words) - 1
    if last > 2 and words[last - 1] in ("y", "i"):  # José Ortega y Gasset
        last -= 2
    while last > 1 and (words[last - 1] in _SMALL or (words[last - 1].istitle() and words[last - 1].lower() in _LARGE)):
        last -= 1
    return ", ".join(filter(None, (" ".join(words[last:]), " ".join(words[:last]), *after, " ".join(before))))
