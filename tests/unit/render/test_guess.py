"""The model that says words of no lexicon: learnt from a hand-made language, from a slice of the real one, and kept."""

import importlib.resources
import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from server.config import load_settings
from server.render.pronounce import cmu, espeak
from server.render.pronounce.dictionary import Dictionary, fold
from server.render.pronounce.guess import model
from server.render.pronounce.guess.alignment import Alphabet, align, learn, split
from server.render.pronounce.guess.search import Search
from server.render.pronounce.vocabulary import KNOWN

# A language in which every letter has its sound, "sh" is one, "e" at the end is silent and the first vowel is stressed.
_SOUNDS = {"sh": "ʃ", "a": "æ", "i": "ɪ", "o": "ɑ", **{letter: letter for letter in "bdfklmnpstvz"}}


def _said(word: str) -> str:
    said = word.removesuffix("e")
    for letters, sound in _SOUNDS.items():
        said = said.replace(letters, sound)
    first = min(said.index(vowel) for vowel in "æɪɑ" if vowel in said)
    return said[:first] + "ˈ" + said[first:]


def _words(count: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    syllables = [
        start + vowel + end for start in ("b", "sh", "t", "k", "m") for vowel in "aio" for end in ("n", "d", "")
    ]
    made = (
        "".join(chance.choices(syllables, k=chance.randint(1, 3))) + chance.choice(["", "l", "le"])
        for _ in range(count)
    )
    return [word for word in made if len(word) > 2]


@pytest.fixture(scope="module")
def small() -> Search:
    return Search(*model.train(model.examples({word: _said(word) for word in _words(600, 1)})))


def test_sounds_carry_their_stress_and_length() -> None:
    assert split("fˈɑːðəᵊlˌI") == ("f", "ˈɑː", "ð", "ə", "ᵊl", "ˌI")


def test_letters_find_the_sounds_they_make() -> None:
    pairs = model.examples({word: _said(word) for word in _words(400, 2)})
    alphabet = Alphabet.of(pairs)
    ways = align(pairs, alphabet, learn(pairs, alphabet))
    for (word, said), way in zip(pairs, ways, strict=True):
        chunks = [alphabet.chunk(number) for number in way]
        assert "".join(letters for letters, _ in chunks) == word
        assert tuple(sound for _, sounds in chunks for sound in sounds) == said
        assert word.count("sh") == chunks.count(("sh", ("ʃ",))), chunks


def test_unseen_words_follow_the_rules_of_the_seen(small: Search) -> None:
    seen = set(_words(600, 1))
    unseen = [word for word in _words(300, 3) if word not in seen]
    right = [guess.phonemes == _said(word) for word in unseen if (guess := small.guess(word))]
    assert len(right) == len(unseen) > 100 and sum(right) / len(right) > 0.97


def test_a_likely_word_is_surer_than_an_unlikely_one(small: Search) -> None:
    likely, unlikely = small.guess("shamoble"), small.guess("bbkkmmtt")
    assert likely and unlikely and likely.confidence > unlikely.confidence + 1
    assert small.guess("shaxo") is None and small.guess("") is None


def test_learning_twice_gives_the_same() -> None:
    pairs = model.examples({word: _said(word) for word in _words(300, 4)})
    (once, chunks), (again, same) = model.train(pairs), model.train(pairs)
    assert chunks == same
    assert all(np.array_equal(getattr(once, name), getattr(again, name)) for name in model.NAMES)


def test_only_words_with_a_stress_teach() -> None:
    lexicon = {"Mabel": "mˈAbᵊl", "NATO": "nˈATO", "McNab": "məknˈæb", "the": "ðə", "well-to-do": "wˌɛltədˈu",
               "bow": {"DEFAULT": "bˈO", "VERB": "bˈW"}, "no": {"DEFAULT": None}}  # fmt: skip
    assert [word for word, _ in model.examples(lexicon)] == ["mabel", "mcnab", "bow"]


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[int]]:
    """Makes the real lexicon a slice of itself; gives how many words were learnt from, a number each time."""
    learnt: list[int] = []
    train = model.train

    def slice_of_it(pairs: list[tuple[str, tuple[str, ...]]]) -> object:
        learnt.append(len(pairs))
        return train(pairs[:1500])

    monkeypatch.setattr(model, "train", slice_of_it)
    return lambda: learnt


