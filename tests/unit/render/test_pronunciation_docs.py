"""docs/pronunciations.md says what the program does: every table and every example line."""

import re

import pytest

from server.render.lexicon.grammar import _SIMPLE, read_rules
from server.render.lexicon.match import Layer, RuleSet
from server.render.lexicon.respell import CONSONANTS, VOWELS, read_respelling
from server.render.lexicon.symbols import read_phonemes
from server.render.pronounce.overrides import Override
from tests.conftest import ROOT

DOCUMENT = (ROOT / "docs" / "pronunciations.md").read_text()


def table(section: str, columns: int) -> list[list[str]]:
    part = DOCUMENT.split(f"## {section}\n")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in part.splitlines() if line[:1] == "|"]
    rows = [[cell.removesuffix(" |").strip() for cell in row] for row in rows if set(row[0]) != {"-"}]
    return [row + [""] * (columns - len(row)) for row in rows if row[0] not in ("Write", "Symbol", "Rule")]


def override(text: str, one: Override) -> str:
    if one.stress is not None:
        return f"stress {one.stress}"
    if one.phonemes is not None:
        return one.phonemes
    return f"“{one.words}”" if one.words else "silence"


@pytest.mark.parametrize("block", re.findall(r"```rules\n(.*?)```", DOCUMENT, re.S))
def test_every_line_of_an_example_is_a_rule(block: str) -> None:
    parsed = read_rules(block)
    assert parsed.problems == ()
    assert parsed.rules or parsed.header


@pytest.mark.parametrize("row", table("What rules do", 4), ids=lambda row: row[0])
def test_a_rule_does_what_is_told_of_it(row: list[str]) -> None:
    line, text, american, british = row
    parsed = read_rules(line.strip("`"))
    assert parsed.problems == ()
    rules = RuleSet((Layer("household", 0, parsed.rules),))
    for expected, accent in ((american, False), (british, True)):
        done = [override(text, one) for one in rules.overrides(text, british=accent)]
        assert done == ([] if expected == "nothing" else [expected])


KEY = [row for row in table("The respelling key", 5) if row[2].startswith("`")]


@pytest.mark.parametrize("row", KEY, ids=lambda row: row[0])
def test_a_respelling_sounds_as_the_key_says(row: list[str]) -> None:
    said = read_respelling(row[2].strip("`"))
    assert said is not None and (said.american, said.british) == (row[3], row[4])


def test_spellings_of_one_row_of_the_key_sound_alike() -> None:
    for row in KEY[: next(at for at, row in enumerate(KEY) if row[0].startswith("b, d"))]:
        spellings = re.sub(r"\(.*\)", "", row[0]).replace(" ", "").split(",")
        assert len({VOWELS[spelling] for spelling in spellings}) == 1, row[0]


def test_the_key_lists_every_spelling_there_is() -> None:
    listed = {word for row in KEY for word in re.findall(r"\b[a-z]+\b", re.sub(r"\(.*?\)|before a vowel", "", row[0]))}
    doubled = {spelling for spelling in CONSONANTS if len(spelling) == 2 and spelling[0] == spelling[1]}
    assert set(VOWELS) | set(CONSONANTS) - doubled <= listed
    assert listed - set(VOWELS) - set(CONSONANTS) - {"as", "always", "doubled", "is", "the", "same"} == set()


@pytest.mark.parametrize("row", table("Phoneme symbols", 3), ids=lambda row: row[0])
def test_a_symbol_may_be_written_as_told(row: list[str]) -> None:
    for symbol in row[0].split(", "):
        assert read_phonemes(f"b{symbol}").american == f"b{symbol}"
    for written in filter(None, row[2].split(", ")):
        assert read_phonemes(f"b{written}").american == f"b{row[0]}", written


def test_every_option_is_explained() -> None:
    told = set(re.findall(r"`\{([a-z ]+)\}`", DOCUMENT)) | set(re.findall(r"\{([a-z ]+)\}$", DOCUMENT, re.M))
    assert set(_SIMPLE) <= told
