"""The sentence rules against handed cases and cases of our own."""

import csv
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.library.model import BlockKind
from server.library.sentences import sentence_ids, split

# `|` marks each boundary that is wanted.
CASES = [
    "Mrs. Gray took Dr. Hale to St. Ives. |He worked for the F.B.I. as a cook. |It cost 0.5 of his pay.",
    "“Go!” Holmes said. |“Now!” |Nobody moved.",
    "“What!” cried Mrs. Hale. |He said nothing.",
    "“Is it late?” I asked. |It was.",
    "She told him (it was no secret. Everybody knew) and left. |He stayed.",
    "(He came. |He left.) |Then it rained.",
    "The lake froze.[7] |It did so² in 1881. |He paid [four] men.",
    "At 6 p.m. |The bell rang.",
    "He met J. R. R. Tolkien. |They talked.",
    "It was I. |He knew.",
    "IV. The Flight",
    "Well… I don’t know. |“Go on…” |“No!”",
    "―You, Cochrane, what city sent for him? |―Tarentum, sir. |―Very good.",
    "See vol. iii. and ch. 4, e.g. Rome. |Stop.",
    "“‘Never!’ he said.” |She laughed.",
    "No stop at the end",
    "Oh! how cold it was. |Brr!",
    "They lived on Baker St. |The house was old.",
    "He was born on Jan. 5 and died on Feb. 9. |So it goes.",
    "他来了。|她走了。",
]


def cut(text: str, kind: BlockKind = "paragraph") -> list[str]:
    return [text[start:end] for start, end in split(text, kind)]


@pytest.mark.parametrize("case", CASES)
def test_boundaries_fall_where_a_reader_breathes(case: str) -> None:
    wanted = [piece.strip() for piece in case.split("|")]
    assert cut(case.replace("|", "")) == wanted


@pytest.mark.corpus
def test_every_handed_case_is_cut_as_expected(shared: Path) -> None:
    with (shared / "cases" / "sentences.tsv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    assert len(rows) == 27
    for row in rows:
        expected = row["expected"].replace("\\n", "\n")
        assert cut(expected.replace("|", "")) == [piece.strip() for piece in expected.split("|")], row["case"]


@pytest.mark.parametrize("case", CASES)
def test_spans_hold_every_letter_once_and_in_order(case: str) -> None:
    text = case.replace("|", "")
    spans = split(text)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    covered = "".join(text[start:end] for start, end in spans)
    assert "".join(covered.split()) == "".join(text.split())


def test_marks_alone_are_no_sentence() -> None:
    assert cut("He left. . . . ”") == ["He left. . . . ”"]
    assert cut("… . !") == []


def test_label_line_of_a_heading_is_spoken_by_itself() -> None:
    assert cut("CHAPTER I\nDown the Rabbit-Hole", "heading") == ["CHAPTER I", "Down the Rabbit-Hole"]
    assert cut("The Life and\nAdventures", "heading") == ["The Life and\nAdventures"]


def test_code_is_one_whatever_is_in_it() -> None:
    assert cut("a = 1. B\nb = 2", "code") == ["a = 1. B\nb = 2"]


def test_ids_are_unique_and_survive_an_edit_elsewhere() -> None:
    before = sentence_ids(["One.", "Two.", "One."])
    after = sentence_ids(["New.", "One.", "Two!", "One."])
    assert len(set(before)) == 3
    assert [before[0], before[2]] == [after[1], after[3]]
    assert before[0].endswith("-1") and before[2].endswith("-2") and len(before[0]) == 14


def test_a_paragraph_of_two_million_characters_is_cut_in_time() -> None:
    text = "word " * 200_000 + "(" * 50_000 + "End. " * 50_000
    assert len(split(text)) > 1


ANY_TEXT = st.text(st.one_of(st.characters(), st.sampled_from(" .!?…,;:—()[]“”‘’'\"\nAbI1Mr")), max_size=120)
KINDS: st.SearchStrategy[BlockKind] = st.sampled_from(
    ["paragraph", "heading", "verse", "list_item", "quotation", "caption", "table_row", "code", "note"]
)


@given(ANY_TEXT, KINDS)
@settings(max_examples=400, deadline=None)
def test_no_letter_of_any_text_is_lost_or_said_twice(text: str, kind: BlockKind) -> None:
    spans = split(text, kind)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    covered = {i for start, end in spans for i in range(start, end)}
    assert {i for i, char in enumerate(text) if char.isalnum()} <= covered
    for start, end in spans:
        piece = text[start:end]
        assert piece == piece.strip() and any(map(str.isalnum, piece))


@given(st.lists(st.one_of(ANY_TEXT, st.sampled_from(["No.", "Yes."])), max_size=12))
@settings(deadline=None)
def test_ids_are_unique_whatever_the_texts(texts: list[str]) -> None:
    ids = sentence_ids(texts)
    assert len(set(ids)) == len(texts)
    assert ids == sentence_ids(texts)
    first: dict[str, str] = {}
    for text, one in zip(texts, ids, strict=True):
        assert first.setdefault(text, one).split("-")[0] == one.split("-")[0]
