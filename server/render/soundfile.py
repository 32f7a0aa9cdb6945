"""Sound files for people and scripts; the store's own files are made by `aac`."""

import io
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

import av
import numpy as np
from av.audio.stream import AudioStream
from numpy.typing import NDArray

from server.errors import BadRequest, RenderError
from server.render.aac import encode
from server.render.index import FRAME_SAMPLES, PRIMING_SAMPLES, SAMPLE_RATE
from server.render.wavefile import as_wav

Samples = NDArray[np.float32]


def sound_file(audio: Samples, suffix: str, bitrate: int) -> bytes:
    """`audio` [n], float32 at 24 kHz, as a file of the kind that `suffix` (".wav") names.

    `bitrate` counts for AAC and MP3. Raises BadRequest for a kind that is not among `KINDS`.
    """
    make = _MAKERS.get(suffix.lower())
    if make is None:
        raise BadRequest(f"{suffix or 'A name without an ending'} is no kind of sound file; use {', '.join(KINDS)}.")
    return make(np.ascontiguousarray(np.clip(audio, -1.0, 1.0), np.float32), bitrate)


def _wav(audio: Samples, _bitrate: int) -> bytes:
    return as_wav(_pcm16(audio).tobytes())


def _m4a(audio: Samples, bitrate: int) -> bytes:
    # Silence to end on: some decoders lose the last access unit.
    length = -(-(len(audio) + PRIMING_SAMPLES) // FRAME_SAMPLES) * FRAME_SAMPLES
    return encode(np.pad(audio, (0, length - len(audio))), bitrate).data


def _flac(audio: Samples, _bitrate: int) -> bytes:
    return _packed(_pcm16(audio)[None, :], "s16", "flac", "flac", None)


def _mp3(audio: Samples, bitrate: int) -> bytes:
    return _packed(audio[None, :], "fltp", "mp3", "libmp3lame", bitrate)


def _aac(audio: Samples, bitrate: int) -> bytes:
    return _packed(audio[None, :], "fltp", "adts", "aac", bitrate)


def _pcm(audio: Samples, _bitrate: int) -> bytes:
    return _pcm16(audio).astype("<i2").tobytes()


def _packed(planes: NDArray[Any], form: str, kind: str, codec: str, bitrate: int | None) -> bytes:
    out = io.BytesIO()
    with av.open(out, "w", format=kind) as container:
        stream = container.add_stream(codec, rate=SAMPLE_RATE, layout="mono")
        if not isinstance(stream, AudioStream):
            raise RenderError(f"The installed av cannot write {kind}; reinstall it.")
        if bitrate is not None:
            stream.bit_rate = bitrate
        frame = av.AudioFrame.from_ndarray(planes, format=form, layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = SAMPLE_RATE, 0, Fraction(1, SAMPLE_RATE)
        container.mux([*stream.encode(frame), *stream.encode(None)])
    return out.getvalue()


def _pcm16(audio: Samples) -> NDArray[np.int16]:
    return np.round(audio * 32_767).astype(np.int16)


_MAKERS: Final[dict[str, Callable[[Samples, int], bytes]]] = {
    ".wav": _wav,
    ".m4a": _m4a,
    ".mp3": _mp3,
    ".flac": _flac,
    ".aac": _aac,  # a bare stream, without a container
    ".pcm": _pcm,  # 16 bits, little-endian, 24 kHz, nothing else
}
KINDS: Final = (".wav", ".m4a", ".mp3", ".flac")  # what people are told of
