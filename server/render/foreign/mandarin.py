"""Chinese: jieba's words, pypinyin's readings, pinyin as the model was trained to hear it.

Tones are said as the dictionary has them: the model, trained that way, makes 你好 and 不是 sound as they do in speech.
"""

import functools
import re
from typing import Any, Final

from server.render.foreign.mandarin_numbers import in_characters
from server.render.foreign.phrases import speak
from server.render.foreign.pinyin import sound
from server.render.foreign.replaced import Replaced
from server.render.pronounce import espeak

_HAN: Final = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_RUN = re.compile(rf"([{_HAN}]+)|([A-Za-z\u00c0-\u024f]+(?:['’\-][A-Za-z\u00c0-\u024f]+)*)|([&+@°])")
_SIGNS: Final = {"&": "和", "+": "加", "@": "艾特", "°": "度"}


@functools.cache
def _cutter() -> Any:
    import rjieba  # late: its dictionary takes a second, which only a Chinese book is worth

    return rjieba.Jieba()


class MandarinReader(Replaced):
    """Phonemes of Mandarin Chinese, simplified or traditional."""

    def __init__(self) -> None:
        self._cutter = _cutter()

    def say(self, text: str) -> str:
        return speak(in_characters(text), self._phrase)

    def _phrase(self, text: str) -> str:
        said: list[str] = []
        for found in _RUN.finditer(text):
            if found[2]:
                said.append(espeak.phonemes(found[2], False))
                continue
            said += [_word(word) for word in self._cutter.cut(_SIGNS.get(found[0], found[0]))]
        return " ".join(filter(None, said))


@functools.lru_cache(50_000)
def _word(word: str) -> str:
    from pypinyin import Style, lazy_pinyin

    return "".join(map(sound, lazy_pinyin(word, style=Style.TONE3, neutral_tone_with_five=True, errors="ignore")))
