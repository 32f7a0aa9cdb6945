"""What `lectern inspect FOLDER --json` says of a corpus, against the corpus's own lists.

    python -m benchmarks.inspect_corpus [../shared/corpus]

Prints what came of how many files, each difference from MANIFEST.tsv and EXPECT.jsonl, and the seconds it took. The
differences that are argued are in tests/unit/library/test_corpus.py.
"""

import csv
import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def main(corpus: Path) -> int:
    begun = time.monotonic()
    asked = subprocess.run(
        [sys.executable, "-m", "server", "inspect", str(corpus), "--json"], capture_output=True, text=True, check=False
    )
    told = {str(Path(one["file"]).relative_to(corpus)): one for one in map(json.loads, asked.stdout.splitlines())}
    with (corpus / "MANIFEST.tsv").open(encoding="utf-8", newline="") as stream:
        listed = {row["file"]: row for row in csv.DictReader(stream, delimiter="\t")}
    expected = {one["file"]: one for one in map(json.loads, (corpus / "EXPECT.jsonl").open(encoding="utf-8"))}
    outcomes = Counter(one["outcome"] + (f": {one['kind']}" if one["kind"] else "") for one in told.values())
    for outcome, times in outcomes.most_common():
        print(f"{times:>5}  {outcome}")
    found = [line for name in sorted(listed) for line in differences(name, told.get(name), listed, expected)]
    print(f"{len(found)} differences")
    print(*found, sep="\n")
    slowest = max(told.values(), key=lambda one: float(one["seconds"]))
    print(
        f"{len(told)} files in {time.monotonic() - begun:.0f} s; the slowest, {slowest['seconds']} s: {slowest['file']}"
    )
    print(asked.stderr[-2_000:], end="")
    return 0 if set(listed) <= set(told) and "Traceback" not in asked.stderr else 1


def differences(
    name: str, one: dict[str, Any] | None, listed: dict[str, dict[str, str]], expected: dict[str, dict[str, Any]]
) -> Iterator[str]:
    """What is told of a file and does not agree with the lists, a line each."""
    if one is None:
        yield f"  {name}: nothing was said of it"
        return
    wanted = listed[name]["expected_outcome"]
    refused = one["outcome"] == "reject"
    may_refuse = re.search(r"reject|no-text|drm|nothing to read|unsupported", wanted.lower()) is not None
    may_import = re.search(r"import|recover|title from", wanted.lower()) is not None and not wanted.startswith(
        "nothing"
    )
    if not (may_refuse if refused else may_import):
        yield f"  {name}: {one['outcome']} ({one['kind']}), listed as {wanted}"
    if refused or name not in expected:
        return
    if one["title"] != expected[name]["title"]:
        yield f"  {name}: the title is {one['title'][:60]!r}, listed as {str(expected[name]['title'])[:60]!r}"
    if one["language"] != expected[name]["lang"]:
        yield f"  {name}: the language is {one['language']}, listed as {expected[name]['lang']}"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/corpus").resolve()))
