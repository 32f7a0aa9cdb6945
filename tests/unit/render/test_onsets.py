"""When a word is heard, by its first sound and by what stands before it."""

import pytest

from server.render.onsets import AFTER_MARK, IN_SPEECH, UNIT_SAMPLES, heard_at, kind_of
from server.render.pronounce.vocabulary import PUNCTUATION, SYMBOLS

PASS = "ðə dˈɔɹ, sˈɪks tˈAbᵊlz ænd mˈIn."
STARTS = [(14 + 2 * at) * UNIT_SAMPLES for at in range(len(PASS) + 1)]


def units(word: str) -> float:
    at = PASS.index(word)
    return (heard_at(PASS, STARTS, at) - STARTS[at]) / UNIT_SAMPLES


def test_every_symbol_has_a_kind_in_both_tables() -> None:
    for symbol in set(SYMBOLS) - PUNCTUATION:
        assert kind_of(symbol) in AFTER_MARK and kind_of(symbol) in IN_SPEECH


@pytest.mark.parametrize(
    ("word", "table", "kind"),
    [
        ("ðə", AFTER_MARK, "voiced stop"),
        ("dˈɔɹ", IN_SPEECH, "voiced stop"),
        ("sˈɪks", AFTER_MARK, "strong fricative"),
        ("tˈAbᵊlz", IN_SPEECH, "voiceless stop"),
        ("ænd", IN_SPEECH, "vowel"),
        ("mˈIn", IN_SPEECH, "sonorant"),
    ],
)
def test_a_word_is_heard_as_its_first_sound_is(word: str, table: dict[str, tuple[float, float]], kind: str) -> None:
    fixed, share = table[kind]
    space = 0 if word == "ðə" else 2
    assert units(word) == pytest.approx(fixed - share * space, abs=0.01)


def test_stress_is_no_sound_of_its_own() -> None:
    starts = [at * UNIT_SAMPLES for at in range(6)]
    assert heard_at("ˈbɪt.", starts, 0) == heard_at("bˈɪt.", starts, 0)


def test_no_word_is_heard_later_than_its_nominal_start() -> None:
    for symbol in set(SYMBOLS) - PUNCTUATION - {" "}:
        for before in ("", "ɑ ", "ɑ, "):
            phonemes = f"{before}{symbol}ɑ."
            starts = [at * UNIT_SAMPLES for at in range(len(phonemes) + 1)]
            assert heard_at(phonemes, starts, len(before)) < starts[len(before)]
