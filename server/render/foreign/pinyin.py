"""Pinyin syllables to the model's symbols: data and a lookup (pure). The model was trained with exactly these."""

import functools
import re
from typing import Final

_INITIALS: Final = {
    "b": "p", "p": "pʰ", "m": "m", "f": "f", "d": "t", "t": "tʰ", "n": "n", "l": "l", "g": "k", "k": "kʰ", "h": "x",
    "j": "ʨ", "q": "ʨʰ", "x": "ɕ", "zh": "ꭧ", "ch": "ꭧʰ", "sh": "ʂ", "r": "ɻ", "z": "ʦ", "c": "ʦʰ", "s": "s",
}  # fmt: skip
# The tone stands where the digit is.
_FINALS: Final = {
    "a": "a0", "ai": "ai0", "an": "a0n", "ang": "a0ŋ", "ao": "au0", "e": "ɤ0", "ei": "ei0", "en": "ə0n", "eng": "ə0ŋ",
    "i": "i0", "ia": "ja0", "ian": "jɛ0n", "iang": "ja0ŋ", "iao": "jau0", "ie": "je0", "in": "i0n", "iou": "jou0",
    "ing": "i0ŋ", "iong": "jʊ0ŋ", "ong": "ʊ0ŋ", "ou": "ou0", "u": "u0", "uei": "wei0", "ua": "wa0", "uai": "wai0",
    "uan": "wa0n", "uen": "wə0n", "uang": "wa0ŋ", "ueng": "wə0ŋ", "uo": "wo0", "o": "wo0", "ü": "y0", "üe": "ɥe0",
    "üan": "ɥɛ0n", "ün": "y0n",
}  # fmt: skip
# Syllables that are no initial and final.
_WHOLE: Final = {"er": "ɚ0", "o": "ɔ0", "io": "jɔ0", "yo": "jɔ0", "ê": "ɛ0", "m": "m0", "n": "n0", "ng": "ŋ0",
                 "hm": "hm0", "hng": "hŋ0", "r": "ɚ0"}  # fmt: skip
_ABBREVIATED: Final = {"iu": "iou", "ui": "uei", "un": "uen"}
_TONES: Final = {"1": "→", "2": "↗", "3": "↓", "4": "↘", "5": ""}
_WITHOUT_INITIAL: Final = {
    "yi": "i", "ya": "ia", "yao": "iao", "ye": "ie", "you": "iou", "yan": "ian", "yin": "in", "yang": "iang",
    "ying": "ing", "yong": "iong", "yu": "ü", "yue": "üe", "yuan": "üan", "yun": "ün", "yai": "iai", "wu": "u",
    "wa": "ua", "wo": "uo", "wai": "uai", "wei": "uei", "wan": "uan", "wen": "uen", "wang": "uang", "weng": "ueng",
}  # fmt: skip
_SYLLABLE = re.compile(r"(zh|ch|sh|[bpmfdtnlgkhjqxrzcs])?([a-zü]+)")


@functools.cache
def sound(syllable: str) -> str:
    """Phonemes of one syllable with its tone as a digit ("lü4", "ma5"); "" for what is no syllable."""
    tone = syllable[-1:] if syllable[-1:] in _TONES else "5"
    plain = syllable.rstrip("12345").replace("v", "ü").replace("u:", "ü")
    said = _WHOLE.get(plain) or _regular(plain)
    return said.replace("0", _TONES[tone])


def _regular(plain: str) -> str:
    if plain in _WITHOUT_INITIAL:
        return _FINALS.get(_WITHOUT_INITIAL[plain], "")
    found = _SYLLABLE.fullmatch(plain)
    if found is None:
        return ""
    initial, final = found[1] or "", found[2]
    if initial in ("zh", "ch", "sh", "r", "z", "c", "s") and final == "i":
        return f"{_INITIALS[initial]}ɨ0"
    if initial in ("j", "q", "x") and final.startswith("u"):
        final = "ü" + final[1:]
    final = _ABBREVIATED.get(final, final)
    return _INITIALS.get(initial, "") + _FINALS[final] if final in _FINALS else ""
