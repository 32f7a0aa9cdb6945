"""`lectern lexicon`: the pronunciation rules that hold, and what is wrong with them."""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.cli.books import count
from server.cli.console import Console
from server.cli.exits import FAILED, OK
from server.config import Settings, path_of
from server.errors import LecternError, NotFound
from server.render.lexicon.files import MAX_BYTES, RuleFile, read_bytes
from server.render.lexicon.grammar import Rule
from server.render.store import Store


@dataclass(frozen=True, slots=True)
class Shown:
    """A file of rules, and what to call it: a layer with the name of whom it is for, or a path."""

    title: str
    path: Path
    file: RuleFile
    exists: bool = True


def lexicon(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    """Print the rules of a book, of the household, or of one file; exit code 1 where a line is no rule."""
    shown = [_file(path_of(arguments.check))] if arguments.check is not None else _layers(settings, arguments.book)
    if arguments.json:
        console.answer({"files": [_as_json(one) for one in shown]})
    else:
        for one in shown:
            for line in lexicon_lines(one):
                console.say(line)
    problems = sum(len(one.file.parsed.problems) for one in shown)
    if not arguments.json and problems:
        console.complain(f"{count(problems, 'problem')}; such lines are passed over, the others hold.")
    return FAILED if problems else OK


def _layers(settings: Settings, name: str | None) -> list[Shown]:
    """The files of a book's layers, or of all layers but those of books. Raises NotFound."""
    store = Store(settings.store)
    if name is not None:
        places = store.lexicon.places(store.find(name))
    else:
        records = []
        for book in store.books():
            try:
                records.append(store.book(book))
            except LecternError as error:
                raise LecternError(f"The shelf cannot be read: {error}") from error
        places = store.lexicon.known(records)
    titles = {place.layer.id: place.layer.kind.capitalize() for place in places}
    return [
        Shown(
            titles[place.layer.id] + ("" if place.layer.kind == "household" else f" “{place.layer.name}”"),
            path,
            store.lexicon.read(path),
            path.exists(),
        )
        for place in places
        for path in place.paths
    ]


def _file(path: Path) -> Shown:
    if not path.is_file():
        raise NotFound(f"There is no file {path}.")
    try:
        with path.open("rb") as stream:
            return Shown(str(path), path, read_bytes(stream.read(MAX_BYTES + 1)))
    except OSError as error:
        raise LecternError(f"{path} cannot be read ({error.strerror}).") from error


def lexicon_lines(shown: Shown) -> Iterator[str]:
    """A file as a person reads it: each rule as it was understood, each problem with its line."""
    parsed = shown.file.parsed
    where = "" if str(shown.path) == shown.title else f"  {shown.path}"
    if not shown.exists:
        yield f"{shown.title}: no rules yet;{where}"
        return
    yield f"{shown.title}: {count(len(parsed.rules), 'rule')}{where}"
    for rule in parsed.rules:
        yield f"  {rule.line:>4}  {rule.written} = {said(rule)}"
    for problem in parsed.problems:
        yield f"  {problem}"


def said(rule: Rule) -> str:
    """What a rule does, in the words of the file; phonemes as they reach the voice."""
    if rule.sounds is not None:
        both = (rule.sounds.american, rule.sounds.british)
        shown = f"/{both[0]}/" if both[0] == both[1] else f"/{both[0]}/, British /{both[1]}/"
    elif rule.kind == "words":
        shown = f"“{rule.words}”"
    elif rule.kind == "stress":
        shown = f"{{stress {rule.stress or 'none'}}}"
    else:
        shown = f"{{{rule.kind}}}"
    options = [
        {"word": "", "anywhere": "anywhere", "regex": "regex"}[rule.scope],
        {"smart": "", "exact": "case", "any": "any case"}[rule.case],
        "as written" if rule.scope == "word" and not rule.inflected else "",
        rule.accent or "",
    ]
    named = ", ".join(filter(None, options))
    return f"{shown} {{{named}}}" if named else shown


def _as_json(shown: Shown) -> dict[str, Any]:
    return {
        "layer": shown.title,
        "file": str(shown.path),
        "exists": shown.exists,
        "rules": [
            {
                "line": rule.line,
                "written": rule.written,
                "kind": rule.kind,
                "said": said(rule),
            }
            for rule in shown.file.parsed.rules
        ],
        "problems": [{"line": one.line, "message": one.message} for one in shown.file.parsed.problems],
    }


def register(command: argparse.ArgumentParser) -> None:
    """The arguments of `lectern lexicon`."""
    what = command.add_mutually_exclusive_group()
    what.add_argument(
        "book", nargs="?", metavar="BOOK", help="id or title of a book; without one, every layer but books'"
    )
    what.add_argument("--check", metavar="FILE", help="read the rules of this file instead")
    command.add_argument("--json", action="store_true", help="print them as JSON")
    command.set_defaults(run=lexicon)
