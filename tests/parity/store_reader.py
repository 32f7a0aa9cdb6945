"""A reader of the store written from docs/store-format.md alone; it shares no code with the server.

`python tests/parity/store_reader.py STORE` checks a store and prints what is wrong with it. Sections are those of the
document.
"""

import hashlib
import io
import itertools
import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import av
import jsonschema
import numpy as np
from numpy.typing import NDArray

DOCS = Path(__file__).resolve().parents[2] / "docs"
SCHEMAS = {1: DOCS / "store-schema-1.json", 2: DOCS / "store-schema.json"}
WORD = ("start", "end", "char_start", "char_end")
AUDIO = (
    "file sha256 bytes samples speech_start speech_end gap_after_samples data_offset au_sizes words gate provenance"
    " seed"
).split()
JOIN_ERROR_DB = -80.0

Samples = NDArray[np.float32]
Json = dict[str, Any]


@cache
def validator(name: str, form: int) -> Any:
    """Section 1: the schema tells under `files` which definition describes which file."""
    schema = json.loads(SCHEMAS[form].read_text())
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind({**schema, **schema["files"][name]})


def utf16(text: str, n: int) -> int:
    """Section 1: a position in code points as one in UTF-16 units."""
    return n + sum(ord(character) > 0xFFFF for character in text[:n])


def decode(data: bytes, kind: str | None = None) -> Samples:
    with av.open(io.BytesIO(data), "r", format=kind) as container:
        blocks = [frame.to_ndarray()[0] for frame in container.decode(audio=0)]
    return np.concatenate(blocks) if blocks else np.zeros(0, np.float32)


def adts(units: list[bytes], codec_config: bytes) -> bytes:
    """Access units as a bare AAC stream, which has no edit list and no length: nothing hides a wrong join."""
    bits = int.from_bytes(codec_config[:2], "big")
    profile, rate, channels = (bits >> 11) - 1, (bits >> 7) & 15, (bits >> 3) & 15
    out = []
    for unit in units:
        length = len(unit) + 7
        fixed = 0xFFF1 << 40 | profile << 38 | rate << 34 | channels << 30 | length << 13 | 0x7FF << 2
        out += [fixed.to_bytes(7, "big"), unit]
    return b"".join(out)


