"""The 114 symbols that the model knows, kept apart from the port so that text work needs no model."""

from typing import Final

# Each is one code point, in the order of the model's table; a test compares the two.
SYMBOLS: Final = (
    ';:,.!?—…"()“” \u0303ʣʥʦʨᵝꭧAIOQSTWYᵊabcdefhijklmnopqrstuvwxyz'
    "ɑɐɒæβɔɕçɖðʤəɚɛɜɟɡɥɨɪʝɯɰŋɳɲɴøɸθœɹɾɻʁɽʂʃʈʧʊʋʌɣɤχʎʒʔˈˌːʰʲ↓→↗↘ᵻ"
)
KNOWN: Final = frozenset(SYMBOLS)
PUNCTUATION: Final = frozenset(';:,.!?—…"()“”')
# A sentence may end in any of these: the model leaves a silence after them.
STOPS: Final = frozenset(".!?…—;:,")
CLOSERS: Final = frozenset('”")')
