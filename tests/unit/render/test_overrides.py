"""Where a listener decides what is said: words, phonemes, a stress or silence in place of a source range."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.render.g2p import G2P
from server.render.normalise import Replacement, normalise
from server.render.normalise.draft import Draft
from server.render.pronounce.overrides import Override, apart, spoken_with, stressed
from server.render.pronounce.vocabulary import KNOWN
from server.render.pronounce.words import Phonemes

SOUND = "zˈOʒ"  # no English word sounds so


@pytest.fixture(scope="module")
def american() -> G2P:
    return G2P(british=False)


@pytest.fixture(scope="module")
def british() -> G2P:
    return G2P(british=True)


def over(text: str, part: str, **what: object) -> Override:
    start = text.index(part)
    return Override(start, start + len(part), rule=f"test:{part}", **what)  # type: ignore[arg-type]


def say(g2p: G2P, text: str, *overrides: Override) -> Phonemes:
    return g2p.sentences([text], [False], [overrides])[0]


def heard(text: str, found: Phonemes) -> dict[str, str]:
    return {text[w.char_start : w.char_end]: found.phonemes[w.ph_start : w.ph_end] for w in found.words}


def whole(text: str, found: Phonemes) -> None:
    """Every letter and digit of the source is in one word, words are in order in both texts."""
    places = [place for word in found.words for place in range(word.char_start, word.char_end)]
    assert len(places) == len(set(places))
    assert {at for at, char in enumerate(text) if char.isalnum()} <= set(places)
    for one, two in itertools.pairwise(found.words):
        assert one.char_end <= two.char_start and one.ph_end <= two.ph_start
    assert set(found.phonemes) <= KNOWN
    assert all(0 <= word.ph_start <= word.ph_end <= len(found.phonemes) for word in found.words)


# -- what an override is


@pytest.mark.parametrize(
    "given",
    [
        {}, {"words": "a", "phonemes": "b"}, {"words": "a", "stress": 1}, {"start": 3, "words": "a"},
        {"start": 4, "words": "a"}, {"start": -1, "words": "a"}, {"phonemes": "&"},
    ],
)  # fmt: skip
def test_an_override_that_makes_no_sense_is_none(given: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"needs a range|does not know"):
        Override(**{"start": 0, "end": 3, **given})  # type: ignore[arg-type]


def test_of_overlapping_overrides_the_first_and_longest_counts_and_none_leaves_the_text() -> None:
    spans = [(4, 9), (0, 3), (0, 5), (5, 8), (8, 11), (9, 12)]
    kept = apart([Override(start, end, words="x") for start, end in spans], 10)
    assert [(one.start, one.end) for one in kept] == [(0, 5), (5, 8)]


@pytest.mark.parametrize(
    ("phonemes", "syllable", "expected"),
    [
        ("ɹˈɛkəɹd", 2, "ɹɛkˈəɹd"), ("ɹˈɛkəɹd", 1, "ɹˈɛkəɹd"), ("ɹˈɛkəɹd", 0, "ɹɛkəɹd"), ("ɹˈɛkəɹd", 9, "ɹɛkˈəɹd"),
        ("ˌɪndəpˈɛndᵊnt", 1, "ˈɪndəpɛndᵊnt"), ("fˈIəɹ", 2, "fIˈəɹ"), ("hm", 1, "hm"), ("", 1, ""),
    ],
)  # fmt: skip
def test_a_stress_is_put_on_a_syllable(phonemes: str, syllable: int, expected: str) -> None:
    assert stressed(phonemes, syllable) == expected


# -- replacing in a draft


def test_a_replacement_carries_the_place_of_all_that_it_replaces() -> None:
    draft = Draft("The Pequod sailed.")
    draft.replace([Replacement(0, 3, "A"), Replacement(4, 10, "big ship"), Replacement(17, 18, "")])
    assert draft.text == "A big ship sailed"
    assert draft.spans[0] == (0, 3) and draft.spans[2:10] == [(4, 10)] * 8 and draft.spans[-1] == (16, 17)
    assert len(draft.text) == len(draft.spans)


def test_where_the_spoken_text_of_a_source_range_is() -> None:
    text = "He paid $1.2 million for 5 lbs."
    spoken = normalise(text)
    money = text.index("$1.2 million"), text.index(" for")
    place = spoken.exactly(*money)
    assert place is not None and spoken.text[slice(*place)] == "one point two million dollars"
    assert spoken.exactly(text.index("million"), money[1]) is None  # it was read with what stands before it
    assert spoken.exactly(text.index("paid"), text.index("paid") + 4) == (3, 7)
    assert spoken.exactly(2, 3) is None  # a space is not said


# -- words


def test_words_are_read_as_if_they_stood_there_and_lit_where_they_do_not(american: G2P) -> None:
    text = "They met at St. Mary Mead, in May."
    found = say(american, text, over(text, "St. Mary Mead", words="Saint Jane 42"))
    assert "sˌAnt" in found.phonemes or "sˈAnt" in found.phonemes
    assert "fˈɔɹTi tˈu" in found.phonemes  # numbers in them are read too
    assert "St. Mary Mead" in heard(text, found)
    assert found.rules == ("test:St. Mary Mead",)
    whole(text, found)


def test_words_that_are_nothing_are_silence(american: G2P) -> None:
    text = "So he said[12] then."
    found = say(american, text, over(text, "[12]", words=""))
    assert found.phonemes == say(american, "So he said then.").phonemes
    assert heard(text, found)["12"] == ""
    whole(text, found)
    nothing = say(american, "Hm.", Override(0, 2, words=""))
    assert nothing.phonemes == ""


def test_markup_in_the_words_is_not_obeyed(american: G2P) -> None:
    text = "The ship sailed."
    for words in ("[boat](/bˈOt/)", "[x](+2)", "a_b", "\ue000x", "\x00", "<b>x</b>"):
        found = say(american, text, over(text, "ship", words=words))
        assert "ð" in found.phonemes and "sˈAld" in found.phonemes
        assert SOUND not in found.phonemes
        whole(text, found)


# -- phonemes


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("The Pequod sailed.", "Pequod"),
        ("The Pequod’s bell rang.", "Pequod’s"),
        ("“Pequod!” he said.", "Pequod"),
        ("a Pequod-like ship", "Pequod"),
        ("Pequod", "Pequod"),
        ("PEQUOD AND AHAB", "PEQUOD"),
        ("He owed $1.2 million then.", "million"),  # read with its neighbours, but for the rule
        ("It was 5 lbs. of tea.", "lbs"),
        ("At 7:05 p.m. he rang.", "p.m."),
        ("Chapter IV begins.", "IV"),
        ("He read the read book.", "read"),
        ("See https://a.example/b now.", "example"),
        ("Write to ann@mail.example soon.", "mail"),
        ("Ring +44 20 7946 0000 now.", "7946"),
        ("On 5/6/1863 it rained.", "6"),
        ("the 1914–18 war", "18"),
        ("😀😀", "😀"),
        ("so he said* & left", "&"),
        ("Mr. Dr. Smith", "Dr"),
        ("I don’t know.", "don’t"),
        ("He didn't.", "did"),
        ("naïve café", "café"),
        ("the A380 flew", "A380"),
        ("nice 😀 boat", "boat"),
        ("rock 'n' roll", "n"),
        ("St. Mary Mead and Nebel", "St. Mary Mead"),
    ],
)
@pytest.mark.parametrize("uk", [False, True], ids=["American", "British"])
def test_phonemes_are_said_and_nothing_else_is_lost(
    american: G2P, british: G2P, text: str, part: str, uk: bool
) -> None:
    found = say(british if uk else american, text, over(text, part, phonemes=SOUND))
    assert found.phonemes.count(SOUND) == 1
    assert found.rules == (f"test:{part}",)
    whole(text, found)
    if not any(map(str.isalnum, part)):  # the sound of a sign belongs to no word
        return
    word = next(w for w in found.words if SOUND in found.phonemes[w.ph_start : w.ph_end])
    start = text.index(part)
    assert word.char_start <= start and start + len(part.rstrip(".")) <= word.char_end


def test_the_sound_of_a_name_stays_the_same_in_any_company(american: G2P) -> None:
    for frame in ("{}", "{}.", "The {} sailed", "“{}?”", "({})", "Mr. {}’s", "{}—{}", "He saw {}, and 12 {}s."):
        text = frame.replace("{}", "Pequod")
        overrides = [Override(at, at + 6, phonemes=SOUND) for at in range(len(text)) if text.startswith("Pequod", at)]
        found = say(american, text, *overrides)
        assert found.phonemes.count(SOUND) == len(overrides)
        whole(text, found)


def test_the_word_before_is_said_as_before_that_sound(american: G2P) -> None:
    text = "the Pequod, the Pequod"
    vowel = say(american, text, Override(4, 10, phonemes="ˈOləm"), Override(16, 22, phonemes="zˈOləm"))
    assert vowel.phonemes.startswith("ði ˈOləm") and "ðə zˈOləm" in vowel.phonemes


# -- stress


def test_a_stress_is_moved(american: G2P) -> None:
    text = "They record a record."
    found = say(american, text, Override(14, 20, stress=2))
    assert heard("xxxxxx", found) is not None
    last = found.words[-1]
    sound = found.phonemes[last.ph_start : last.ph_end]
    assert sound.count("ˈ") == 1 and sound.index("ˈ") > 2
    text = "He owed $1.2 million then, see https://a.record/b."
    for part in ("million", "record"):  # also where it is read with its neighbours, it is that word
        moved = say(american, text, over(text, part, stress=2))
        assert "θˈɪŋ" not in moved.phonemes and "θɪŋ" not in moved.phonemes
        word = next(w for w in moved.words if text[w.char_start : w.char_end].startswith(part))
        assert moved.phonemes[word.ph_start : word.ph_end].count("ˈ") == 1
    text = "I know that he knows."
    assert "ðæt" in say(american, text, over(text, "that", stress=0)).phonemes
    whole(text, say(american, text, over(text, "that", stress=1)))


# -- any text, any ranges

TEXTS = st.lists(
    st.sampled_from(
        ["Pequod", "the", " ", " ", " ", "don’t", "$1.2 million", "IV", "[12]", "😀", "é", "e\u0301", "\u00ad",
         "7:05 p.m.", "https://a.example/b", "a@b.example", "+44 20 7946 0000", "3/4", "5 × 4", "U.S.A.", "—", "…", "“",
         "”", ".", ",", "\u00a0", "3rd", "-", "'", "1863", "A", "@", "°C", "½", "x²", "東", "\n"]
    ),
    min_size=1, max_size=12,
).map("".join)  # fmt: skip


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, list[Override]]:
    text = draw(TEXTS)
    overrides = []
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        what = draw(
            st.sampled_from([{"words": ""}, {"words": "Saint 5"}, {"phonemes": SOUND}, {"stress": 1}, {"stress": 0}])
        )
        overrides.append(Override(start, end, rule="x", **what))  # type: ignore[arg-type]
    return text, overrides


@given(cases())
@settings(deadline=None, max_examples=150)
def test_no_text_and_no_override_is_too_odd(american: G2P, case: tuple[str, list[Override]]) -> None:
    text, overrides = case
    found = say(american, text, *overrides)
    if found.phonemes:
        whole(text, found)
    # Also where a sign or an emoji is given a sound.
    assert found.phonemes.count(SOUND) == sum(one.phonemes is not None for one in apart(overrides, len(text)))


@given(cases())
@settings(max_examples=200)
def test_fixed_places_are_in_the_spoken_text(case: tuple[str, list[Override]]) -> None:
    text, overrides = case
    spoken, fixed = spoken_with(text, apart(overrides, len(text)))
    assert len(spoken.text) == len(spoken.spans)
    for one, two in itertools.pairwise(fixed):
        assert one.end <= two.start
    for one in fixed:
        assert 0 <= one.start < one.end <= len(spoken.text)
        assert spoken.source(one.start, one.end)[0] >= one.override.start
        assert spoken.source(one.start, one.end)[1] <= one.override.end
