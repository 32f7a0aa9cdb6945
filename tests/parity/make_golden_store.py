"""Makes the golden store of a format version: `python -m tests.parity.make_golden_store tests/data/store-v2`.

It is made once, when the format is released, and then kept as it is: later versions must still read it. The speech is
synthetic; `expected.json` says what a reader of any language must find (docs/conformance.md), so that an app can run
the same checks. What is expected is worked out by the server's own models; the stranger has to come to the same.
"""

import hashlib
import json
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from server.render import journal
from server.render.aac import decode, encode, lay_out, silence_au
from server.render.ears import Taken
from server.render.index import ChapterIndex, SentenceEntry, Word
from server.render.records import BookRecord, Place
from server.render.store import Store
from server.render.tracks import chapter_track
from tests.fakes.other import TEXTS as POND
from tests.fakes.other import put_audio
from tests.fakes.synthetic import ENGINE, Samples, book, chapter, keep, put, render

WALK = ("The Gate", "“Go, 😀 go!”", "Cafe\u0301 𝔄lpha?", "No.", "It rained.")
TICK = ("Tick", "Tock ♪ tock.", "It rained.")
WHEN = datetime(2026, 7, 2, tzinfo=UTC)
CLICK_SAMPLES = 7_000  # from the first sample of the speech to the click
GAP_SAMPLES = 5_120


def make(folder: Path) -> None:
    """Two editions of a book: a whole chapter, one of text only, one in the middle of its work, another renderer's."""
    store = Store(folder / "store")
    source = folder / "walk.epub"
    first = put(store, folder, [chapter(1, WALK[:4])])
    render(store, first, 1)
    texts = [chapter(1, WALK), chapter(2, WALK[:2], enabled=False), chapter(3, (*TICK, *WALK[1:4])), chapter(4, POND)]
    made = book(source, texts)
    source.write_text("The second edition.")
    record = store.put_book(made, source=source, voice="af_heart", engine=ENGINE, bitrate=48_000, added=WHEN)
    source.unlink()
    index = store.chapter(record.id, 1)
    render(store, record, 1, [entry.id for entry in index.sentences if not entry.rendered])
    _again(store, record, 1, 3)
    _half(store, record, 3)
    put_audio(store, record, 4)
    place = Place(chapter=3, sentence=store.chapter(record.id, 3).sentences[1].id, word=1, updated=WHEN, edition=1)
    store.save_place(record.id, place)
    (store.root / ".lock").unlink(missing_ok=True)
    expected = {
        "book": record.id,
        "edition": store.edition(record.id),
        "place": {"chapter": 3, "time_line_samples": _place(store, record)},
        "chapters": [_expected(store, record, number) for number in (1, 2, 3, 4)],
    }
    (folder / "expected.json").write_text(json.dumps(expected, indent=1, ensure_ascii=False) + "\n")


def _again(store: Store, record: BookRecord, number: int, at: int) -> None:
    """A sentence that was rendered again: a file of another name, and what it was before."""
    index = store.chapter(record.id, number)
    entry = index.sentences[at]
    pcm, start, end = lay_out(_noise(9_000))
    made = encode(pcm, 48_000)
    take = hashlib.sha256(made.data).hexdigest()[:8]
    words = (Word(start + 100, end - 100, 0, 2),)
    new = keep(store, index, entry, made, (start, end), GAP_SAMPLES, words, take)
    config = made.codec_config
    store.add_takes(
        record.id, index.rendition, number, [Taken(entry, new)], codec_config=config, silence=silence_au(48_000)
    )


