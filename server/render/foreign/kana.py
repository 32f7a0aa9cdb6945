"""Kana to the model's symbols: data and a lookup (pure). The model was trained with exactly these."""

from typing import Final

_ROWS: Final = {
    "アイウエオ": "a i ɯ e o", "カキクケコ": "ka kʲi kɯ ke ko", "ガギグゲゴ": "ɡa ɡʲi ɡɯ ɡe ɡo",
    "サシスセソ": "sa ɕi sɨ se so", "ザジズゼゾ": "ʣa ʥi zɨ ʣe ʣo", "タチツテト": "ta ʨi ʦɨ te to",
    "ダヂヅデド": "da ʥi zɨ de do", "ナニヌネノ": "na ɲi nɯ ne no", "ハヒフヘホ": "ha çi ɸɯ he ho",
    "バビブベボ": "ba bʲi bɯ be bo", "パピプペポ": "pa pʲi pɯ pe po", "マミムメモ": "ma mʲi mɯ me mo",
    "ヤユヨ": "ja jɯ jo", "ラリルレロ": "ɾa ɾʲi ɾɯ ɾe ɾo", "ワヰヱヲヴ": "βa i e o vɯ", "ァィゥェォ": "a i ɯ e o",
    "ャュョヮ": "ja jɯ jo βa", "ヵヶ": "ka ke", "ヷヸヹヺ": "va vʲi ve vo",
}  # fmt: skip
_ALONE: Final = {kana: said for row, sounds in _ROWS.items() for kana, said in zip(row, sounds.split(), strict=True)}
# Before ャ ュ ョ: the consonant that the two make together.
_SMALL: Final = {"ャ": "a", "ュ": "ɨ", "ョ": "o"}
_PALATAL: Final = {
    "キ": "kʲ", "ギ": "ɡʲ", "シ": "ɕ", "ジ": "ʥ", "チ": "ʨ", "ヂ": "ʥ", "ニ": "ɲ", "ヒ": "ç", "ビ": "bʲ", "ピ": "pʲ",
    "ミ": "mʲ", "リ": "ɾʲ",
}  # fmt: skip
_PAIRS: Final = {
    **{kana + small: _PALATAL[kana] + vowel for kana in _PALATAL for small, vowel in _SMALL.items()},
    "イェ": "je", "ウィ": "βi", "ウェ": "βe", "ウォ": "βo", "キェ": "kʲe", "クァ": "kᵝa", "クィ": "kᵝi", "クェ": "kᵝe",
    "クォ": "kᵝo", "グァ": "ɡᵝa", "グィ": "ɡᵝi", "グェ": "ɡᵝe", "グォ": "ɡᵝo", "シェ": "ɕe", "ジェ": "ʥe", "チェ": "ʨe",
    "ツァ": "ʦa", "ツィ": "ʦʲi", "ツェ": "ʦe", "ツォ": "ʦo", "ティ": "tʲi", "テュ": "tʲɨ", "ディ": "dʲi", "デュ": "dʲɨ",
    "トゥ": "tɯ", "ドゥ": "dɯ", "ニェ": "ɲe", "ヒェ": "çe", "ファ": "ɸa", "フィ": "ɸʲi", "フェ": "ɸe", "フォ": "ɸo",
    "フュ": "ɸʲɨ", "フョ": "ɸʲo", "ヴァ": "va", "ヴィ": "vʲi", "ヴェ": "ve", "ヴォ": "vo", "ヴュ": "bʲɨ", "ヴョ": "bʲo",
}  # fmt: skip
_SMALL_VOWELS: Final = frozenset("ァィゥェォャュョ")
# ン before these sounds; ɴ before all others and at the end.
_NASALS: Final = {
    **dict.fromkeys("mpb", "m"), **dict.fromkeys("kɡ", "ŋ"), **dict.fromkeys("ɲʨʥ", "ɲ"), **dict.fromkeys("ntdɾz", "n"),
}  # fmt: skip
_HIRAGANA: Final = {code: code + 0x60 for code in range(0x3041, 0x3097)}
_EXTENSIONS: Final = dict(
    zip(map(ord, "ㇰㇱㇲㇳㇴㇵㇶㇷㇸㇹㇺㇻㇼㇽㇾㇿ"), "クシストヌハヒフヘホムラリルレロ", strict=True)
)


def katakana(text: str) -> str:
    """`text` with its hiragana as katakana."""
    return text.translate(_HIRAGANA).translate(_EXTENSIONS)


def is_kana(char: str) -> bool:
    """Whether `char` is said by these tables."""
    return char in _ALONE or char in "ッンー"


def sound(word: str) -> str:
    """Phonemes of a word in katakana; what is no kana is left out."""
    out: list[str] = []
    at = 0
    while at < len(word):
        pair = word[at : at + 2]
        if pair in _PAIRS:
            out.append(_PAIRS[pair])
        elif len(pair) == 2 and pair[1] in _SMALL_VOWELS and pair[0] in _ALONE:
            out.append(_ALONE[pair[0]][:-1] + _ALONE[pair[1]])
        else:
            out.append(_single(word, at))
            at -= 1
        at += 2
    return "".join(out)


def _single(word: str, at: int) -> str:
    char = word[at]
    if char == "ン":
        following = _ALONE.get(word[at + 1 : at + 2], "")[:1]
        return _NASALS.get(following, "ɴ")
    return {"ー": "ː", "ッ": "ʔ"}.get(char) or _ALONE.get(char, "")
