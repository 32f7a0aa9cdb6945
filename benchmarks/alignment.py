"""Are the product's word spans where the words are? Fifty rendered sentences, three witnesses, and a control.

    python -m benchmarks.alignment FOLDER

1. Energy: words after a pause begin where the silence ends.
2. Landmarks and an aligner (benchmarks/landmarks.py, aligner.py): words in running speech.
3. A listener: the span of each longer word is cut out and transcribed. Displaced spans show that this test can fail.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jiwer
import numpy as np

from benchmarks.aligner import align, alone
from benchmarks.hearing import RATE_HZ, Heard, Samples, hear, words_of
from benchmarks.landmarks import Landmarks
from benchmarks.onset_text import HELD_OUT, sentences
from benchmarks.onsets import HELD_OUT_VOICES, RESULTS
from benchmarks.takes import Paragraph, Studio
from benchmarks.words import WHISPER_HZ, Listener, plain
from server.config import load_settings
from server.render.engine import Take
from server.render.onsets import UNIT_SAMPLES
from server.render.passes import Pass
from server.render.timing import cut_points, word_spans

MS = 1000 / RATE_HZ
ALIGNED_PARAGRAPHS = 2  # each in another voice
WORD_LETTERS = 5  # shorter words out of their sentence are not understood, wherever they are cut
HEARD_AT_ONCE = 6
SHIFTS_MS = (0, -100, 100)
EDGE = 120  # 5 ms of fade, so that a cut is no click
AROUND = RATE_HZ * 3 // 10


class WordListener(Listener):
    """Hears words that do not belong together: the first guess counts, another would take ten times as long."""

    def hear(self, audio: Samples) -> str:
        at = np.arange(0, len(audio), RATE_HZ / WHISPER_HZ)
        segments, _ = self._model.transcribe(
            np.interp(at, np.arange(len(audio)), audio).astype(np.float32),
            language="en",
            beam_size=1,
            temperature=0.0,
            max_new_tokens=48,
            condition_on_previous_text=False,
            without_timestamps=True,
        )
        return " ".join(segment.text for segment in segments)


@dataclass(frozen=True, slots=True)
class Placed:
    """A word, the product's span of it in the take, and what the witnesses say of its beginning."""

    text: str
    start: int
    end: int
    nominal: int
    energy: int | None
    landmark: int | None
    aligned: int | None


def place(paragraph: Paragraph, one: Pass, take: Take, apart: Sequence[Samples]) -> list[Placed]:
    """Every word of a pass. `apart` has the same words, each by itself, or none."""
    words = list(words_of(paragraph, one))
    spans = product(paragraph, one, take)
    landmarks = Landmarks(one.phonemes, take)
    aligned = align(take.audio, apart) if apart else None
    placed: list[Placed] = []
    before: int | None = None
    for i, (word, heard) in enumerate(zip(words, hear(paragraph, one, take), strict=True)):
        sentence, number, start, end = word
        written = paragraph.said[sentence].words[number]
        text = paragraph.texts[sentence][written.char_start : written.char_end]
        landmark = None if before is None or heard.onset else landmarks.onset(before, start)
        told = aligned[i] if aligned else None
        placed.append(Placed(text, *spans[sentence, number], heard.nominal, _voiced(heard), landmark, told))
        before = end
    return placed


def product(paragraph: Paragraph, one: Pass, take: Take) -> dict[tuple[int, int], tuple[int, int]]:
    """The product's span of each word (sentence, number), in samples of the take."""
    found = {}
    for piece, cut in zip(one.pieces, cut_points(take.audio, take.pred_dur, one.phonemes, one.pieces), strict=True):
        for span in word_spans(take.pred_dur, one.phonemes, cut, piece, paragraph.said[piece.sentence].words):
            found[piece.sentence, span.word] = cut.start + span.start, cut.start + span.end
    return found


def _voiced(heard: Heard) -> int | None:
    """The measured onset; None where it is the breath before the word."""
    return heard.onset if heard.onset is not None and abs(heard.units) <= 6 else None


def render(studio: Studio) -> Iterator[tuple[Take, list[Placed]]]:
    """All passes of the fifty sentences."""
    for number, text in enumerate(HELD_OUT):
        voice = HELD_OUT_VOICES[number % len(HELD_OUT_VOICES)]
        paragraph = studio.paragraph(sentences(text), voice)
        for one in paragraph.passes:
            words = words_of(paragraph, one) if number < ALIGNED_PARAGRAPHS else ()
            apart = [studio.take(alone(one.phonemes[start:end]), voice).audio for _, _, start, end in words]
            take = studio.take(one.phonemes, voice)
            yield take, place(paragraph, one, take, apart)


