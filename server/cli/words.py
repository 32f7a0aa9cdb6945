"""`lectern words`: the words of a book whose sound is a guess, before a sentence of it is rendered."""

import argparse
import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial

from server.cli.books import count
from server.cli.console import Bar, Console
from server.cli.exits import OK
from server.config import Settings, path_of
from server.library.languages import require_spoken
from server.render.lexicon.match import RuleSet
from server.render.pronouncers import Pronouncers
from server.render.store import Store
from server.render.survey import Asked, Guess, survey
from server.render.voices import voice as find_voice
from server.render.voices import voice_for

TEXT_CHARACTERS = 70


def words(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    """Read a book on the shelf, or an EPUB, and list what had to be guessed."""
    title, voice, sentences, rules = _find(settings, arguments.book, arguments.voice)
    spoken = find_voice(voice)
    overrides = partial(rules.overrides, british=spoken.british, only_text=not spoken.english)
    with Bar(console) as bar:

        def progress(done: int) -> None:
            bar.show("Reading", done, len(sentences), f"{done:,}/{count(len(sentences), 'sentence')}")

        found = survey(sentences, Pronouncers()(voice), overrides, progress)
    if arguments.json:
        console.answer({"book": title, "voice": voice, "words": [asdict(guess) for guess in found]})
        return OK
    for line in word_lines(title, found):
        console.say(line)
    return OK


def _find(settings: Settings, name: str, voice: str | None) -> tuple[str, str, list[Asked], RuleSet]:
    """Title, voice, sentences that are read and pronunciation rules of the book, or the EPUB, called `name`."""
    store = Store(settings.store)
    voice = str(store.blends.find(voice)) if voice is not None else None
    path = path_of(name)
    if path.exists():
        from server.library.sandbox import read_book_aside

        book = asyncio.run(read_book_aside(path))
        language = book.read_as or book.language
        require_spoken(language, path.name)
        sentences = [
            Asked(chapter.number, one.id, one.text, one.kind == "heading")
            for chapter in book.chapters
            if chapter.enabled
            for one in chapter.sentences
        ]
        return (
            book.title,
            voice or voice_for(language, str(store.blends.find(settings.voice))),
            sentences,
            store.lexicon.of_household(),
        )
    record = store.find(name)
    sentences = [
        Asked(chapter.number, entry.id, entry.text, entry.block == "heading")
        for chapter in record.chapters
        if chapter.enabled
        for entry in store.chapter(record.id, chapter.number).sentences
    ]
    return record.title, voice or record.voice, sentences, store.lexicon.of_book(record)


def word_lines(title: str, found: Sequence[Guess]) -> Iterator[str]:
    """The guesses as a person reads them, each with the first sentence that has it."""
    if not found:
        yield f"Every word of “{title}” is in the dictionary."
        return
    yield f"{count(len(found), 'word')} of “{title}” had to be guessed. A line such as"
    yield f"    {found[0].word} = /{found[0].phonemes}/"
    yield "in its pronunciations says one otherwise (docs/pronunciations.md)."
    yield ""
    width = min(24, max(len(guess.word) for guess in found))
    sounds = min(24, max(len(guess.phonemes) for guess in found))
    for guess in found:
        text = " ".join(guess.text.split())
        text = text if len(text) <= TEXT_CHARACTERS else text[: TEXT_CHARACTERS - 1] + "…"
        yield f"{guess.count:>5} ×  {guess.word:<{width}}  {guess.phonemes:<{sounds}}  {guess.chapter:>3}  {text}"
