"""The keyboard of sounds offers nothing that a rule cannot hold."""

import re
from pathlib import Path

import pytest

from server.render.lexicon.symbols import read_phonemes

KEYS = Path(__file__).resolve().parents[2] / "web" / "lib" / "phoneme-list.js"
SYMBOLS = re.findall(r'\["([^"]+)", "', KEYS.read_text())


@pytest.mark.parametrize("symbol", [one for one in SYMBOLS if one not in "ˈˌ"])
def test_every_key_is_a_sound_that_the_voices_know(symbol: str) -> None:
    assert read_phonemes(f"ˈ{symbol}ˌə").american
    assert len(SYMBOLS) > 40
