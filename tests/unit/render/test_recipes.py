"""Voices as recipes: one text for equal mixes, and a sentence for what cannot be mixed."""

from pathlib import Path

import numpy as np
import pytest

from server.errors import BadRequest, Conflict, LecternError, NotFound
from server.kokoro_mlx.voices import TABLE, mixed
from server.render.blends import Blends
from server.render.files import WriteLock
from server.render.layout import make_rendition
from server.render.recipes import mix, recipe
from server.render.voices import VOICES, voice
from tests.fakes.synth import ENGINE


@pytest.mark.parametrize("one", [voice.id for voice in VOICES])
def test_a_voice_alone_is_its_own_recipe(one: str) -> None:
    assert str(recipe(one)) == str(recipe(f"{one}*0.3")) == str(mix([(one, 7.0), (one, 1.0)])) == one


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("af_heart*0.6+af_bella*0.4", "af_heart*0.6+af_bella*0.4"),
        ("af_bella*2 + af_heart*3", "af_heart*0.6+af_bella*0.4"),
        (" af_bella * .2+af_heart*0.30+af_bella*0.0", None),
        ("af_bella*.2+af_heart*0.30", "af_heart*0.6+af_bella*0.4"),
        ("bf_emma+af_heart", "af_heart*0.5+bf_emma*0.5"),
        ("am_puck+am_onyx+am_liam", "am_liam*0.334+am_onyx*0.333+am_puck*0.333"),
        ("am_puck*2+am_onyx+am_liam+am_echo*2", "am_echo*0.333+am_puck*0.333+am_liam*0.167+am_onyx*0.167"),
        ("af_heart*99+af_bella", "af_heart*0.99+af_bella*0.01"),
    ],
)
def test_equal_mixes_have_one_text(written: str, text: str | None) -> None:
    if text is None:
        with pytest.raises(BadRequest):
            recipe(written)
        return
    made = recipe(written)
    assert str(made) == text
    assert recipe(text) == made
    assert sum(one.thousandths for one in made.shares) == 1_000


def test_floats_from_json_and_text_are_the_same_mix() -> None:
    assert mix([("af_heart", 0.1 + 0.2), ("af_bella", 0.2)]) == recipe("af_heart*0.3+af_bella*0.2")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("nobody", "no voice 'nobody'"),
        ("af_heart*0.5+nobody*0.5", "no voice 'nobody'"),
        ("af_heart*0+af_bella", "weight of af_heart is 0"),
        ("af_heart*-1+af_bella", "no recipe"),
        ("af_heart*nan+af_bella", "no recipe"),
        ("af_heart**2+af_bella", "no recipe"),
        ("af_heart+", "no recipe"),
        ("+" * 500, "no recipe"),
        ("af_heart*1000+af_bella", "af_bella is less than 1 %"),
        ("af_heart+ff_siwis", "af_heart speaks English and ff_siwis French"),
        ("+".join(voice.id for voice in VOICES[:5]), "at most 4 voices, not 5"),
    ],
)
def test_what_cannot_be_mixed_is_refused_in_words(written: str, said: str) -> None:
    with pytest.raises(LecternError, match=said):
        recipe(written)


@pytest.mark.parametrize("weight", [0.0, -1.0, float("nan"), float("inf")])
def test_weights_that_are_none_are_refused(weight: float) -> None:
    with pytest.raises(BadRequest, match="weight of af_bella"):
        mix([("af_heart", 1.0), ("af_bella", weight)])


def test_the_accent_is_the_heaviest_parts() -> None:
    assert recipe("bf_emma*0.4+af_heart*0.6").lead.british is False
    assert voice(str(recipe("bf_emma*0.6+af_heart*0.4"))).british is True


def test_a_rendition_is_known_by_its_recipe_and_that_of_one_voice_as_before() -> None:
    one = make_rendition(voice="af_heart", engine=ENGINE, bitrate=48_000)
    again = make_rendition(voice=str(recipe("af_heart*3")), engine=ENGINE, bitrate=48_000, speed=1.0)
    blend = make_rendition(voice=str(recipe("af_bella*2+af_heart*3")), engine=ENGINE, bitrate=48_000)
    assert one == again and blend.id != one.id
    assert blend == make_rendition(voice=str(recipe("af_heart*.6+af_bella*.4")), engine=ENGINE, bitrate=48_000)


def test_tables_are_mixed_as_the_recipe_says() -> None:
    random = np.random.default_rng(0)
    one, two = (random.standard_normal(TABLE).astype(np.float32) for _ in range(2))
    made = mixed([(one, 0.6), (two, 0.4)])
    assert made.dtype == np.float32 and made.shape == TABLE
    np.testing.assert_allclose(made, 0.6 * one + 0.4 * two, atol=1e-6)
    assert np.array_equal(mixed([(one, 1.0)]), one)


@pytest.fixture
def blends(tmp_path: Path) -> Blends:
    return Blends(tmp_path, WriteLock(tmp_path / ".lock"))


def test_a_blend_is_found_by_its_name_and_keeps_its_recipe(blends: Blends) -> None:
    assert blends.all() == {} and str(blends.find("af_heart")) == "af_heart"
    evening = recipe("af_heart*3+af_bella*2")
    assert blends.put("  Evening  tide ", evening) == "Evening tide"
    assert blends.find("evening TIDE") == evening == blends.find("af_heart*.6+af_bella*.4")
    blends.put("evening tide", recipe("bf_emma+bm_george"))
    assert {name: str(made) for name, made in blends.all().items()} == {"evening tide": "bf_emma*0.5+bm_george*0.5"}
    blends.put("evening tide", evening, "Morning")
    assert list(blends.all()) == ["Morning"]
    blends.remove("MORNING")
    with pytest.raises(NotFound, match="Morning"):
        blends.remove("Morning")
    with pytest.raises(NotFound, match="lectern voices"):
        blends.find("Morning")


@pytest.mark.parametrize(
    "name", ["", " ", "x" * 41, "a*b", "a+b", "a/b", "..", "af_heart", "AF_Heart", "a\nb\x07", "\u200b"]
)
def test_names_that_could_not_be_used_are_refused(blends: Blends, name: str) -> None:
    with pytest.raises(BadRequest):
        blends.put(name, recipe("af_heart+af_bella"))
    assert blends.all() == {}


def test_a_name_is_not_taken_from_another_blend(blends: Blends) -> None:
    blends.put("One", recipe("af_heart+af_bella"))
    blends.put("Two", recipe("af_heart+af_sky"))
    with pytest.raises(Conflict, match="ONE"):
        blends.put("Two", recipe("af_heart+af_sky"), "ONE")
    assert list(blends.all()) == ["One", "Two"]


def test_a_line_that_somebody_spoilt_hides_no_other(blends: Blends, tmp_path: Path) -> None:
    (tmp_path / "voices.json").write_text(
        '{"format":1,"blends":[{"name":"Bad","voice":"nobody*0.5"},{"name":"Good","voice":"af_bella+af_heart"}]}'
    )
    assert {name: str(made) for name, made in blends.all().items()} == {"Good": "af_bella*0.5+af_heart*0.5"}
    (tmp_path / "voices.json").write_text("{")
    with pytest.raises(LecternError, match=r"voices\.json is damaged"):
        blends.all()
    assert str(blends.find("af_heart")) == "af_heart"  # which needs no file
