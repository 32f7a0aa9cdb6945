"""One rule a line: `written = said {options}`, read into rules and, where a line is none, problems (pure).

docs/pronunciations.md explains the lines to the person who writes them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, Literal

import regex

from server.render.lexicon.folded import fold
from server.render.lexicon.respell import NoRespelling, read_respelling
from server.render.lexicon.symbols import Sounds, UnknownSymbol, read_phonemes

Kind = Literal["words", "phonemes", "stress", "skip", "default"]
Scope = Literal["word", "anywhere", "regex"]
Case = Literal["smart", "exact", "any"]
Accent = Literal["american", "british"]

MAX_LINE_CHARS: Final = 1_000
MAX_REGEXES: Final = 200
MAX_PROBLEMS: Final = 200  # a file that is something else altogether need not be told of line by line
MAX_SYLLABLE: Final = 30
MAX_REPEATS: Final = 10_000  # that all {n} of a {regex} multiply to: the module writes such parts out, in memory
MATCH_S: Final = 0.25  # a {regex} that takes longer over one sentence is of the kind that may take for ever


@dataclass(frozen=True, slots=True)
class Rule:
    """A line that was understood. What is said depends on `kind`: `words`, `sounds`, `stress`, or nothing more."""

    line: int
    written: str
    kind: Kind
    words: str = ""
    sounds: Sounds | None = None
    stress: int = 0
    scope: Scope = "word"
    case: Case = "smart"
    inflected: bool = True
    accent: Accent | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a line (0 is the whole file): one sentence, and the line is passed over."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message


@dataclass(frozen=True, slots=True)
class Parsed:
    """The rules of a text in order, its problems, and what its first comments say (`# author: …`)."""

    rules: tuple[Rule, ...] = ()
    problems: tuple[Problem, ...] = ()
    header: dict[str, str] = field(default_factory=dict)


class BadRule(ValueError):
    """A line that is no rule; the message is one sentence that says why and what to write."""


_LINES: Final = regex.compile(r"\r\n|\n|\r")
_HEADER: Final = regex.compile(r"#\s*(author|series)\s*:\s*(\S.*)", regex.I)
_OPTIONS: Final = regex.compile(r"\{([^{}]*)\}\s*$")
_COMMENT: Final = regex.compile(r"(?:^|\s+)#(?:\s.*)?$")
_INLINE: Final = regex.compile(r"\[([^\[\]]+)\]\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_STRESS: Final = regex.compile(r"stress\s+(\d{1,3}|none)")
_COUNTED: Final = regex.compile(r"\{\s*(\d*)\s*(?:,\s*(\d*)\s*)?\}")
_BACKWARD: Final = regex.compile(r"\\(?:(\d+)|g<(\w+)>|.)")
# Escapes, sets by name and group names hold capitals that say nothing about the text that is looked for.
_NO_LETTERS: Final = regex.compile(r"\\[pPN]\{[^}]*\}|\\.|\(\?P?<\w+>|\(\?[a-zA-Z-]+[:)]")


def read_rules(text: str) -> Parsed:
    """All rules of a file's text. Never raises: what cannot be understood is a problem with its line."""
    rules: list[Rule] = []
    regexes = 0
    problems: list[Problem] = []
    header: dict[str, str] = {}
    for number, line in enumerate(_LINES.split(text.removeprefix("\ufeff")), start=1):
        line = line.strip()
        if not rules and (named := _HEADER.fullmatch(line)):
            header.setdefault(named[1].lower(), named[2].strip())
        if not line or line[0] == "#":
            continue
        try:
            rule = read_rule(line, number)
            regexes += rule.scope == "regex"
            if rule.scope == "regex" and regexes > MAX_REGEXES:
                raise BadRule(f"there are more than {MAX_REGEXES} rules with {{regex}}; this one is not used")
            rules.append(rule)
        except BadRule as error:
            problems.append(Problem(number, str(error)))
            if len(problems) == MAX_PROBLEMS:
                problems.append(Problem(0, "There are more problems than are told here; is this a file of rules?"))
                break
    return Parsed(tuple(rules), tuple(problems), header)