def _half(store: Store, record: BookRecord, number: int) -> None:
    """A chapter of which only a part is there, most of it in its journal: a click, a silent word, one given up on."""
    index = store.chapter(record.id, number)
    click = np.zeros(24_000, np.float32)
    click[CLICK_SAMPLES : CLICK_SAMPLES + 3] = 0.6, -0.9, 0.5
    tock = _noise(12_000)
    words = (Word(1_200, 5_000, 0, 4), Word(6_000, 6_000, 5, 6), Word(7_000, 12_000, 7, 11))
    small, journal.SMALL_BYTES = journal.SMALL_BYTES, 0  # type: ignore[misc]
    for at, sound, spans in ((0, click, (Word(7_000, 9_000, 0, 4),)), (1, tock, words), (3, _noise(20_000), ())):
        entry = index.sentences[at]
        pcm, start, end = lay_out(sound)
        made = encode(pcm, 48_000)
        kept = keep(store, index, entry, made, (start, end), GAP_SAMPLES * at, spans)
        config = made.codec_config
        store.add_audio(record.id, index.rendition, number, [kept], codec_config=config, silence=silence_au(48_000))
    lost = SentenceEntry(**index.sentences[2].model_dump(exclude_none=True), failed="It could not be spoken.")
    store.add_audio(record.id, index.rendition, number, [lost])
    journal.SMALL_BYTES = small  # type: ignore[misc]
    lines = store.chapter_path(record.id, number).with_suffix(".jsonl")
    with lines.open("a") as stream:  # a line that a crash cut short
        stream.write('{"revision":99,"complete":true,"samp')


def _noise(length: int) -> Samples:
    draw = np.random.default_rng(length)
    return np.asarray(0.2 * draw.standard_normal(length) * np.sin(np.pi * np.arange(length) / length), np.float32)


def _place(store: Store, record: BookRecord) -> int:
    """Where on the time line of its chapter the place is."""
    place = store.place(record.id)
    assert place is not None
    index = store.chapter(record.id, place.chapter)
    at = index.position(place.sentence)
    word = (index.sentences[at].words or ())[place.word]
    return sum(entry.length_samples for entry in index.sentences[:at]) + word.start


def _expected(store: Store, record: BookRecord, number: int) -> dict[str, Any]:
    index: ChapterIndex = store.chapter(record.id, number)
    folder = store.rendition_folder(record.id, index.rendition)
    sentences, at = [], 0
    for entry in index.sentences:
        found: dict[str, Any] = {"id": entry.id, "state": "failed" if entry.failed else "waiting"}
        found["utf16_length"] = len(entry.text.encode("utf-16-le")) // 2
        if entry.rendered:
            found |= {"state": "rendered", "start": at, **_sound(entry, folder)}
            found["words"] = [_word(entry.text, word, at) for word in entry.words or ()]
            at += entry.length_samples
        sentences.append(found)
    return {
        "chapter": number,
        "revision": index.revision,
        "complete": index.complete,
        "priming": index.priming,
        "samples_total": at,
        "joined": _joined(index, folder) if index.silence is not None else None,
        "sentences": sentences,
    }


def _sound(entry: SentenceEntry, folder: Path) -> dict[str, Any]:
    data = (folder / str(entry.file)).read_bytes()
    heard = decode(data)[: entry.samples]
    loudest = int(np.abs(heard).argmax())
    return {
        "sha256": hashlib.sha256(data).hexdigest(),
        "decoded_samples": len(heard),
        "rms_dbfs": round(20 * float(np.log10(np.sqrt(np.mean(heard**2)) + 1e-9)), 2),
        "loudest_sample": loudest,
        "units_sha256": hashlib.sha256(data[(entry.data_offset or 0) :][: sum(entry.au_sizes or ())]).hexdigest(),
    }


def _joined(index: ChapterIndex, folder: Path) -> dict[str, Any]:
    """The joined access units of all that is rendered, as one run of bytes."""
    settled = index.model_copy(update={"sentences": tuple(one for one in index.sentences if one.rendered)})
    track = chapter_track(settled, folder)
    units = [unit for item in track.items for unit in item.read_units(0, item.units, track.silence)]
    return {"units": len(units), "sha256": hashlib.sha256(b"".join(units)).hexdigest()}


def _word(text: str, word: Word, at: int) -> dict[str, Any]:
    utf16 = [len(text[:edge].encode("utf-16-le")) // 2 for edge in (word.char_start, word.char_end)]
    time = at + word.start
    return {
        "text": text[word.char_start : word.char_end],
        "utf16": utf16,
        "sentence_samples": word.start,
        "time_line_samples": time,
        "time_line_s": round(time / 24_000, 6),
    }


if __name__ == "__main__":
    target = Path(sys.argv[1])
    if target.exists():
        sys.exit(f"{target} is there already: a golden store is never made again")
    target.mkdir(parents=True)
    try:
        make(target)
    except BaseException:
        shutil.rmtree(target)
        raise
