"""Faults that other readers of books have had, as kinds: each in sentences of our own, and none of them here.

The letters and numbers are those of the list that they were collected in.
"""

import functools
import itertools
import re
from pathlib import Path

import pytest

from server.library.reader import read_book
from server.library.sentences import split
from server.render.g2p import G2P, Phonemes
from server.render.normalise import normalise
from server.render.passes import plan
from server.render.pronounce.vocabulary import KNOWN
from tests.epubs import build_epub


@functools.cache
def g2p(british: bool = False) -> G2P:
    return G2P(british)


def one(text: str) -> Phonemes:
    return g2p().sentences([text], [False])[0]


def said(text: str, **options: bool) -> str:
    return normalise(text, **options).text


def texts(tmp_path: Path, body: str) -> list[str]:
    book = read_book(build_epub(tmp_path / "b.epub", {"c.xhtml": body}, toc=[("C", "c.xhtml")]))
    return [sentence.text for chapter in book.chapters for sentence in chapter.sentences]


@pytest.mark.parametrize(
    "text", ["“They couldn't!” cried Ann.", "She doesn't! You needn't.", "“Mustn't?” “I daren't!”"]
)
def test_b01_no_negation_is_lost_to_an_apostrophe(text: str) -> None:
    assert one(text.replace("'", "’")).phonemes == one(text).phonemes
    assert one(text).phonemes.count("nt") == len(re.findall("n't", text))


def test_b03_numerals_after_names_and_wars_are_numbers_and_the_pronoun_stays() -> None:
    assert said("Edward VII died before World War I.") == "Edward the seventh died before World War one."
    assert said("Charles II fled, and I fled too.") == "Charles the second fled, and I fled too."


def test_b05_a_line_in_capitals_is_read_as_words() -> None:
    assert (
        said("WHEN THE RAIN CAME IT SAT DOWN. Then it slept.").lower()
        == "when the rain came it sat down. then it slept."
    )
    assert one("THE CAT SAT DOWN.").phonemes == one("The cat sat down.").phonemes


def test_b07_abbreviations_need_their_dot_and_their_border() -> None:
    assert "doctor" not in said("Une drôle d’idée, a stéréo and a Drang.").lower()
    assert said("St. Anne and Dr. Moss.") == "Saint Anne and Doctor Moss."


def test_b09_sentences_do_not_end_in_abbreviations_or_numbers() -> None:
    text = "Mr. Pell met Dr. Rowe at St. Anne’s. He spied for the C.I.A. for years. It took 0.75 of a day."
    found = [text[start:end] for start, end in split(text)]
    assert len(found) == 3 and " ".join(found) == text


def test_b10_money_with_a_scale_word() -> None:
    assert said("It made $7.4 billion, £2.25 and €3m.") == (
        "It made seven point four billion dollars, two pounds twenty five and three million euros."
    )
    assert said("a $9 million yacht") == "a nine million dollar yacht"


@pytest.mark.parametrize(
    "text",
    [
        "Good evening, everyone! This is the first of four.",  # B12
        "The farmers’ 7.5 acre point, marked 3 × 3, isn’t a pint.",  # B13
        "In 1742 Ælfgifu’s naïve fiancé sang.",  # B15
    ],
)
def test_b12_b13_b15_each_word_once_in_order_with_a_sound(text: str) -> None:
    words = one(text).words
    assert all(a.char_end <= b.char_start and a.ph_end <= b.ph_start for a, b in itertools.pairwise(words))
    assert all(word.ph_end > word.ph_start for word in words)
    covered = {at for word in words for at in range(word.char_start, word.char_end)}
    assert {at for at, char in enumerate(text) if char.isalnum()} <= covered


def test_b18_note_marks_are_silent_and_words_in_brackets_are_not() -> None:
    assert said("The pond thawed.[4] It did³ in May. She owed [five] men.") == (
        "The pond thawed. It did in May. She owed five men."
    )


