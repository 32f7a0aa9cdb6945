"""`[word](how it is said)` in a text that somebody types to hear it; never in the text of a book (pure)."""

from server.errors import BadRequest
from server.render.lexicon.grammar import BadRule, read_inline
from server.render.pronounce.overrides import Override


def inline(text: str, *, british: bool = False) -> tuple[str, list[Override]]:
    """`text` without the forms, and what they say of it. Raises BadRequest for one that cannot be understood.

    The parentheses hold /phonemes/, a respelling, a number (the stressed syllable, 0 or less for none) or {skip}.
    """
    try:
        found = read_inline(text)
    except BadRule as error:
        raise BadRequest(f"In the text, {error}.") from error
    clean: list[str] = []
    overrides: list[Override] = []
    at = length = 0
    for start, end, word_start, word_end, rule in found:
        word = text[word_start:word_end]
        clean += (text[at:start], word)
        length += start - at
        place = (length, length + len(word))
        if rule.kind == "stress":
            overrides.append(Override(*place, stress=rule.stress, rule="inline"))
        elif rule.sounds is not None:
            said = rule.sounds.british if british else rule.sounds.american
            overrides.append(Override(*place, phonemes=said, rule="inline"))
        elif rule.kind == "skip":
            overrides.append(Override(*place, words="", rule="inline"))
        at, length = end, length + len(word)
    return "".join([*clean, text[at:]]), overrides
