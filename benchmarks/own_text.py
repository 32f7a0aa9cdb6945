"""Our own words, for tests that need real speech: paragraphs of one pass each, sentences parted by `|`."""

PARAGRAPHS = [
    "The ferry left at seven in the morning, and nobody on the quay waved. | “You didn’t wait,” said the old captain. "
    "| “No,” she answered. | “I couldn’t.”",
    "There were twelve boxes in the cellar, each of them locked. | Only the third one had a key, and it was not the "
    "key that anybody expected.",
    "It rained for nineteen days. | On the twentieth the river came over the wall, quietly, like a guest who does not "
    "want to wake the house.",
]


def sentences(paragraph: str) -> list[str]:
    return [text.strip() for text in paragraph.split("|")]
