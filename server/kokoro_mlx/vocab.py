"""The symbols Kokoro reads: 114 phonemes, stresses, tones and marks, each with its id."""

from server.kokoro_mlx.config import MAX_PHONEMES, PAD_ID

# Runs of symbols with consecutive ids. The table is part of the public model (its config.json), with gaps where the
# training data's 178 symbols were cut down.
_RUNS = (
    (1, ";:,.!?"),
    (9, '—…"()“” \u0303ʣʥʦʨᵝꭧAI'),
    (31, "O"),
    (33, "Q"),
    (35, "ST"),
    (39, "W"),
    (41, "Yᵊabcdef"),
    (50, "hijklmnopqrstuvwxyzɑɐɒæ"),
    (75, "βɔɕç"),
    (80, "ɖðʤə"),
    (85, "ɚɛɜ"),
    (90, "ɟ"),
    (92, "ɡ"),
    (99, "ɥ"),
    (101, "ɨɪʝ"),
    (110, "ɯɰŋɳɲɴø"),
    (118, "ɸθœ"),
    (123, "ɹ"),
    (125, "ɾɻ"),
    (128, "ʁɽʂʃʈʧ"),
    (135, "ʊʋ"),
    (138, "ʌɣɤ"),
    (142, "χʎ"),
    (147, "ʒʔ"),
    (156, "ˈˌː"),
    (162, "ʰ"),
    (164, "ʲ"),
    (169, "↓"),
    (171, "→↗↘"),
    (177, "ᵻ"),
)

VOCAB: dict[str, int] = {symbol: first + i for first, run in _RUNS for i, symbol in enumerate(run)}


class PhonemesError(ValueError):
    """A phoneme string the model cannot read whole; the message names what is wrong with it."""


def encode(phonemes: str) -> tuple[int, ...]:
    """Phonemes → input ids with a pad at both ends. Nothing is dropped: that would break the timings that follow.

    Raises PhonemesError on an empty string, on more than 510 phonemes, or on a symbol outside the vocabulary.
    """
    if not phonemes:
        raise PhonemesError("there are no phonemes to render")
    if len(phonemes) > MAX_PHONEMES:
        raise PhonemesError(f"{len(phonemes)} phonemes are more than the {MAX_PHONEMES} the model reads at once")
    if unknown := sorted(set(phonemes) - VOCAB.keys()):
        named = ", ".join(f"{symbol!r} (U+{ord(symbol):04X})" for symbol in unknown)
        raise PhonemesError(f"not in the model's vocabulary: {named}")
    return (PAD_ID, *(VOCAB[symbol] for symbol in phonemes), PAD_ID)
