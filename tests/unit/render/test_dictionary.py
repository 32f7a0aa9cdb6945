"""One accent's dictionary: what it remembers is what misaki says."""

from itertools import product

import pytest
from misaki import en

from server.render.pronounce.dictionary import Dictionary

CONTEXTS = [en.TokenContext(vowel, to) for vowel, to in product((None, True, False), (False, True))]
# Words that ask what follows them, words that a tag decides, words with endings, in capitals, in parts, of no lexicon.
WORDS = [
    ("the", "DT"), ("The", "DT"), ("to", "TO"), ("an", "DT"), ("a", "DT"), ("A", "NN"), ("in", "IN"), ("am", "VBP"),
    ("used", "VBD"), ("used", "VBN"), ("that", "IN"), ("Lines", "NNS"), ("walked", "VBD"), ("ROSES", "NNS"),
    ("FBI", "NNP"), ("McDonald", "NNP"), ("iPod", "NN"), ("I", "PRP"), ("by", "RB"), ("vs", "IN"), ("Grulnifex", "NNP"),
    ("Vatican", "NNP"), ("lightening", "VBG"), ("B", "NN"), ("record", "VB"), ("record", "NN"), ("would", "MD"),
]  # fmt: skip


@pytest.fixture(scope="module", params=[False, True], ids=["american", "british"])
def dictionary(request: pytest.FixtureRequest) -> Dictionary:
    return Dictionary(request.param)


@pytest.mark.parametrize("backwards", [False, True])
def test_a_word_alone_is_said_as_misaki_says_it_whatever_was_asked_before(
    dictionary: Dictionary, backwards: bool
) -> None:
    dictionary._said.clear()
    asked = list(product(WORDS, CONTEXTS))
    for word, context in reversed(asked) if backwards else asked:
        assert dictionary.say((word,), context) == dictionary._ask((word,), context), (word, context)


def test_what_follows_changes_only_the_words_that_ask_for_it(dictionary: Dictionary) -> None:
    the = [dictionary.say((("the", "DT"),), context)[0] for context in CONTEXTS]
    assert len(set(the)) == 2
    dictionary._said.clear()
    for context in CONTEXTS:
        dictionary.say((("cellar", "NN"),), context)
    assert len(dictionary._said) == 1


def test_the_memory_is_bounded(dictionary: Dictionary, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.render.pronounce.dictionary.REMEMBERED", 10)
    for word in WORDS:
        dictionary.say((word,), CONTEXTS[0])
        assert len(dictionary._said) <= 10
