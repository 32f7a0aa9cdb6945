"""How long does the text front end take over a novel, from written text to phonemes?

    python -m benchmarks.reading_speed EPUB…

Prints CPU-seconds for 550,000 characters of each book in the accent of its language, and what loading takes. The
tagger, the dictionary and the cache start cold with each book's accent.
"""

import argparse
import time
from pathlib import Path

from server.library.reader import read_book
from server.render.g2p import G2P

NOVEL_CHARACTERS = 550_000
BATCH = 512  # sentences handed over at once; the renderer hands over a paragraph


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("books", nargs="+", type=Path, metavar="EPUB")
    for path in parser.parse_args().books:
        book = read_book(path)
        begun = time.process_time()
        g2p = G2P(british=book.language.lower().startswith("en-gb"))
        g2p.sentences(["Nobody spoke."], [False])
        loaded = time.process_time()
        sentences = [(s.text, s.kind == "heading") for c in book.chapters if c.enabled for s in c.sentences]
        for at in range(0, len(sentences), BATCH):
            texts, headings = zip(*sentences[at : at + BATCH], strict=True)
            g2p.sentences(texts, headings)
        took = time.process_time() - loaded
        characters = sum(len(text) for text, _ in sentences)
        novel_s = took / characters * NOVEL_CHARACTERS
        print(
            f"{path.name}: {characters:,} characters in {took:.1f} CPU-s, {novel_s:.1f} for {NOVEL_CHARACTERS:,}; "
            f"loading {loaded - begun:.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