def read_rule(line: str, number: int = 0) -> Rule:
    """The rule of one line, which is neither empty nor a comment. Raises BadRule."""
    if len(line) > MAX_LINE_CHARS:
        raise BadRule(f"the line is longer than {MAX_LINE_CHARS:,} characters; write it as several rules")
    if bad := next((char for char in line if (ord(char) < 32 and char != "\t") or char == "\ufffd"), None):
        raise BadRule(f"the line holds {bad!r}, which is no text; type it anew")
    written, said = _halves(line)
    rule = Rule(number, written, "words")
    said, options = _options(said)
    for option in options:
        rule = _with(rule, option)
    said = said.strip()
    if rule.kind == "words":
        rule = _saying(rule, said)
    elif said:
        raise BadRule(f"{said!r} and {{{_action(rule)}}} contradict each other; keep one of them")
    return _checked(rule)


def read_inline(text: str) -> list[tuple[int, int, int, int, Rule]]:
    """Each `[word](…)` of `text` that is an override: (start, end, word start, word end, rule). Raises BadRule."""
    found = []
    for match in _INLINE.finditer(text):
        said = match[2].strip()
        rule = _inline_rule(match[1], said) if fold(match[1]).text.strip() else None
        if rule is not None:
            found.append((*match.span(), *match.span(1), rule))
    return found


def _inline_rule(written: str, said: str) -> Rule | None:
    """What the parentheses of an inline form say; None where it is no such form, as a link to a page."""
    rule = Rule(0, written, "words", scope="anywhere", inflected=False)
    if regex.fullmatch(r"[+-]?\d{1,3}", said):
        return replace(rule, kind="stress", stress=max(0, int(said)))
    if said[:1] == "{" and said[-1:] == "}":
        for option in _options(said)[1]:
            rule = _with(rule, option)
        return None if rule.kind == "words" else rule
    if said[:1] == "/" and said[-1:] == "/" and len(said) > 1:
        return _saying(rule, said)
    try:
        sounds = read_respelling(said)
    except NoRespelling as error:
        raise BadRule(str(error)) from None
    return None if sounds is None else replace(rule, kind="phonemes", sounds=sounds)


def _halves(line: str) -> tuple[str, str]:
    inline = _INLINE.match(line)
    if inline and regex.fullmatch(r"\s*(?:\{[^{}]*\}\s*)*(?:#\s.*)?", line[inline.end() :]):
        said = inline[2].strip()
        if regex.fullmatch(r"[+-]?\d{1,3}", said):
            said = f"{{stress {int(said) if int(said) > 0 else 'none'}}}"
        return inline[1].strip(), said + line[inline.end() :]
    if line[0] == '"' and (quoted := regex.match(r'"([^"]+)"\s*=', line)):
        return quoted[1], line[quoted.end() :]
    written, found, said = line.partition(" = ")
    if not found:
        # At the end of the line the last space is stripped; a rule may also be written without any.
        written, found, said = (line[:-2], "=", "") if line.endswith(" =") else line.partition("=")
    if not found:
        raise BadRule('there is no "=" in it; write the word, " = ", and how it is said')
    if not written.strip():
        raise BadRule('there is nothing before the "="; write the word that is meant')
    return written.strip(), said


def _options(said: str) -> tuple[str, list[str]]:
    said = _COMMENT.sub("", said)
    options: list[str] = []
    while match := _OPTIONS.search(said):
        options[:0] = [" ".join(each.split()).lower() for each in match[1].split(",")]
        said = said[: match.start()]
    return said, options


_SIMPLE: Final[dict[str, Callable[[Rule], Rule]]] = {
    "skip": lambda rule: replace(rule, kind="skip"),
    "default": lambda rule: replace(rule, kind="default"),
    "anywhere": lambda rule: replace(rule, scope="anywhere", inflected=False),
    "regex": lambda rule: replace(rule, scope="regex", inflected=False),
    "case": lambda rule: replace(rule, case="exact"),
    "any case": lambda rule: replace(rule, case="any"),
    "as written": lambda rule: replace(rule, inflected=False),
    "american": lambda rule: replace(rule, accent="american"),
    "british": lambda rule: replace(rule, accent="british"),
}