@dataclass(frozen=True)
class Chapter:
    """A chapter index and the folder it is in."""

    index: Json
    folder: Path

    @property
    def rendered(self) -> list[Json]:
        return [sentence for sentence in self.index["sentences"] if "file" in sentence]

    def data(self, sentence: Json) -> bytes:
        path: Path = self.folder / sentence["file"]
        return path.read_bytes()

    def units(self, sentence: Json) -> list[bytes]:
        """Section 7.1: access units lie end to end from `data_offset` on."""
        data, at, units = self.data(sentence), sentence["data_offset"], []
        for size in sentence["au_sizes"]:
            units.append(data[at : at + size])
            at += size
        return units

    def sound(self, sentence: Json) -> Samples:
        """Section 8: what a file decodes to; of another renderer's the first `samples` of it."""
        return decode(self.data(sentence))[: sentence["samples"]]

    @property
    def joinable(self) -> bool:
        """Section 10."""
        return "silence" in self.index

    def joined(self, first: int = 0) -> list[bytes]:
        """Section 10: the units of rendered sentences from number `first` on, without priming, with silence."""
        units: list[bytes] = []
        for sentence in self.rendered[first:]:
            units += self.units(sentence)[1:]
            units += [bytes.fromhex(self.index["silence"])] * (sentence["gap_after_samples"] // self.index["frame"])
        return units

    def files_in_a_row(self, first: int = 0) -> Samples:
        """Every file decoded by itself, zeros for the gaps."""
        parts = [np.zeros(0, np.float32)]
        for sentence in self.rendered[first:]:
            parts += [self.sound(sentence), np.zeros(sentence["gap_after_samples"], np.float32)]
        return np.concatenate(parts)

    def starts(self) -> dict[str, int]:
        """Section 9: where each rendered sentence starts on the time line."""
        starts, at = {}, 0
        for sentence in self.rendered:
            starts[sentence["id"]] = at
            at += sentence["samples"] + sentence["gap_after_samples"]
        return starts


def chapters(root: Path) -> Iterator[Chapter]:
    """All chapters of all renditions of all books."""
    for path in sorted(root.glob("books/[!.]*/[!.]*/chapter-*.json")):
        if (path.parent.parent / "book.json").exists():
            yield Chapter(read_chapter(path), path.parent)


def playing(chapter: Chapter) -> bool:
    """Section 4: whether a chapter is in the rendition that book.json names."""
    book = json.loads((chapter.folder.parent / "book.json").read_bytes())
    return bool(chapter.folder.name == book["rendition"])


def read_chapter(path: Path) -> Json:
    """Section 7: an index and what its journal adds, words with their names."""
    index: Json = json.loads(path.read_bytes())
    journal = path.with_suffix(".jsonl")
    lines = journal.read_bytes().split(b"\n")[:-1] if journal.exists() else []
    for change in map(json.loads, lines):
        if change["revision"] > index["revision"]:
            new = {sentence["id"]: sentence for sentence in change.pop("sentences")}
            index |= change
            index["sentences"] = [new.get(sentence["id"], sentence) for sentence in index["sentences"]]
    for sentence in index["sentences"]:
        for audio in (sentence, sentence.get("earlier", {})):
            _name_numbers(audio)
    return index


def _name_numbers(audio: Json) -> None:
    """Section 7.1: what the file writes as bare numbers."""
    if isinstance(sizes := audio.get("au_sizes"), str):
        audio["au_sizes"] = [int(sizes[at : at + 2], 36) for at in range(0, len(sizes), 2)]
    if "words" in audio:
        audio["words"] = [
            word if isinstance(word, dict) else dict(zip(WORD, word, strict=True)) for word in audio["words"]
        ]


def check(root: Path) -> list[str]:
    """Section 14: everything that can be checked of a store; what is wrong, in words."""
    problems: list[str] = []
    try:
        problems += _schema_problems(root / "store.json", "store.json")
        if (root / "voices.json").exists():
            problems += _schema_problems(root / "voices.json", "voices.json")
        if (root / "household.json").exists():
            problems += _schema_problems(root / "household.json", "household.json")
        for path in sorted(root.glob("listening/[!.]*/[!.]*.json")):
            problems += _schema_problems(path, "listening/PERSON/YYYY-MM.json")
        for folder in sorted((root / "books").glob("[!.]*")):
            if (folder / "book.json").exists():
                problems += _book_problems(folder)
    except (OSError, ValueError, KeyError) as error:
        problems.append(f"cannot be read: {error!r}")
    return problems


def check_stream(chapter: Chapter, playlist: str, fetch: Callable[[str], bytes], first: int = 0) -> list[str]:
    """Section 11: an HLS stream from rendered sentence number `first` on against the files."""
    lines = playlist.splitlines()
    final = "#EXT-X-ENDLIST" in lines
    init = re.search(r'#EXT-X-MAP:URI="([^"]+)"', playlist)
    assert init is not None
    names = [line for line in lines if line and not line.startswith("#")]
    lengths = [float(line[8:].rstrip(",")) for line in lines if line.startswith("#EXTINF:")]
    heard = decode(fetch(init[1]) + b"".join(fetch(name) for name in names))
    expected = chapter.files_in_a_row(first)
    problems = []
    if final and len(heard) != len(expected):
        problems.append(f"the stream has {len(heard)} samples, the files {len(expected)}")
    if not final and len(heard) != len(expected) // 1024 // 141 * 141 * 1024:
        problems.append("an unfinished stream lists something else than full segments")
    if abs(sum(lengths) - len(heard) / 24_000) > 1e-3:
        problems.append(f"the playlist promises {sum(lengths)} s")
    return problems + _differences("the stream", heard, expected[: len(heard)])


def check_chapter_file(chapter: Chapter, data: bytes) -> list[str]:
    """Section 11: `chapter.m4a` against the files."""
    kinds = [data[at + 4 : at + 8] for at in _boxes(data)]
    problems = [] if kinds == [b"ftyp", b"moov", b"mdat"] else [f"chapter.m4a is made of {kinds}"]
    heard, expected = decode(data), chapter.files_in_a_row()
    if len(heard) != len(expected):
        problems.append(f"chapter.m4a has {len(heard)} samples, the files {len(expected)}")
    return problems + _differences("chapter.m4a", heard, expected)


def _about_problems(folder: Path, book: Json) -> list[str]:
    """Sections 4 and choices.json: what a person wrote is what book.json says, and the rest is the book's own."""
    choices = folder / "choices.json"
    about: Json = json.loads(choices.read_bytes()).get("about", {}) if choices.exists() else {}
    if bool(about) != ("own" in book):
        return [f"{folder.name}: book.json and choices.json do not agree whether a person wrote of it"]
    if not about:
        return []
    shown = {**book["own"], **about}
    if "series" in about and "series_index" not in about:
        shown.pop("series_index", None)
    if "cover" in about and "thumbnail" not in about:
        shown.pop("thumbnail", None)
    parts = ("title", "subtitle", "authors", "series", "series_index", "cover", "thumbnail")
    empty = {"authors": []}  # what has no value is left out, but for a list
    return [
        f"{folder.name}: {part} is {book.get(part)!r}, and not {shown.get(part)!r}"
        for part in parts
        if (book.get(part) or empty.get(part)) != (shown.get(part) or empty.get(part))
    ]


def _book_problems(folder: Path) -> list[str]:
    problems = _schema_problems(folder / "book.json", "book.json")
    book = json.loads((folder / "book.json").read_bytes())
    # Section 2: the name is that of the first file; section 4: `before` has the latest first.
    first = book["before"][-1] if "before" in book else book
    if book["id"] != folder.name or not first["source"]["sha256"].startswith(book["id"]):
        problems.append(f"{folder.name}: book.json is of {book['id']}")
    for name in {told[part] for told in (book, book.get("own", {})) for part in ("cover", "thumbnail") if part in told}:
        if not (folder / name).is_file():
            problems.append(f"{folder.name}: the cover {name} is missing")
    problems += _about_problems(folder, book)
    for name in ("place.json", "choices.json", "coverage.json", "bookmarks.json"):
        if (folder / name).exists():
            problems += _schema_problems(folder / name, name)
    for path in sorted(folder.glob("bookmarks/[!.]*.json")):
        problems += _schema_problems(path, "bookmarks/PERSON.json")
    for path in sorted(folder.glob("places/[!.]*.jsonl")):
        problems += _journal_problems(path, book)
    if [chapter["number"] for chapter in book["chapters"]] != list(range(1, len(book["chapters"]) + 1)):
        problems.append(f"{folder.name}: chapters are not numbered from 1")
    for rendition in sorted(path.parent for path in folder.glob("[!.]*/rendition.json")):
        problems += _schema_problems(rendition / "rendition.json", "rendition.json")
        plays = {f"chapter-{one['number']:04d}.json": one for one in book["chapters"]}
        names = {path.name for path in rendition.glob("chapter-*.json")}
        for name in sorted(names | (plays.keys() if rendition.name == book["rendition"] else set())):
            # Another rendition may be of another edition: it has its own chapters.
            listed = plays.get(name) if rendition.name == book["rendition"] else None
            path = rendition / name
            problems += _schema_problems(path, "chapter-NNNN.json") or _chapter_problems(path, listed)
    return problems


def _schema_problems(path: Path, name: str) -> list[str]:
    data = path.read_bytes()
    problems = [] if data.endswith(b"}\n") else [f"{path.name}: does not end in a line feed"]
    content = json.loads(data)
    # Section 13: only indexes differ, and the mark of the store.
    form = 2 if content["format"] == 2 else 1 if name in ("store.json", "chapter-NNNN.json") else 2
    lines = path.with_suffix(".jsonl")
    changes = lines.read_bytes().split(b"\n")[:-1] if name == "chapter-NNNN.json" and lines.exists() else []
    errors = [*validator(name, form).iter_errors(content)]
    errors += [error for line in changes for error in validator(f"{name}l", 2).iter_errors(json.loads(line))]
    return problems + [f"{path.name}: {error.json_path} {error.message}" for error in errors]


def _journal_problems(path: Path, book: Json) -> list[str]:
    """Section 6: a journal of places. What stands after the last line feed is no line yet."""
    entries = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    errors = [error for entry in entries for error in validator("places/PERSON.jsonl", 2).iter_errors(entry)]
    problems = [f"{path.name}: {error.json_path} {error.message}" for error in errors]
    numbers = [entry["entry"] for entry in entries]
    if numbers != sorted(set(numbers)):
        problems.append(f"{path.name}: entries are not numbered upwards")
    if any(entry["book"] != book["id"] for entry in entries):
        problems.append(f"{path.name}: is of another book")
    return problems


def _listing_problems(index: Json, listed: Json) -> list[str]:
    """Section 4: a chapter as book.json lists it."""
    sentences, problems = index["sentences"], []
    if (index["chapter"], index["title"], len(sentences)) != (listed["number"], listed["title"], listed["sentences"]):
        problems.append("is another chapter than book.json says")
    if sum(len(sentence["text"]) for sentence in sentences) != listed["characters"]:
        problems.append("has another number of characters than book.json says")
    return problems


def _chapter_problems(path: Path, listed: Json | None) -> list[str]:
    index = read_chapter(path)
    chapter = Chapter(index, path.parent)
    sentences = index["sentences"]
    problems = [] if listed is None else _listing_problems(index, listed)
    if len({sentence["id"] for sentence in sentences}) != len(sentences):
        problems.append("has two sentences of one id")
    if index["samples_total"] != sum(s["samples"] + s["gap_after_samples"] for s in chapter.rendered):
        problems.append(f"samples_total {index['samples_total']} is not the sum")
    if index["complete"] != all("file" in sentence or "failed" in sentence for sentence in sentences):
        problems.append("complete is not as its sentences say")
    for before, after in itertools.pairwise(sentences):
        if before["block_index"] > after["block_index"]:
            problems.append(f"{after['id']} stands in an earlier block than the one before")
    for sentence in sentences:
        problems += [f"{sentence['id']}: {problem}" for problem in _sentence_problems(chapter, sentence)]
        if "earlier" in sentence:
            before = {"text": sentence["text"], **sentence["earlier"]}
            problems += [f"{sentence['id']}, earlier: {problem}" for problem in _sentence_problems(chapter, before)]
    if not problems and chapter.rendered and chapter.joinable:
        problems += _join_problems(chapter)
    return [f"{path.parent.parent.name}/{path.name}: {problem}" for problem in problems]


def _sentence_problems(chapter: Chapter, sentence: Json) -> list[str]:
    there = [name for name in AUDIO if name in sentence]
    if not there:
        return []
    if len(there) != len(AUDIO) or "failed" in sentence:
        return ["has only some of the audio fields, or failed beside them"]
    path = chapter.folder / sentence["file"]
    if not path.is_file():
        return ["its file is missing"]
    data = path.read_bytes()
    if len(data) != sentence["bytes"] or hashlib.sha256(data).hexdigest() != sentence["sha256"]:
        return ["its file is another one"]
    problems = _file_problems(data, sentence, chapter.index)
    if not 0 <= sentence["speech_start"] <= sentence["speech_end"] <= sentence["samples"]:
        problems.append("its speech is not inside its samples")
    return problems + _word_problems(sentence)


def _file_problems(data: bytes, sentence: Json, index: Json) -> list[str]:
    """Section 8."""
    problems = []
    if hidden(data) != index["priming"]:
        problems.append(f"hides {hidden(data)} samples, not {index['priming']}")
    if len(sentence["au_sizes"]) * index["frame"] < index["priming"] + sentence["samples"]:
        problems.append("has too few access units")
    with av.open(io.BytesIO(data), "r") as container:
        stream = container.streams.audio[0]
        form = (stream.codec_context.name, stream.profile, stream.rate, stream.channels)
        config = bytes(stream.codec_context.extradata or b"").hex()
    if form != ("aac", "LC", 24_000, 1) or config != index["codec_config"]:
        problems.append(f"the file is coded as {form}, {config}")
    heard = decode(data)
    if len(heard) < sentence["samples"]:
        problems.append(f"decodes to {len(heard)} samples, not {sentence['samples']}")
    return problems + (_whole_file_problems(data, heard, sentence, index) if "silence" in index else [])


def _whole_file_problems(data: bytes, heard: Samples, sentence: Json, index: Json) -> list[str]:
    """Section 8, what is so of files that may be joined."""
    problems = []
    frame, samples, sizes = index["frame"], sentence["samples"], sentence["au_sizes"]
    if index["priming"] != frame or samples % frame or len(sizes) != samples // frame + 1:
        problems.append("samples, gap and access units do not fit")
    if sentence["gap_after_samples"] % frame:
        problems.append("the gap is no multiple of an access unit")
    if sentence["data_offset"] + sum(sizes) != len(data):
        problems.append("the access units do not end where the file ends")
    if [data[at + 4 : at + 8] for at in _boxes(data)] != [b"ftyp", b"moov", b"mdat"]:
        problems.append("the file is not ftyp, moov, mdat")
    if len(heard) != samples:
        return [*problems, f"decodes to {len(heard)} samples, not {samples}"]
    outside = max(_peak(heard[: sentence["speech_start"] // 2]), _peak(heard[-512:]))
    if outside > 1e-3:
        problems.append(f"is not silent at its ends ({outside:.4f})")
    return problems


def hidden(data: bytes) -> int:
    """Section 8: what the edit list hides, its `media_time`; 0 without one."""
    at = data.find(b"elst")
    if at < 0:
        return 0
    wide = data[at + 4] == 1
    return int.from_bytes(data[at + 20 : at + 28] if wide else data[at + 16 : at + 20], "big", signed=True)


def _word_problems(sentence: Json) -> list[str]:
    """Section 7.2."""
    problems = []
    sound, text = sentence["speech_start"], 0
    encoded = sentence["text"].encode("utf-16-le")
    for word in sentence["words"]:
        if not sound <= word["start"] <= word["end"] <= sentence["speech_end"]:
            problems.append(f"{word} does not follow inside the speech")
        if not text <= word["char_start"] < word["char_end"] <= len(sentence["text"]):
            problems.append(f"{word} does not follow inside the text")
        shown = sentence["text"][word["char_start"] : word["char_end"]]
        low, high = (utf16(sentence["text"], word[edge]) for edge in ("char_start", "char_end"))
        if encoded[2 * low : 2 * high].decode("utf-16-le") != shown:
            problems.append(f"{word} is another word in UTF-16")
        if not any(character.isalnum() for character in shown) and word["start"] != word["end"]:
            problems.append(f"{shown!r} is spoken but is no word")
        sound, text = word["end"], word["char_end"]
    return problems


def _join_problems(chapter: Chapter) -> list[str]:
    """Section 10: the joined units against the files one by one."""
    heard = decode(adts(chapter.joined(), bytes.fromhex(chapter.index["codec_config"])), "aac")
    expected = chapter.files_in_a_row()
    if len(heard) != len(expected) or len(expected) != chapter.index["samples_total"]:
        return [f"joined units give {len(heard)} samples, the files {len(expected)}"]
    return _differences("the join", heard, expected)


def _differences(what: str, heard: Samples, expected: Samples) -> list[str]:
    length = min(len(heard), len(expected))
    error = _peak(heard[:length] - expected[:length])
    worst = 20 * np.log10(error) if error else -np.inf
    return [] if worst < JOIN_ERROR_DB else [f"{what} differs from the files by {worst:.1f} dB"]


def _peak(samples: Samples) -> float:
    return float(np.abs(samples).max()) if len(samples) else 0.0


def _boxes(data: bytes) -> list[int]:
    """Offsets of the boxes at the top of a file."""
    offsets, at = [], 0
    while at + 8 <= len(data):
        offsets.append(at)
        at += max(8, int.from_bytes(data[at : at + 4], "big"))
    return offsets


if __name__ == "__main__":
    found = check(Path(sys.argv[1]))
    print("\n".join(found) or "nothing is wrong with this store")
    sys.exit(bool(found))
