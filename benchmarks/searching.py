"""What it costs to search the text of many books: how long each kind of question takes, and what the index weighs.

    .venv/bin/python -m benchmarks.searching --books 500

The texts are made up: 4,000 sentences a book, words as frequent as in prose (the most frequent is every sixteenth word,
the ten-thousandth comes once in 160,000), so that there are words that every page has and words that no other book has.
"""

import argparse
import itertools
import json
import platform
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from server.library.search import Passage, Search

RESULTS: Final = Path(__file__).parent / "results"
SENTENCES: Final = 4_000
VOCABULARY: Final = 40_000
RUNS: Final = 5


def vocabulary() -> list[str]:
    chance = random.Random(8)
    letters = "etaoinshrdlucmfwyp"
    made = {"".join(chance.choices(letters, k=max(2, round(chance.gauss(6, 2.5))))) for _ in range(VOCABULARY * 2)}
    return sorted(made, key=lambda word: (len(word) + chance.random() * 6, word))[:VOCABULARY]


def text_of(number: int, words: list[str], weights: list[float]) -> Iterator[Passage]:
    chance = random.Random(number)
    for at in range(SENTENCES):
        chosen = chance.choices(words, cum_weights=weights, k=max(4, round(chance.gauss(16.5, 7))))
        yield Passage(1 + at // 120, f"{at:012x}-1", " ".join(chosen).capitalize() + ".")


def asked(words: list[str]) -> dict[str, tuple[str, str | None]]:
    """Questions by name, each with the book that it is about."""
    book = f"{1:016x}"
    return {
        "the most frequent word": (f"{words[0]} ", None),
        "the most frequent word, in one book": (f"{words[0]} ", book),
        "a frequent word": (f"{words[100]} ", None),
        "a rare word": (f"{words[9_000]} ", None),
        "two frequent words": (f"{words[100]} {words[150]} ", None),
        "two frequent words beside each other": (f'"{words[20]} {words[30]}"', None),
        "the beginning of a word: 1 letter": (words[100][0], None),
        "the beginning of a word: 2 letters": (words[100][:2], None),
        "the beginning of a word: 3 letters": (words[9_000][:3], None),
        "a word that is nowhere": ("xylophone ", None),
    }


def measure(folder: Path, books: int) -> dict[str, Any]:
    words = vocabulary()
    weights = list(itertools.accumulate(1 / (rank + 3) for rank in range(1, len(words) + 1)))
    search, puts = Search(folder / "search.db"), []
    texts = 0
    for number in range(books):
        passages = list(text_of(number, words, weights))
        texts += sum(len(one.text) for one in passages)
        begun = time.perf_counter()
        search.put(f"{number:016x}", passages)
        puts.append(time.perf_counter() - begun)
    questions = {}
    for name, (query, book) in asked(words).items():
        times = []
        for _ in range(RUNS):
            begun = time.perf_counter()
            told = search.find(query, book=book, limit=20)
            times.append(time.perf_counter() - begun)
        questions[name] = {"hits": f"{told.total}{'+' if told.more else ''}", "ms": round(max(times) * 1_000, 1)}
    begun = time.perf_counter()
    search.remove(f"{books // 2:016x}")
    removed = time.perf_counter() - begun
    weight = sum(path.stat().st_size for path in folder.iterdir())
    search.close()
    return {
        "books": books,
        "sentences": books * SENTENCES,
        "text_mb": round(texts / 1e6, 1),
        "index_mb": round(weight / 1e6, 1),
        "put_median_ms": round(statistics.median(puts) * 1_000),
        "remove_ms": round(removed * 1_000),
        "questions": questions,
    }


def table(told: dict[str, Any]) -> str:
    lines = [
        "# Searching the text of many books",
        "",
        f"{told['books']:,} books, {told['sentences']:,} sentences, {told['text_mb']:,} MB of text; the index weighs "
        f"{told['index_mb']:,} MB. Putting a book in takes {told['put_median_ms']} ms, taking one out "
        f"{told['remove_ms']} ms. The slowest of {RUNS} tries, 20 hits shown, on {told['machine']}.",
        "",
        "| Question | Hits | ms |",
        "| --- | ---: | ---: |",
        *(f"| {name} | {one['hits']} | {one['ms']} |" for name, one in told["questions"].items()),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--books", type=int, default=500)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        told = measure(Path(folder), options.books) | {"machine": platform.machine()}
    RESULTS.joinpath("searching.json").write_text(json.dumps(told, indent=2) + "\n")
    RESULTS.joinpath("searching.md").write_text(table(told))
    print(table(told))


if __name__ == "__main__":
    main()
