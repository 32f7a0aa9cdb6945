"""How loud each voice speaks (data).

Measured by benchmarks/quality.py: the median over some sentences of the level of their speech, without pauses. These
voices lie 10 dB apart; nearly all sentences of one lie within 4 dB below and 5 above it. A sentence is judged by it; no
sound is changed.
"""

from typing import Final

LEVELS_DB: Final[dict[str, float]] = {
    "af_alloy": -24.9, "af_aoede": -19.8, "af_bella": -23.5, "af_heart": -24.6, "af_jessica": -24.9, "af_kore": -21.0,
    "af_nicole": -24.1, "af_nova": -30.0, "af_river": -24.9, "af_sarah": -23.1, "af_sky": -26.1, "am_adam": -20.6,
    "am_echo": -25.8, "am_eric": -23.6, "am_fenrir": -21.7, "am_liam": -24.2, "am_michael": -26.4, "am_onyx": -26.6,
    "am_puck": -22.2, "am_santa": -24.7, "bf_alice": -23.2, "bf_emma": -22.9, "bf_isabella": -20.3, "bf_lily": -24.0,
    "bm_daniel": -23.6, "bm_fable": -24.8, "bm_george": -23.5, "bm_lewis": -25.8,
}  # fmt: skip


def level_db(voice: str) -> float | None:
    """The level of a voice's speech in dB of full scale; None where nobody has measured it, as of a blend."""
    return LEVELS_DB.get(voice)
