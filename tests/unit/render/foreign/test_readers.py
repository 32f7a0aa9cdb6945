"""The other languages, by their phonemes: what misaki would say, nothing unknown, nothing lost, nothing that fails."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.library.abroad import ABBREVIATIONS
from server.render.foreign.abbreviations import WIDE, widen
from server.render.passes import plan
from server.render.pronounce.overrides import Override
from server.render.pronounce.vocabulary import KNOWN, STOPS
from server.render.pronouncers import Pronouncers
from server.render.voices import DEFAULTS

LANGUAGES = ["es", "fr", "hi", "it", "ja", "pt", "zh"]
READERS = Pronouncers()


def say(language: str, text: str) -> str:
    found = READERS(DEFAULTS[language]).sentences([text], [False])[0]
    assert found.words == ()
    return found.phonemes


def bare(phonemes: str) -> str:
    return phonemes.replace("ˈ", "").replace("ˌ", "")


@pytest.mark.parametrize(
    ("language", "text", "phonemes"),
    [
        ("es", "La casa es vieja.", "la kˈasa ˈes βjˈexa."),
        ("fr", "Les amis sont là.", "lez amˈi sˈɔ̃ lˈa."),
        ("it", "Che bella giornata!", "ke bˈɛlla ʤornˈata!"),
        ("pt", "Bom dia.", "bˈoŋ ʤˈiæ."),
        ("hi", "मैं घर जा रहा हूँ।", "mɛ̃ ɡʰˈʌɾ ɟˈaː ɾˌəhaː hũ."),
        ("ja", "東京へ行った。", "toːkʲoː e iʔta."),
        ("zh", "你好，世界！", "ni↓xau↓, ʂɨ↘ʨje↘!"),
    ],
)
def test_each_language_has_its_sounds(language: str, text: str, phonemes: str) -> None:
    assert say(language, text) == phonemes


@pytest.mark.parametrize(
    ("language", "written", "same"),
    [
        ("es", "—¿Qué? —dijo él—.", "Qué? — dijo él."),
        ("es", "Don Quijote[12] salió*.", "Don Quijote salió."),
        ("es", "El Sr. Gil vive en el siglo XIX.", "El señor Gil vive en el siglo 19."),
        ("es", "Son las 3:30.", "Son las 3 y 30."),
        ("fr", "«\u00a0Oui\u00a0», dit-il…", "“Oui”, dit-il..."),
        ("fr", "L’été de M. Blanc.", "L'été de monsieur Blanc."),
        ("fr", "1\u202f234 francs à 18\u00a0h\u00a030.", "1234 francs à 18 heures 30."),
        ("fr", "Louis XIV et le week-end.", "Louis 14 et le week-end."),
        ("it", "Il sig. Conti.", "Il signor Conti."),
        ("it", "I ragazzi di VI.", "I ragazzi di VI."),
        ("pt", "O Sr. Costa saiu às 15h30.", "O senhor Costa saiu às 15 horas 30."),
        ("hi", "१२ लोग।", "12 लोग."),
        ("ja", "１２３個の「ﾎﾝ」", "百二十三個の「ホン」"),
        ("ja", "いすゞ", "いすず"),
        ("zh", "1999年有1,234人。", "一九九九年有一千二百三十四人。"),
        ("zh", "25%和3.5。", "百分之二十五和三点五。"),
    ],
)
def test_two_ways_to_write_it_sound_the_same(language: str, written: str, same: str) -> None:
    assert say(language, written).rstrip(".") == say(language, same).rstrip(".")


@pytest.mark.parametrize(
    ("text", "kana"),
    [
        ("3本", "サンボン"), ("6回", "ロッカイ"), ("10杯", "ジュッパイ"),
        ("8冊", "ハッサツ"), ("3分", "サンプン"), ("一人", "ヒトリ"),
        ("4時", "ヨジ"), ("4月20日", "シガツハツカ"), ("300", "サンビャク"),
        ("3000円", "サンゼンエン"), ("600", "ロッピャク"), ("10000", "イチマン"),
        ("二〇二四年", "ニセンニジューヨネン"), ("3.5キロ", "サンテンゴキロ"), ("007", "ゼロゼロナナ"),
        ("3万5千人", "サンマンゴセンニン"),
    ],
)  # fmt: skip
def test_japanese_counts(text: str, kana: str) -> None:
    given = say("ja", f"{text}、山。")
    assert re.sub(r"\W", "", given) in {re.sub(r"\W", "", say("ja", f"{kana}、山。")), *_without_joins(kana)}


def _without_joins(kana: str) -> set[str]:
    from server.render.foreign.kana import sound

    return {re.sub(r"\W", "", sound(kana) + say("ja", "山。"))}


def test_no_mark_stands_inside_a_word() -> None:
    assert bare(say("hi", "बूढ़ा")) == "buːɽʰaː."
    assert "." not in say("hi", "बूढ़ा आदमी")[:-1]


def test_overrides_are_said() -> None:
    text = "Ana vive en Madrid."
    spoken = READERS("ef_dora").sentences(
        [text, text, text],
        [False] * 3,
        [[Override(0, 3, words="Eva")], [Override(12, 18, phonemes="xˈo")], [Override(3, 18, words="")]],
    )
    assert spoken[0].phonemes == say("es", "Eva vive en Madrid.")
    assert spoken[1].phonemes.endswith(" xˈo.") and spoken[1].phonemes.startswith(say("es", "Ana vive en").rstrip("."))
    assert spoken[2].phonemes == say("es", "Ana.")


def test_what_is_written_out_ends_no_sentence() -> None:
    for language, table in WIDE.items():
        for written in table:
            if written.endswith(".") and " " not in written:
                assert written[:-1].lower() in ABBREVIATIONS[language] | {"etc", "ecc", "cía"}, written
    assert widen("Vino, pan, etc.", "es") == "Vino, pan, etcétera."


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("text", ["", " ", "* * *", "—", "…", "¿?", "。", "「」", "☙❧", "\u200b\ufeff", "⸻"])
def test_a_text_with_nothing_to_say_is_silent(language: str, text: str) -> None:
    assert say(language, text) == ""


LONG = {
    "es": "el gato duerme y ", "fr": "le chat dort et ", "hi": "बिल्ली सोती है और ", "it": "il gatto dorme e ",
    "ja": "猫が眠って犬が起きて", "pt": "o gato dorme e ", "zh": "猫在睡觉狗在叫",
}  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_longer_than_a_pass_is_cut_between_words_and_loses_nothing(language: str) -> None:
    said = READERS(DEFAULTS[language]).sentences([LONG[language] * 40], [False])
    passes = plan(said, [0])  # raises where a phoneme is lost
    assert len(passes) > 1
    assert " ".join(one.phonemes for one in passes) == said[0].phonemes


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_whatever_is_written_has_known_symbols_only(language: str, data: st.DataObject) -> None:
    own = st.text(
        st.sampled_from(sorted(set("".join(LONG.values()) + "0123456789.,:;!?¿¡«»“”‘’'—-…()[]%€$XIVLC年日人匹।")))
    )
    text = data.draw(st.one_of(st.text(max_size=60), own))
    phonemes = say(language, text)
    assert set(phonemes) <= KNOWN
    assert "  " not in phonemes and phonemes == phonemes.strip()
    assert not phonemes or phonemes.rstrip("”)")[-1:] in STOPS
