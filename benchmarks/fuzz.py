"""Thousands of damaged EPUBs: does one crash, hang or feed on memory?

    python -m benchmarks.fuzz [--count 2000] [--seed 1]

Each is read as an import reads it but for the process of its own: here one process with its limits reads them all, so
that what is not given back shows. Every one must become a book or a refusal, within seconds. Prints what came of them.
"""

import argparse
import resource
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from server.errors import BookRefused
from server.library import wire
from server.library.reader import read_book
from tests.fakes.mutants import mutants, wholes

MEMORY_BYTES = 2_000_000_000
LONGEST_S = 10.0


def run(count: int, seed: int, folder: Path) -> tuple[Counter[str], list[str], float, list[int]]:
    """(outcomes, faults, slowest in seconds, peak memory in KB after every tenth of them)."""
    outcomes, faults, slowest, peaks = Counter[str](), list[str](), 0.0, list[int]()
    path = folder / "mutant.epub"
    for number, data in enumerate(mutants(wholes(folder), seed, count)):
        path.write_bytes(data)
        begun = time.perf_counter()
        try:
            book = read_book(path)
            assert wire.load(wire.dump(book)) == book
            outcomes["import-warn" if book.warnings else "import"] += 1
        except BookRefused as refusal:
            outcomes[f"reject: {refusal.kind}"] += 1
        except Exception:  # noqa: BLE001  (whatever it is, it is what is looked for)
            faults.append(f"number {number} of seed {seed}:\n{traceback.format_exc()}")
        took = time.perf_counter() - begun
        slowest = max(slowest, took)
        if took > LONGEST_S:
            faults.append(f"number {number} of seed {seed} took {took:.1f} s")
        if (number + 1) % max(1, count // 10) == 0:
            peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return outcomes, faults, slowest, peaks


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        outcomes, faults, slowest, peaks = run(options.count, options.seed, Path(folder))
    for fault in faults:
        print(fault)
    for outcome, number in outcomes.most_common():
        print(f"{number:>6}  {outcome}")
    print(f"{options.count} in {time.perf_counter() - begun:.0f} s, the slowest {slowest:.2f} s; {len(faults)} faults")
    print("peak memory in MB after each tenth:", *(round(peak / 1024) for peak in peaks))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
