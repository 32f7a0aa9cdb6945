"""Numbers against an independent oracle, and laws that hold for any text at all."""

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from num2words import num2words

from server.render.normalise import normalise
from server.render.normalise.roman import value
from server.render.normalise.speak import cardinal, ordinal, year


def plain(words: str) -> str:
    return re.sub(r"[-,]", " ", words).replace(" and ", " ").replace("  ", " ")


def test_cardinals_agree_with_num2words() -> None:
    for n in [*range(3001), 10_000, 99_999, 100_000, 1_000_000, 20_000_017, 10**12 + 5]:
        assert cardinal(n) == plain(num2words(n)), n
        assert cardinal(n, british=True).replace(" and ", " ") == cardinal(n), n
        assert cardinal(n, british=True) == re.sub(r"[-,]", " ", num2words(n)).replace("  ", " "), n


def test_ordinals_agree_with_num2words() -> None:
    for n in range(1, 1001):
        assert ordinal(n) == plain(num2words(n, to="ordinal")), n


def test_years_agree_with_num2words() -> None:
    differing = [n for n in range(1000, 2100) if year(n) != plain(num2words(n, to="year"))]
    assert differing == []


def test_cardinals_in_a_sentence() -> None:
    for n, british in itertools.product(range(3001), (False, True)):
        words = re.sub(r"[-,]", " ", num2words(n)).replace("  ", " ")
        words = words if british else words.replace(" and ", " ")
        if not 1000 <= n <= 2099:
            assert normalise(f"It has {n} stones.", british=british).text == f"It has {words} stones."
        assert normalise(f"It has {n:,} stones.", british=british).text == f"It has {words} stones."


def test_years_in_a_sentence() -> None:
    for n in range(1000, 2100):
        for british in (False, True):
            said = normalise(f"It fell in {n}.", british=british).text
            wanted = plain(num2words(n, to="year"))
            assert said.replace(" and ", " ") == f"It fell in {wanted}.", said
            assert normalise(f"since {n}–{n + 1}", british=british).text.startswith(f"since {said[11:-1]} to "), n


def test_ordinals_in_a_sentence() -> None:
    for n in range(1, 101):
        ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
        wanted = plain(num2words(n, to="ordinal"))
        for british in (False, True):
            said = normalise(f"the {n}{ending} door", british=british).text
            assert said.replace(" and ", " ") == f"the {wanted} door", said


