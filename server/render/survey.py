"""Which words of a book no dictionary has: found before a sentence of it is rendered."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from server.render.pronounce.overrides import Override
from server.render.pronounce.words import Phonemes
from server.render.recital import Pronouncer

BATCH = 256  # sentences


class Asked(NamedTuple):
    """A sentence of a book."""

    chapter: int
    id: str
    text: str
    heading: bool


@dataclass(slots=True)
class Guess:
    """A word whose sound is a guess: in how many sentences, and the first of them."""

    word: str
    phonemes: str
    chapter: int
    sentence: str
    text: str
    count: int = field(default=0)


def survey(
    sentences: Sequence[Asked],
    pronouncer: Pronouncer,
    overrides: Callable[[str], Sequence[Override]] = lambda _text: (),
    progress: Callable[[int], None] = lambda _done: None,
) -> list[Guess]:
    """The guessed words of `sentences`, the most frequent first; `progress` is told how many sentences are read."""
    found: dict[str, Guess] = {}
    for at in range(0, len(sentences), BATCH):
        batch = sentences[at : at + BATCH]
        asked = [overrides(one.text) for one in batch]
        for one, said in zip(batch, _said(batch, asked, pronouncer), strict=True):
            for word in said.guessed:
                if word not in found:
                    found[word] = Guess(word, _sound(word, one.text, said), one.chapter, one.id, one.text)
                found[word].count += 1
        progress(at + len(batch))
    return sorted(found.values(), key=lambda guess: (-guess.count, guess.word))


def _said(batch: Sequence[Asked], asked: Sequence[Sequence[Override]], pronouncer: Pronouncer) -> list[Phonemes]:
    return pronouncer.sentences([one.text for one in batch], [one.heading for one in batch], asked)


def _sound(word: str, text: str, said: Phonemes) -> str:
    """How the sentence says `word`: of what is written, the shortest that holds it."""
    holding = [
        one for one in said.words if word.strip("'’").casefold() in text[one.char_start : one.char_end].casefold()
    ]
    if not holding:
        return ""
    best = min(holding, key=lambda one: one.char_end - one.char_start)
    return said.phonemes[best.ph_start : best.ph_end]