def _with(rule: Rule, option: str) -> Rule:
    if change := _SIMPLE.get(option):
        changed = change(rule)
    elif match := _STRESS.fullmatch(option):
        syllable = 0 if match[1] == "none" else int(match[1])
        if syllable > MAX_SYLLABLE or match[1] == "0":
            raise BadRule(f"{{{option}}} names no syllable; write {{stress 1}}, {{stress 2}} … or {{stress none}}")
        changed = replace(rule, kind="stress", stress=syllable)
    else:
        known = ", ".join(["stress N", "stress none", *_SIMPLE])
        raise BadRule(f"{{{option}}} is no option; there are {known}")
    if rule.kind != "words" and changed.kind != rule.kind:
        raise BadRule(f"{{{_action(rule)}}} and {{{_action(changed)}}} contradict each other; keep one of them")
    if {rule.scope, changed.scope} == {"anywhere", "regex"}:
        raise BadRule("{anywhere} and {regex} contradict each other; a {regex} matches anywhere by itself")
    return changed


def _action(rule: Rule) -> str:
    return rule.kind if rule.kind != "stress" else f"stress {rule.stress or 'none'}"


def _saying(rule: Rule, said: str) -> Rule:
    if not said:
        raise BadRule(f"it does not tell how {rule.written!r} is said; write it after the =, or {{skip}} for silence")
    if said[0] == "/":
        if len(said) < 2 or said[-1] != "/":
            raise BadRule("the phonemes begin with / and do not end with one; write them as /…/")
        try:
            return replace(rule, kind="phonemes", sounds=read_phonemes(said[1:-1]))
        except UnknownSymbol as error:
            raise BadRule(str(error)) from None
    if len(said) > 2 and said[0] == said[-1] == '"':
        return replace(rule, words=said[1:-1])
    try:
        sounds = None if rule.scope == "regex" and "\\" in said else read_respelling(said)
    except NoRespelling as error:
        raise BadRule(str(error)) from None
    return replace(rule, words=said) if sounds is None else replace(rule, kind="phonemes", sounds=sounds)


def _checked(rule: Rule) -> Rule:
    if rule.scope != "regex":
        if not fold(rule.written).text.strip():
            raise BadRule(f"{rule.written!r} cannot be seen; write the word that is meant")
        return rule
    repeats = 1
    for counted in _COUNTED.finditer(rule.written):
        repeats *= max(int(count[:9]) for count in (counted[1], counted[2], "1") if count)
    if repeats > MAX_REPEATS:
        raise BadRule(f"the repeats in {rule.written!r} multiply to more than {MAX_REPEATS:,}; write * or + for them")
    try:
        pattern = compiled(rule)
        nothing = pattern.fullmatch("", timeout=MATCH_S)
    except (
        regex.error,
        RecursionError,
        OverflowError,
        MemoryError,
        ValueError,
        IndexError,
        KeyError,
        TimeoutError,
    ) as error:
        raise BadRule(f"{rule.written!r} is no regular expression ({error})") from None
    if nothing:
        raise BadRule(f"{rule.written!r} also matches nothing at all; write what it must find")
    if rule.kind == "words":
        for match in _BACKWARD.finditer(rule.words):
            if (match[1] and int(match[1]) > pattern.groups) or (match[2] and match[2] not in pattern.groupindex):
                raise BadRule(f"{match[0]!r} is no group of {rule.written!r}")
    return rule


def compiled(rule: Rule) -> "regex.Pattern[str]":
    """The pattern of a rule with {regex}; small letters in it match any case unless the rule says otherwise."""
    plain = _NO_LETTERS.sub("", rule.written)
    loose = rule.case == "any" or (rule.case == "smart" and plain == plain.lower())
    return regex.compile(rule.written, regex.I if loose else 0)


def filled(rule: Rule, match: "regex.Match[str]") -> str:
    r"""The words of a rule with {regex}, its \1 and \g<name> filled in from a match."""

    def fill(found: "regex.Match[str]") -> str:
        if found[1] or found[2]:
            return match[int(found[1])] or "" if found[1] else match[found[2]] or ""
        return str(found[0][1:])

    return str(_BACKWARD.sub(fill, rule.words))
