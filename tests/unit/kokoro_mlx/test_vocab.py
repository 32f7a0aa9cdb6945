"""Phonemes to ids."""

import pytest

from server.kokoro_mlx.vocab import VOCAB, PhonemesError, encode


def test_the_vocabulary_is_whole() -> None:
    assert len(VOCAB) == 114
    assert len(set(VOCAB.values())) == 114
    assert (min(VOCAB.values()), max(VOCAB.values())) == (1, 177)


@pytest.mark.parametrize(("symbol", "number"), [(";", 1), (" ", 16), ("\u0303", 17), ("ə", 83), ("ɡ", 92), ("ˈ", 156)])
def test_ids_of_the_public_table(symbol: str, number: int) -> None:
    assert VOCAB[symbol] == number


def test_a_pad_at_both_ends() -> None:
    assert encode("hə.") == (0, 50, 83, 4, 0)


@pytest.mark.parametrize(
    ("phonemes", "told"),
    [("", "no phonemes"), ("a" * 511, "511 phonemes"), ("hə☃", "☃"), ("g", "'g' .U.0067")],
)
def test_what_the_model_cannot_read_is_refused_by_name(phonemes: str, told: str) -> None:
    with pytest.raises(PhonemesError, match=told):
        encode(phonemes)


def test_510_phonemes_are_read() -> None:
    assert len(encode("a" * 510)) == 512
