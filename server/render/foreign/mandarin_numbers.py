"""Figures as Chinese characters: 120 as 一百二十, the year 1999年 digit by digit, 25% as 百分之二十五 (pure)."""

import re
from typing import Final

_DIGITS: Final = "零一二三四五六七八九"
_UNITS: Final = ("", "十", "百", "千")
_LARGE: Final = ("", "万", "亿", "万亿")
_YEAR = re.compile(r"(?<!\d)(\d{4}|\d0(?=年代))(?=年)")
_PERCENT = re.compile(r"(\d[\d,]*(?:\.\d+)?)\s*[%％]")
_MONEY = re.compile(r"([$€£¥￥])\s*(\d[\d,]*(?:\.\d+)?)")
_COINS: Final = {"$": "美元", "€": "欧元", "£": "英镑", "¥": "元", "￥": "元"}
_CLOCK = re.compile(r"(?<![\d:])([01]?\d|2[0-4]):([0-5]\d)(?![\d:])")
_FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")
_LONGEST = 16  # digits; a longer row is a number to dial, not to count with


def in_characters(text: str) -> str:
    """`text` with its figures written as they are said."""
    if not any(char.isdigit() for char in text):
        return text
    text = _YEAR.sub(lambda match: _each(match[1]), text)
    text = _PERCENT.sub(lambda match: f"百分之{_figure(match[1])}", text)
    text = _MONEY.sub(lambda match: _figure(match[2]) + _COINS[match[1]], text)
    text = _CLOCK.sub(_time, text)
    return _FIGURE.sub(lambda match: _figure(match[0]), text)


def _each(digits: str) -> str:
    return "".join(_DIGITS[int(digit)] for digit in digits)


def _time(match: re.Match[str]) -> str:
    minutes = "" if match[2] == "00" else ("零" if match[2][0] == "0" else "") + count(int(match[2])) + "分"
    return count(int(match[1])) + "点" + minutes


def _figure(figure: str) -> str:
    whole, _, part = figure.partition(".")
    digits = whole.replace(",", "")
    tail = "," if whole.endswith(",") else ""
    said = _each(digits) if len(digits) > _LONGEST or (len(digits) > 1 and digits[0] == "0") else count(int(digits))
    return said + (f"点{_each(part)}" if part else tail)


def count(value: int) -> str:
    """A whole number below 10^16 in characters."""
    if value < 10:
        return _DIGITS[value]
    groups: list[str] = []
    missing = False
    for place in range(3, -1, -1):
        group = value // 10_000**place % 10_000
        if not group:
            missing = bool(groups)
            continue
        zero = bool(groups) and (missing or group < 1_000)
        groups.append(("零" if zero else "") + _group(group) + _LARGE[place])
        missing = False
    said = "".join(groups)
    return said.removeprefix("一") if said.startswith("一十") else said


def _group(value: int) -> str:
    """A number below 10,000."""
    out = ""
    gap = False
    for place in range(3, -1, -1):
        digit = value // 10**place % 10
        if digit:
            out += ("零" if gap and out else "") + _DIGITS[digit] + _UNITS[place]
        gap = not digit
    return out
