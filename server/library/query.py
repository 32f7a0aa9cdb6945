"""What somebody types, in the language of the text index, and its marks back in the text.

Whatever is typed is a search: words are looked for as they are, words in quotes beside each other, and the last word
also as the beginning of a longer one. Scripts without spaces are looked for character by character, beside each other.
"""

import re
import unicodedata
from typing import Final

LONGEST: Final = 200  # characters of a search that count
MOST_WORDS: Final = 20
# A word as it is typed, with the marks over or beside its letters: the index cuts it as it cuts the text, and looks for
# the parts beside each other. Only what neither SQLite nor a query can hold is left out.
_WORD: Final = re.compile(r"[^\s\x00-\x1f\x7f\"“”„\ud800-\udfff]+")
_LETTER: Final = re.compile(r"[^\W_]")
_QUOTED: Final = re.compile(r"[\"“”„]([^\"“”„]*)(?:[\"“”„]|$)")
# Hiragana, katakana and ideographs. The tokenizer would take a whole run of them for one word: they are kept apart by a
# character that no book has.
_SPACELESS: Final = "[\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_BEFORE, _AFTER = re.compile(f"(?<=[^\x04])(?={_SPACELESS})"), re.compile(f"(?<={_SPACELESS})(?=[^\x04])")


def match_expression(query: str) -> str | None:
    """`query` in the language of the text index, so that nothing in it is a command; None where it has no word."""
    query = unicodedata.normalize("NFC", query[:LONGEST])
    phrases: list[list[str]] = []

    def take(found: "re.Match[str]") -> str:
        phrases.append(_words(found[1]))
        return " "

    rest = _QUOTED.sub(take, query)
    loose = _words(rest)
    # Whoever is still typing means the beginning of a word; who typed anything after it means the word. One letter
    # begins too much: of two million sentences it took a second.
    prefix = bool(loose) and rest.endswith(loose[-1]) and len(_LETTER.findall(_last(loose[-1]))) > 1
    parts = [_quoted(spread(" ".join(words))) for words in phrases if words] + [_quoted(spread(word)) for word in loose]
    if not parts:
        return None
    if prefix:
        parts[-1] += " *"
    return " AND ".join(parts[-MOST_WORDS:])


def _last(word: str) -> str:
    """The letters and digits, with their marks, that a word ends with."""
    end = len(word)
    while end and unicodedata.category(word[end - 1])[0] in "LMN":
        end -= 1
    return word[end:]


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if _LETTER.search(word)]


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def spread(text: str) -> str:
    """`text` with its ideographs and kana kept apart, so that each is a word to the index."""
    return _AFTER.sub("\x04", _BEFORE.sub("\x04", text))


def unmarked(marked: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The text, and the spans between the control characters that the index puts round what it found."""
    spans: list[tuple[int, int]] = []
    text: list[str] = []
    start = 0
    for char in marked:
        if char == "\x02":
            start = len(text)
        elif char == "\x03":
            spans.append((start, len(text)))
        elif char != "\x04":
            if spans and spans[-1][1] == len(text) and unicodedata.category(char)[0] == "M":
                spans[-1] = (spans[-1][0], len(text) + 1)  # a vowel sign, which the index does not count
            text.append(char)
    return "".join(text), tuple(spans)
