"""Sentence files: exact lengths, the same bytes every time, little around the audio."""

import hashlib
import io
import subprocess
import sys

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from server.errors import RenderError
from server.render.aac import FADE_SAMPLES, decode, encode, lay_out, silence_au
from server.render.index import FRAME_SAMPLES, SAMPLE_RATE
from server.render.mp4 import file_header
from tests.fakes.synthetic import TEXTS, speech

BITRATES = (32_000, 48_000, 64_000)


def loud_noise(length: int) -> NDArray[np.float32]:
    return (0.2 * np.random.default_rng(3).standard_normal(length)).astype(np.float32)


@pytest.mark.parametrize("length", [1, 2, 500, 1_023, 1_024, 1_025, 5_000, 48_000])
def test_speech_is_laid_between_zeros_in_whole_access_units(length: int) -> None:
    pcm, start, end = lay_out(loud_noise(length))
    assert len(pcm) % FRAME_SAMPLES == 0
    assert (start, end - start) == (FRAME_SAMPLES, length)
    assert not pcm[:start].any() and not pcm[end:].any()
    assert FRAME_SAMPLES <= len(pcm) - end < 2 * FRAME_SAMPLES


def test_only_the_edges_of_the_speech_are_faded() -> None:
    audio = loud_noise(10_000)
    pcm, start, end = lay_out(audio)
    inside = slice(FADE_SAMPLES, len(audio) - FADE_SAMPLES)
    np.testing.assert_array_equal(pcm[start:end][inside], np.clip(audio, -1, 1)[inside])
    assert pcm[start] == 0 and abs(pcm[end - 1]) < 0.01


def test_samples_past_full_scale_are_limited() -> None:
    pcm, _, _ = lay_out(np.full(5_000, 3.0, np.float32))
    assert pcm.max() == 1.0


@pytest.mark.parametrize("audio", [np.zeros(0, np.float32), np.array([0.1, np.nan], np.float32)])
def test_no_audio_and_no_numbers_are_refused(audio: NDArray[np.float32]) -> None:
    with pytest.raises(RenderError):
        lay_out(audio)


@pytest.mark.parametrize("bitrate", BITRATES)
@pytest.mark.parametrize("text", TEXTS)
def test_a_file_decodes_to_exactly_its_samples(text: str, bitrate: int) -> None:
    pcm, _, _ = lay_out(speech(text)[0])
    encoded = encode(pcm, bitrate)
    heard = decode(encoded.data)
    assert len(heard) == len(pcm) == (len(encoded.au_sizes) - 1) * FRAME_SAMPLES
    # In step: the decoded signal fits the given one best where it is, not one sample to either side.
    fits = [float(np.dot(heard, np.roll(pcm, shift))) for shift in (-2, -1, 0, 1, 2)]
    assert max(fits) == fits[2] > 0.9 * float(np.dot(pcm, pcm))
    assert not heard[-FRAME_SAMPLES // 2 :].any()


def test_access_units_lie_where_the_index_will_say() -> None:
    encoded = encode(lay_out(loud_noise(30_000))[0], 48_000)
    assert encoded.data_offset + sum(encoded.au_sizes) == len(encoded.data)
    with av.open(io.BytesIO(encoded.data)) as container:
        stream = container.streams.audio[0]
        packets = [packet for packet in container.demux(stream) if packet.size]
        assert (stream.rate, stream.channels, stream.codec_context.extradata) == (24_000, 1, encoded.codec_config)
    assert [packet.size for packet in packets] == encoded.au_sizes
    at = encoded.data_offset
    for packet in packets:
        assert bytes(packet) == encoded.data[at : at + packet.size]
        at += packet.size
    assert packets[0].pts == -FRAME_SAMPLES  # the edit list hides the priming


def test_every_process_makes_the_same_bytes() -> None:
    program = (
        "import hashlib; from server.render.aac import encode, lay_out; from tests.fakes.synthetic import speech;"
        "print(hashlib.sha256(encode(lay_out(speech('The rain came over the hill.')[0])[0], 48000).data).hexdigest())"
    )
    here = encode(lay_out(speech("The rain came over the hill.")[0])[0], 48_000).data
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == hashlib.sha256(here).hexdigest()


def test_there_is_little_in_a_file_but_audio() -> None:
    for seconds in (0.5, 2, 4, 10):
        encoded = encode(lay_out(loud_noise(int(seconds * SAMPLE_RATE)))[0], 48_000)
        around = len(encoded.data) - sum(encoded.au_sizes)
        assert around == encoded.data_offset == 669 + 4 * len(encoded.au_sizes)
    # 1,100 bytes are enough for 4.5 s; longer ones need four more for each 43 ms.
    assert len(file_header(encoded.codec_config, [100] * 107, [(107, 0)])) < 1_100


@pytest.mark.parametrize(("bitrate", "megabytes"), list(zip(BITRATES, (15, 22, 29), strict=True)))
def test_an_hour_weighs_what_the_settings_promise(bitrate: int, megabytes: int) -> None:
    audio = np.concatenate([speech(f"{text} {n}")[0] for n in range(3) for text in TEXTS])
    weight = len(encode(lay_out(audio)[0], bitrate).data) / len(audio) * SAMPLE_RATE * 3_600 / 1e6
    assert abs(weight - megabytes) < megabytes * 0.15


@pytest.mark.parametrize("bitrate", BITRATES)
def test_the_silent_unit_is_what_the_encoder_makes_of_silence(bitrate: int) -> None:
    unit = silence_au(bitrate)
    quiet = encode(np.zeros(20 * FRAME_SAMPLES, np.float32), bitrate)
    units = [quiet.data[at : at + len(unit)] for at in range(quiet.data_offset, len(quiet.data), len(unit))]
    assert set(units) == {unit}
    assert not decode(quiet.data).any()


def test_lengths_that_are_no_whole_units_are_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="whole number"):
        encode(np.zeros(1_000, np.float32), 48_000)


def test_what_is_no_audio_is_refused_in_words() -> None:
    with pytest.raises(RenderError, match="cannot be decoded"):
        decode(b"<html>not audio</html>" * 50)
