"""Which rule holds where: boundaries, case, layers, endings; for any text and any rules, overrides are apart."""

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.errors import BadRequest
from server.render.g2p import G2P
from server.render.lexicon.folded import fold
from server.render.lexicon.grammar import MATCH_S, read_rules
from server.render.lexicon.inflect import forms, put_on, sound
from server.render.lexicon.inline import inline
from server.render.lexicon.match import Layer, RuleSet, affected
from server.render.pronounce.overrides import Override


def rules(*layers: str) -> RuleSet:
    """Rules of layers, the outermost first."""
    made = []
    for rank, text in enumerate(layers):
        parsed = read_rules(text)
        assert parsed.problems == ()
        made.append(Layer(f"layer{rank}", rank, parsed.rules))
    return RuleSet(tuple(made))


def found(text: str, *layers: str, british: bool = False) -> list[tuple[str, str]]:
    """(what stands there, how it is said) for each override."""
    return [(text[one.start : one.end], said(one)) for one in rules(*layers).overrides(text, british=british)]


def said(one: Override) -> str:
    if one.stress is not None:
        return f"stress {one.stress}"
    return one.phonemes if one.phonemes is not None else one.words or "silence"


# -- where a word stands


@pytest.mark.parametrize(
    ("written", "text", "there"),
    [
        ("don", "Don’t, don't; the don and DON.", ["don", "DON"]),
        ("t", "don't t", ["t"]),
        ("Brien", "O'Brien met Brien.", ["Brien"]),
        ("Artagnan", "d’Artagnan, D'Artagnan", ["Artagnan", "Artagnan"]),
        ("O'Brien", "O’Brien, O'Brien, O‘Brien", ["O’Brien", "O'Brien", "O‘Brien"]),
        ("Pequod", "‘Pequod’ “Pequod” (Pequod) Pequod-like Pequod—ship _Pequod_", ["Pequod"] * 6),
        ("Pequod", "Pequods' Pequodes superPequod Pequod2 éPequod", ["Pequods"]),
        ("Pequod", "Pe\u00adquod Pe\u200dquod", ["Pe\u00adquod", "Pe\u200dquod"]),
        ("café", "café cafe\u0301 CAFÉ cafe", ["café", "cafe\u0301", "CAFÉ"]),
        (
            "Mary Mead",
            "Mary\u00a0Mead, Mary  Mead, Mary\nMead, MaryMead",
            ["Mary\u00a0Mead", "Mary  Mead", "Mary\nMead"],
        ),
        ("St. Mary", "St. Mary; St Mary", ["St. Mary"]),
        ("5", "5, 2.5, 5.2, 1,500, 5:30, 5.", ["5", "5"]),
        ("[12]", "so[12] 12 [12]", ["[12]", "[12]"]),
        ("C#", "C# and C", ["C#"]),
        ("* * *", "a * * * b", ["* * *"]),
        ("jean-luc", "Jean-Luc Jean‑Luc", ["Jean-Luc", "Jean‑Luc"]),
        ('"quoted"', "“quoted”", []),
        ("東京", "東京, 東京 x", ["東京", "東京"]),
    ],
)
def test_where_a_word_is_found(written: str, text: str, there: list[str]) -> None:
    if written == '"quoted"':  # quotes around the left side are not part of it
        assert [one for one, _ in found(text, f"{written} = {{skip}}")] == ["quoted"]
        return
    assert [one for one, _ in found(text, f"{written} = {{skip}}")] == there


@pytest.mark.parametrize(
    ("rule", "text", "there"),
    [
        ("polish = {skip}", "polish Polish POLISH pOlish", ["polish", "Polish", "POLISH", "pOlish"]),
        ("Polish = {skip}", "polish Polish POLISH pOlish", ["Polish", "POLISH"]),
        ("Polish = {skip, case}", "polish Polish POLISH", ["Polish"]),
        ("Polish = {skip, any case}", "polish Polish POLISH", ["polish", "Polish", "POLISH"]),
        ("van Helsing = {skip}", "van Helsing Van Helsing VAN HELSING van helsing",
         ["van Helsing", "Van Helsing", "VAN HELSING"]),
        ("McAdam = {skip}", "McAdam MCADAM MCADAM's mcadam", ["McAdam", "MCADAM", "MCADAM's"]),
        ("x = {skip, anywhere}", "axX", ["x", "X"]),
        ("X = {skip, anywhere}", "axX", ["X"]),
        (r"\bq\w+ = {skip, regex}", "Quite quick", ["Quite", "quick"]),
        (r"\bQ\w+ = {skip, regex}", "Quite quick", ["Quite"]),
        (r"\bQ\w+ = {skip, regex, any case}", "Quite quick", ["Quite", "quick"]),
        (r"\p{Lu}\W* = {skip, regex, case}", "A b", ["A "]),
        ("ß = {skip}", "ß SS", ["ß"]),
        ("İzmir = {skip}", "İzmir", ["İzmir"]),
    ],
)  # fmt: skip
def test_case(rule: str, text: str, there: list[str]) -> None:
    assert [one for one, _ in found(text, rule)] == there


