"""Lines become rules, or problems that name what is wrong; respellings and phonemes become the model's symbols."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.render.lexicon.grammar import MAX_LINE_CHARS, MAX_PROBLEMS, MAX_REGEXES, Rule, read_rule, read_rules
from server.render.lexicon.respell import NoRespelling, read_respelling
from server.render.lexicon.symbols import UnknownSymbol, american, british, read_phonemes
from server.render.pronounce.vocabulary import KNOWN, PUNCTUATION


def rule(line: str) -> Rule:
    parsed = read_rules(line)
    assert parsed.problems == ()
    (one,) = parsed.rules
    return one


# -- what a line says


@pytest.mark.parametrize(
    ("line", "kind", "said"),
    [
        ("Pequod = PEE-kwod", "phonemes", "pˈikwɑd"),
        ("Pequod=PEE-kwod", "phonemes", "pˈikwɑd"),
        ("  Pequod   =   PEE-kwod  ", "phonemes", "pˈikwɑd"),
        ("Pequod = /pˈikwɑd/", "phonemes", "pˈikwɑd"),
        ("Pequod = /ˈpiːkwɒd/ # the ship", "phonemes", "pˈikwɑd"),
        ("[Pequod](/pˈikwɑd/)", "phonemes", "pˈikwɑd"),
        ("[Pequod](PEE-kwod)", "phonemes", "pˈikwɑd"),
        ("Leigh = LEE", "phonemes", "lˈi"),
        ("van Helsing = van HEL-sing", "phonemes", "væn hˈɛlsɪŋ"),
        ("Leigh = Lee", "words", "Lee"),
        ('MVP = "M-V-P"', "words", "M-V-P"),
        ('Leigh = "LEE"', "words", "LEE"),
        ("FBI = F B I", "words", "F B I"),
        ("X-rays = X-RAYS", "words", "X-RAYS"),
        ("SQL = SEQUEL", "words", "SEQUEL"),
        ("C# = see sharp # a language", "words", "see sharp"),
        ("no. 5 = number #5", "words", "number #5"),
        ("x = a = b", "words", "a = b"),
        ('"a = b" = a is b', "words", "a is b"),
        ("Hermione = Hermione {case}", "words", "Hermione"),
        ("{x} = the set of x", "words", "the set of x"),
    ],
)
def test_what_is_said(line: str, kind: str, said: str) -> None:
    one = rule(line)
    assert one.kind == kind
    assert (one.words if one.sounds is None else one.sounds.american) == said


@pytest.mark.parametrize(
    ("line", "changes"),
    [
        ("record = {stress 2}", {"kind": "stress", "stress": 2}),
        ("that = {stress none}", {"kind": "stress", "stress": 0}),
        ("[record](2)", {"kind": "stress", "stress": 2}),
        ("[that](-1)", {"kind": "stress", "stress": 0}),
        ("[12] = {skip}", {"kind": "skip", "written": "[12]"}),
        ("Mary = {default}", {"kind": "default"}),
        ("Mary = { Default , ANY  CASE }", {"kind": "default", "case": "any"}),
        ("Mary = {default} {any case}", {"kind": "default", "case": "any"}),
        ("Mary = Marie {case}", {"case": "exact"}),
        ("Mary = Marie {as written}", {"inflected": False}),
        ("Mary = Marie {anywhere}", {"scope": "anywhere", "inflected": False}),
        (r"M(\w)ry = \1 {regex}", {"scope": "regex", "inflected": False, "words": r"\1"}),
        ("Mary = Marie {british}", {"accent": "british"}),
        ("[Pequod](/pˈikwɑd/) {american} # so", {"accent": "american", "written": "Pequod"}),
    ],
)
def test_options(line: str, changes: dict[str, object]) -> None:
    one = rule(line)
    assert {name: getattr(one, name) for name in changes} == changes


def test_comments_empty_lines_byte_order_marks_and_line_ends() -> None:
    parsed = read_rules("\ufeff# author: Ann O. Nym\r\n\r\n  # more\r\na = b\rc = d\n\n#\te = f\ng = h")
    assert [(one.line, one.written) for one in parsed.rules] == [(4, "a"), (5, "c"), (8, "g")]
    assert parsed.header == {"author": "Ann O. Nym"}
    assert parsed.problems == ()


def test_only_the_first_comments_name_an_author() -> None:
    assert read_rules("a = b\n# author: Ann\n").header == {}
    assert read_rules("# a list of mine\n# Series:  The Lamp \n").header == {"series": "The Lamp"}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Pequod", 'no "="'),
        ("= PEE-kwod", 'before the "="'),
        ("Pequod =", "does not tell how 'Pequod' is said"),
        ("Pequod = ", "does not tell"),
        ("Pequod = {case}", "does not tell"),
        ("Pequod = # nothing", "does not tell"),
        ("Pequod = /pˈikwɑd", "do not end with one"),
        ("Pequod = /", "do not end with one"),
        ("Pequod = //", "no sound"),
        ("Pequod = / ˈ /", "no sound"),
        ("Pequod = /pi&kwɑd/", "'&' (ampersand) at place 3"),
        ("Pequod = /pi,kwɑd/", "',' (comma) at place 3"),
        ("Pequod = /pˈiJwɑd/", "'J'"),
        ("Pequod = anna-LEES", "the syllable 'anna' of 'anna-LEES'"),
        ("Anna Pequod = Anna PEE-kwod", "'Anna' cannot be read"),
        ("Pequod = PEE-kwod {skip}", "contradict"),
        ("Pequod = {skip, default}", "contradict"),
        ("Pequod = {stress 1, stress 2, skip}", "contradict"),
        ("Pequod = x {anywhere, regex}", "contradict"),
        ("Pequod = x {loud}", "{loud} is no option; there are"),
        ("Pequod = x {}", "is no option"),
        ("Pequod = {stress 0}", "names no syllable"),
        ("Pequod = {stress 99}", "names no syllable"),
        ("Peq(uod = x {regex}", "no regular expression"),
        ("(Peq)* = x {regex}", "matches nothing at all"),
        (r"Peq = \1 {regex}", r"'\\1' is no group"),
        (r"(?<a>Peq) = \g<b> {regex}", "is no group"),
        ("((a{1000}){1000}){1000} = x {regex}", "multiply to more"),
        ("(?R) = x {regex}", "no regular expression"),
        ("Peq\0uod = x", "which is no text"),
        ("\u00ad = x", "cannot be seen"),
        ('"\u2060 " = x', "cannot be seen"),
        ("x" * MAX_LINE_CHARS + " = y", "longer than 1,000"),
    ],
)
def test_a_line_that_is_no_rule_is_named_and_hinders_no_other(line: str, told: str) -> None:
    parsed = read_rules(f"# rules\na = b\n{line}\nc = d\n")
    assert [(one.line, one.written) for one in parsed.rules] == [(2, "a"), (4, "c")]
    (problem,) = parsed.problems
    assert problem.line == 3 and any(part in problem.message for part in told.split("|")), problem
    assert str(problem).startswith("line 3: ")
    assert "\n" not in str(problem)


def test_a_file_of_something_else_is_not_told_of_line_by_line() -> None:
    problems = read_rules("what is this\n" * 10_000).problems
    assert len(problems) == MAX_PROBLEMS + 1 and problems[-1].line == 0


def test_there_are_not_too_many_regular_expressions() -> None:
    parsed = read_rules("a+ = b {regex}\n" * (MAX_REGEXES + 2) + "c = d\n")
    assert len(parsed.rules) == MAX_REGEXES + 1 and len(parsed.problems) == 2


@given(st.text(max_size=300))
def test_no_text_is_too_odd(text: str) -> None:
    parsed = read_rules(text)
    for one in parsed.rules:
        assert one.written.strip() and one.line > 0
        if one.sounds is not None:
            assert set(one.sounds.american + one.sounds.british) <= KNOWN - PUNCTUATION


PIECES = ["=", " = ", "/", "[", "](", ")", "{", "}", "#", '"', "\\1", "skip", "stress ", "2", "none", "regex", "case",
          "Pequod", "her-MY", "ˈ", "ː", "ə", "(", ")*", "+", "\n", "\r", "\u00ad", "é", "’", " "]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_no_line_made_of_the_grammar_is_too_odd(text: str) -> None:
    for one in read_rules(text).rules:
        assert read_rule(text.replace("\r", "\n").split("\n")[one.line - 1].strip().lstrip("\ufeff"), one.line) == one


# -- respellings


@pytest.mark.parametrize(
    ("written", "us", "gb"),
    [
        ("her-MY-oh-nee", "həɹmˈIOni", "həmˈIQni"),
        ("MISS-ih-SIP-ee", "mˌɪsɪsˈɪpi", "mˌɪsɪsˈɪpi"),
        ("o-THEL-o", "OθˈɛlO", "QθˈɛlQ"),
        ("BOT-l", "bˈɑTᵊl", "bˈɒtᵊl"),
        ("BUT-n", "bˈʌtᵊn", "bˈʌtᵊn"),
        ("STAR-ee", "stˈɑɹi", "stˈɑːɹi"),  # a British r is heard before a vowel
        ("FAR-lee", "fˈɑɹli", "fˈɑːli"),
        ("guh-TAR", "ɡətˈɑɹ", "ɡətˈɑː"),  # no flap before the stress
        ("HAP-py", "hˈæpi", "hˈapi"),  # doubled at the joint, said once
        ("joo-LY", "ʤulˈI", "ʤuːlˈI"),
        ("KYE-ruh", "kˈIɹə", "kˈIɹə"),
        ("YOO-nyun", "jˈunjən", "jˈuːnjən"),
        ("SEL-uh-cee", "sˈɛləsi", "sˈɛləsi"),
    ],
)
def test_a_respelling(written: str, us: str, gb: str) -> None:
    said = read_respelling(written)
    assert said is not None and (said.american, said.british) == (us, gb)


@pytest.mark.parametrize("text", ["Saint Mary Mead", "F B I", "well-known", "X-RAY", "SEQUEL", "A", "so-So", "", "a-b"])
def test_plain_words_are_no_respelling(text: str) -> None:
    assert read_respelling(text) is None


@pytest.mark.parametrize("text", ["anna-LEES", "MRS-ting", "her-QXZ", "Anna PEE-kwod"])
def test_a_respelling_that_cannot_be_read_is_named(text: str) -> None:
    with pytest.raises(NoRespelling, match="respelling key"):
        read_respelling(text)


@given(st.lists(st.text("abcdehilmnorstuy", min_size=1, max_size=5), min_size=2, max_size=5), st.integers(0, 4))
def test_whatever_is_read_of_a_respelling_can_be_said(parts: list[str], at: int) -> None:
    parts[at % len(parts)] = parts[at % len(parts)].upper()
    try:
        said = read_respelling("-".join(parts))
    except NoRespelling:
        return
    assert said is not None
    assert set(said.american + said.british) <= KNOWN
    assert said.american.count("ˈ") == said.british.count("ˈ") == 1


# -- phonemes


@pytest.mark.parametrize(
    ("written", "us", "gb"),
    [
        ("ɹæskˈOlnɪkˌɔf", "ɹæskˈOlnɪkˌɔf", "ɹaskˈQlnɪkˌɒf"),  # the voice's own: only the accent is turned
        ("hɜɹmˈIəni", "hɜɹmˈIəni", "hɜːmˈIəni"),
        ("mˈæTəɹ", "mˈæTəɹ", "mˈatə"),
        ("ˌhɜːrˈmaɪ.ə.ni", "hˌɜɹmˈIəni", "hˌɜːmˈIəni"),
        ("'ʃeɪkspɪər", "ʃˈAkspɪɹ", "ʃˈAkspɪə"),
        ("d͡ʒeɪmz", "ʤAmz", "ʤAmz"),
        ("ˈwɔːtə(r)", "wˈɔtəɹ", "wˈɔːtə"),
        ("ˈlʌndən brɪdʒ", "lˈʌndən bɹɪʤ", "lˈʌndən bɹɪʤ"),
        ("nɝd", "nɜɹd", "nɜːd"),
        ("ˈbʌtɚ", "bˈʌtəɹ", "bˈʌtə"),
        ("ˈstɑːri", "stˈɑɹi", "stˈɑːɹi"),
        ("skweə", "skwɛɹ", "skwɛː"),
        ("ˈɡoʊst", "ɡˈOst", "ɡˈQst"),
        ("ˈɡəʊst", "ɡˈOst", "ɡˈQst"),
        ("hɒt", "hɑt", "hɒt"),
        ("ˈpiːkwɒd", "pˈikwɑd", "pˈiːkwɒd"),
        ("sˈi:", "sˈi", "sˈiː"),
        ("bõ", "bO\u0303", "bQ\u0303"),
        ("ˈbɒtl̩", "bˈɑtᵊl", "bˈɒtᵊl"),
        ("mˈɛɹi", "mˈɛɹi", "mˈɛɹi"),
        ("hˈɛɹ", "hˈɛɹ", "hˈɛː"),
    ],
)
def test_phonemes_in_any_notation(written: str, us: str, gb: str) -> None:
    said = read_phonemes(written)
    assert (said.american, said.british) == (us, gb)


def test_what_an_accent_has_turned_it_leaves_alone() -> None:
    for written in ("ˌhɜːrˈmaɪəni", "ˈstɑːri", "skweə", "ˈwɔːtə(r)", "ˈpiːkwɒd", "ˈbʌtɚ", "fˈIəɹ"):
        said = read_phonemes(written)
        assert american(said.american) == said.american
        assert british(said.british) == said.british


@given(st.text(sorted(KNOWN | set("rgeo:'()./͡")), max_size=20))
def test_phonemes_are_read_or_refused(text: str) -> None:
    try:
        said = read_phonemes(text)
    except UnknownSymbol:
        return
    assert set(said.american + said.british) <= KNOWN - PUNCTUATION
    assert said.american.strip() and said.british.strip()