# Written out by hand: nothing of the code under test makes these.
HOURS = ["twelve", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"]
UNITS = "oh one two three four five six seven eight nine".split()
TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "- - twenty thirty forty fifty".split()


def minutes(n: int) -> str:
    """0–59 as the second half of a time, by hand."""
    if n < 10:
        return f"oh {UNITS[n]}"
    if n < 20:
        return TEENS[n - 10]
    return TENS[n // 10] + (f" {UNITS[n % 10]}" if n % 10 else "")


def test_every_minute_of_the_day() -> None:
    for hour in range(24):
        spoken = "zero" if not hour else num2words(hour).replace("-", " ")
        for minute, british in itertools.product(range(60), (False, True)):
            said = normalise(f"At {hour}:{minute:02} it rang.", british=british).text
            tail = minutes(minute) if minute else "o'clock" if 1 <= hour <= 12 else "hundred"
            assert said == f"At {spoken} {tail} it rang.", said


@pytest.mark.parametrize("half", ["a.m.", "p.m.", "am", "pm", "AM", "PM", "A.M.", "p. m."])
@pytest.mark.parametrize("mark", [":", "."])
def test_every_minute_of_both_halves_of_the_day(half: str, mark: str) -> None:
    for hour, minute in itertools.product(range(1, 13), range(60)):
        said = normalise(f"At {hour}{mark}{minute:02} {half} it rang.").text
        tail = f" {minutes(minute)}" if minute else ""
        assert said == f"At {HOURS[hour % 12]}{tail} {half[0].lower()}.m. it rang.", said


@pytest.mark.parametrize("clock", ["{} o'clock", "{} o’clock"])
def test_every_hour_by_the_clock(clock: str) -> None:
    for hour in range(1, 13):
        assert normalise(f"At {clock.format(hour)} sharp").text == f"At {HOURS[hour % 12]} o'clock sharp"
    assert normalise("by 7pm or 12am").text == "by seven p.m. or twelve a.m."


@pytest.mark.parametrize(
    ("sign", "one", "many", "cent", "cents"),
    [
        ("$", "dollar", "dollars", "cent", "cents"),
        ("£", "pound", "pounds", "", ""),
        ("€", "euro", "euros", "cent", "cents"),
    ],
)
def test_money_of_every_size(sign: str, one: str, many: str, cent: str, cents: str) -> None:
    for n, british in itertools.product(range(1, 1001), (False, True)):
        said = normalise(f"It cost {sign}{n:,}.", british=british).text
        words = re.sub("[-,]", " ", num2words(n)).replace("  ", " ")
        words = words if british else words.replace(" and ", " ")
        assert said == f"It cost {words} {one if n == 1 else many}."
    for n in range(1, 100):
        words = num2words(n).replace("-", " ")
        part = f"{words} {cent if n == 1 else cents}".strip()
        joined = f" and {part}" if cent else f" {words}"
        assert normalise(f"It cost {sign}2.{n:02}.").text == f"It cost two {many}{joined}."
        pence = "penny" if n == 1 else "pence"
        assert normalise(f"It cost {sign}0.{n:02}.").text == f"It cost {words} {(cent if n == 1 else cents) or pence}."


@pytest.mark.parametrize("scale", ["hundred", "thousand", "million", "billion", "trillion"])
def test_money_with_a_scale_word(scale: str) -> None:
    for n in range(1, 1000):
        words = num2words(n).replace(" and ", " ").replace("-", " ")
        assert normalise(f"It lost ${n} {scale}.").text == f"It lost {words} {scale} dollars."
        assert normalise(f"It lost £{n}.5 {scale}.").text == f"It lost {words} point five {scale} pounds."
    for short, name in {"k": "thousand", "m": "million", "bn": "billion", "tn": "trillion"}.items():
        assert normalise(f"It lost €7{short}.").text == f"It lost seven {name} euros."


def test_pence_and_cents_of_every_size() -> None:
    for n in range(2, 100):
        words = num2words(n).replace("-", " ")
        assert normalise(f"It cost {n}p each.").text == f"It cost {words} pence each."
        assert normalise(f"It cost {n}¢ each.").text == f"It cost {words} cents each."


def test_pounds_shillings_and_pence_of_every_size() -> None:
    special = {1: "one penny", 2: "twopence", 3: "threepence", 6: "sixpence"}
    for pounds, shillings, pence in itertools.product((1, 7, 120), range(1, 20), range(1, 12)):
        parts = [
            f"{num2words(pounds)} pound{'s' if pounds > 1 else ''}",
            f"{num2words(shillings)} shilling{'s' if shillings > 1 else ''}",
            f"and {special.get(pence, f'{num2words(pence)} pence')}",
        ]
        wanted = f"He owed {' '.join(parts)} then."
        for written in (
            f"£{pounds} {shillings}s. {pence}d.",
            f"£{pounds} {shillings}/{pence}",
            f"£{pounds}–{shillings}–{pence}",
        ):
            assert normalise(f"He owed {written} then.", british=True).text == wanted, written


ROMAN_TENS = ["", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC", "C"]
ROMAN_ONES = ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"]


def test_roman_numerals_to_one_hundred() -> None:
    for n, british in itertools.product(range(1, 101), (False, True)):
        numeral = ROMAN_TENS[n // 10] + ROMAN_ONES[n % 10]
        words = num2words(n).replace("-", " ")
        assert value(numeral) == n
        for text, wanted in {
            f"Chapter {numeral}": f"Chapter {words}", numeral: words, f"{numeral}.": f"{words}.",
            f"Book {numeral}: The Ford": f"Book {words}: The Ford",
        }.items():  # fmt: skip
            assert normalise(text, heading=True, british=british).text == wanted
        if n > 1 and n not in (50, 100):  # "chapter L" in running text may be a letter
            assert normalise(f"See chapter {numeral}.", british=british).text == f"See chapter {words}."
    assert [value(text) for text in ("IIII", "VX", "IC", "")] == [None] * 4


@pytest.mark.parametrize("ruler", ["Henry", "Louis", "King Alaric", "Queen Elizabeth", "Pope Leo"])
def test_regnal_numerals(ruler: str) -> None:
    for n in range(1, 41):
        numeral = ROMAN_TENS[n // 10] + ROMAN_ONES[n % 10]
        place = num2words(n, to="ordinal").replace("-", " ")
        assert normalise(f"They crowned {ruler} {numeral}.").text == f"They crowned {ruler} the {place}."
        assert normalise(f"of {ruler} {numeral}’s reign").text == f"of {ruler} the {place}'s reign"


WRITTEN = st.text(
    st.one_of(
        st.characters(), st.sampled_from("  .,’'‘“”\"-–—…0123456789£$ivxlIVXL§½²()[]*_/:%\u00ad\u2060\u00a0aeSTt")
    ),
    max_size=60,
)


@given(WRITTEN, st.booleans(), st.booleans())
@settings(max_examples=300, deadline=None)
def test_any_text_keeps_its_spans_in_order(text: str, british: bool, heading: bool) -> None:
    spoken = normalise(text, british=british, heading=heading)
    assert len(spoken.spans) == len(spoken.text)
    last = (0, 0)
    for start, end in spoken.spans:
        assert 0 <= start < end <= len(text)
        assert start >= last[0] and end >= last[1]
        last = (start, end)
    assert "\ue000" not in spoken.text and "  " not in spoken.text and spoken.text == spoken.text.strip()
    assert not re.search(r"\d", spoken.text)


@given(
    st.lists(st.sampled_from("a word shouldn't won't O'Brien's it's they'd've I'm the boys' dog".split()), max_size=9)
)
@settings(deadline=None)
def test_a_typographic_apostrophe_is_an_apostrophe(words: list[str]) -> None:
    text = " ".join(words) + "!"
    assert normalise(text.replace("'", "’")).text == normalise(text).text


# Words, numbers and what stands between them: no brackets, tags or raised figures, which may silence on purpose.
PIECES = st.lists(
    st.one_of(
        st.text(st.characters(categories=("Ll", "Lu", "Lo", "Lt")), min_size=1, max_size=8),
        st.integers(0, 10**7).map(str),
        st.sampled_from(
            ["Mr.", "Dr.", "St.", "No.", "won’t", "£3", "$2.50", "10/6", "XIV", "7:05", "p.m.", "½", "A380", "’Tis"]
        ),
    ),
    max_size=8,
)
BETWEEN = st.sampled_from([" ", ", ", " — ", "—", "-", "… ", "? ", " “", "” ", "\u00a0", "\u2060 "])


@given(PIECES, st.data(), st.booleans(), st.booleans())
@settings(max_examples=300, deadline=None)
def test_every_letter_and_digit_is_spoken_for_and_found_again(
    pieces: list[str], data: st.DataObject, british: bool, heading: bool
) -> None:
    text = "".join(piece + data.draw(BETWEEN) for piece in pieces)
    spoken = normalise(text, british=british, heading=heading)
    covered = {i for start, end in spoken.spans for i in range(start, end)}
    assert {i for i, char in enumerate(text) if char.isalnum()} <= covered, (text, spoken.text)
    # There and back: what a source character is spoken as stands in one piece, and covers that character.
    for at in sorted(covered):
        places = [i for i, (start, end) in enumerate(spoken.spans) if start <= at < end]
        assert places == list(range(places[0], places[-1] + 1))
        start, end = spoken.source(places[0], places[-1] + 1)
        assert start <= at < end
