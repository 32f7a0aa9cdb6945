"""Figures that espeak would read oddly: clock times, money, Roman numerals. All other numbers it reads well (pure)."""

import re
from typing import Final

_HOURS: Final = {"fr": "heures", "es": "horas", "pt": "horas"}
_HALF = re.compile(r"(?<![\w.,])(\d{1,2}) ?[hH] ?([0-5]\d)?(?![\w])")
_CLOCK = re.compile(r"(?<![\d:.,])([01]?\d|2[0-4]):([0-5]\d)(?![\d:])")
_AND: Final = {"es": " y ", "it": " e ", "pt": " e ", "fr": " heures ", "hi": " बजकर "}
_REAIS = re.compile(r"R\$ ?(\d[\d.,]*\d|\d)")
_MONEY = re.compile(r"([$€£]) ?(\d[\d.,]*\d|\d)")
_COINS: Final = {
    "es": {"$": "dólares", "€": "euros", "£": "libras"}, "fr": {"$": "dollars", "€": "euros", "£": "livres"},
    "it": {"$": "dollari", "€": "euro", "£": "sterline"}, "pt": {"$": "dólares", "€": "euros", "£": "libras"},
    "hi": {"$": "डॉलर", "€": "यूरो", "£": "पाउंड"},
}  # fmt: skip
_ROMAN = re.compile(r"(?<!\w)(?=[IVXLC])(C{0,3}(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3}))(e|ème|er|º|ª)?(?!\w)")
# Written in capitals these are words as well.
_WORDS: Final = frozenset({"C", "CI", "DI", "LI", "L", "MI", "VI", "CC", "CV", "CX", "LL"})
_LEADING: Final = frozenset(
    "siglo siglos capítulo cap tomo libro parte acto escena siècle chapitre tome livre partie acte scène secolo secoli "
    "capitolo libro parte atto scena século séculos capítulo livro ato cena volume volumen vol canto".split()
)
_VALUES: Final = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}


def spell(text: str, language: str) -> str:
    """`text` with these figures as espeak says them right."""
    if not any(char.isdigit() or char in "IVXLC" for char in text):
        return text
    if language in _HOURS:
        text = _HALF.sub(lambda match: f"{match[1]} {_HOURS[language]} {match[2] or ''}".rstrip(), text)
    text = _CLOCK.sub(lambda match: _time(match, language), text)
    text = _REAIS.sub(r"\1 reais", text)
    text = _MONEY.sub(lambda match: f"{match[2]} {_COINS[language][match[1]]}", text)
    return _ROMAN.sub(_number, text) if language != "hi" else text


def _time(match: re.Match[str], language: str) -> str:
    if match[2] == "00":
        return f"{int(match[1])} {_HOURS[language]}" if language == "fr" else match[1]
    return f"{int(match[1])}{_AND[language]}{int(match[2])}"


def _number(match: re.Match[str]) -> str:
    roman, ending = match[1], match[2]
    if ending and roman in "LC":  # "Le", "Ce"
        return match[0]
    before = match.string[: match.start()].split()
    last = before[-1].strip("“”().,;:") if before else ""
    named = last[:1].isupper() and last[1:].islower() and roman not in "LC"
    led = last.lower() in _LEADING or named or bool(ending)
    alone = match.string.strip(" .:—") == match[0] and roman not in "LC"
    if len(roman) == 1 and not led and not alone:
        return match[0]
    if roman in _WORDS and not led:
        return match[0]
    value = sum(
        -_VALUES[one] if _VALUES[one] < max(map(_VALUES.__getitem__, roman[at:])) else _VALUES[one]
        for at, one in enumerate(roman)
    )
    if ending == "er":
        return "premier"
    return f"{value}{'ème' if ending == 'e' else ending or ''}"
