"""The tagger's network, computed by ourselves, beside spaCy's own."""

from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.own_text import PARAGRAPHS, sentences
from server.render.pronounce import tagger

TEXTS = [
    *(text for paragraph in PARAGRAPHS for text in sentences(paragraph)),
    "", " ", "A", "…", "I read it; he'd've read it too — wouldn't he?", "“To the lighthouse!” cried Grulnifex O'Shea.",
    "one two three " * 90, "The A 380 cost $ 4 m.", "Ça, naïve; Ἀχιλλεύς", "a  b   c",
]  # fmt: skip


@pytest.mark.parametrize("batch_words", [1, 40, 5000])
def test_the_tags_are_spacys_whatever_the_batches(batch_words: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagger, "_BATCH_WORDS", batch_words)
    assert tagger._network() is not None
    own = [[tuple(token) for token in tokens] for tokens in tagger.tag(TEXTS)]
    assert own == [[(token.text, token.tag_, token.idx) for token in doc] for doc in tagger._pipeline().pipe(TEXTS)]


def test_the_scores_are_spacys_to_the_last_digits() -> None:
    network, pipeline = tagger._network(), tagger._pipeline()
    assert network is not None
    docs = [pipeline.make_doc(text) for text in TEXTS if text]
    for doc, states in zip(docs, pipeline.get_pipe("tok2vec").predict(docs), strict=True):
        assert np.abs(network.states([doc]) - states).max() < 1e-3


def test_embeddings_are_forgotten_before_they_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagger, "_REMEMBERED", 5)
    once = list(tagger.tag(TEXTS))
    assert once == list(tagger.tag(TEXTS))


def test_a_model_built_otherwise_is_left_to_spacy(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = list(tagger.tag(TEXTS))
    with pytest.raises(ValueError, match="pipes"):
        tagger._Network(SimpleNamespace(pipe_names=["transformer", "tagger"]))
    monkeypatch.setattr(tagger, "_network", lambda: None)
    assert list(tagger.tag(TEXTS)) == expected
