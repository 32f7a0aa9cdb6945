"""The rules of all layers at work on a text: which of them say what, where (pure but for the clock of {regex})."""

import bisect
import logging
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import regex

from server.render.lexicon.folded import Folded, fold
from server.render.lexicon.grammar import MATCH_S, Rule, compiled, filled
from server.render.lexicon.inflect import Ending, Form, forms, put_on, sound
from server.render.pronounce.overrides import Override

log = logging.getLogger(__name__)

_WORD: Final = regex.compile(r"[\p{L}\p{N}\p{M}]+")
# What may stand before an apostrophe and a name of its own: "d'Artagnan", "l'Ouverture", "dell'Arte".
_ELISIONS: Final = frozenset("d l qu dell nell all sull".split())
_MAX_WORDS_CHARS: Final = 2_000  # that a {regex} may put in place of a match


@dataclass(frozen=True, slots=True)
class Layer:
    """Rules of one file. `rank` grows from the household to the book: the larger wins."""

    id: str
    rank: int
    rules: tuple[Rule, ...]


class Match(NamedTuple):
    """A rule found at [start, end) of the folded text; `ending` is what follows its word there, if something does."""

    start: int
    end: int
    layer: Layer
    rule: Rule
    ending: Ending | None = None
    words: str = ""

    @property
    def weight(self) -> tuple[int, int, int]:
        return self.layer.rank, self.end - self.start, self.rule.line


class _Pattern(NamedTuple):
    low: str
    allowed: frozenset[str] | None  # the spellings by case that count; None for all
    layer: Layer
    rule: Rule
    ending: Ending | None


