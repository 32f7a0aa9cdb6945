"""Store what this machine's CPU reads with the installed weights, for `server/kokoro_mlx/check.py` to compare with.

    python -m benchmarks.selfcheck

To be run when the port computes something else on purpose, and only where the parity tests pass.
"""

import json
import time

from server.config import load_settings
from server.kokoro_mlx import check, load
from server.setup import check_models


def main() -> None:
    settings = load_settings()
    weights = check_models(settings.models, deep=True).weights_sha256[:16]
    check.use_cpu()
    check.probe()
    model = load(settings.models / "kokoro.safetensors", threads=1)
    began = time.monotonic()
    reading = check.read(model)
    print(f"read in {time.monotonic() - began:.2f} s; durations {reading.durations.astype(int).tolist()}")
    before = check.stored(weights)
    for name in check.LIMITS if before is not None else ():
        print(f"{name}: {check.distance(getattr(reading, name), getattr(before, name)):.2g} from what was stored")
    told = json.loads(check.STORED.read_bytes())
    told["readings"][weights] = reading.to_json()
    check.STORED.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
