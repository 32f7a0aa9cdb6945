"""The tagger's tokens as the groups that are said in one breath, and groups as one string of phonemes (pure)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from server.render.normalise import Spoken
from server.render.pronounce.readings import Tagged
from server.render.pronounce.vocabulary import CLOSERS, PUNCTUATION, STOPS
from server.render.pronounce.words import Said

_MARKS = "".join(PUNCTUATION) + " "
_AT_END = "".join(CLOSERS) + " "
Parts = tuple[tuple[str, str], ...]
# Penn tags of punctuation. Whatever holds a letter is never that: a silent "n't" would reverse the sense.
_MARK_TAGS = frozenset([".", ",", "-LRB-", "-RRB-", "``", '""', "''", ":", "$", "#", "NFP", "HYPH", "SYM"])


@dataclass(frozen=True, slots=True)
class Cut:
    """A range of the spoken text whose phonemes are settled before the lexicon is asked."""

    start: int
    end: int
    phonemes: str


@dataclass(slots=True)
class Group:
    """Spoken text [start, end) of one token, or of several with nothing between; `phonemes` is None until known."""

    start: int
    end: int
    parts: Parts
    phonemes: str | None


def apart(cuts: Iterable[Cut]) -> list[Cut]:
    """`cuts` in order, the first and longest of those that overlap."""
    kept: list[Cut] = []
    for cut in sorted(cuts, key=lambda cut: (cut.start, -cut.end)):
        if not kept or kept[-1].end <= cut.start:
            kept.append(cut)
    return kept


def letter_names(spoken: Spoken, name: Callable[[str], str]) -> Iterable[Cut]:
    """Cuts for letters said by name; of letters in a row the last is stressed, as in an acronym."""
    for i, at in enumerate(spoken.letters):
        following = spoken.letters[i + 1] if i + 1 < len(spoken.letters) else -1
        said = name(spoken.text[at])
        if said:
            ends = following < 0 or spoken.text[at + 1 : following] != " "
            yield Cut(at, at + 1, said if ends else said.replace("ˈ", "ˌ"))


def groups(text: str, tokens: Sequence[Tagged], cuts: Sequence[Cut]) -> list[Group]:
    """Groups that hold every character of `text` but its spaces; `cuts` do not overlap and are in order."""
    made: list[Group] = []
    waiting = list(reversed(cuts))
    at = 0
    for token in tokens:
        end = token.start + len(token.text)
        at = max(at, token.start)
        while waiting and waiting[-1].start < end:
            cut = waiting.pop()
            _add(made, text, at, cut.start, token.tag)
            made.append(Group(cut.start, cut.end, (), cut.phonemes))
            at = max(at, cut.end)
        _add(made, text, at, end, token.tag)
    return made


def _add(made: list[Group], text: str, start: int, end: int, tag: str) -> None:
    part = text[start:end]
    if start >= end or not part.strip():
        return
    if not any(char.isalnum() for char in part):
        made.append(Group(start, end, (), "".join(char for char in part if char in PUNCTUATION)))
        return
    if tag in _MARK_TAGS:
        tag = "RB" if part.lower() == "n't" else "NN"
    last = made[-1] if made else None
    if last is not None and last.phonemes is None and last.end == start:
        last.end = end
        last.parts += ((part, tag),)
    else:
        made.append(Group(start, end, ((part, tag),), None))


def join(spoken: Spoken, said: Sequence[Group]) -> tuple[str, list[Said]]:
    """All phonemes in one string, and the source range that each lettered group stands for."""
    out: list[str] = []
    length = at = 0
    gap = False
    spans: list[Said] = []
    for group in said:
        part = group.phonemes or ""
        gap = gap or group.start > at
        at = group.end
        if gap and part and length and not _closes(part):
            out.append(" ")
            length += 1
        gap = gap and not part
        lettered = _lettered(spoken.text, group)
        if lettered:
            inside = part.strip(_MARKS)
            ph_start = length + (part.index(inside) if inside else 0)
            spans.append(Said(*spoken.source(*lettered), ph_start, ph_start + len(inside)))
        out.append(part)
        length += len(part)
    return stopped("".join(out)), spans


def _closes(part: str) -> bool:
    """Whether `part` is a mark that stands against the word before it."""
    return part[0] in ".,;:!?”)" and all(char in CLOSERS or char in STOPS for char in part)


def _lettered(text: str, group: Group) -> tuple[int, int] | None:
    """The group's range from its first letter or digit to its last, None where it has neither."""
    start, end = group.start, group.end
    while start < end and not text[start].isalnum():
        start += 1
    while start < end and not text[end - 1].isalnum():
        end -= 1
    return (start, end) if start < end else None


def stopped(phonemes: str) -> str:
    """`phonemes` with a stop at their end, so that the model leaves a silence to cut in."""
    bare = phonemes.rstrip(_AT_END)
    return phonemes if not bare or bare[-1] in STOPS else phonemes + "."
