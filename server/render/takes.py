"""One pass rendered and cut into the sentences it holds."""

import hashlib
from collections.abc import Callable, Sequence

from server.render import gate
from server.render.engine import Synthesizer
from server.render.passes import Pass
from server.render.pronounce.words import Phonemes
from server.render.timing import Part, cut_points, part


def take(
    synth: Synthesizer,
    one: Pass,
    phonemes: Sequence[Phonemes],
    *,
    voice: str,
    speed: float,
    stop: Callable[[], bool],
    salt: int = 0,
) -> list[tuple[int, Part]]:
    """Render a pass over `phonemes` and cut it: (sentence, audio and words of its piece) in order.

    Another `salt` is another noise. Raises Stopped, RenderError, NotSpeech.
    """
    made = synth.render(one.phonemes, voice, speed=speed, seed=seed_of(one.phonemes, voice, salt), stop=stop)
    gate.check(made.audio, len(one.phonemes))  # noise cannot be cut into sentences, nor what is no number
    cuts = cut_points(made.audio, made.pred_dur, one.phonemes, one.pieces)
    return [
        (piece.sentence, part(made.audio, made.pred_dur, one.phonemes, cut, piece, phonemes[piece.sentence].words))
        for piece, cut in zip(one.pieces, cuts, strict=True)
    ]


def seed_of(phonemes: str, voice: str, salt: int = 0) -> int:
    """The noise of a pass is chosen by what is said, so that a repeated pass gives the same samples."""
    told = f"{voice}\0{phonemes}" if not salt else f"{voice}\0{phonemes}\0{salt}"
    return int.from_bytes(hashlib.sha256(told.encode()).digest()[:4], "big")