@dataclass(slots=True)
class RuleSet:
    """All rules that hold for one book. `slow` gathers rules with {regex} that took too long: they are not tried again.

    Rules that are the same give the same overrides for a text, but for a slow one.
    """

    layers: tuple[Layer, ...] = ()
    slow: set[tuple[str, int]] = field(default_factory=set)
    _words: dict[str, list[_Pattern]] = field(default_factory=dict, init=False)
    _signs: dict[str, list[_Pattern]] = field(default_factory=dict, init=False)
    _anywhere: list[_Pattern] = field(default_factory=list, init=False)
    _regexes: list[tuple["regex.Pattern[str]", Layer, Rule]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        for layer in self.layers:
            for rule in layer.rules:
                if rule.scope == "regex":
                    self._regexes.append((compiled(rule), layer, rule))
                else:
                    self._add(layer, rule)

    def __bool__(self) -> bool:
        return any(layer.rules for layer in self.layers)

    def overrides(self, text: str, *, british: bool = False, only_text: bool = False) -> list[Override]:
        """What is said otherwise in `text`: in order, apart, in range. For one accent.

        `only_text` is for voices of other languages: rules with phonemes or a stress speak English and are left out.
        """
        if not self:
            return []
        folded = fold(text)
        accent = "british" if british else "american"
        found = [match for match in self._found(folded) if match.rule.accent in (None, accent)]
        return [
            _override(match, folded, british=british)
            for match in apart(found)
            if not only_text or match.rule.kind in ("words", "skip")
        ]

    def _add(self, layer: Layer, rule: Rule) -> None:
        written = fold(rule.written).text.strip() or rule.written
        for form in forms(written) if rule.inflected else (Form(written, "", None),):
            pattern = _Pattern(fold(form.stem + form.rest).low, _allowed(form, rule), layer, rule, form.ending)
            if rule.scope == "anywhere":
                self._anywhere.append(pattern)
            elif first := _WORD.match(pattern.low):
                self._words.setdefault(first[0], []).append(pattern)
            else:
                self._signs.setdefault(pattern.low[0], []).append(pattern)

    def _found(self, folded: Folded) -> Iterator[Match]:
        for word in _WORD.finditer(folded.low) if self._words else ():
            for pattern in self._words.get(word[0], ()):
                if _stands(pattern, folded, word.start()) and _begins(folded.low, word.start()):
                    yield _match(pattern, word.start())
        for sign, patterns in self._signs.items():
            at = folded.low.find(sign)
            while at >= 0:
                yield from (_match(pattern, at) for pattern in patterns if _stands(pattern, folded, at))
                at = folded.low.find(sign, at + 1)
        for pattern in self._anywhere:
            at = folded.low.find(pattern.low)
            while at >= 0:
                if pattern.allowed is None or folded.text[at : at + len(pattern.low)] in pattern.allowed:
                    yield _match(pattern, at)
                at = folded.low.find(pattern.low, at + 1)
        for expression, layer, rule in self._regexes:
            yield from self._by_regex(expression, layer, rule, folded)

    def _by_regex(self, expression: "regex.Pattern[str]", layer: Layer, rule: Rule, folded: Folded) -> Iterator[Match]:
        if (layer.id, rule.line) in self.slow:
            return
        try:
            found = [one for one in expression.finditer(folded.text, timeout=MATCH_S) if one.end() > one.start()]
        except (TimeoutError, MemoryError):
            self.slow.add((layer.id, rule.line))
            log.warning("line %d of a file of pronunciation rules takes too long and is not used", rule.line)
            log.debug("that line of %s is %r", layer.id, rule.written)
            return
        for one in found:
            words = filled(rule, one)[:_MAX_WORDS_CHARS] if rule.kind == "words" else ""
            yield Match(one.start(), one.end(), layer, rule, None, words)


def apart(matches: Iterable[Match]) -> list[Match]:
    """Of matches that overlap the one of the innermost layer, then the longest, then the one written last; in order.

    One with {default} only keeps out what lies within it: "Mary" by itself cancels nothing in "St. Mary Mead".
    """
    kept: list[Match] = []
    cancelled: list[Match] = []
    for match in sorted(matches, key=lambda match: match.weight, reverse=True):
        if any(one.start <= match.start and match.end <= one.end for one in cancelled):
            continue
        at = bisect.bisect_left(kept, (match.start,))
        if (at and kept[at - 1].end > match.start) or (at < len(kept) and kept[at].start < match.end):
            continue
        if match.rule.kind == "default":
            cancelled.append(match)
        else:
            kept.insert(at, match)
    return kept


def affected(
    texts: Sequence[str], old: RuleSet, new: RuleSet, *, british: bool = False, only_text: bool = False
) -> list[int]:
    """Which of `texts` another set of rules would have said otherwise: their positions, in order."""
    return [
        at
        for at, text in enumerate(texts)
        if _effect(old.overrides(text, british=british, only_text=only_text))
        != _effect(new.overrides(text, british=british, only_text=only_text))
    ]


def _effect(overrides: Sequence[Override]) -> list[tuple[object, ...]]:
    """What is said, without the line that said it: rules that only moved change nothing."""
    return [(one.start, one.end, one.words, one.phonemes, one.stress) for one in overrides]


def _allowed(form: Form, rule: Rule) -> frozenset[str] | None:
    stem, whole = form.stem, form.stem + form.rest
    if rule.case == "any" or (rule.case == "smart" and rule.written == rule.written.lower()):
        return None
    if rule.case == "exact":
        return frozenset([whole])
    # A name in capitals; its ending may stay small ("EMMA's"); a particle may begin a sentence ("Van Helsing").
    return frozenset([whole, whole.upper(), stem.upper() + form.rest, whole[:1].upper() + whole[1:]])


def _stands(pattern: _Pattern, folded: Folded, at: int) -> bool:
    end = at + len(pattern.low)
    if not folded.low.startswith(pattern.low, at) or not _ends(folded.low, end):
        return False
    return pattern.allowed is None or folded.text[at:end] in pattern.allowed


def _begins(text: str, at: int) -> bool:
    """Whether a word, found from its first letter on, is no part of a longer one ("t" in "don't", "5" in "2.5")."""
    if at < 2 or not _is_word(text[at - 2]):
        return True
    if text[at - 1] == "'":
        before = at - 1
        while before and _is_word(text[before - 1]):
            before -= 1
        return text[before : at - 1] in _ELISIONS
    return not (text[at - 1] in ".,:" and text[at].isdigit() and text[at - 2].isdigit())


def _ends(text: str, end: int) -> bool:
    if not _is_word(text[end - 1]) or end == len(text):
        return True
    if _is_word(text[end]):
        return False
    if end + 1 == len(text) or not _is_word(text[end + 1]):
        return True
    if text[end] == "'":
        return False
    return not (text[end] in ".,:" and text[end - 1].isdigit() and text[end + 1].isdigit())


def _is_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char)[0] == "M"


def _match(pattern: _Pattern, at: int) -> Match:
    words = pattern.rule.words
    if words and pattern.ending is not None:
        words = put_on(words, pattern.ending)
    return Match(at, at + len(pattern.low), pattern.layer, pattern.rule, pattern.ending, words)


def _override(match: Match, folded: Folded, *, british: bool) -> Override:
    start, end = folded.source(match.start, match.end)
    rule, name = match.rule, f"{match.layer.id}:{match.rule.line}"
    if rule.kind == "stress":
        return Override(start, end, stress=rule.stress, rule=name)
    if rule.sounds is None:
        return Override(start, end, words=match.words, rule=name)
    said = rule.sounds.british if british else rule.sounds.american
    if match.ending is not None:
        written_r = fold(rule.written).low.rstrip("e").endswith("r")
        said = sound(said, match.ending, british=british, written_r=written_r)
    return Override(start, end, phonemes=said, rule=name)
