"""What half-precision weights cost: the same passes with float32, float16 and bfloat16 weights, compared.

    python -m benchmarks.half_precision convert FOLDER --models MODELS
    python -m benchmarks.half_precision render FOLDER --models MODELS [--precision float16]
    python -m benchmarks.half_precision report FOLDER

`convert` writes the passes, sentences of our own in three voices, and the three files of weights; `render` speaks what
is not there yet; `report` compares and writes benchmarks/results/half-precision.{json,md}.

Computed in float32 throughout: what differs is the rounding of the weights. The noise is equal, drawn from the same
seed. Where a duration differs, each phoneme's frames are stretched to those it has with float32 before spectra are
compared; behind such a place the noise falls elsewhere, which alone is 0.2 dB, so these passes are counted apart.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.own_text import PARAGRAPHS, sentences
from server.kokoro_mlx import load, load_voices, weights
from tests.parity.logmel import distance_db, log_mel, stretched

VOICES = ("af_heart", "am_michael", "bf_emma")
PRECISIONS: tuple[weights.Precision, ...] = ("float32", "float16", "bfloat16")
SENTENCES = 40
LONGEST_WORDS = 30  # a paragraph: many short passes say more than a few long ones
RESULTS = Path(__file__).parent / "results"

Floats = NDArray[np.float32]
Take = tuple[Floats, NDArray[np.int64]]


def paragraphs() -> list[list[str]]:
    """Sentences by paragraph: the tests' own text, then the sample book's, about forty sentences in all."""
    from server.library.reader import read_book
    from server.library.sample import sample_epub

    found = [sentences(paragraph) for paragraph in PARAGRAPHS]
    with tempfile.TemporaryDirectory() as folder:
        book = read_book(sample_epub(Path(folder) / "library"))
    for chapter in book.chapters:
        blocks: dict[int, list[str]] = {}
        for sentence in chapter.sentences:
            if sentence.kind == "paragraph":
                blocks.setdefault(sentence.block, []).append(sentence.text)
        for texts in blocks.values():
            if sum(map(len, found)) < SENTENCES and len(" ".join(texts).split()) <= LONGEST_WORDS:
                found.append(texts)
    return found


def convert(folder: Path, models: Path) -> None:
    from server.render.g2p import G2P
    from server.render.passes import plan

    pronouncers = {british: G2P(british=british) for british in (False, True)}
    passes: list[dict[str, Any]] = []
    for number, texts in enumerate(paragraphs()):
        voice = VOICES[number % len(VOICES)]
        said = pronouncers[voice.startswith("b")].sentences(texts, [False] * len(texts))
        for one in plan(said, [0] * len(said)):
            text = " ".join(said[piece.sentence].spoken for piece in one.pieces)
            kept = {"voice": voice, "phonemes": one.phonemes, "text": text, "sentences": len(one.pieces)}
            passes.append(kept)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "passes.json").write_text(json.dumps(passes, ensure_ascii=False, indent=1))
    arrays = weights.load(models / "kokoro.safetensors")
    for precision in PRECISIONS:
        weights.save(folder / f"{precision}.safetensors", arrays, precision=precision)


def render(folder: Path, models: Path, precisions: tuple[weights.Precision, ...]) -> None:
    voices = load_voices(models / "voices.safetensors")
    for precision in precisions:
        model = load(folder / f"{precision}.safetensors", threads=2)
        for number, one in enumerate(_passes(folder)):
            path = folder / f"{precision}-{number:03}.npz"
            if not path.exists():
                take = model.render(one["phonemes"], voices[one["voice"]], seed=number)
                np.savez(path, audio=take.audio, pred_dur=np.array(take.pred_dur))


def compared(folder: Path, precision: weights.Precision) -> dict[str, Any]:
    """The figures of one precision against float32."""
    same: list[float] = []
    other: list[float] = []
    moved = positions = 0
    seconds: list[float] = []
    sound: list[dict[str, float]] = []
    for number in range(len(_passes(folder))):
        audio, pred_dur = _take(folder, precision, number)
        audio32, pred_dur32 = _take(folder, "float32", number)
        moved += int((pred_dur != pred_dur32).sum())
        positions += len(pred_dur)
        seconds.append(len(audio32) / 24_000)
        equal = np.array_equal(pred_dur, pred_dur32)
        spectrum = stretched(log_mel(audio), pred_dur.tolist(), pred_dur32.tolist())
        (same if equal else other).append(distance_db(spectrum, log_mel(audio32)))
        sound.append(_sound(audio, audio32))
    return {
        "weights_bytes": (folder / f"{precision}.safetensors").stat().st_size,
        "passes": len(sound),
        "passes_with_equal_durations": len(same),
        "durations": positions,
        "durations_changed": moved,
        "log_mel_db": _spread(same),
        "log_mel_db_where_durations_differ": _spread(other),
        "level_difference_db": _spread([one["level_db"] for one in sound]),
        "largest_peak": max(one["peak"] for one in sound),
        "lowest_level_db": min(one["own_level_db"] for one in sound),
        "all_finite": all(one["finite"] for one in sound),
        "audio_s": round(sum(seconds), 1),
    }


def _sound(audio: Floats, audio32: Floats) -> dict[str, float]:
    levels = [float(10 * np.log10(np.square(x, dtype=np.float64).mean() + 1e-20)) for x in (audio, audio32)]
    return {
        "finite": bool(np.isfinite(audio).all()),
        "peak": round(float(np.abs(audio).max()), 4),
        "own_level_db": round(levels[0], 2),
        "level_db": abs(levels[0] - levels[1]),
    }


def _spread(values: list[float]) -> dict[str, float] | None:
    if not values:
        return None
    return {"median": round(float(np.median(values)), 4), "largest": round(max(values), 4)}


def report(folder: Path) -> None:
    from benchmarks.words import Listener, score

    listener, passes = Listener(), _passes(folder)
    result: dict[str, Any] = {
        "sentences": sum(one["sentences"] for one in passes),
        "voices": {voice: sum(one["sentences"] for one in passes if one["voice"] == voice) for voice in VOICES},
        "precisions": {},
    }
    for precision in PRECISIONS:
        heard = [listener.hear(_take(folder, precision, number)[0]) for number in range(len(passes))]
        (folder / f"{precision}.txt").write_text("\n".join(heard))
        found = score([one["text"] for one in passes], heard)
        words = {"words": found.words, "errors": found.errors, "word_error_rate": round(found.rate, 4)}
        result["precisions"][precision] = compared(folder, precision) | words
    (RESULTS / "half-precision.json").write_text(json.dumps(result, indent=2) + "\n")
    (RESULTS / "half-precision.md").write_text("\n".join(table(result)) + "\n")


def table(result: dict[str, Any]) -> Iterator[str]:
    yield f"{result['sentences']} sentences, voices {', '.join(VOICES)}. Against float32, same seeds: median (largest)."
    yield ""
    yield (
        "| weights | MB | durations changed | passes unmoved | log-mel there, dB | log-mel elsewhere, dB "
        "| level, dB | peak | word errors |"
    )
    yield "|---" * 9 + "|"
    for precision, one in result["precisions"].items():
        yield (
            f"| {precision} | {one['weights_bytes'] / 1e6:.0f} "
            f"| {one['durations_changed']} of {one['durations']} ({one['durations_changed'] / one['durations']:.1%}) "
            f"| {one['passes_with_equal_durations']} of {one['passes']} | {_cell(one['log_mel_db'])} "
            f"| {_cell(one['log_mel_db_where_durations_differ'])} | {_cell(one['level_difference_db'])} "
            f"| {one['largest_peak']:.2f} | {one['errors']} of {one['words']} ({one['word_error_rate']:.1%}) |"
        )
    finite = all(one["all_finite"] for one in result["precisions"].values())
    quietest = min(one["lowest_level_db"] for one in result["precisions"].values())
    yield ""
    yield f"Every sample finite: {'yes' if finite else 'NO'}. Quietest pass: {quietest:.1f} dB of full scale."


def _cell(spread: dict[str, float] | None) -> str:
    return "–" if spread is None else f"{spread['median']:.2f} ({spread['largest']:.2f})"


def _passes(folder: Path) -> list[dict[str, Any]]:
    passes: list[dict[str, Any]] = json.loads((folder / "passes.json").read_text())
    return passes


def _take(folder: Path, precision: weights.Precision, number: int) -> Take:
    with np.load(folder / f"{precision}-{number:03}.npz") as file:
        return file["audio"], file["pred_dur"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("convert", "render", "report"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", type=Path)
    parser.add_argument("--precision", choices=PRECISIONS, help="render only with these weights")
    given = parser.parse_args()
    if given.step == "convert":
        convert(given.folder, given.models)
    elif given.step == "render":
        render(given.folder, given.models, (given.precision,) if given.precision else PRECISIONS)
    else:
        report(given.folder)


if __name__ == "__main__":
    main()
