"""What the figures were measured on."""

import os
import platform
import subprocess
import sys
from pathlib import Path


def describe() -> dict[str, str | int]:
    """Processor, cores, memory, system and Python, for a reader."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count() or 1,
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def _processor() -> str:
    if sys.platform == "darwin":
        asked = ["sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    known = [word for word in ("avx512f", "avx2") if any(word in line for line in lines if line.startswith("flags"))]
    return f"{named[0] if named else platform.processor() or 'a processor'} ({known[0] if known else 'no AVX2'})"
