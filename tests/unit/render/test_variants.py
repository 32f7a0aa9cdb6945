"""Other layouts of a sentence: each holds all of it, no two are alike, and a number always means the same one."""

import pytest

from server.render.passes import Pass
from server.render.variants import another, usual
from tests.unit.render.test_passes import Sentence, sentences


def held(passes: tuple[Pass, ...] | list[Pass], at: int) -> str:
    """The phonemes of a sentence, as its pieces in the passes are."""
    pieces = [(one, piece) for one in passes for piece in one.pieces if piece.sentence == at]
    return " ".join(one.phonemes[piece.pass_start : piece.pass_end] for one, piece in pieces)


GROUPS = {"three": sentences(90, 80, 70), "short": sentences(15, 90), "long": sentences(500), "only": sentences(12),
          "silent": [Sentence(""), *sentences(40), Sentence(""), *sentences(50)]}  # fmt: skip


@pytest.mark.parametrize("name", GROUPS)
def test_every_variant_holds_the_sentence_and_is_another(name: str) -> None:
    group = GROUPS[name]
    for at in (i for i, one in enumerate(group) if one.phonemes):
        seen = {(tuple(usual(group, at)), 0)}
        number = 0
        for _ in range(6):
            made = another(group, at, usual(group, at), number)
            assert made.number > number
            assert held(made.passes, at).replace(" ", "") == group[at].phonemes.replace(" ", "")
            assert (made.passes, made.salt) not in seen
            seen.add((made.passes, made.salt))
            number = made.number
        assert made == another(group, at, usual(group, at), made.number - 1)


def test_one_of_several_is_spoken_alone_first_and_a_short_one_in_company() -> None:
    group = sentences(90, 80, 15)
    assert [piece.sentence for piece in another(group, 1, usual(group, 1), 0).passes[0].pieces] == [1]
    assert len(usual(group, 2)[0].pieces) == 3
    assert [piece.sentence for piece in another(group, 2, usual(group, 2), 0).passes[0].pieces] == [1, 2]


def test_one_that_was_alone_is_spoken_in_two_parts() -> None:
    group = sentences(150)
    assert len(another(group, 0, usual(group, 0), 0).passes) == 2


def test_what_was_used_in_a_short_pass_is_not_repeated() -> None:
    group = sentences(90, 80)
    alone = usual(group[1:], 0)
    shifted = another(group, 1, usual(group, 1), 0).passes
    assert [one.phonemes for one in shifted] == [one.phonemes for one in alone]
    assert another(group, 1, shifted, 0).passes != shifted
