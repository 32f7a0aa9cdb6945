"""How much there is to compute, and what share of the device's best is reached.

    python -m benchmarks.roofline [--seconds 10]

Operations and bytes per second of audio are counted from the shapes of the weights and the rate at which each is used;
the device's best is a large matrix product and a large copy on that very device. Writes benchmarks/results/roofline.md
and .json.
"""

import argparse
import json
import math
import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.engines.text import PASSES, VOICE
from server.config import load_settings
from server.kokoro_mlx import blas, load, load_voices
from server.kokoro_mlx.config import BERT_REPEATS, SAMPLE_RATE_HZ
from server.kokoro_mlx.schema import Shape
from server.kokoro_mlx.weights import port_shapes

import mlx.core as mx  # isort: skip  (after the port, which brings the BLAS)

RESULTS = Path(__file__).parent / "results"
FRAMES, HALVES, FIRST, SECOND = 40, 80, 800, 4800  # steps a second: durations, decoder, the generator's two rounds
PHONEMES = 17  # a second at the usual rate, pads among them

# Which weights are used how often a second; the first name that begins a tensor's name decides.
RATES: tuple[tuple[str, str, float], ...] = (
    ("PL-BERT", "bert.encoder.albert_layer_groups", PHONEMES * BERT_REPEATS),
    ("PL-BERT", "bert", PHONEMES),
    ("text encoder", "text_encoder", PHONEMES),
    ("prosody", "predictor.shared", FRAMES),
    ("prosody", "predictor.F0.0", FRAMES),
    ("prosody", "predictor.N.0", FRAMES),
    ("prosody", "predictor.F0", HALVES),
    ("prosody", "predictor.N", HALVES),
    ("prosody", "predictor", PHONEMES),
    ("decoder", "decoder.decode.3", HALVES),
    ("generator", "decoder.generator.ups.0", HALVES),
    ("generator", "decoder.generator.ups.1", FIRST),
    ("generator", "decoder.generator.noise_convs.0", FIRST),
    ("generator", "decoder.generator.noise_res.0", FIRST),
    *(("generator", f"decoder.generator.resblocks.{i}", FIRST) for i in range(3)),
    ("generator", "decoder.generator", SECOND),
    ("decoder", "decoder", FRAMES),
)


@dataclass(frozen=True)
class Roofline:
    """Per second of audio, but for the device's best."""

    gigaflop: dict[str, float]
    weights_mb: float
    activations_mb: float
    device: str
    peak_gigaflops: float
    peak_gigabytes_s: float
    wall_s: float
    share_of_peak: float
    share_of_bandwidth: float


def used(name: str) -> tuple[str, float]:
    """The stage of a tensor and how often a second it is used."""
    return next((stage, rate) for stage, prefix, rate in RATES if name.startswith(prefix))


def operations(shapes: Mapping[str, Shape]) -> dict[str, float]:
    """Billions of additions and multiplications a second of audio in each stage, convolutions as written."""
    total: dict[str, float] = {}
    for name, shape in shapes.items():
        if len(shape) < 2 or "embeddings" in name or ".embedding." in name or ".fc." in name:
            continue  # looked up, or used once a pass
        stage, rate = used(name)
        total[stage] = total.get(stage, 0) + 2 * math.prod(shape) * rate / 1e9
    return total


def traffic(shapes: Mapping[str, Shape]) -> float:
    """Millions of bytes a second of audio that have to be moved if each convolution reads and writes its steps once."""
    moved = 0.0
    for name, shape in shapes.items():
        if len(shape) == 3 and "hidden" not in name:
            moved += 4 * (shape[1] + shape[2]) * used(name)[1] / 1e6
    return moved


def best(work: Callable[[], mx.array], times: int = 5) -> float:
    """Seconds of the fastest of several runs."""
    mx.eval(work())
    fastest = math.inf
    for _ in range(times):
        begun = time.perf_counter()
        mx.eval(work())
        fastest = min(fastest, time.perf_counter() - begun)
    return fastest


def measure(seconds: int) -> Roofline:
    models = load_settings().models
    model = load(models / "kokoro.safetensors")
    voice = load_voices(models / "voices.safetensors")[VOICE]
    size = 4096 if mx.default_device().type == mx.DeviceType.gpu else 1536
    a, b, long = mx.random.normal((size, size)), mx.random.normal((size, size)), mx.random.normal((size * size * 8,))
    mx.eval(a, b, long)
    flops = 2 * size**3 / best(lambda: a @ b) / 1e9
    bandwidth = 2 * long.nbytes / best(lambda: long + 1) / 1e9
    walls = []
    for _ in range(4):
        begun = time.perf_counter()
        take = model.render(PASSES[seconds], voice)
        walls.append((time.perf_counter() - begun) / (len(take.audio) / SAMPLE_RATE_HZ))
    shapes = port_shapes()
    done, wall = operations(shapes), float(np.median(walls[1:]))
    moved = traffic(shapes)
    return Roofline(
        gigaflop={stage: round(count, 2) for stage, count in done.items()},
        weights_mb=round(sum(4 * math.prod(shape) for shape in shapes.values()) / 1e6, 1),
        activations_mb=round(moved, 1),
        device=f"{mx.default_device().type.name}, {platform.machine()}, {blas.described()}, one thread",
        peak_gigaflops=round(flops, 1),
        peak_gigabytes_s=round(bandwidth, 1),
        wall_s=round(wall, 3),
        share_of_peak=round(sum(done.values()) / wall / flops, 3),
        share_of_bandwidth=round(moved / 1e3 / wall / bandwidth, 3),
    )


def table(found: Roofline) -> str:
    """The result for people."""
    total = sum(found.gigaflop.values())
    rows = [f"| {stage} | {count:.2f} | {count / total:.1%} |" for stage, count in found.gigaflop.items()]
    return "\n".join(
        [
            "# What there is to compute",
            "",
            "| stage | GFLOP per second of audio | share |",
            "|---|---|---|",
            *rows,
            f"| all | {total:.2f} | |",
            "",
            f"Convolutions read and write {found.activations_mb:.0f} MB per second of audio if each does so once:"
            f" {1000 * total / found.activations_mb:.0f} operations to a byte. Weights are {found.weights_mb:.0f} MB,"
            " read once a pass.",
            "",
            f"On {found.device}: a large product reaches {found.peak_gigaflops} GFLOPS, a large addition"
            f" {found.peak_gigabytes_s} GB/s. A second of audio takes {found.wall_s} s:"
            f" {found.share_of_peak:.0%} of that peak and {found.share_of_bandwidth:.0%} of that bandwidth, counting"
            " convolutions as they are written. Short convolutions do about half of that work, so the share may exceed"
            " what the arithmetic units are busy with.",
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, choices=sorted(PASSES), default=10)
    found = measure(parser.parse_args().seconds)
    (RESULTS / "roofline.json").write_text(json.dumps(asdict(found), indent=2) + "\n")
    (RESULTS / "roofline.md").write_text(table(found))
    print(table(found))


if __name__ == "__main__":
    main()