def test_b20_raised_and_lowered_signs_with_a_meaning_are_read(tmp_path: Path) -> None:
    (text,) = texts(
        tmp_path, "<p>CO<sub>2</sub> at 10<sup>4</sup> on the 7<sup>th</sup><sup><a href='#n'>1</a></sup></p>"
    )
    assert said(text) == "C O two at ten to the fourth on the seventh"


def test_b22_b23_hidden_hyphens_and_drop_caps_leave_words_whole(tmp_path: Path) -> None:
    body = (
        '<p><span class="dropcap">O</span>nce it was won&#173;der&#173;ful.</p>'
        '<p><img alt="A" src="a.png"/>gain it was.</p>'
    )
    assert texts(tmp_path, body) == ["Once it was wonderful.", "Again it was."]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p><i>A year on</i></p><p>One.</p><p>So <em>it</em> was.</p>", ["A year on", "One.", "So it was."]),  # B25
        ("<h2>Part One</h2><p>The Rain</p><p>It fell.</p>", ["Part One", "The Rain", "It fell."]),  # B27
        ("<p>First.</p><div><img src='a.jpg'/></div><p>Last.</p>", ["First.", "Last."]),  # B28
        ("<div>A.<p>B.</p>C.<div>D.</div></div>", ["A.", "B.", "C.", "D."]),  # B30
        ("<h1>Six</h1><div><span>All of it.</span></div>", ["Six", "All of it."]),  # B31
    ],
)
def test_b25_to_b31_no_text_is_lost_or_run_together(tmp_path: Path, body: str, expected: list[str]) -> None:
    assert texts(tmp_path, body) == expected


@pytest.mark.parametrize(
    "text",
    [
        "and then we went on over the hill " * 20,  # B44: no mark at all
        "; ".join(["everyone is free and equal in all rights without limitation of any kind"] * 12) + ".",  # B46
        "—".join(["one word after another comes and goes"] * 20),  # B47
    ],
)
def test_b44_b46_b47_however_long_a_sentence_is_nothing_of_it_is_dropped(text: str) -> None:
    found = one(text)
    passes = plan([found], [0])
    assert max(len(each.phonemes) for each in passes) <= 510 and len(passes) > 1
    assert "".join(each.phonemes for each in passes).replace(" ", "") == found.phonemes.replace(" ", "")


def test_b49_short_units_are_not_alone_in_a_pass_where_they_have_company() -> None:
    said_ = g2p().sentences(["No.", "Say it once more, slowly this time."], [False, False])
    assert len(plan(said_, [0, 0])) == 1


@pytest.mark.parametrize("text", [".", "* * *", "—", "…", "⁂", "---"])
def test_b50_a_line_of_marks_has_no_sound(text: str) -> None:
    assert one(text).phonemes == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\u2060—\u2060b \u200aand\u200a c", "a — b and c"),  # M1
        ("on 2021-07-04", "july fourth, twenty twenty one"),  # M2
        ("from 1803–05 and pp. 3-7", "eighteen oh three to"),  # M3
        ("3/4 and ½ of it", "three quarters and half of it"),  # M4
        ("£4 12s. 8d.", "four pounds twelve shillings and eight pence"),  # M5
        ("x³ and CO₂", "x cubed and"),  # M8
        ("at 8:20", "at eight twenty"),  # M9
    ],
)
def test_m1_to_m9_what_the_lexicon_alone_reads_wrong(text: str, expected: str) -> None:
    assert expected in said(text).lower()


def test_m6_book_text_is_never_markup() -> None:
    assert "ɡɹˈiːn" not in one("a [tree](/ɡɹˈiːn/) here").phonemes
    assert "nineteen ninety" in said("[Marsh](1990) says so")


@pytest.mark.parametrize("text", ["’Twas late.", "salt ’n’ pepper", "the ’98 rising", "rate”—he", "said—“no”"])
def test_m7_m11_apostrophes_and_dashes_leave_nothing_unknown(text: str) -> None:
    assert set(one(text).phonemes) <= KNOWN and "❓" not in one(text).phonemes
    assert not one(text).phonemes.startswith(("‘", "“t"))


def test_m10_a_metal_is_not_a_leader() -> None:
    assert "lˈɛd pˈIp" in one("A lead pipe burst.").phonemes
