"""What is said for what is written, by kind. Every sentence is our own."""

import pytest

from server.render.normalise import normalise


def said(text: str, *, british: bool = False, heading: bool = False) -> str:
    return normalise(text, british=british, heading=heading).text


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
        ("She wept, 'and so,' she said, 'is he.'", "She wept, “and so,” she said, “is he.”"),
        ("Give 'im 'is hat, ‘un, 'cause he 'as none", "Give 'im 'is hat, 'un, 'cause he 'as none"),
        ("\" 'As you wish.' \"", "“As you wish.”"),
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
    "stutters": [
        ("“M-m-must I? B—but p-please…”", "“Must I? But please…”"),
        ("Th-that and st-stop, I-it and a-and", "That and stop, It and and"),
        ("a no-nonsense re-read of my co-owner’s sea-shop", "a no nonsense re read of my co owner's sea shop"),
        ("the cat’s-supper of one’s-self", "the cat's supper of one's self"),
        ("It went on—only once, and I—Ida—saw.", "It went on — only once, and I — Ida — saw."),
    ],
    "old money": [
        ("a hat at 10/6 or 7/6", "a hat at ten and six or seven and six"),
        ("£4 10/6 and £12–10–0", "four pounds ten shillings and sixpence and twelve pounds ten shillings"),
        ("3/4 of it, in 6/8 time", "three quarters of it, in six eighths time"),
        ("It was 5s. He paid 12/- for two.", "It was five shillings. He paid twelve shillings for two."),
        ("½d. or ¼d. each", "a halfpenny or a farthing each"),
        ("about £. s. d. and 5p in the £", "about pounds, shillings and pence and five pence in the pound"),
        ("She was in her 40s. He too.", "She was in her forties. He too."),
        ("-$3.50 in hand", "minus three dollars and fifty cents in hand"),
    ],
    "measures": [
        ("a 20' wall and a 6\" bolt", "a twenty foot wall and a six inch bolt"),
        ("It is 20' high and 12' x 10'.", "It is twenty feet high and twelve feet by ten feet."),
        ("\"I am 6\", she said", "“I am six”, she said"),
        ("40° 26' 46\" N", "forty degrees twenty six minutes forty six seconds north"),
        ("It rose 6 in. She ran.", "It rose six inches. She ran."),
        ("five ft. two in. tall", "five feet two inches tall"),
        ("9 st 4 lb, 5 yrs old", "nine stone four pounds, five years old"),
        ("10 sq. miles at 4½%", "ten square miles at four and a half percent"),
        ("5 lbs/day", "five pounds per day"),
    ],
    "schemes": [
        ("see 3.2.1 and 1.E.8", "see three point two point one and one E eight"),
        ("the host 10.0.0.1", "the host ten point zero point zero point one"),
        ("Gen. 1:3–5, 1 Cor. 13:4", "Genesis one three to five, first Corinthians thirteen four"),
        ("odds of 7:2", "odds of seven to two"),
        ("call 911, ring 1-800-555-0142", "call nine one one, ring one eight oh oh five five five oh one four two"),
        ("It was a 9/11, 24/7, 50/50 thing", "It was a nine eleven, twenty four seven, fifty fifty thing"),
        ("367-77 in 1861–2", "three hundred sixty seven to three hundred seventy seven in eighteen sixty one to two"),
        ("4x4, 7 - 3 = 4, 2 < 3", "four by four, seven minus three equals four, two is less than three"),
        ("a 24-hour Catch-22", "a twenty four hour Catch twenty two"),
        ("2019 people in 2019", "two thousand nineteen people in twenty nineteen"),
    ],
    "dates": [
        ("May 5–7 or 5–7 May", "May fifth to seventh or the fifth to the seventh of May"),
        ("on MAY 3d, 1833", "on may third, eighteen thirty three"),
        ("Mon., Jan. 5, and Dec. ’41", "Monday, January fifth, and December forty one"),
        ("on 5.6.1999", "on June fifth, nineteen ninety nine"),
        ("by 7.30, at 7.30 he rose", "by seven thirty, at seven thirty he rose"),
        ("at 0600 hours", "at oh six hundred hours"),
        ("(b. 1834, d. 1900)", "(born eighteen thirty four, died nineteen hundred)"),
    ],
    "old numerals": [
        ("the XIXth and XVIII century", "the nineteenth and eighteenth century"),
        ("Henry VIIIth, iij ships, MDCCCLX", "Henry eighth, three ships, eighteen sixty"),
        ("WWII and WW1", "World War two and World War one"),
        ("IV. the fin; V. the hump", "four. the fin; five. the hump"),
        ("a civic mix did dim the vivid lid", "a civic mix did dim the vivid lid"),
    ],
    "places": [
        ("N.W. of it, the S.E. corner, W. of the wood", "northwest of it, the southeast corner, west of the wood"),
        ("M. Poirot met Henry M. Hale and A. M. Orme", "Monsieur Poirot met Henry M Hale and A M Orme"),
        ("Orme & Co. of Co. Clare", "Orme and Company of County Clare"),
        ("a 2d ed., ed. by Hale; he comes anon.", "a second edition, edited by Hale; he comes anon."),
        ("five per cent. within", "five per cent within"),
        ("see VOL. II, CHAP. IV", "see volume two, chapter four"),
        ("he/she w/o AC/DC", "he or she without AC DC"),
        ("drag·on and Mr. & Mrs. Hale", "dragon and Mister and Missus Hale"),
        ("I’M HERE AND THERE", "I'm here and there"),
        ("1⁵/₁₁ parts", "one and five elevenths parts"),
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
