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
from server.render.synth import KokoroSynth
from server.setup import check_models

RESULT = Path(__file__).parent / "results" / "fingerprint.json"
HISSES = {"Shh.": "ʃː.", "Yes.": "jˈɛs.", "Six.": "sˈɪks."}
WHOLE = {
    "Psst.": "psˈt.",
    "She sold seashells, and the sea said nothing.": "ʃi sˈOld sˈiʃˌɛlz, ænd ðə sˈi sˈɛd nˈʌθɪŋ.",
}
VOICES = (
    "af_heart", "af_nicole", "bm_george", "af_bella", "am_michael", "bf_emma", "af_sky", "am_fenrir", "bm_fable",
    "am_onyx",
)  # fmt: skip
THOROUGH = 3  # of the voices, the whispering one among them, say the rest too


def speech() -> list[dict[str, Any]]:
    models = load_settings().models
    synth = KokoroSynth(models, kokoro_engine(check_models(models).weights_sha256), threads=1)
    takes: list[dict[str, Any]] = []
    for number, voice in enumerate(VOICES):
        for text, phonemes in (HISSES | (WHOLE if number < THOROUGH else {})).items():
            audio = synth.render(phonemes, voice, speed=1.0, seed=1, stop=lambda: False).audio
            takes.append({"voice": voice, "text": text, "fingerprint": asdict(fingerprint(audio))})
    return takes


def noise(tilt: float) -> dict[str, float]:
    """The fingerprint of ten seconds of noise whose spectrum rises with `tilt`."""
    white = np.random.default_rng(1).standard_normal(240_001)
    return asdict(fingerprint((0.1 * (white[1:] - tilt * white[:-1])).astype(np.float32)))


def main() -> None:
    takes = speech()
    # The known bad case was 6,796 Hz and 53 %: noise that rises a little.
    noises = {"white": noise(0.0), "known": noise(0.4)}
    RESULT.write_text(json.dumps({"speech": takes, "noise": noises}, indent=1, ensure_ascii=False) + "\n")
    for name, key in (("centroid, Hz", "centroid_hz"), ("above 8 kHz", "high_share"), ("peak", "peak"), ("RMS", "rms")):
        values = sorted(take["fingerprint"][key] for take in takes)
        print(f"{name:14} {values[0]:10.4g} … {values[-1]:10.4g}   white noise {noises['white'][key]:.4g}")


if __name__ == "__main__":
    main()
