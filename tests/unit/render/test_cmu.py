"""The second dictionary: its symbols in the model's, close to what misaki says of the words that both have."""

import random
import re

import pytest
from misaki import en

from server.render.pronounce import cmu
from server.render.pronounce.vocabulary import KNOWN


@pytest.mark.parametrize(
    ("word", "american", "british"),
    [
        ("Margaret", "mˈɑɹɡəɹɪt", "mˈɑːɡəɹɪt"),
        ("EMILY", "ˈɛmɪli", "ˈɛmɪli"),
        ("Moriarty", "mˌɔɹiˈɑɹTi", "mˌɔːɹiˈɑːti"),
        ("Darcy", "dˈɑɹsi", "dˈɑːsi"),
        ("Grulnifex", None, None),
        ("", None, None),
    ],
)
def test_names_are_said_in_both_accents(word: str, american: str | None, british: str | None) -> None:
    assert (cmu.pronounce(word, False), cmu.pronounce(word, True)) == (american, british)


def test_every_entry_is_a_word_in_the_symbols_of_the_model() -> None:
    words = list(cmu._entries())
    assert len(words) > 120_000
    for word in words:
        for british in (False, True):
            said = cmu.pronounce(word, british)
            assert said and set(said) <= KNOWN and " " not in said, word


@pytest.mark.parametrize(("british", "most"), [(False, 0.075), (True, 0.12)])
def test_it_agrees_with_misaki_where_both_have_a_word(british: bool, most: float) -> None:
    """Phoneme error rate against misaki's own lexicon, stress aside: 6.5 and 9.7 % where this was written."""
    golds = en.Lexicon(british).golds
    both = sorted(word for word in cmu._entries() if word.isalpha() and isinstance(golds.get(word), str))
    errors = symbols = 0
    for word in random.Random(1).sample(both, 1_000):
        wanted, got = (
            re.sub("[ˈˌ]", "", said) for said in (golds[word].replace("ɾ", "T"), cmu.pronounce(word, british))
        )
        errors += _distance(wanted, got)
        symbols += len(wanted)
    assert errors / symbols <= most


def _distance(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row, before = [i], row
        for j, b in enumerate(other, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b)))
    return row[-1]
