"""Words that a lexicon lacks but whose parts it has: endings, prefixes and compounds, said from their parts."""

import re
from collections.abc import Callable

Lookup = Callable[[str], str | None]

_VOWELS = frozenset("AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻ")
# Ending: what is put back in its place (the first known stem wins), then its sound, American and British.
_ENDINGS: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
    ("ied", ("y",), "d", "d"),
    ("iers", ("y",), "əɹz", "əz"),
    ("ier", ("y",), "əɹ", "ə"),
    ("iest", ("y",), "ɪst", "ɪst"),
    ("iness", ("y",), "nəs", "nəs"),
    ("ily", ("y",), "ᵊli", "ɪli"),
    ("ings", ("ing",), "z", "z"),
    ("ers", ("", "e"), "əɹz", "əz"),
    ("er", ("", "e"), "əɹ", "ə"),
    ("est", ("", "e"), "ɪst", "ɪst"),
    ("ly", ("", "le"), "li", "li"),
    ("nesses", ("",), "nəsᵻz", "nəsɪz"),
    ("ness", ("",), "nəs", "nəs"),
    ("less", ("",), "ləs", "ləs"),
    ("ful", ("",), "fᵊl", "fᵊl"),
    ("able", ("", "e"), "əbᵊl", "əbᵊl"),
    ("ment", ("",), "mᵊnt", "mᵊnt"),
    ("ments", ("",), "mᵊnts", "mᵊnts"),
    ("ship", ("",), "ʃˌɪp", "ʃˌɪp"),
    ("like", ("",), "lˌIk", "lˌIk"),
    ("ish", ("", "e"), "ɪʃ", "ɪʃ"),
    ("eth", ("", "e"), "əθ", "əθ"),
    ("st", ("",), "st", "st"),
)  # fmt: skip
_PREFIXES = {
    "un": "ˌʌn", "re": "ɹˌi", "mis": "mˌɪs", "non": "nˌɑn", "over": "ˌOvəɹ", "under": "ˌʌndəɹ", "out": "ˌWt",
    "fore": "fˌɔɹ", "sub": "sˌʌb", "super": "sˌupəɹ", "inter": "ˌɪntəɹ", "anti": "ˌænti", "dis": "dɪs",
}  # fmt: skip
_BRITISH_PREFIXES = {
    "re": "ɹˌiː", "non": "nˌɒn", "over": "ˌQvə", "under": "ˌʌndə", "fore": "fˌɔː", "super": "sˌuːpə",
    "inter": "ˌɪntə", "anti": "ˌanti",
}  # fmt: skip
_DOUBLED = re.compile(r"([bdfglmnprt])\1$")


def derive(word: str, known: Lookup, british: bool) -> str | None:
    """`word` (lower case) from a stem that `known` can say and an ending or prefix; None where it has none."""
    return _ended(word, known, british) or _prefixed(word, known, british)


def compound(word: str, known: Lookup) -> str | None:
    """Two words written as one, the first of them stressed: the most even cut wins. None where it is not two."""
    for at in sorted(range(3, len(word) - 2), key=lambda at: abs(2 * at - len(word))):
        first, second = known(word[:at]), known(word[at:])
        if first and second and "ˈ" in first and "ˈ" in second:
            return first + second.replace("ˈ", "ˌ")
    return None


def possessive(stem: str, british: bool) -> str:
    """A stem's phonemes with the ending of a plural or an owner."""
    if stem[-1:] in tuple("ptkfθ"):
        return stem + "s"
    return stem + (("ɪz" if british else "ᵻz") if stem[-1:] in tuple("szʃʒʧʤ") else "z")


def _ended(word: str, known: Lookup, british: bool) -> str | None:
    for ending, restored, american, own in _ENDINGS:
        if not word.endswith(ending) or len(word) - len(ending) < 3:
            continue
        bare = word[: -len(ending)]
        stems = [bare + letters for letters in restored]
        if ending[0] in "aei" and _DOUBLED.search(bare):
            stems.append(bare[:-1])
        for stem in stems:
            said = known(stem)
            if said:
                return _joined(said, own if british else american, british)
    return None


def _joined(stem: str, ending: str, british: bool) -> str:
    if not british and ending[0] in "əɪ" and len(stem) > 1 and stem[-1] == "t" and stem[-2] in _VOWELS | {"ɹ"}:
        return stem[:-1] + "T" + ending
    if british and ending[0] in "əɪ" and stem[-1] in "əːɪ" and stem[-2:] not in ("iː", "uː"):
        return stem + "ɹ" + ending
    return stem + ending


def _prefixed(word: str, known: Lookup, british: bool) -> str | None:
    for prefix, sound in _PREFIXES.items():
        if word.startswith(prefix) and len(word) - len(prefix) >= 4:
            said = known(word[len(prefix) :])
            if said:
                return (_BRITISH_PREFIXES.get(prefix, sound) if british else sound) + said
    return None
