"""Is the speech speech? Sentences of real books, rendered by the port and by the PyTorch reference, transcribed.

    python -m benchmarks.transcription choose FOLDER EPUB EPUB EPUB [--count 100]
    python -m benchmarks.transcription own FOLDER
    python -m benchmarks.transcription port FOLDER --models MODELS
    python -m benchmarks.transcription reference FOLDER --onnx INT8_MODEL --models MODELS     (in a venv with torch)
    python -m benchmarks.transcription report FOLDER

`choose` writes FOLDER/passes.json: passes of phonemes as the renderer would make them; `own` does it for the text that
the tests render (benchmarks/own_text.py). `port` and `reference` render
these same passes in the same voice. The reference is `kokoro` 0.9.4 with the same weights, as
tests/parity/torch_reference.py loads it, so that what differs is the port alone. `report` transcribes both and
compares word error rates.
"""

import argparse
import json
import random
from pathlib import Path
from typing import Any

import numpy as np

VOICE = "af_heart"
SEED = 20_26


def choose(folder: Path, books: list[Path], count: int) -> None:
    """Pick paragraphs of the enabled chapters at random, with a fixed seed, until there are `count` sentences."""
    from server.library.reader import read_book
    from server.render.g2p import G2P
    from server.render.passes import plan

    pronouncer, chance = G2P(british=False), random.Random(SEED)
    passes: list[dict[str, Any]] = []
    for number, path in enumerate(books):
        wanted = count * (number + 1) // len(books) - count * number // len(books)
        blocks: dict[tuple[int, int], list[str]] = {}
        for chapter in read_book(path).chapters:
            for sentence in chapter.sentences if chapter.enabled else ():
                if sentence.kind == "paragraph":
                    blocks.setdefault((chapter.number, sentence.block), []).append(sentence.text)
        order = sorted(blocks)
        chance.shuffle(order)
        for key in order:
            if wanted <= 0:
                break
            texts = blocks[key][:wanted]
            said = pronouncer.sentences(texts, [False] * len(texts))
            for one in plan(said, [0] * len(said)):
                # What is said in a part of a sentence is known by its phonemes alone: only whole ones can be scored.
                if all(piece.ph_end - piece.ph_start == len(said[piece.sentence].phonemes) for piece in one.pieces):
                    text = " ".join(said[piece.sentence].spoken for piece in one.pieces)
                    kept = {"book": path.name, "phonemes": one.phonemes, "text": text, "sentences": len(one.pieces)}
                    passes.append(kept)
                    wanted -= len(one.pieces)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "passes.json").write_text(json.dumps(passes, ensure_ascii=False, indent=1))
    print(f"{sum(one['sentences'] for one in passes)} sentences in {len(passes)} passes")


def choose_own(folder: Path) -> None:
    from benchmarks.own_text import PARAGRAPHS, sentences
    from server.render.g2p import G2P
    from server.render.passes import plan

    pronouncer, passes = G2P(british=False), []
    for paragraph in PARAGRAPHS:
        texts = sentences(paragraph)
        said = pronouncer.sentences(texts, [False] * len(texts))
        for one in plan(said, [0] * len(said)):
            text = " ".join(said[piece.sentence].spoken for piece in one.pieces)
            passes.append({"book": "own text", "phonemes": one.phonemes, "text": text, "sentences": len(one.pieces)})
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "passes.json").write_text(json.dumps(passes, ensure_ascii=False, indent=1))


def render_port(folder: Path, models: Path) -> None:
    from server.kokoro_mlx import load, load_voices

    model, voice = load(models / "kokoro.safetensors", threads=2), load_voices(models / "voices.safetensors")[VOICE]
    for number, one in enumerate(_passes(folder)):
        take = model.render(one["phonemes"], voice, seed=number)
        np.save(folder / f"port-{number:03}.npy", take.audio)


def render_reference(folder: Path, onnx: Path, models: Path) -> None:
    import torch

    from server.kokoro_mlx.voices import load_voices
    from tests.parity.torch_reference import reference

    model, voice = reference(onnx), load_voices(models / "voices.safetensors")[VOICE]
    for number, one in enumerate(_passes(folder)):
        torch.manual_seed(number)
        style = torch.from_numpy(np.array(voice[len(one["phonemes"]) - 1])[None])
        np.save(folder / f"reference-{number:03}.npy", model(one["phonemes"], style, 1.0).numpy())


def report(folder: Path) -> None:
    from benchmarks.words import Listener, score

    listener, passes = Listener(), _passes(folder)
    said = [one["text"] for one in passes]
    result: dict[str, Any] = {
        "sentences": sum(one["sentences"] for one in passes),
        "passes": len(passes),
        "books": sorted({one["book"] for one in passes}),
        "voice": VOICE,
    }
    for engine in ("port", "reference"):
        heard = [listener.hear(np.load(folder / f"{engine}-{number:03}.npy")) for number in range(len(passes))]
        (folder / f"{engine}.txt").write_text("\n".join(heard))
        found = score(said, heard)
        result[engine] = {"words": found.words, "errors": found.errors, "word_error_rate": round(found.rate, 4)}
        print(f"{engine:9}  {found.errors} errors in {found.words} words: {found.rate:.2%}")
    (folder / "transcription.json").write_text(json.dumps(result, indent=2) + "\n")


def _passes(folder: Path) -> list[dict[str, Any]]:
    passes: list[dict[str, Any]] = json.loads((folder / "passes.json").read_text())
    return passes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("choose", "own", "port", "reference", "report"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("books", type=Path, nargs="*")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--models", type=Path)
    parser.add_argument("--onnx", type=Path)
    given = parser.parse_args()
    if given.step == "choose":
        choose(given.folder, given.books, given.count)
    elif given.step == "own":
        choose_own(given.folder)
    elif given.step == "port":
        render_port(given.folder, given.models)
    elif given.step == "reference":
        render_reference(given.folder, given.onnx, given.models)
    else:
        report(given.folder)


if __name__ == "__main__":
    main()
