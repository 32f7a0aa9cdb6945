"""Does memory stay flat over thousands of sentences of all lengths?

    python -m benchmarks.endurance [--sentences 2000] [--speed 1.5]

One process renders sentences of 3 to 60 words, short ones far more often as in books (a share of w^−2.5 for w words),
in three voices, and notes its resident memory after every hundred. Writes benchmarks/results/endurance.json after each,
so that a run that is broken off has said what it saw.
"""

import argparse
import json
import resource
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from server.config import load_settings
from server.kokoro_mlx import load, load_voices
from server.kokoro_mlx.config import SAMPLE_RATE_HZ

RESULT = Path(__file__).parent / "results" / "endurance.json"
EVERY = 100
VOICES = ("af_heart", "am_michael", "bf_emma")
WORDS = (
    "ðə ɐ ænd ʌv wʌz ɪn hɪz ʃi θˈɪŋk wˈɔtəɹ hˈWs lˈItᵊl wˈɪndO ˈOpən bəfˈɔɹ ɡˈɑɹdᵊn sˈʌmθɪŋ kwˈIət ˈɛvəɹi ʃˈAdO"
    " ɹˈɪvəɹ mˈɔɹnɪŋ ʌndəɹstˈʊd pˈɪktʃəɹ kˈɪʧən jˈɛstəɹdˌA ɪmpˈɔɹtᵊnt"
).split()


@dataclass
class Result:
    """Resident memory in MB after each number of sentences, and how far it went."""

    sentences: int = 0
    audio_s: float = 0
    wall_s: float = 0
    loaded_mb: float = 0
    peak_mb: float = 0
    speed: float = 1
    resident_mb: dict[int, float] = field(default_factory=dict)


def resident_mb() -> float:
    """What this process holds now; on a system without /proc, the most it ever held."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * resource.getpagesize() / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def sentence(random: np.random.Generator) -> str:
    """The phonemes of a sentence of 3 to 60 words."""
    lengths = np.arange(3, 61)
    shares = lengths**-2.5
    count = int(random.choice(lengths, p=shares / shares.sum()))
    return " ".join(random.choice(WORDS, count)) + "."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--speed", type=float, default=1.0)
    options = parser.parse_args()
    models = load_settings().models
    model, voices = load(models / "kokoro.safetensors"), load_voices(models / "voices.safetensors")
    random = np.random.default_rng(0)
    result = Result(loaded_mb=round(resident_mb(), 1), speed=options.speed)
    begun = time.perf_counter()
    for number in range(1, options.sentences + 1):
        take = model.render(sentence(random), voices[VOICES[number % 3]], options.speed, number)
        result.audio_s += len(take.audio) / SAMPLE_RATE_HZ
        result.sentences = number
        if number % EVERY == 0 or number == options.sentences:
            result.wall_s = round(time.perf_counter() - begun, 1)
            result.resident_mb[number] = round(resident_mb(), 1)
            result.peak_mb = round(max(result.peak_mb, result.resident_mb[number]), 1)
            RESULT.write_text(json.dumps(asdict(result), indent=2) + "\n")
            print(f"{number} sentences, {result.audio_s:.0f} s of audio: {result.resident_mb[number]} MB", flush=True)


if __name__ == "__main__":
    main()