def summary(pairs: Sequence[tuple[int, int]]) -> dict[str, float]:
    """Of (said, heard) in samples: how far they are apart, in milliseconds."""
    off = np.array([said - heard for said, heard in pairs]) * MS
    size = np.abs(off)
    return {
        "n": len(pairs),
        "median_ms": round(float(np.median(size)), 1),
        "mean_ms": round(float(size.mean()), 1),
        "p95_ms": round(float(np.percentile(size, 95)), 1),
        "bias_ms": round(float(np.median(off)), 1),
    }


def witnesses(words: Sequence[Placed]) -> dict[str, Any]:
    """What each witness says of the product, and of the constant rules it could follow instead."""
    result: dict[str, Any] = {}
    for name in ("energy", "landmark", "aligned"):
        heard = [(word, getattr(word, name)) for word in words if getattr(word, name) is not None]
        if heard:
            result[name] = {
                "product": summary([(word.start, at) for word, at in heard]),
                "two units": summary([(word.nominal - 2 * UNIT_SAMPLES, at) for word, at in heard]),
                "three units": summary([(word.nominal - 3 * UNIT_SAMPLES, at) for word, at in heard]),
            }
    known = [(word, word.energy if word.energy is not None else word.landmark) for word in words]
    result["energy or landmark"] = {"product": summary([(word.start, at) for word, at in known if at is not None])}
    return result


def listen(takes: Sequence[tuple[Take, list[Placed]]], limit: int) -> dict[str, Any]:
    """Share of words understood when their span alone is heard, in its place and displaced.

    A few words from different sentences are heard at once, with silence between.
    """
    chosen = [
        (take.audio, word)
        for take, words in takes
        for word in words
        if len(plain(word.text)) >= WORD_LETTERS and " " not in plain(word.text)
    ]
    chosen = chosen[:: max(1, len(chosen) // limit)][:limit]
    rows = -(-len(chosen) // HEARD_AT_ONCE)
    listener = WordListener()
    result: dict[str, Any] = {"words": len(chosen)}
    for shift_ms in SHIFTS_MS:
        shift, right = round(shift_ms / MS), 0
        for several in (chosen[row::rows] for row in range(rows)):
            audio = [clip(sound, word.start + shift, word.end + shift) for sound, word in several]
            said = plain(" ".join(word.text for _, word in several))
            right += jiwer.process_words(said, plain(listener.hear(np.concatenate(audio)))).hits
        result[f"{shift_ms:+d} ms" if shift_ms else "in place"] = round(right / len(chosen), 3)
    return result


def clip(audio: Samples, start: int, end: int) -> Samples:
    """`audio[start:end]` between silences."""
    cut = audio[max(0, start) : max(0, end)].copy()
    edge = min(EDGE, len(cut) // 2)
    ramp = np.linspace(0, 1, edge, dtype=np.float32)
    cut[:edge] *= ramp
    cut[len(cut) - edge :] *= ramp[::-1]
    return np.pad(cut, AROUND)


def readable(result: dict[str, Any]) -> str:
    lines = ["# Word spans of fifty sentences against the sound", "", f"Voices: {', '.join(HELD_OUT_VOICES)}.", ""]
    lines += ["| witness | rule | n | median ms | mean | 95 % | bias |", "|---|---|---|---|---|---|---|"]
    for witness, rules in result["witnesses"].items():
        for rule, row in rules.items():
            lines.append(f"| {witness} | {rule} | " + " | ".join(map(str, row.values())) + " |")
    lines += ["", "Words understood by Whisper tiny from their span alone:", "", "| span | share |", "|---|---|"]
    lines += [f"| {name} | {share} |" for name, share in result.get("listener", {}).items()]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--words", type=int, default=60, help="how many are cut out and transcribed; 0 for none")
    given = parser.parse_args()
    takes = list(render(Studio(given.folder, load_settings().models)))
    result: dict[str, Any] = {
        "sentences": sum(len(sentences(text)) for text in HELD_OUT),
        "words": sum(len(words) for _, words in takes),
        "witnesses": witnesses([word for _, words in takes for word in words]),
    }
    if given.words:
        result["listener"] = listen(takes, given.words)
        (RESULTS / "alignment.json").write_text(json.dumps(result, indent=1) + "\n")
        (RESULTS / "alignment.md").write_text(readable(result))
    print(readable(result))


if __name__ == "__main__":
    main()
