"""What real books lose on the way to phonemes: every English book of the corpus, sentence by sentence.

    python -m benchmarks.corpus_reading list CORPUS                     (the books it would read, one a line)
    python -m benchmarks.corpus_reading read CORPUS FOLDER FILE…        (one JSON for each book)
    python -m benchmarks.corpus_reading report FOLDER [--out MARKDOWN]

A *silent word* has letters or digits and no phonemes, and no rule of `normalise` took it out: what a rule took out is
counted by rule. A *lost negation* is a sentence whose typographic and straight quotes sound different, or a "not",
"no", "never", "cannot" or "n't" whose sound is not there. Each book is read in its own accent; in the other one those
of its sentences are read that hold a word not met before, so that every word is met in both.
"""

import argparse
import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from server.errors import LecternError
from server.library.model import Book
from server.library.reader import read_book
from server.render.g2p import G2P, Phonemes
from server.render.normalise import normalise
from server.render.passes import plan
from server.render.pronounce.vocabulary import KNOWN

HARD_LIMIT = 510  # phonemes the model takes at once
SHOWN = 12  # examples kept of each kind
_STRAIGHT = str.maketrans("‘’“”", "''\"\"")
_NEGATION = re.compile(
    r"(?<![\w'’])(?:(?P<nt>[A-Za-z]+n['’]t)|not|no|never|cannot|none|nobody|nothing|nor|neither)(?![\w'’])"
)
_HEARD = {"nt": re.compile(r"nt?$"), "": re.compile(r"(?:^|ˈ|ˌ)(?:n|k[ˈˌ]?[æaə]n)")}
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@dataclass(slots=True)
class Account:
    """What was found in one book and one accent; lists hold the first examples only."""

    file: str
    accent: str
    sentences: int = 0
    words: int = 0
    phonemes: int = 0
    over_limit: int = 0
    over_pass: int = 0
    symbols: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    mute: list[str] = field(default_factory=list)
    negations: int = 0
    lost: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)
    silenced: dict[str, int] = field(default_factory=dict)
    guessed: dict[str, int] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def note(self, kind: str, example: str) -> None:
        """Count a fault of `kind` and keep its example."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        kept: list[str] = getattr(self, kind)
        if len(kept) < SHOWN:
            kept.append(example)


def books(corpus: Path) -> list[str]:
    """English books of the manifest that are no attack on the reader."""
    with (corpus / "MANIFEST.tsv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    return [
        row["file"] for row in rows if row["lang"].lower().startswith("en") and not row["file"].startswith("hostile/")
    ]


def account(book: Book, file: str, pronouncer: G2P, seen: set[str] | None = None) -> Account:
    """Everything in `book` read by `pronouncer`; with `seen`, only sentences with a word that is not in it."""
    found = Account(file, "British" if pronouncer.british else "American")
    for chapter in book.chapters:
        chosen = [one for one in chapter.sentences if seen is None or _is_new(one.text, seen)]
        said = pronouncer.sentences([one.text for one in chosen], [one.kind == "heading" for one in chosen])
        for sentence, phonemes in zip(chosen, said, strict=True):
            _one(found, sentence.text, sentence.kind == "heading", phonemes, pronouncer)
        for one in plan(said, [sentence.block for sentence in chosen]):
            found.over_pass += len(one.phonemes) > HARD_LIMIT
    return found


def _is_new(text: str, seen: set[str]) -> bool:
    words = {match[0] for match in _WORD.finditer(text)}
    new = bool(words - seen)
    seen |= words
    return new


def _one(found: Account, text: str, heading: bool, said: Phonemes, pronouncer: G2P) -> None:
    found.sentences += 1
    found.words += len(said.words)
    found.phonemes += len(said.phonemes)
    found.over_limit += len(said.phonemes) > HARD_LIMIT
    for symbol in set(said.phonemes) - KNOWN:
        found.note("symbols", f"{symbol} in {text}")
    spoken = normalise(text, british=pronouncer.british, heading=heading)
    if any(map(str.isalnum, spoken.text)) and not said.phonemes:
        found.note("mute", text)
    heard = {
        i
        for (start, end), char in zip(spoken.spans, spoken.text, strict=True)
        if char.isalnum()
        for i in range(start, end)
    }
    for word in said.words if said.phonemes else ():
        if word.ph_end > word.ph_start:
            continue
        written = text[word.char_start : word.char_end]
        if any(i in heard for i in range(word.char_start, word.char_end)):
            found.note("silent", f"{written} in {text}")
        else:
            kind = _why(text, word.char_start, word.char_end)
            found.silenced[kind] = found.silenced.get(kind, 0) + 1
    for name in said.guessed:
        found.guessed[name] = found.guessed.get(name, 0) + 1
    _negations(found, text, said)
    _straight(found, text, heading, said, pronouncer)


def _why(text: str, start: int, end: int) -> str:
    """Which rule a word without sound fell to, by its look."""
    word = text[start:end]
    if any(char in "¹²³⁴⁵⁶⁷⁸⁹⁰" for char in word) or word.isdigit():
        return "note mark"
    if text[end : end + 1] in ("-", "–", "—", "…"):
        return "stutter"
    return "mark in brackets" if text[start - 1 : start] == "[" else f"other: {word}"


def _negations(found: Account, text: str, said: Phonemes) -> None:
    for match in _NEGATION.finditer(text):
        found.negations += 1
        sounds = [
            said.phonemes[word.ph_start : word.ph_end]
            for word in said.words
            if word.char_start < match.end() and match.start() < word.char_end
        ]
        wanted = _HEARD["nt" if match["nt"] else ""]
        if not any(wanted.search(part) for sound in sounds for part in (sound, *sound.split())):
            found.note("lost", f"{match[0]} as {sounds} in {text}")


def _straight(found: Account, text: str, heading: bool, said: Phonemes, pronouncer: G2P) -> None:
    """Compare with what straight quotes would sound like: first what is spoken, the sound only where that differs."""
    straight = text.translate(_STRAIGHT)
    if straight == text:
        return
    british = pronouncer.british
    spoken = [normalise(one, british=british, heading=heading) for one in (text, straight)]
    if spoken[0].text == spoken[1].text and spoken[0].letters == spoken[1].letters:
        return
    other = pronouncer.sentences([straight], [heading])[0].phonemes
    bare = [re.sub("[“” ]", "", one) for one in (said.phonemes, other)]
    if bare[0] != bare[1]:
        found.note("differing", f"{text} | {said.phonemes} | {other}")


def read(corpus: Path, folder: Path, files: Sequence[str]) -> None:
    """Write the accounts of `files` to `folder`, one JSON a book; a book that is refused has none."""
    folder.mkdir(parents=True, exist_ok=True)
    pronouncers = {british: G2P(british) for british in (False, True)}
    seen: dict[bool, set[str]] = {False: set(), True: set()}
    for file in files:
        try:
            book = read_book(corpus / file)
        except LecternError:
            continue
        british = book.language.lower() == "en-gb"
        accounts = [
            account(book, file, pronouncers[british]),
            account(book, file, pronouncers[not british], seen[not british]),
        ]
        (folder / (file.replace("/", "_") + ".json")).write_text(json.dumps([asdict(one) for one in accounts]))


_KINDS = ("silent", "mute", "symbols", "lost", "differing")


def report(folder: Path) -> str:
    """A Markdown table of all accounts in `folder`, totals first, and what was found."""
    accounts = [Account(**one) for path in sorted(folder.glob("*.json")) for one in json.loads(path.read_text())]
    rows = list(_rows(accounts))
    guessed: Counter[str] = Counter()
    silenced: Counter[str] = Counter()
    for one in accounts:
        guessed.update(one.guessed)
        silenced.update(one.silenced)
    head = (
        "| Book | Accent | Sentences | Words | Guessed (forms) | Silent words | Mute sentences | Unknown symbols "
        "| Negations | Lost | Curly ≠ straight | Over 510 phonemes | Passes over 510 |"
    )
    lines = ["# The corpus, read", "", head, "|" + " --- |" * 13, *rows, "", "Silenced by a rule: "]
    lines[-1] += ", ".join(f"{kind} {count}" for kind, count in silenced.most_common(20)) + "."
    lines += ["", f"Guessed: {sum(guessed.values())} times, {len(guessed)} forms.", ""]
    for kind in _KINDS:
        examples = [f"- {kind}: {example}" for one in accounts for example in getattr(one, kind)]
        lines += examples[:40]
    return "\n".join(lines).rstrip() + "\n"


def _rows(accounts: Iterable[Account]) -> Iterator[str]:
    total: Counter[str] = Counter()
    body = []
    for one in accounts:
        cells = {
            "sentences": one.sentences, "words": one.words, "guessed": sum(one.guessed.values()),
            "silent": one.counts.get("silent", 0), "mute": one.counts.get("mute", 0),
            "symbols": one.counts.get("symbols", 0), "negations": one.negations, "lost": one.counts.get("lost", 0),
            "differing": one.counts.get("differing", 0), "over": one.over_limit, "passes": one.over_pass,
        }  # fmt: skip
        total.update(cells)
        if one.sentences >= 500:
            body.append(
                f"| {Path(one.file).stem} | {one.accent} | " + " | ".join(f"{n:,}" for n in cells.values()) + " |"
            )
    yield (
        f"| all {len({one.file for one in accounts if one.sentences})} books | both | "
        + " | ".join(f"{n:,}" for n in total.values())
        + " |"
    )
    yield from body


def main() -> None:
    """Run the step that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    steps.add_parser("list").add_argument("corpus", type=Path)
    reading = steps.add_parser("read")
    reading.add_argument("corpus", type=Path)
    reading.add_argument("folder", type=Path)
    reading.add_argument("files", nargs="+")
    reporting = steps.add_parser("report")
    reporting.add_argument("folder", type=Path)
    reporting.add_argument("--out", type=Path)
    given = parser.parse_args()
    if given.step == "list":
        print("\n".join(books(given.corpus)))
    elif given.step == "read":
        read(given.corpus, given.folder, given.files)
    elif given.out:
        given.out.write_text(report(given.folder))
    else:
        print(report(given.folder))


if __name__ == "__main__":
    main()
