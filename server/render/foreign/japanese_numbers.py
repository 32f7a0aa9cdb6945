"""Numbers and counters as Japanese says them, in katakana: 三百 is サンビャク, 三匹 サンビキ, 四時 ヨジ (pure)."""

from typing import Final

DIGITS: Final = "〇一二三四五六七八九"
_SMALL: Final = {"十": 10, "百": 100, "千": 1_000}
_LARGE: Final = {"万": 10**4, "億": 10**8, "兆": 10**12, "京": 10**16}
_LARGE_SAID: Final = {10**16: "ケー", 10**12: "チョー", 10**8: "オク", 10**4: "マン"}
NUMERALS: Final = frozenset(DIGITS + "".join(_SMALL) + "".join(_LARGE) + "零0123456789")
_SAID: Final = ("", "イチ", "ニ", "サン", "ヨン", "ゴ", "ロク", "ナナ", "ハチ", "キュー")
_HUNDREDS: Final = {1: "ヒャク", 3: "サンビャク", 6: "ロッピャク", 8: "ハッピャク"}
_THOUSANDS: Final = {1: "セン", 3: "サンゼン", 8: "ハッセン"}
# (number, counter) said as one word of its own.
_WHOLE: Final = {
    (1, "人"): "ヒトリ", (2, "人"): "フタリ", (20, "歳"): "ハタチ", (20, "才"): "ハタチ",
    **{(number, "日"): said for number, said in zip(
        (2, 3, 4, 5, 6, 7, 8, 9, 10, 14, 20, 24),
        "フツカ ミッカ ヨッカ イツカ ムイカ ナノカ ヨーカ ココノカ トーカ ジューヨッカ ハツカ ニジューヨッカ".split(),
        strict=True)},
    **{(number, "つ"): said for number, said in enumerate(
        "ヒトツ フタツ ミッツ ヨッツ イツツ ムッツ ナナツ ヤッツ ココノツ".split(), start=1)},
}  # fmt: skip
# The last digit as it is said before these counters.
_BEFORE: Final = {
    "時": {"ヨン": "ヨ", "ナナ": "シチ", "キュー": "ク"}, "時間": {"ヨン": "ヨ", "ナナ": "シチ", "キュー": "ク"},
    "月": {"ヨン": "シ", "ナナ": "シチ", "キュー": "ク"}, "人": {"ヨン": "ヨ"}, "年": {"ヨン": "ヨ"},
    "円": {"ヨン": "ヨ"},
}  # fmt: skip
_SHORT: Final = {"イチ": "イッ", "ロク": "ロッ", "ハチ": "ハッ", "ジュー": "ジュッ", "ヒャク": "ヒャッ"}
_SHORTENED: Final = {
    **dict.fromkeys("カキクケコ", frozenset(("イチ", "ロク", "ハチ", "ジュー", "ヒャク"))),
    **dict.fromkeys("サシスセソタチツテト", frozenset(("イチ", "ハチ", "ジュー"))),
    **dict.fromkeys("ハヒフヘホパピプペポ", frozenset(("イチ", "ロク", "ハチ", "ジュー", "ヒャク"))),
}
_HARD: Final = dict(zip("ハヒフヘホ", "パピプペポ", strict=True))
_SOFT: Final = dict(zip("ハヒフヘホ", "バビブベボ", strict=True))
_AS_KANJI: Final = {**{ord(str(digit)): kanji for digit, kanji in enumerate(DIGITS)}, ord("零"): "〇", ord(","): ""}
_LONGEST = 16  # digits; a longer row is a number to dial, not to count with


def value_of(numerals: str) -> int | None:
    """The number that figures or kanji numerals write; None for digits in a row that are told one by one."""
    plain = numerals.translate(_AS_KANJI)
    if all(char in DIGITS for char in plain):
        told = (plain[:1] == "〇" and len(plain) > 1) or not 0 < len(plain) <= _LONGEST
        return None if told else int("".join(str(DIGITS.index(char)) for char in plain))
    total = section = digit = 0
    for char in plain:
        if char in DIGITS:
            digit = digit * 10 + DIGITS.index(char)
        elif char in _SMALL:
            section, digit = section + (digit or 1) * _SMALL[char], 0
        else:
            total, section, digit = total + (section + digit or 1) * _LARGE[char], 0, 0
    return total + section + digit


def spoken(numerals: str, counter: str = "", counted: str = "", *, voiced: bool = False) -> tuple[str, str]:
    """(number, counter) in katakana for a number as it is written, "3.5" or "三百".

    `counter` is the word behind it as written, `counted` its own reading; `voiced` where 三 makes it サンボン.
    """
    whole, point, part = numerals.partition(".")
    value = value_of(whole)
    if value is None or point:
        said = _told(whole) if value is None else "".join(_parts(value))
        return said + (f"テン{_told(part)}" if part else ""), counted
    if (value, counter) in _WHOLE:
        return _WHOLE[value, counter], ""
    parts = _parts(value)
    last, first = parts[-1], counted[:1]
    if last in _BEFORE.get(counter, {}):
        parts[-1] = _BEFORE[counter][last]
    elif last in _SHORTENED.get(first, ()):
        parts[-1] = _SHORT[last]
        counted = _HARD.get(first, first) + counted[1:]
    elif first in _HARD and (last == "サン" or (last == "ヨン" and first == "フ")):
        counted = (_SOFT if voiced and last == "サン" else _HARD)[first] + counted[1:]
    return "".join(parts), counted


def _told(numerals: str) -> str:
    """Digits one by one."""
    plain = numerals.translate(_AS_KANJI)
    return "".join("ゼロ" if char == "〇" else _SAID[DIGITS.index(char)] for char in plain if char in DIGITS)


def _parts(value: int) -> list[str]:
    """The words of a number."""
    if value == 0:
        return ["ゼロ"]
    words: list[str] = []
    for size, name in _LARGE_SAID.items():
        if value >= size:
            words += [*_parts(value // size), name]
            if name == "チョー" and words[-2] in ("イチ", "ハチ", "ジュー"):
                words[-2] = _SHORT[words[-2]]
            value %= size
    for size, special, name in ((1_000, _THOUSANDS, "セン"), (100, _HUNDREDS, "ヒャク"), (10, {1: "ジュー"}, "ジュー")):
        times = value // size
        if times in special:
            words.append(special[times])
        elif times:
            words += [_SAID[times], name]
        value %= size
    return [*words, _SAID[value]] if value else words
