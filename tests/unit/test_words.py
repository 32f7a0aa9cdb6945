"""`lectern words`: what had to be guessed, how it is said and where, and that a rule takes it off the list."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from server.cli import main
from server.cli.words import word_lines
from server.library.reader import read_book
from server.render.g2p import G2P
from server.render.store import Store
from server.render.survey import BATCH, Asked, survey
from tests.epubs import build_epub
from tests.fakes.synthetic import ENGINE

PAGES = {
    "c1.xhtml": "<h1>Grulnifex</h1><p>Grulnifex met Vorblatt. It rained.</p>",
    "c2.xhtml": "<h1>Two</h1><p>Then Grulnifex’s lamp went out.</p>",
    "imprint.xhtml": "<h1>Imprint</h1><p>Zorgmox Press. All rights reserved. Copyright. ISBN.</p>",
}
TOC = [("Grulnifex", "c1.xhtml"), ("Two", "c2.xhtml"), ("Imprint", "imprint.xhtml")]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LECTERN_DATA", str(tmp_path / "data"))
    return build_epub(tmp_path / "names.epub", PAGES, toc=TOC, title="Names")


def test_guesses_are_counted_by_sentence_over_batches() -> None:
    texts = ["Grulnifex and Grulnifex.", *["It rained."] * BATCH, "Grulnifex slept.", "So did Vorblatt."]
    asked = [Asked(1, str(at), text, False) for at, text in enumerate(texts)]
    told: list[int] = []
    first, second = survey(asked, G2P(), progress=told.append)
    assert (first.word, first.count, first.sentence, first.text) == ("Grulnifex", 2, "0", texts[0])
    assert first.phonemes and first.phonemes == G2P().sentences(["Grulnifex"], [False])[0].phonemes.rstrip(".")
    assert (second.word, second.count) == ("Vorblatt", 1)
    assert told == [BATCH, len(texts)]


def test_a_file_is_listed_without_what_is_not_read(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["words", "--json", str(path)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["book"] == "Names" and told["voice"] == "af_heart"
    found = {guess["word"]: (guess["count"], guess["chapter"]) for guess in told["words"]}
    assert found["Vorblatt"] == (1, 1) and "Zorgmox" not in found
    assert sum(count for word, (count, _) in found.items() if word.startswith("Grulnifex")) == 3


def test_a_word_with_a_rule_is_no_guess_any_more(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = read_book(path)
    store = Store(path.parent / "data" / "store")
    store.put_book(
        book, source=path, voice="af_heart", engine=ENGINE, bitrate=48_000, added=datetime(2026, 1, 2, tzinfo=UTC)
    )
    (store.book_folder(book.id) / "overrides.txt").write_text("Grulnifex = /ɡɹˈʌl/\n", encoding="utf-8")
    assert main(["words", "Names"]) == 0
    told = capsys.readouterr().out
    assert "1 word of “Names” had to be guessed" in told
    assert "    1 ×  Vorblatt  " in told and "Grulnifex met Vorblatt." in told


def test_a_book_of_known_words_says_so() -> None:
    assert list(word_lines("Names", [])) == ["Every word of “Names” is in the dictionary."]


def test_an_unknown_book_is_named(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["words", "Nothing"]) == 4
    assert "There is no book 'Nothing'" in capsys.readouterr().err


def test_a_file_is_read_by_a_voice_of_its_language(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pages = {"c1.xhtml": "<p>El barco salió del puerto con la primera luz. Nadie lo vio.</p>"}
    spanish = build_epub(path.with_name("barco.epub"), pages, title="El barco", language="es")
    assert main(["words", "--json", str(spanish)]) == 0
    assert json.loads(capsys.readouterr().out)["voice"].startswith("e")
    pages = {"c1.xhtml": "<p>Привет мир, это книга на русском языке.</p>"}
    russian = build_epub(path.with_name("mir.epub"), pages, title="Мир", language="ru")
    assert main(["words", str(russian)]) == 3
    assert "mir.epub" in capsys.readouterr().err
