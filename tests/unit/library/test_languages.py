"""What books call their languages, what that means, and where sentences end in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.errors import BadRequest, BookRefused
from server.library import languages
from server.library.sentences import split


@pytest.mark.parametrize(
    ("told", "code"),
    [
        ("en", "en"), ("en-GB", "en"), ("en_US", "en"), ("EN", "en"), ("eng", "en"), ("English", "en"), ("", "und"),
        ("und", "und"), ("UND", "und"), ("mul", "und"), ("zxx", "und"), ("es-ES", "es"), ("spa", "es"), ("fr-CA", "fr"),
        ("fre", "fr"), ("Français", "fr"), ("pt_BR", "pt"), ("por", "pt"), ("zh-Hant", "zh"), ("cmn", "zh"),
        ("jpn", "ja"), ("ja-jp", "ja"), ("hin", "hi"), ("ger", "de"), ("Deutsch", "de"), ("German (Austria)", "de"),
        ("a-value", "und"), ("x", "und"), ("1234", "und"), ("tlh", "tlh"), ("yue", "yue"),
    ],
)  # fmt: skip
def test_a_language_is_known_however_it_is_written(told: str, code: str) -> None:
    assert languages.primary(told) == code


def test_what_says_nothing_is_taken_for_english() -> None:
    for told in ("", "und", "mul", "a-value", "???"):
        assert languages.spoken(told) == languages.SPOKEN["en"]
    assert languages.tag_of("a-value") is None
    assert (languages.tag_of("pt_BR"), languages.tag_of("spa-MX"), languages.tag_of("English")) == (
        "pt-BR",
        "es-MX",
        "en",
    )


@pytest.mark.parametrize(("told", "name"), [("de", "German"), ("ger", "German"), ("la", "Latin"), ("tlh", "“tlh”")])
def test_a_language_that_nobody_speaks_is_refused_by_its_name(told: str, name: str) -> None:
    with pytest.raises(BookRefused, match=f"b.epub is in {name}, which .* reads English, Spanish, .* Chinese.*English"):
        languages.require_spoken(told, "b.epub")
    with pytest.raises(BadRequest, match=name):
        languages.chosen(told)
    assert languages.spoken(told) is None


def test_a_listener_is_told_how_the_book_is_read() -> None:
    assert languages.remark("en-GB") is languages.remark("und") is languages.remark("en", "en") is None
    assert languages.remark("es") == "Read in Spanish: sentences light up as they are spoken, single words do not."
    assert languages.remark("de", "en") == "The book says that it is in German. It is read in English, as you asked."
    assert (languages.remark("de", "fr") or "").startswith("The book says that it is in German. Read in French: ")


@given(st.text(max_size=40))
def test_whatever_a_book_says_is_a_language_or_none(told: str) -> None:
    assert languages.name_of(told)
    assert languages.spoken(told) is not None or languages.refusal("b.epub", told)
    languages.remark(told)


# `|` stands where a sentence ends.
SENTENCES = {
    "es": [
        "—¿Se va usted? —preguntó Marta—.| No, señora.| El Sr. Gil y la Dra. Soto salieron.",
        "«¡Basta!», dijo.| Trajo vino, queso, etc.| ¿Y tú?| ¡Nada!",
        "Llegó a las 3.30 con p. ej. dos maletas.",
    ],
    "fr": [
        "« Vous partez ? » demanda M. Blanc.| « Jamais ! »| Il s’assit.",
        "Mme Petit a 21 ans.| Dans la rue, J.-P. Morel attend… puis s’en va.",
    ],
    "it": ["«Dove sei?» gridò il dott. Neri.| «Qui.»| Poi tacque… e rise.", "È il 1999.| Il sig. Conti dorme."],
    "pt": ["— Espere! — disse o Sr. Costa.| — Não posso.| A Dra. Reis saiu às 15h30.| Fim."],
    "hi": ["डॉ. वर्मा आ गए।| “बैठिए!” माँ ने कहा।| क्या हुआ?| कुछ नहीं॥"],
    "ja": ["雪が降っていた。|「寒いね。」と父は言った。|「うん。|もう帰ろう。」"],
    "zh": ["“你来了！”他说。|“来了。|坐吧。”|外面下雪了……没有人。|冷吗？|不冷。"],
}


@pytest.mark.parametrize(("language", "marked"), [(code, text) for code, texts in SENTENCES.items() for text in texts])
def test_sentences_end_where_a_reader_of_the_language_breathes(language: str, marked: str) -> None:
    text = marked.replace("|", "")
    assert [text[a:b] for a, b in split(text, "paragraph", language)] == [part.strip() for part in marked.split("|")]


def test_english_is_cut_as_ever() -> None:
    text = "“Go!” he said. M. Blanc went. It was 3 a.m. in Paris."
    assert split(text) == split(text, "paragraph", "en-GB") == split(text, "paragraph", "und")


@pytest.mark.parametrize("language", ["ja", "zh"])
def test_a_sentence_without_spaces_is_never_longer_than_a_breath(language: str) -> None:
    for text in ("山" * 1_000, "山を見て、" * 200 + "。", "山。" * 300):
        spans = split(text, "paragraph", language)
        assert "".join(text[a:b] for a, b in spans) == text
        assert max(b - a for a, b in spans) <= 165


@given(st.text(max_size=300), st.sampled_from(["es", "fr", "hi", "it", "ja", "pt", "zh"]))
def test_no_letter_is_lost_between_sentences(text: str, language: str) -> None:
    covered: set[int] = set()
    for start, end in split(text, "paragraph", language):
        assert not covered & set(range(start, end))
        covered |= set(range(start, end))
    assert {i for i, char in enumerate(text) if char.isalnum()} <= covered