def test_the_model_is_learnt_once_and_kept(tmp_path: Path, little: Callable[[], list[int]]) -> None:
    (tmp_path / "guess-american-0123456789abcdef.npz").write_bytes(b"of another edition")
    (tmp_path / "guess-british-0123456789abcdef.npz").write_bytes(b"not ours")
    first = model.load(False, tmp_path).guess("bagshot")
    assert model.load(False, tmp_path).guess("bagshot") == first and len(little()) == 1
    names = sorted(path.name.rsplit("-", 1)[0] for path in tmp_path.iterdir())
    assert names == ["guess-american", "guess-british"], "the outdated file goes, the other accent's stays"


def test_a_damaged_file_is_made_again(tmp_path: Path, little: Callable[[], list[int]]) -> None:
    first = model.load(True, tmp_path).guess("bagshot")
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], whole[:5000] + bytes(64) + whole[5064:]):
        path.write_bytes(damaged)
        assert model.load(True, tmp_path).guess("bagshot") == first
        assert path.read_bytes() == whole


def test_without_a_folder_nothing_is_kept(tmp_path: Path, little: Callable[[], list[int]]) -> None:
    assert model.load(False, tmp_path / "absent").guess("bagshot")
    assert not (tmp_path / "absent").exists()


def test_a_folder_that_cannot_be_written_is_no_fault(
    tmp_path: Path, little: Callable[[], list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, data: bytes) -> None:
        raise model.StoreError("read-only")

    monkeypatch.setattr(model, "write_atomically", refuse)
    assert model.load(False, tmp_path).guess("bagshot") and not list(tmp_path.iterdir())


@pytest.mark.parametrize("british", [False, True])
def test_words_that_were_not_learnt_are_said_better_than_espeak_says_them(british: bool) -> None:
    data = importlib.resources.files("misaki.data").joinpath(f"{'gb' if british else 'us'}_gold.json")
    pairs = model.examples(json.loads(data.read_text(encoding="utf-8")))
    held = [pair for pair in pairs[7::200] if len(pair[0]) > 3]
    known = {word for word, _ in held}
    search = Search(*model.train([pair for pair in pairs[::4] if pair[0] not in known]))
    ours = espeaks = 0
    for word, said in held:
        guess = search.guess(word)
        ours += guess is not None and guess.phonemes == "".join(said)
        espeaks += espeak.phonemes(word, british).replace("T", "ɾ") == "".join(said)
    assert ours > 1.15 * espeaks, (ours, espeaks, len(held))


@pytest.fixture(scope="module", params=[False, True], ids=["american", "british"])
def dictionary(request: pytest.FixtureRequest) -> Dictionary:
    return Dictionary(request.param, load_settings().models)


@pytest.mark.parametrize(
    "word",
    ["Grulnifex", "grulnifex", "Pfft", "Brrr", "xqzt", "McDonough", "O'Shaughnessy", "d'Artagnan", "Pequods",
     "Pequod's", "Sherlocked", "Dampfschifffahrtsgesellschaft", "Dvořák", "Zoë", "y'all'd", "HARKONNEN", "Grey-Smythe"],
)  # fmt: skip
def test_every_guess_is_one_word_of_the_models_symbols_with_one_stress_and_is_named(
    dictionary: Dictionary, word: str
) -> None:
    said, guessed = dictionary._resolve(word, "NNP")
    assert said and set(said) <= KNOWN and " " not in said and said.count("ˈ") == 1, said
    assert guessed or cmu.pronounce(fold(word), dictionary.british)


@pytest.mark.parametrize("word", ["Hmm", "Tsk", "Shh", "Mmm", "Zzz", "Psst"])
def test_what_is_no_word_is_said_all_the_same(dictionary: Dictionary, word: str) -> None:
    said, _ = dictionary._resolve(word, "UH")
    assert said and set(said) <= KNOWN


def test_what_unknown_names_own_sounds_as_they_do(dictionary: Dictionary) -> None:
    name, owned = dictionary._resolve("Grulnifex", "NNP")[0], dictionary._resolve("Grulnifex's", "NNP")[0]
    assert owned.startswith(name) and owned.endswith("z")
