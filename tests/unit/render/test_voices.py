"""The table of voices."""

import csv
from pathlib import Path

import pytest

from server.errors import BadRequest, NotFound
from server.library.languages import SPOKEN
from server.render.voices import DEFAULTS, LANGUAGES, VOICES, require_language, voice, voice_for


def test_table_is_whole_and_in_order() -> None:
    ids = [v.id for v in VOICES]
    assert len(ids) == 54
    assert len(set(ids)) == 54
    assert {v.id[0] for v in VOICES} == LANGUAGES.keys()
    assert all(v.id[1:3] in ("f_", "m_") for v in VOICES)


def test_british_and_english_follow_from_the_id() -> None:
    assert (voice("bf_emma").british, voice("bf_emma").english) == (True, True)
    assert (voice("af_heart").british, voice("af_heart").english) == (False, True)
    assert not voice("ff_siwis").english


def test_unknown_voice_is_named() -> None:
    with pytest.raises(NotFound, match="nobody"):
        voice("nobody")


@pytest.mark.corpus
def test_table_agrees_with_the_published_one(shared: Path) -> None:
    with (shared / "design" / "voices.tsv").open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    published = [(r["id"], r["name"], r["language"], r["gender"], r["overall_grade"] or None) for r in rows]
    assert [(v.id, v.name, v.language, v.gender, v.grade) for v in VOICES] == published


def test_a_book_gets_a_voice_of_its_language() -> None:
    assert voice_for("en-GB", "bf_emma") == voice_for("und", "bf_emma") == "bf_emma"
    assert voice_for("fr-CA", "bf_emma") == "ff_siwis"
    assert voice_for("en", "ff_siwis") == "af_heart"
    assert voice_for("pt-PT", "pm_alex") == "pm_alex"
    for language, chosen in DEFAULTS.items():
        assert voice(chosen).speaks == SPOKEN[language]


def test_a_voice_of_another_language_is_refused_by_both_names() -> None:
    require_language("ff_siwis", "fr-BE", "Un chat")
    with pytest.raises(BadRequest, match=r"ff_siwis speaks French, and “Emma” is in English: .* af_heart"):
        require_language("ff_siwis", "en", "Emma")