def test_groups_are_filled_in() -> None:
    assert found("pp. 12 and 5pp", r"(?<n>\d+)pp = \g<n> pages {regex}", r"pp\. (\d+) = pages \1 \\ {regex}") == [
        ("pp. 12", "pages 12 \\"), ("5pp", "5 pages"),
    ]  # fmt: skip


def test_a_pattern_that_takes_for_ever_is_left_out_once_and_for_all() -> None:
    slow = rules("(a|aa)+$ = x {regex}\nship = {skip}")
    text = "a" * 4_000 + "! the ship"
    began = time.process_time()
    for _ in range(20):
        assert [text[one.start : one.end] for one in slow.overrides(text)] == ["ship"]
    assert time.process_time() - began < 10 * MATCH_S
    assert slow.slow == {("layer0", 1)}


# -- which of several


def test_the_inner_layer_wins_then_the_longer_then_the_later() -> None:
    outer = "Nacht und Nebel = one\nNacht = two\nNebel = three\nNebel = four\n"
    assert found("Nacht und Nebel, Nacht, Nebel", outer) == [
        ("Nacht und Nebel", "one"), ("Nacht", "two"), ("Nebel", "four"),
    ]  # fmt: skip
    assert found("Nacht und Nebel", outer, "Nebel = five") == [("Nacht", "two"), ("Nebel", "five")]
    assert found("Nebel", "Nebel = {skip}", "Nebel = six", "Nebel = seven") == [("Nebel", "seven")]


def test_a_layer_can_cancel_what_is_around_it() -> None:
    outer = "Mary = MAIR-ee\nSt. Mary Mead = Saint Mary Mead\nMary Ann = Marian"
    text = "Mary, Mary’s, Mary Ann, St. Mary Mead"
    assert found(text, outer, "Mary = {default}") == [("Mary Ann", "Marian"), ("St. Mary Mead", "Saint Mary Mead")]
    assert found(text, outer, "Mary Ann = {default}") == [
        ("Mary", "mˈɛɹi"), ("Mary’s", "mˈɛɹiz"), ("St. Mary Mead", "Saint Mary Mead"),
    ]  # fmt: skip
    assert found("Mary", outer, "Mary = {default}", "Mary = Marie") == [("Mary", "Marie")]


def test_a_rule_for_one_accent_is_not_for_the_other() -> None:
    text, both = "lieutenant", ("lieutenant = loo-TEN-unt {american}\nlieutenant = lef-TEN-unt {british}",)
    assert found(text, *both) == [("lieutenant", "lutˈɛnənt")]
    assert found(text, *both, british=True) == [("lieutenant", "lɛftˈɛnənt")]


def test_voices_of_other_languages_take_words_and_silence_only() -> None:
    several = rules("Pequod = PEE-kwod\nAhab = Achab\nrecord = {stress 1}\n[1] = {skip}")
    text = "Pequod Ahab record[1]"
    assert [text[one.start : one.end] for one in several.overrides(text, only_text=True)] == ["Ahab", "[1]"]


# -- endings


