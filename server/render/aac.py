"""PCM to AAC and back; the only user of av.

The layout makes files joinable: 1,024 zeros before the speech and at least as many after it, in whole access units,
so that dropping each file's priming unit and putting the rest end to end decodes to the files end to end.
"""

import functools
import io
from dataclasses import dataclass
from fractions import Fraction

import av
import numpy as np
from av.audio.codeccontext import AudioCodecContext
from av.codec.context import Flags
from numpy.typing import NDArray

from server.errors import RenderError
from server.render.index import FRAME_SAMPLES, PRIMING_SAMPLES, SAMPLE_RATE
from server.render.mp4 import file_header

FADE_SAMPLES = SAMPLE_RATE * 5 // 1_000
# Noise substitution makes each decoder invent its own noise: joins would not be exact.
_OPTIONS = {"aac_pns": "0"}

Samples = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Encoded:
    """A sentence's .m4a. `au_sizes` holds every access unit's bytes, the priming one first, from `data_offset` on."""

    data: bytes
    au_sizes: list[int]
    data_offset: int
    codec_config: bytes  # AudioSpecificConfig


def lay_out(speech: Samples) -> tuple[Samples, int, int]:
    """Audio [m] for `encode` from `speech` [n], faded at its edges, and where the speech lies in it: start, end.

    m is a multiple of `FRAME_SAMPLES`. Raises RenderError when there is no sample or one that is not a number.
    """
    if speech.ndim != 1 or not len(speech):
        raise RenderError("The sentence has no audio.")
    if not np.isfinite(speech).all():
        raise RenderError("The sentence's audio holds values that are not numbers.")
    start, end = PRIMING_SAMPLES, PRIMING_SAMPLES + len(speech)
    pcm = np.zeros(-(-(end + FRAME_SAMPLES) // FRAME_SAMPLES) * FRAME_SAMPLES, np.float32)
    pcm[start:end] = np.clip(speech, -1.0, 1.0)
    fade = min(FADE_SAMPLES, len(speech) // 2)
    ramp = np.sin(np.linspace(0, np.pi / 2, fade, endpoint=False, dtype=np.float32)) ** 2
    pcm[start : start + fade] *= ramp
    pcm[end - fade : end] *= ramp[::-1]
    return pcm, start, end


def encode(pcm: Samples, bitrate: int) -> Encoded:
    """The .m4a of `pcm` [n], n a multiple of `FRAME_SAMPLES`: the same bytes for the same samples, always."""
    units, config = _access_units(pcm, bitrate)
    sizes = [len(unit) for unit in units]
    header = file_header(config, sizes, [(len(units), 0)])
    return Encoded(data=header + b"".join(units), au_sizes=sizes, data_offset=len(header), codec_config=config)


@functools.cache
def silence_au(bitrate: int) -> bytes:
    """The access unit that decodes to 1,024 zeros among others like it."""
    units, _ = _access_units(np.zeros(8 * FRAME_SAMPLES, np.float32), bitrate)
    return units[4]


def decode(data: bytes) -> Samples:
    """The samples [n] of an audio file, priming removed. Raises RenderError when it cannot be decoded."""
    try:
        with av.open(io.BytesIO(data), "r") as container:
            blocks = [frame.to_ndarray()[0] for frame in container.decode(audio=0)]
    except av.FFmpegError as error:
        raise RenderError(f"The audio cannot be decoded ({error}).") from error
    return np.concatenate(blocks).astype(np.float32, copy=False) if blocks else np.zeros(0, np.float32)


def _access_units(pcm: Samples, bitrate: int) -> tuple[list[bytes], bytes]:
    """Access units of `pcm`, the priming one first, and their AudioSpecificConfig."""
    if len(pcm) == 0 or len(pcm) % FRAME_SAMPLES:
        raise ValueError(f"{len(pcm)} samples are no whole number of access units")
    codec = AudioCodecContext.create("aac", "w")
    codec.sample_rate, codec.layout, codec.format = SAMPLE_RATE, "mono", "fltp"
    codec.bit_rate, codec.options = bitrate, dict(_OPTIONS)
    codec.time_base = Fraction(1, SAMPLE_RATE)
    codec.flags |= Flags.bitexact
    frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(pcm[None, :], np.float32), format="fltp", layout="mono")
    frame.sample_rate, frame.pts, frame.time_base = SAMPLE_RATE, 0, Fraction(1, SAMPLE_RATE)
    units = [bytes(packet) for packet in (*codec.encode(frame), *codec.encode(None))]
    if len(units) != (len(pcm) + PRIMING_SAMPLES) // FRAME_SAMPLES or codec.extradata is None:
        raise RenderError(f"The AAC encoder gave {len(units)} access units for {len(pcm)} samples; check av's version.")
    return units, bytes(codec.extradata)
