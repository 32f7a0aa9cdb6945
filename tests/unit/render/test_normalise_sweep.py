"""Numbers against an independent oracle, and laws that hold for any text at all."""

import re

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
    for n in [*range(1000), *range(2100, 3001)]:
        assert normalise(f"It has {n} stones.").text == f"It has {cardinal(n)} stones."
        assert normalise(f"It has {n:,} stones.").text == f"It has {cardinal(n)} stones."


def test_every_minute_of_the_day() -> None:
    tens = ["oh", "ten", "twenty", "thirty", "forty", "fifty"]
    for hour in range(24):
        for minute in range(60):
            said = normalise(f"At {hour}:{minute:02} it rang.").text
            assert said.startswith("At " + (num2words(hour).replace("-", " ") if hour else "zero")), said
            if minute == 0:
                assert said.endswith(" o'clock it rang." if 1 <= hour <= 12 else " hundred it rang."), said
            else:
                spoken = num2words(minute).replace("-", " ")
                assert said.endswith(f" {'oh ' if minute < 10 else ''}{spoken} it rang."), said
                assert minute < 10 or minute in range(11, 20) or f" {tens[minute // 10]}" in said


def test_money_of_every_size() -> None:
    for n in range(1, 1000):
        unit = "dollar" if n == 1 else "dollars"
        assert normalise(f"It cost ${n}.").text == f"It cost {cardinal(n)} {unit}."
    for cents in range(1, 100):
        said = normalise(f"It cost $2.{cents:02}.").text
        assert said == f"It cost two dollars and {cardinal(cents)} cent{'' if cents == 1 else 's'}."


def test_roman_numerals_to_one_hundred() -> None:
    tens = ["", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC", "C"]
    ones = ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"]
    for n in range(1, 101):
        numeral = tens[n // 10] + ones[n % 10]
        assert value(numeral) == n
        assert normalise(f"Chapter {numeral}", heading=True).text == f"Chapter {cardinal(n)}"
    assert [value(text) for text in ("IIII", "VX", "IC", "")] == [None] * 4


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
