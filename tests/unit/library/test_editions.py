"""Which sentence of one edition is which of the other, and when two books are editions of one."""

import hashlib
import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from server.library.editions import Line, Spot, find_place, is_edition, pair


def edition(*chapters: str, headings: bool = False) -> list[Line]:
    """Each chapter a string of sentences, a letter each; the first of each a heading if asked for."""
    lines = []
    for number, texts in enumerate(chapters, 1):
        seen: Counter[str] = Counter()
        for at, text in enumerate(texts):
            seen[text] += 1
            digest = hashlib.sha256(text.encode()).hexdigest()[:12]
            lines.append(Line(Spot(number, f"{digest}-{seen[text]}"), headings and at == 0))
    return lines


def letters(lines: list[Line]) -> dict[Spot, int]:
    return {line.spot: at for at, line in enumerate(lines)}


def numbers(old: list[Line], new: list[Line]) -> dict[int, int]:
    """`pair` with ordinals in the whole book."""
    ours, theirs = letters(old), letters(new)
    return {theirs[after]: ours[before] for after, before in pair(old, new).items()}


def test_a_book_is_an_edition_of_itself() -> None:
    lines = edition("abcb", "dab")
    assert numbers(lines, lines) == {at: at for at in range(7)}


def test_a_changed_sentence_is_the_only_one_that_is_new() -> None:
    assert numbers(edition("abcde"), edition("abXde")) == {0: 0, 1: 1, 3: 3, 4: 4}


def test_a_chapter_before_moves_what_follows() -> None:
    assert numbers(edition("ab", "cd"), edition("XY", "ab", "cd")) == {2: 0, 3: 1, 4: 2, 5: 3}


def test_chapters_cut_joined_and_in_another_order_keep_their_sentences() -> None:
    old = edition("abcd", "ef", "gh")
    assert numbers(old, edition("gh", "ab", "cd", "ef")) == {0: 6, 1: 7, 2: 0, 3: 1, 4: 2, 5: 3, 6: 4, 7: 5}
    assert len(pair(old, edition("abcdefgh"))) == 8


def test_of_equal_sentences_the_one_with_the_same_neighbour_is_meant() -> None:
    # "y" stands three times in the old one; the first is gone, the others are where they were.
    assert numbers(edition("yaybyc"), edition("aybyc")) == {0: 1, 1: 2, 2: 3, 3: 4, 4: 5}
    assert numbers(edition("aybyc"), edition("yaybyc")) == {1: 0, 2: 1, 3: 2, 4: 3, 5: 4}


def test_a_heading_is_no_sentence_of_the_text() -> None:
    assert pair(edition("ab"), edition("ab", headings=True)) == {
        Spot(1, edition("ab")[1].spot.sentence): edition("ab")[1].spot
    }


@given(st.lists(st.text("abcde", max_size=9), min_size=1, max_size=4), st.integers(0, 10_000))
def test_each_old_sentence_is_used_once_and_says_the_same(chapters: list[str], seed: int) -> None:
    dice = random.Random(seed)
    changed = [
        "".join(dice.choice([letter, letter, letter, "", "x", letter * 2]) for letter in one) for one in chapters
    ]
    dice.shuffle(changed)
    old, new = edition(*chapters), edition(*changed)
    kept = pair(old, new)
    assert len(set(kept.values())) == len(kept)
    assert all(before.sentence.split("-")[0] == after.sentence.split("-")[0] for after, before in kept.items())
    # As many as there can be: nothing is rendered again that has its sound already.
    ours, theirs = (Counter(line.key for line in lines) for lines in (old, new))
    assert len(kept) == sum((ours & theirs).values())


class TestPlace:
    def where(self, old: list[Line], new: list[Line], at: int) -> int:
        spot = find_place(old, new, pair(old, new), old[at].spot)
        assert spot is not None
        return letters(new)[spot]

    def test_it_goes_with_its_sentence(self) -> None:
        assert self.where(edition("ab", "cd"), edition("XY", "ab", "cd"), 2) == 4

    def test_in_a_changed_sentence_it_is_where_that_was(self) -> None:
        assert self.where(edition("abcd"), edition("abXd"), 2) == 2
        assert self.where(edition("abcd"), edition("abXYd"), 2) == 2

    def test_in_what_went_it_is_at_what_follows(self) -> None:
        assert self.where(edition("abcd"), edition("abd"), 2) == 2
        assert self.where(edition("abcd"), edition("cd"), 0) == 0

    def test_at_the_end_that_went_it_is_at_the_last_sentence(self) -> None:
        assert self.where(edition("abcd"), edition("abc"), 3) == 2

    def test_in_another_book_altogether_it_is_at_the_beginning(self) -> None:
        assert self.where(edition("ab"), edition("XY"), 1) == 0
        assert find_place(edition("ab"), edition("XY"), {}, Spot(9, "nowhere-1")) == edition("XY")[0].spot

    def test_there_is_none_in_an_empty_book(self) -> None:
        assert find_place(edition("ab"), [], {}, edition("ab")[0].spot) is None


class TestIsEdition:
    book = edition("abcdefghij", "klmnopqrst")

    def test_a_corrected_book_is_one(self) -> None:
        corrected = edition("abcXefghij", "klmnopqrst")
        assert is_edition(self.book, corrected, by_name=True)
        assert is_edition(self.book, corrected, by_name=False)

    def test_a_whole_book_follows_its_sample_and_never_the_other_way_round(self) -> None:
        sample = edition("abcdefghij")
        assert is_edition(sample, self.book, by_name=True)
        assert not is_edition(edition("abcdefghijklmnopqrstu", "vwxyz"), sample, by_name=True)
        assert not is_edition(sample, self.book, by_name=False)

    def test_another_book_is_none_whatever_it_calls_itself(self) -> None:
        assert not is_edition(self.book, edition("abcdUVWXYZ", "0123456789"), by_name=True)

    def test_a_collection_is_none_of_a_book_in_it_by_title_alone(self) -> None:
        assert not is_edition(self.book, edition("abcdefghij", "klmnopqrst", "0123456789"), by_name=False)

    def test_a_few_lines_prove_nothing_but_in_the_place_of_the_old_file(self) -> None:
        """Leaflets made from one template say much the same."""
        assert not is_edition(edition("abcdefgh"), edition("abcdefgX"), by_name=True)
        assert is_edition(edition("abcdefgh"), edition("abcdefgX"), by_name=True, least=1)

    def test_nothing_is_an_edition_of_nothing(self) -> None:
        assert not is_edition([], [], by_name=True)
