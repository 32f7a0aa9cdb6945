"""Which language a text is in that says nothing of it: by its script, else by its commonest words (pure)."""

import re
from collections import Counter
from typing import Final

from server.library.languages import ENGLISH

_SAMPLE: Final = 40_000  # characters
_LEAST_WORDS: Final = 30  # of a text that can be told by its words
_LEAST_SHARE: Final = 0.15  # of its words that are among the commonest of its language
_WORDS: Final = {
    "en": "the and of to in a is that it was he his with for as you had not be on at but she her they this have from",
    "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an er sie ich war",
    "fr": "de la le et les des en un du une que est pour qui dans par plus pas au sur ne se ce il elle je vous avait",
    "es": "de la que el en y a los se del las un por con no una su para es al lo como más pero sus le ya había él",
    "it": "di e il la che in a per un del della con non è una i si le da come al dei nel alla più ma gli lo era",
    "pt": "de a o que e do da em um para com não uma os no se na por mais as dos como mas ao ele das à seu sua ou era",
    "nl": "de van het een en in is dat op te zijn met voor niet aan er om ook als dan maar bij of uit nog hij ik was",
    "sv": "och i att det som en på är av för med till den har de inte om ett han men var jag sig från vi så hon",
    "da": "og i at det en den til er som på de med han af for ikke der var mig sig men et har om vi min havde hun",
    "pl": "w i na z do nie się że to jest o jak ale po od za przez co tak był jego ja by już tylko ze jej",
    "fi": "ja on ei se että hän oli mutta ovat niin kuin myös joka mitä kun minä sen olen hänen vain jos",
    "la": "et in est non ad ut cum quod qui sed si quae ex quam esse per enim nec etiam sunt hoc atque ab",
}
_SCRIPTS: Final = (
    ("ja", re.compile(r"[ぁ-ヶ]"), 0.1),
    ("zh", re.compile(r"[\u4e00-\u9fff]"), 0.3),
    ("ko", re.compile(r"[\uac00-\ud7af]"), 0.3),
    ("hi", re.compile(r"[\u0900-\u097f]"), 0.4),
    ("ru", re.compile(r"[\u0400-\u04ff]"), 0.4),
    ("el", re.compile(r"[\u0370-\u03ff]"), 0.4),
    ("ar", re.compile(r"[\u0600-\u06ff]"), 0.4),
    ("he", re.compile(r"[\u0590-\u05ff]"), 0.4),
    ("th", re.compile(r"[\u0e00-\u0e7f]"), 0.4),
)


def tongue_of(text: str) -> str:
    """BCP 47 tag of the language that the middle of `text` is in; English where it cannot be told."""
    start = max(0, len(text) // 2 - _SAMPLE // 2)
    sample = text[start : start + _SAMPLE].lower()
    letters = sum(map(str.isalpha, sample))
    for tag, script, share in _SCRIPTS:
        if letters and len(script.findall(sample)) >= share * letters:
            return tag
    words = Counter(re.findall(r"[^\W\d_]+", sample))
    total = sum(words.values())
    shares = {tag: sum(words[word] for word in common.split()) / max(total, 1) for tag, common in _WORDS.items()}
    best = max(shares, key=lambda tag: shares[tag])
    if total < _LEAST_WORDS or shares[best] < _LEAST_SHARE or shares[best] < 1.15 * shares[ENGLISH]:
        return ENGLISH
    return best
