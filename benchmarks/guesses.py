"""How well are words said that no lexicon has?

    python -m benchmarks.guesses [--count 1500]

Words that the CMU dictionary has and misaki's lexicon has not, most of them names, stand for words that neither has:
what the dictionary says of them is the truth, and they are kept out of what the model learns. Compared: the model of
`pronounce/guess`, espeak-ng, and our model where it is sure with espeak where it is not. Writes
benchmarks/results/guesses.md.
"""

import argparse
import importlib.resources
import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import jiwer

from server.render.pronounce import cmu, espeak
from server.render.pronounce.dictionary import SURE
from server.render.pronounce.guess import model
from server.render.pronounce.guess.search import Search

RESULT = Path(__file__).parent / "results" / "guesses.md"


def bare(said: str) -> str:
    return re.sub("[ˈˌ]", "", said.replace("ɾ", "T"))


def rates(words: list[str], said: Callable[[str], str], british: bool) -> tuple[float, float, float]:
    """(phonemes wrong, words wrong but for stress, words wrong) as shares."""
    wanted = [cmu.pronounce(word, british) or "" for word in words]
    got = [said(word) for word in words]
    phonemes = jiwer.cer([bare(one) for one in wanted], [bare(one) for one in got])
    plain = sum(bare(a) != bare(b) for a, b in zip(wanted, got, strict=True))
    main = sum(bare(a) != bare(b) or a.find("ˈ") != b.find("ˈ") for a, b in zip(wanted, got, strict=True))
    return float(phonemes), plain / len(words), main / len(words)


def _held_out(british: bool, count: int) -> tuple[list[str], Search]:
    """Words that only the CMU dictionary has, and a model that learnt from all others."""
    name = f"{'gb' if british else 'us'}_gold.json"
    lexicon = json.loads(importlib.resources.files("misaki.data").joinpath(name).read_text(encoding="utf-8"))
    known = {word.lower() for word in lexicon}
    only = sorted(word for word in cmu.words() if word.isalpha() and len(word) > 3 and word not in known)
    words = random.Random(1).sample(only, count)
    kept_out = set(words)
    return words, Search(*model.train([pair for pair in model.lessons(lexicon, british) if pair[0] not in kept_out]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1_500)
    options = parser.parse_args()
    lines = [
        "# Words that no lexicon has",
        "",
        f"{options.count} words that only the CMU dictionary has, not learnt; made by `python -m benchmarks.guesses`.",
        "",
        "| accent | who says it | phonemes wrong | words wrong but for stress | words wrong |",
        "|---|---|---|---|---|",
    ]
    for british in (False, True):
        words, search = _held_out(british, options.count)

        def ours(word: str, search: Search = search) -> str:
            guess = search.guess(word)
            return guess.phonemes if guess else ""

        def by_espeak(word: str, british: bool = british) -> str:
            return espeak.phonemes(word.capitalize(), british)

        def both(word: str, search: Search = search, british: bool = british) -> str:
            guess = search.guess(word)
            return guess.phonemes if guess and guess.confidence >= SURE else espeak.phonemes(word.capitalize(), british)

        for name, said in (("our model", ours), ("espeak-ng", by_espeak), ("the product", both)):
            wrong = rates(words, said, british)
            accent = "British" if british else "American"
            lines.append(f"| {accent} | {name} | {wrong[0]:.1%} | {wrong[1]:.1%} | {wrong[2]:.1%} |")
            print(lines[-1], flush=True)
    RESULT.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
