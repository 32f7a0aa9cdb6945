"""What is said for what is written, by kind. Every sentence is our own."""

import pytest

from server.render.normalise import normalise


def said(text: str, **options: bool) -> str:
    return normalise(text, **options).text


CASES = {
    "apostrophes": [
        ("I couldn’t, and he wouldn’t!", "I couldn't, and he wouldn't!"),
        ("the sailors’ coats", "the sailors coats"),
        ("’Tis nothin’, give ’em an’ me the rope", "'Tis nothin', give 'em an' me the rope"),
        ("He was 6'2\" tall", "He was six foot two tall"),
        ("She cried, \"Stay!\" and left.", "She cried, “Stay!” and left."),
        ("‘Who calls?’ said he.", "“Who calls?” said he."),
        ("“Say ‘please’ to me,” she said.", "“Say please to me,” she said."),
        ("'I do,' he said. 'Do you?'", "“I do,” he said. “Do you?”"),
    ],
    "invisible": [
        ("Mr.\u00a0Hale", "Mister Hale"),
        ("ex\u00adtra\u00ador\u00addi\u00adna\u00adry", "extraordinary"),
        ("one\u2060—\u200atwo\u200b", "one — two"),
        ("line one\nline two\tend", "line one line two end"),
        ("ﬁne ﬂags", "fine flags"),
        ("cafe\u0301", "café"),
        ("٣ apples", "three apples"),
    ],
    "roman": [
        ("Charles II came.", "Charles the second came."),
        ("James I was crowned, and I was there.", "James the first was crowned, and I was there."),
        ("the letter I had lost", "the letter I had lost"),
        ("See Book IV, chapter xii.", "See Book four, chapter twelve."),
        ("World War I ended.", "World War one ended."),
        ("He will mix the dim civil lid.", "He will mix the dim civil lid."),
        ("Apollo XIII flew.", "Apollo thirteen flew."),
        ("Malcolm X spoke.", "Malcolm X spoke."),
        ("Louis XIV’s clock", "Louis the fourteenth's clock"),
    ],
    "abbreviations": [
        ("Mrs. Dale met Capt. Orme at St. Ives.", "Missus Dale met Captain Orme at Saint Ives."),
        ("A drôle stéréo étude", "A drôle stéréo étude"),
        ("on Mill St. near Main St.", "on Mill Street near Main Street."),
        ("nuts, pears, etc., were sold", "nuts, pears, et cetera, were sold"),
        ("They sold nuts, etc.", "They sold nuts, et cetera."),
        ("No. 9, i.e. the last, vol. 3, pp. 4-6", "number nine, that is the last, volume three, pages four to six"),
        ("No. I will not.", "No. I will not."),
        ("J. B. Priest", "J B Priest"),
        ("as tall as I. Then", "as tall as I. Then"),
        ("MR. HALE AND DR. ORME MET.", "Mister hale and doctor orme met."),
    ],
    "numbers": [
        ("12.5 inch", "twelve point five inch"),
        ("1,000,001 nights", "one million one nights"),
        ("in 1863 and 1900 and 2007", "in eighteen sixty three and nineteen hundred and two thousand seven"),
        ("the 1870s, the ’90s", "the eighteen seventies, the nineties"),
        ("1914-1918", "nineteen fourteen to nineteen eighteen"),
        ("1914-18", "nineteen fourteen to eighteen"),
        ("the 22nd of the month", "the twenty second of the month"),
        ("2½ pies and 1/4 tart", "two and a half pies and a quarter tart"),
        ("4 × 4", "four by four"),
        ("10⁵ and x²", "ten to the fifth and X squared"),
        ("H₂O", "H two O"),
        ("room 007", "room oh oh seven"),
        ("50%", "fifty percent"),
        ("-3 below", "minus three below"),
        ("80 km/h", "eighty kilometers per hour"),
        ("1 lb of nails, 2 lb of tar", "one pound of nails, two pounds of tar"),
        ("ring 020-7946-0018", "ring oh two oh seven nine four six oh oh one eight"),
    ],
    "money": [
        ("$5.3 billion", "five point three billion dollars"),
        ("£3.50", "three pounds fifty"),
        ("€1m", "one million euros"),
        ("a $2 million house", "a two million dollar house"),
        ("$4.05", "four dollars and five cents"),
        ("£1", "one pound"),
        ("£2 4s. 6d. was owed", "two pounds four shillings and sixpence was owed"),
        ("$10-$12", "ten to twelve dollars"),
        ("50¢", "fifty cents"),
        ("a $5 bill", "a five dollar bill"),
    ],
    "clock": [
        ("at 7:05 p.m. he rose", "at seven oh five p.m. he rose"),
        ("at 9:30", "at nine thirty"),
        ("at 6:00 sharp", "at six o'clock sharp"),
        ("2023-01-02", "January second, twenty twenty three"),
        ("on 12/25/1999", "on December twenty fifth, nineteen ninety nine"),
        ("on May 4, 1905, he", "on May fourth, nineteen oh five, he"),
        ("the 4th of May", "the fourth of May"),
        ("44 B.C. or A.D. 70", "forty four B.C. or A.D. seventy"),
    ],
    "marks": [
        ("The lake froze.[7] It did.", "The lake froze. It did."),
        ("so² it was", "so it was"),
        ("from death.63 The breeze", "from death. The breeze"),
        ("See vol.2, and 2ndly this", "See volume two, and secondly this"),
        ("He paid [four] men.", "He paid four men."),
        ("see [Smith](2020) there", "see Smith (twenty twenty) there"),
        ("[word](/x/) stays", "word (x) stays"),
        ("a *small* _word_", "a small word"),
        ("rain ☔ and 🎉", "rain and"),
        ("write to ann.lee@post.org", "write to ann dot lee at post dot org"),
        ("§ 12", "section twelve"),
        ("bread & butter", "bread and butter"),
    ],
    "pauses": [
        ("He came--late", "He came — late"),
        ("well . . . no", "well… no"),
        ("rate”—he", "rate” — he"),
        ("N-n-never! W—what?", "Never! What?"),
        ("“What?!” he said", "“What?” he said"),
        ("a well-worn to-day", "a well worn today"),
        ("THE OLD CAT SAT DOWN. Then it slept.", "The old cat sat down. Then it slept."),
        ("I said NO to the FBI", "I said no to the FBI"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("written", "expected"), [pytest.param(*case, id=f"{kind}: {case[0]}") for kind in CASES for case in CASES[kind]]
)
def test_written_text_is_said_as_a_reader_would(written: str, expected: str) -> None:
    assert said(written) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [("III", "three"), ("I", "one"), ("Chapter IX", "Chapter nine"), ("IV. The Ford", "four. The Ford"),
     ("II The Ford", "two. The Ford"), ("I Meet the Captain", "I Meet the Captain"), ("CHAPTER I", "Chapter one"),
     ("MIX", "Mix")],
)  # fmt: skip
def test_roman_numerals_of_headings(written: str, expected: str) -> None:
    assert said(written, heading=True) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [("231 men", "two hundred and thirty one men"), ("1,002 men", "one thousand and two men"),
     ("on May 4", "on May the fourth"), ("0.5", "nought point five"), ("2001", "two thousand and one"),
     ("3/12/1999", "the third of December nineteen ninety nine")],
)  # fmt: skip
def test_british_numbers_and_dates(written: str, expected: str) -> None:
    assert said(written, british=True) == expected


@pytest.mark.parametrize("silent", ["", " ", "* * *", ".", "…", "—", "⁂", "\u200b", "—♦—"])
def test_a_line_of_marks_has_no_words(silent: str) -> None:
    assert not any(char.isalnum() for char in said(silent))


def test_an_expansion_carries_the_span_of_all_that_it_replaces() -> None:
    text = "Come at 7:05 p.m. today"
    spoken = normalise(text)
    start = spoken.text.index("seven")
    end = spoken.text.index(" today")
    assert {text[slice(*spoken.source(i, i + 1))] for i in range(start, end)} == {"7:05 p.m."}


def test_untouched_words_keep_their_own_characters() -> None:
    text = "So\u00adme words,\u00a0kept 3 times"
    spoken = normalise(text)
    for char, (start, end) in zip(spoken.text, spoken.spans, strict=True):
        if end - start == 1 and char.isalpha() and text[start].isalpha():
            assert text[start] == char


def test_letters_said_by_name_are_pointed_at() -> None:
    spoken = normalise("the A380")
    assert [spoken.text[i] for i in spoken.letters] == ["A"]
