"""Speech for other programs: how a text is cut, how voices are named, and what arrives from the real voice."""

import asyncio
import contextlib
import io
import wave
from pathlib import Path

import numpy as np
import pytest

from server.config import Settings
from server.errors import NotFound
from server.house import House
from server.render.aac import decode
from server.render.engine import kokoro_engine
from server.setup import check_models
from server.speech import PARAGRAPH_S, PIECE_CHARS, SENTENCE_S, pieces_of, recipe_of

LONG = "This is a sentence of no great length. " * 20


def test_a_text_is_cut_between_sentences_and_loses_nothing() -> None:
    text = f"{LONG}\n\nA second  paragraph.\nIt goes on.\n\n \n"
    pieces = list(pieces_of(text))
    assert " ".join(piece for piece, _ in pieces) == " ".join(text.split())
    assert all(len(piece) < PIECE_CHARS for piece, _ in pieces)
    assert [pause for _, pause in pieces] == [SENTENCE_S] * (len(pieces) - 2) + [PARAGRAPH_S] * 2
    assert list(pieces_of(" \n\n ")) == []


def test_a_sentence_without_an_end_is_cut_where_a_reader_would_breathe() -> None:
    text = "and then, as it was late, the old man went up the stair of the tower " * 20 + "x" * 700
    pieces = list(pieces_of(text))
    assert all(0 < len(piece) <= PIECE_CHARS for piece, _ in pieces)
    assert "".join(piece for piece, _ in pieces).replace(" ", "") == text.replace(" ", "")
    assert pieces[0][0].endswith(",") and pieces[0][1] < SENTENCE_S


@pytest.mark.parametrize(
    ("voice", "recipe"),
    [
        ("af_bella", "af_bella"),
        ("alloy", "af_heart"),
        ("", "af_heart"),
        ("af_heart+af_bella", "af_heart*0.5+af_bella*0.5"),
        ("af_heart(2)+af_bella(1)", "af_heart*0.667+af_bella*0.333"),
        ("af_heart*0.6+af_bella*0.4", "af_heart*0.6+af_bella*0.4"),
        ("af_heart(0)+af_bella(0)", "af_heart(0)+af_bella(0)"),
        ("Evening", "Evening"),
        ("+", "+"),
        ("af_heart(.)+af_sky(1)", "af_heart(.)+af_sky(1)"),
        ("af_heart(1.2.3)+af_sky", "af_heart(1.2.3)+af_sky"),
        ("af_heart(.5)+af_sky(1.)", "af_heart*0.333+af_sky*0.667"),
    ],
)
def test_a_voice_is_named_as_here_or_as_elsewhere(voice: str, recipe: str) -> None:
    assert recipe_of(voice, "af_heart") == recipe


@pytest.mark.speech
async def test_the_real_voice_in_every_format(tmp_path: Path, models: Path) -> None:
    settings = Settings(library=tmp_path / "library", data=tmp_path / "data")
    settings.data.mkdir()
    (settings.data / "models").symlink_to(models)
    engine = kokoro_engine(check_models(settings.models).weights_sha256)
    with contextlib.closing(House(settings, engine)) as house:
        rendering = asyncio.create_task(house.planner.run())
        try:
            pcm = await house.speech.say("Hello there.", "af_heart+af_bella", 1.0, "pcm")
            samples = np.frombuffer(pcm, "<i2")
            assert 0.5 < len(samples) / 24_000 < 3 and np.abs(samples).max() > 3_000
            with wave.open(io.BytesIO(await house.speech.say("Hello there.", "alloy", 1.0, "wav"))) as file:
                assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (24_000, 1, 2)
                assert file.getnframes() > 12_000
            for kind in ("mp3", "aac", "flac"):
                heard = decode(await house.speech.say("Hello there.", "af_heart+af_bella", 1.0, kind))
                assert len(heard) == pytest.approx(len(samples), abs=3_000), kind
                assert np.abs(heard).max() > 0.08, kind
            with pytest.raises(NotFound):
                await house.speech.say("Hello.", "xx_nobody", 1.0, "mp3")
            assert list((settings.data / "previews").iterdir()) == []
        finally:
            rendering.cancel()
            await asyncio.gather(rendering, return_exceptions=True)
