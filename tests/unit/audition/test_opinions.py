"""What somebody thinks of voices: kept in a plain file, and not lost with a damaged one."""

import json
from pathlib import Path

import pytest

from server.audition import opinions
from server.audition.opinions import FILE, Opinion, Opinions, Tally
from server.errors import BadRequest, Conflict, NotFound


def test_stars_and_notes_follow_the_voice(tmp_path: Path) -> None:
    kept = Opinions(tmp_path)
    assert kept.read().voices == {}
    kept.think("af_heart", Opinion(stars=4, note="Warm."))
    kept.think("say:Daniel", Opinion(favourite=True))
    told = json.loads((tmp_path / FILE).read_text())
    assert told["format"] == 1 and told["voices"]["af_heart"] == {"stars": 4, "note": "Warm.", "favourite": False}
    assert Opinions(tmp_path).read().voices["say:Daniel"].favourite
    assert set(kept.think("say:Daniel", Opinion()).voices) == {"af_heart"}


def test_scores_are_counted(tmp_path: Path) -> None:
    kept = Opinions(tmp_path)
    kept.judge(["af_heart", "bf_emma", "am_puck"], "bf_emma")
    told = kept.judge(["af_heart", "bf_emma"], "af_heart")
    assert told.blind["bf_emma"] == Tally(good=1, of=2) and told.blind["am_puck"] == Tally(good=0, of=1)
    for right in (True, True, False):
        told = kept.answer("af_heart", "wh", right)
    assert told.pairs["af_heart"]["wh"] == Tally(good=2, of=3)
    assert kept.forget_scores("pairs").pairs == {} and kept.read().blind


@pytest.mark.parametrize(("heard", "won"), [(["a"], "a"), (["a", "b"], "c"), (["a", "a"], "a")])
def test_a_round_without_a_choice_is_none(tmp_path: Path, heard: list[str], won: str) -> None:
    with pytest.raises((BadRequest, NotFound), match="blind round"):
        Opinions(tmp_path).judge(heard, won)
    assert not (tmp_path / FILE).exists()


def test_too_much_is_refused_and_a_name_must_be_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Opinions(tmp_path)
    for name in ("", " ", "a\nb", "x" * 201):
        with pytest.raises(NotFound, match="characters that can be seen"):
            kept.think(name, Opinion(stars=1))
    monkeypatch.setattr(opinions, "MOST", 1)
    kept.think("a", Opinion(stars=1))
    with pytest.raises(Conflict, match="take some of it back"):
        kept.think("b", Opinion(stars=1))


def test_a_damaged_file_is_put_aside(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("{")
    assert Opinions(tmp_path).think("a", Opinion(stars=3)).voices["a"].stars == 3
    assert [path.name for path in tmp_path.glob("*damaged*")] == [f"{FILE}.damaged"]
