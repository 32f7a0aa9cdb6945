"""WAV around raw samples; it needs no more than the standard library, so the server may use it too."""

import io
import wave

from server.render.index import SAMPLE_RATE


def as_wav(pcm: bytes) -> bytes:
    """16-bit samples at 24 kHz with the header of a WAV file."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(pcm)
    return out.getvalue()
