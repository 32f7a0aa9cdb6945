"""The parts of pronunciation that need no tagger: words from their parts, and words found in the text."""

import pytest

from server.render.pronounce import espeak
from server.render.pronounce.derive import compound, derive, possessive
from server.render.pronounce.groups import Cut, apart, stopped
from server.render.pronounce.vocabulary import KNOWN
from server.render.pronounce.words import PhonemeWord, Said, align, units

LEXICON = {"deny": "dənˈI", "wit": "wˈɪt", "bell": "bˈɛl", "pull": "pˈʊl", "kind": "kˈInd", "secure": "səkjˈʊɹ"}


@pytest.mark.parametrize(
    ("word", "said"),
    [("denied", "dənˈId"), ("kindest", "kˈIndɪst"), ("unkind", "ˌʌnkˈInd"), ("securer", "səkjˈʊɹəɹ"),
     ("kindly", "kˈIndli"), ("zzorp", None), ("red", None)],
)  # fmt: skip
def test_words_are_said_from_their_parts(word: str, said: str | None) -> None:
    assert derive(word, LEXICON.get, british=False) == said


def test_two_words_written_as_one_are_said_as_two() -> None:
    assert compound("bellpull", LEXICON.get) == "bˈɛlpˌʊl" and compound("bellzorp", LEXICON.get) is None


def test_an_owner_takes_the_sound_that_its_end_asks_for() -> None:
    assert [possessive(stem, british=False)[-1] for stem in ("kˈæt", "dˈɔɡ")] == ["s", "z"]
    assert possessive("hˈɔɹs", british=False) == "hˈɔɹsᵻz" and possessive("hˈɔːs", british=True) == "hˈɔːsɪz"


@pytest.mark.parametrize(
    ("text", "words"),
    [("the sailors’ 12.5", ["the", "sailors", "12", "5"]), ("beau\u00adti\u00adful", ["beau\u00adti\u00adful"]),
     ("cafe\u0301 it’s", ["cafe\u0301", "it’s"]), ("—…*", []), ("well-to-do", ["well", "to", "do"])],
)  # fmt: skip
def test_units_of_the_source(text: str, words: list[str]) -> None:
    assert [text[start:end] for start, end in units(text)] == words


def test_words_said_as_one_are_one_and_silent_words_keep_their_place() -> None:
    source = "ab 1 2 zz cd"
    said = [Said(0, 2, 0, 3), Said(3, 6, 4, 8), Said(10, 12, 9, 12)]
    assert align(source, said) == (
        PhonemeWord(0, 2, 0, 3), PhonemeWord(3, 6, 4, 8), PhonemeWord(7, 9, 8, 8), PhonemeWord(10, 12, 9, 12),
    )  # fmt: skip


def test_overlapping_cuts_leave_the_first() -> None:
    assert apart([Cut(4, 6, "b"), Cut(0, 5, "a"), Cut(6, 7, "c")]) == [Cut(0, 5, "a"), Cut(6, 7, "c")]


def test_a_stop_is_added_only_where_none_is() -> None:
    assert [stopped(text) for text in ("a", "a.", "a?”", "a”", "a—", "")] == ["a.", "a.", "a?”", "a”.", "a—", ""]


def test_espeak_speaks_the_symbols_of_the_model() -> None:
    for word in ("Grulnifex", "Dvořák", "xenon", "Æthelflæd", "rhythm"):
        for british in (True, False):
            said = espeak.phonemes(word, british)
            assert said and set(said) <= KNOWN, (word, said)


def test_espeak_does_not_read_out_that_it_changes_the_language() -> None:
    for letter in ("Տ", "ა", "한국"):
        assert not set("()^-") & set(espeak.phonemes(letter, False)), letter
