"""What an hour of audio weighs at each bitrate, and what a file has beside its sound.

    python -m benchmarks.sizes [STORE]

Takes rendered sentences of a store (by default the household's), decodes them and encodes them anew at 32, 48 and
64 kbit/s as the renderer would. Prints the table that stands in benchmarks/README.md.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from server.config import load_settings
from server.render.aac import decode, encode
from server.render.index import SAMPLE_RATE
from server.render.store import Store

BITRATES = (32_000, 48_000, 64_000)
MOST = 150  # sentences


@dataclass
class Sum:
    """Bytes of whole files, of all but their access units, the largest of those; and samples."""

    files: int = 0
    bytes: int = 0
    overhead: int = 0
    most: int = 0
    samples: int = 0


def sounds(store: Store) -> Iterator[bytes]:
    """Files of rendered sentences."""
    for book in store.books():
        record = store.book(book)
        for chapter in record.chapters:
            index = store.chapter(book, chapter.number)
            folder = store.rendition_folder(book, index.rendition)
            yield from ((folder / entry.file).read_bytes() for entry in index.sentences if entry.file is not None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path, nargs="?", help="a store with rendered sentences")
    root: Path = parser.parse_args().store or load_settings().store
    sums = {bitrate: Sum() for bitrate in BITRATES}
    for data, _ in zip(sounds(Store(root)), range(MOST), strict=False):
        samples = decode(data)
        for bitrate, one in sums.items():
            made = encode(samples, bitrate)
            beside = len(made.data) - sum(made.au_sizes)
            one.files, one.bytes, one.overhead = one.files + 1, one.bytes + len(made.data), one.overhead + beside
            one.most, one.samples = max(one.most, beside), one.samples + len(samples)
    print("| kbit/s | MB an hour of sentences | bytes a file beside its sound | at most |\n| --- | --- | --- | --- |")
    for bitrate, one in sums.items():
        hours = one.samples / SAMPLE_RATE / 3_600
        size, beside = one.bytes / 1e6 / hours, round(one.overhead / one.files)
        print(f"| {bitrate // 1_000} | {size:.1f} | {beside} | {one.most} |")
    print(f"\n{one.files} sentences, {one.samples / SAMPLE_RATE / one.files:.1f} s on average.")


if __name__ == "__main__":
    main()
