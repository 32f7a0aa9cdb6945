"""What the spectral fingerprint of speech is: ten voices, the inputs nearest to noise, and faults for comparison.

python -m benchmarks.fingerprint     # two minutes on one core; writes benchmarks/results/fingerprint.json
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from server.config import load_settings
from server.render.engine import kokoro_engine
from server.render.gate import fingerprint
from server.render.passes import plan
from server.render.pronounce.words import Phonemes, PhonemeWord
from server.render.synth import KokoroSynth
from server.render.takes import seed_of
from server.render.timing import cut_points
from server.setup import check_models

RESULT = Path(__file__).parent / "results" / "fingerprint.json"
# Said in one pass and cut out of it, as the gate hears them: nearly all hiss, and a plain one for comparison.
TOGETHER = {
    "Shh.": "ʃː.",
    "Six.": "sˈɪks.",
    "It is late.": "ɪt ɪz lˈAt.",
    "This is his sister’s.": "ðɪs ɪz hɪz sˈɪstəɹz.",
    "The rain came over the hill.": "ðə ɹˈAn kˈAm ˈOvəɹ ðə hˈɪl.",
}
ALONE = {"Shh.": "ʃː.", "Psst.": "psˈt.", "it is late (as letters)": "it is late."}
VOICES = (
    "af_heart", "af_nicole", "bm_george", "af_bella", "am_michael", "bf_emma", "af_sky", "am_fenrir", "bm_fable",
    "am_onyx",
)  # fmt: skip
THOROUGH = 3  # of the voices, the whispering one among them, say some of it alone too


NAMES = {
    "centroid, Hz": "centroid_hz",
    "above 8 kHz": "high_share",
    "below 1 kHz": "low_share",
    "peak": "peak",
    "RMS": "rms",
}


def phonemes(said: str) -> Phonemes:
    return Phonemes(said, (PhonemeWord(0, len(said), 0, len(said)),), ())


def spoken(synth: KokoroSynth, voice: str, sentences: dict[str, str]) -> list[dict[str, Any]]:
    """Sentences rendered together; the fingerprint of each."""
    given = [phonemes(said) for said in sentences.values()]
    takes: list[dict[str, Any]] = []
    for one in plan(given, [0] * len(given)):
        seed = seed_of(one.phonemes, voice)
        take = synth.render(one.phonemes, voice, speed=1.0, seed=seed, stop=lambda: False)
        cuts = cut_points(take.audio, take.pred_dur, one.phonemes, one.pieces)
        for piece, cut in zip(one.pieces, cuts, strict=True):
            text = list(sentences)[piece.sentence]
            heard = fingerprint(take.audio[cut.start : cut.end])
            takes.append({"voice": voice, "text": text, "together": len(given) > 1, "fingerprint": asdict(heard)})
    return takes


def speech() -> list[dict[str, Any]]:
    models = load_settings().models
    synth = KokoroSynth(models, kokoro_engine(check_models(models).weights_sha256), threads=1)
    takes: list[dict[str, Any]] = []
    for number, voice in enumerate(VOICES):
        takes += spoken(synth, voice, TOGETHER)
        if number < THOROUGH:
            for text, said in ALONE.items():
                takes += spoken(synth, voice, {text: said})
    odd = {"No one moved (as letters)": "no one moved.", "it is late (as letters)": "it is late."}
    return takes + spoken(synth, VOICES[0], odd)


def noise(tilt: float) -> dict[str, float]:
    """The fingerprint of ten seconds of noise whose spectrum rises with `tilt`."""
    white = np.random.default_rng(1).standard_normal(240_001)
    return asdict(fingerprint((0.1 * (white[1:] - tilt * white[:-1])).astype(np.float32)))


def main() -> None:
    takes = speech()
    # The known bad case was 6,796 Hz and 53 %: noise that rises a little.
    noises = {"white": noise(0.0), "known": noise(0.4)}
    RESULT.write_text(json.dumps({"speech": takes, "noise": noises}, indent=1, ensure_ascii=False) + "\n")
    for name, key in NAMES.items():
        values = sorted(take["fingerprint"][key] for take in takes)
        print(f"{name:14} {values[0]:10.4g} … {values[-1]:10.4g}   white noise {noises['white'][key]:.4g}")


if __name__ == "__main__":
    main()
