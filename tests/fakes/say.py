"""The command `say` of macOS, as far as its manual tells: `-v ?` lists voices; else a text becomes a WAV file.

Only what Lectern asks of it: `-v NAME -o FILE --file-format=WAVE --data-format=LEI16@RATE -f -`. Each letter is 30 ms
of tone, each space or mark 60 ms of silence. As the real one it obeys orders in double brackets: `[[slnc 400]]` is
silence. The text it was given last is written to $FAKE_SAY_TOLD, where that is set.
"""

import math
import os
import re
import sys
import wave
from array import array
from pathlib import Path

LISTED = """\
Albert              en_US    # Hello! My name is Albert.
Daniel              en_GB    # Hello! My name is Daniel.
Eddy (German (Germany)) de_DE    # Hallo! Ich heiße Eddy.
Thomas              fr_FR    # Bonjour, je m'appelle Thomas.
"""
NAMES = ("Albert", "Daniel", "Eddy (German (Germany))", "Thomas")


def main(arguments: list[str]) -> int:
    if arguments == ["-v", "?"]:
        print(LISTED, end="")
        return 0
    given = dict(zip(arguments[::2], arguments[1::2], strict=False)) if arguments[:1] == ["-v"] else {}
    form = re.search(r"--data-format=LEI16@(\d+)", " ".join(arguments))
    if given.get("-v") not in NAMES or form is None or arguments[-2:] != ["-f", "-"]:
        return 1
    text = sys.stdin.read()
    if "FAKE_SAY_TOLD" in os.environ:
        Path(os.environ["FAKE_SAY_TOLD"]).write_text(text)
    rate = int(form[1])
    samples = array("h")
    for part in re.split(r"(\[\[slnc \d+\]\])", text):
        if order := re.fullmatch(r"\[\[slnc (\d+)\]\]", part):
            samples.extend([0] * (int(order[1]) * rate // 1000))
            continue
        for char in part:
            ms = 30 if char.isalnum() else 60
            loud = 8_000 if char.isalnum() else 0
            samples.extend(int(loud * math.sin(k * 0.05)) for k in range(ms * rate // 1000))
    with wave.open(arguments[arguments.index("-o") + 1], "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.tobytes())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
