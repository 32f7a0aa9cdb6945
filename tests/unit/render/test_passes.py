"""Planning of passes: nothing lost, nothing too long, nothing short left alone."""

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from server.render.passes import SHORT, Pass, plan, split


@dataclass(frozen=True)
class Sentence:
    phonemes: str


def sentences(*sizes: int) -> list[Sentence]:
    """Sentences of words of four phonemes, of about the sizes asked for, each with its stop."""
    return [Sentence(("bˈæt " * (size // 5 + 1))[: size - 1].rstrip() + ".") for size in sizes]


def sizes(passes: list[Pass]) -> list[int]:
    return [len(one.phonemes) for one in passes]


def test_sentences_of_a_paragraph_share_a_pass() -> None:
    passes = plan(sentences(90, 80, 70), [4, 4, 4])
    assert [[piece.sentence for piece in one.pieces] for one in passes] == [[0, 1, 2]]


def test_a_pass_never_crosses_a_block() -> None:
    passes = plan(sentences(40, 40, 40), [0, 1, 1])
    assert [[piece.sentence for piece in one.pieces] for one in passes] == [[0], [1, 2]]


def test_blocks_of_one_number_that_do_not_touch_are_two() -> None:
    assert len(plan(sentences(40, 40, 40), [0, 1, 0])) == 3


def test_pieces_point_into_the_pass_and_into_their_sentence() -> None:
    said = sentences(60, 50, 500)
    for one in plan(said, [0, 0, 0]):
        for piece in one.pieces:
            own = said[piece.sentence].phonemes[piece.ph_start : piece.ph_end]
            assert one.phonemes[piece.pass_start : piece.pass_end] == own
        for left, right in zip(one.pieces, one.pieces[1:], strict=False):
            assert one.phonemes[left.pass_end : right.pass_start] == " "


def test_a_silent_sentence_is_in_no_pass() -> None:
    said = [*sentences(40), Sentence(""), *sentences(40)]
    assert [piece.sentence for one in plan(said, [0, 0, 0]) for piece in one.pieces] == [0, 2]


def test_a_short_sentence_joins_a_neighbour_even_past_the_wished_limit() -> None:
    assert len(plan(sentences(10, 335), [0, 0])) == 1
    assert len(plan(sentences(335, 10), [0, 0])) == 1


def test_a_short_sentence_beside_one_that_fills_a_pass_gets_a_part_of_it() -> None:
    passes = plan(sentences(398, 6, 398), [0, 0, 0])
    assert min(sizes(passes)) >= SHORT and max(sizes(passes)) <= 400


def test_a_long_sentence_is_cut_at_its_clauses_in_balance() -> None:
    clause = "bˈæt " * 20
    text = clause.strip() + "; " + clause.strip() + ", ænd " + clause.strip() + "; " + clause.strip() + "."
    parts = [text[start:end] for start, end in split(text, 220, 330)]
    assert [part[-1] for part in parts] == [",", "."] and abs(len(parts[0]) - len(parts[1])) < 20
    assert " ".join(parts) == text


def test_a_sentence_with_no_mark_is_cut_between_words() -> None:
    text = "bˈætɪŋ " * 95 + "ˈɛnd."
    parts = [text[start:end] for start, end in split(text, 220, 330)]
    assert " ".join(parts) == text
    assert all(150 < len(part) <= 330 for part in parts)


def test_the_first_pass_is_short_where_someone_waits() -> None:
    said = sentences(90, 90, 90, 90)
    assert [piece.sentence for piece in plan(said, [0] * 4, first_limit=120)[0].pieces] == [0]
    assert [piece.sentence for piece in plan(said, [0] * 4, first_limit=190)[0].pieces] == [0, 1]


def test_a_first_pass_is_not_so_short_that_it_is_heard() -> None:
    passes = plan(sentences(12, 200, 90), [0, 0, 0], first_limit=120)
    assert [piece.sentence for piece in passes[0].pieces] == [0, 1]


PHONEMES = st.text(st.sampled_from("bˈætɪŋəsdOI   ,.;—”"), max_size=1200).map(lambda text: " ".join(text.split()))


@given(st.lists(st.tuples(PHONEMES, st.integers(0, 2)), max_size=12), st.none() | st.integers(1, 400))
@settings(deadline=None, max_examples=150)
def test_every_phoneme_is_in_exactly_one_pass(drawn: list[tuple[str, int]], first_limit: int | None) -> None:
    said = [Sentence(text) for text, _ in drawn]
    passes = plan(said, [block for _, block in drawn], first_limit=first_limit)
    assert all(0 < size <= 400 for size in sizes(passes))
    found = "".join(
        said[piece.sentence].phonemes[piece.ph_start : piece.ph_end] for one in passes for piece in one.pieces
    )
    assert found.replace(" ", "") == "".join(one.phonemes for one in said).replace(" ", "")