@pytest.mark.parametrize(
    ("line", "text", "us", "gb"),
    [
        ("Pequod = PEE-kwod", "Pequods", "pˈikwɑdz", "pˈiːkwɒdz"),
        ("Pequod = PEE-kwod", "Pequod’d", "pˈikwɑdəd", "pˈiːkwɒdəd"),
        ("Pequod = PEE-kwod", "Pequod'll", "pˈikwɑdᵊl", "pˈiːkwɒdᵊl"),
        ("Pequod = PEE-kwod", "PEQUOD’S", "pˈikwɑdz", "pˈiːkwɒdz"),
        ("Leigh = LEE", "Leigh've", "lˈiv", "lˈiːv"),
        ("Blick = BLIK", "Blick's", "blˈɪks", "blˈɪks"),
        ("Voss = VOSS", "Vosses", "vˈɑsᵻz", "vˈɒsɪz"),
        ("Voss = VOSS", "Voss’s", "vˈɑsᵻz", "vˈɒsɪz"),
        ("Bodley = BOD-lee", "Bodleys", "bˈɑdliz", "bˈɒdliz"),
        ("knurty = NUR-tee", "knurties", "nˈɜɹTiz", "nˈɜːtiz"),
        ("knurty = NUR-tee", "knurtied", "nˈɜɹTid", "nˈɜːtid"),
        ("blit = BLIT", "blitted", "blˈɪTᵻd", "blˈɪtɪd"),
        ("blit = BLIT", "blitting", "blˈɪTɪŋ", "blˈɪtɪŋ"),
        ("blade = BLAYD", "blading", "blˈAdɪŋ", "blˈAdɪŋ"),
        ("blade = BLAYD", "bladed", "blˈAdᵻd", "blˈAdɪd"),
        ("glur = GLUR", "glurring", "ɡlˈɜɹɪŋ", "ɡlˈɜːɹɪŋ"),  # a British r comes back
        ("gleck = GLEK", "glecked", "ɡlˈɛkt", "ɡlˈɛkt"),
        ("gloh = GLOH", "glohing", "ɡlˈOɪŋ", "ɡlˈQɪŋ"),
    ],
)
def test_an_ending_sounds_as_it_should(line: str, text: str, us: str, gb: str) -> None:
    assert found(text, line) == [(text, us)]
    assert found(text, line, british=True) == [(text, gb)]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("Pequod = PEE-kwod", "Pequoded Pequoding"),  # a name is no verb
        ("car = KAR", "cared caring care"),
        ("even = EEV-un", "evening evenings"),
        ("her = HUR", "herring hers"),
        ("be = BEE", "bed beds bees being"),
        ("do = DOO", "does"),
        ("see = SEE", "seed"),
        ("Pequod = PEE-kwod {as written}", "Pequod's Pequods"),
        ("Pequod = PEE-kwod {as written}", "pequods"),
    ],
)
def test_other_words_are_no_endings(line: str, text: str) -> None:
    assert found(text, line) == []


def test_an_ending_is_put_on_the_words() -> None:
    line = "St. Mary Mead = Saint Mary Mead"
    assert found("St. Mary Mead’s vicar", line) == [("St. Mary Mead’s", "Saint Mary Mead's")]
    assert found("two Bobs", "Bob = Penny {any case}") == [("Bobs", "Pennies")]
    assert put_on("WALTZ", "s") == "WALTZES" and put_on("stop", "ing") == "stopping"
    assert put_on("42", "s") == "42"
    assert found("recording records", "record = {stress 2}") == [("recording", "stress 2"), ("records", "stress 2")]


@pytest.mark.parametrize("british", [False, True], ids=["American", "British"])
def test_endings_sound_as_those_of_the_lexicon(british: bool) -> None:
    g2p = G2P(british)

    def heard(text: str) -> str:
        return g2p.sentences([text], [False])[0].phonemes.rstrip(".")

    for stem, ending, written in [
        ("captain", "s", "captains"), ("cat", "s", "cats"), ("witness", "s", "witnesses"),
        ("walk", "ed", "walked"), ("wait", "ed", "waited"), ("end", "ed", "ended"), ("cover", "ed", "covered"),
        ("walk", "ing", "walking"), ("wait", "ing", "waiting"), ("captain", "'s", "captain's"),
    ]:  # fmt: skip
        assert sound(heard(stem), ending, british=british) == heard(written), written  # type: ignore[arg-type]


def test_forms_of_a_name_with_an_apostrophe_are_not_made_up() -> None:
    assert [form.stem + form.rest for form in forms("the king's")] == ["the king's"]


# -- what a change touches


def test_the_sentences_that_a_change_touches() -> None:
    texts = ["The Pequod.", "Nothing.", "Pequod’s and pequod.", "Ahab."]
    none, old = RuleSet(), rules("# note\nPequod = PEE-kwod\nAhab = AY-hab")
    assert affected(texts, none, old) == [0, 2, 3]
    assert affected(texts, old, rules("Ahab = AY-hab\n\n\nPequod = PEE-kwod")) == []
    assert affected(texts, old, rules("Ahab = AY-hab", "Pequod = PEE-kwod")) == []  # by another layer, said the same
    assert affected(texts, old, rules("Pequod = PEE-kwod\nAhab = AH-hab")) == [3]


# -- any text, any rules

WORDS = ["Pequod", "pequod", "Mary", "St.", "don't", "’s", "5", "2.5", "[12]", "–", "é", "e\u0301", "\u00ad", "\u00a0",
         "İ", "ß", "ﬁ", "😀", "東京", "A", "’", "'", '"', "\n", "ing", "ed", "-like"]  # fmt: skip
SAID = ["PEE-kwod", "{skip}", "{stress 2}", "{default}", "Saint Mary", "/pˈikwɑd/", "{skip, anywhere}", "x {regex}",
        "x {any case}", "y {case}", "{default, anywhere}"]  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(WORDS), st.sampled_from([" ", " ", ", "])), max_size=14).map("".join)
FILES = st.lists(st.tuples(TEXTS, st.sampled_from(SAID)).map(" = ".join), max_size=8).map("\n".join)


def hold(text: str, files: list[str]) -> None:
    made = RuleSet(tuple(Layer(f"l{rank}", rank, read_rules(file).rules) for rank, file in enumerate(files)))
    for british in (False, True):
        overrides = made.overrides(text, british=british)
        assert all(0 <= one.start < one.end <= len(text) for one in overrides)
        assert all(one.end <= two.start for one, two in itertools.pairwise(overrides))
        assert overrides == made.overrides(text, british=british)


@given(TEXTS, st.lists(FILES, max_size=3))
def test_overrides_are_in_order_apart_and_in_range(text: str, files: list[str]) -> None:
    hold(text, files)


@given(st.text(max_size=80), st.text(max_size=20), st.sampled_from(SAID))
def test_so_they_are_for_any_text(text: str, written: str, said: str) -> None:
    hold(text, [f"{written} = {said}", f"{text[:20]} = {said}"])


@given(st.text(max_size=60))
def test_a_folded_text_knows_its_places(text: str) -> None:
    folded = fold(text)
    assert len(folded.text) == len(folded.low)
    at = 0
    for place in range(len(folded.text)):
        start, end = folded.source(place, place + 1)
        assert at <= start < end <= len(text)
        at = end


# -- forms in a text that somebody types


def test_forms_in_a_text() -> None:
    text = "The [Pequod](/ˈpiːkwɒd/) will [record](2) [Nye](NYE)[12]({skip}); see [this](http://a.b) [that](-2)."
    clean, overrides = inline(text)
    assert clean == "The Pequod will record Nye12; see [this](http://a.b) that."
    assert [(clean[one.start : one.end], said(one)) for one in overrides] == [
        ("Pequod", "pˈikwɑd"), ("record", "stress 2"), ("Nye", "nˈI"), ("12", "silence"), ("that", "stress 0"),
    ]  # fmt: skip
    assert inline("[Pequod](/ˈpiːkwɒd/)", british=True)[1][0].phonemes == "pˈiːkwɒd"


def test_a_text_without_forms_is_itself() -> None:
    for text in ("", "Plain.", "[12] (see) ](/x/)", "[a] (/b/)"):
        assert inline(text) == (text, [])


@pytest.mark.parametrize("text", ["[x](/a&b/)", "[x](//)", "[x](anna-LEES)", "[x]({loud})", "[x]({stress 0})"])
def test_a_form_that_cannot_be_understood_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(BadRequest, match="In the text, "):
        inline(f"He said {text}.")


@given(
    st.lists(st.sampled_from(["[", "](", ")", "/", "Pequod", "{skip}", "2", "-", " ", "PEE-kwod", "😀"])).map("".join)
)
def test_any_text_with_forms(text: str) -> None:
    try:
        clean, overrides = inline(text)
    except BadRequest:
        return
    assert all(0 <= one.start < one.end <= len(clean) for one in overrides)
    assert all(one.end <= two.start for one, two in itertools.pairwise(overrides))
