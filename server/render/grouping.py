"""Which sentences of a chapter wait, and which may share a pass (pure)."""

from collections.abc import Sequence

from server.render.index import ChapterIndex, SentenceEntry

SHORT_BLOCK = 60  # characters: a block this short is rendered with the next one, Kokoro is weak on short inputs


def first_waiting(index: ChapterIndex, start: str | None) -> SentenceEntry | None:
    """The first sentence without audio from `start` on (None: from the beginning). Raises KeyError."""
    begin = index.position(start) if start is not None else 0
    return next((entry for entry in index.sentences[begin:] if not entry.settled), None)


def group_of(index: ChapterIndex, wanted: SentenceEntry) -> list[SentenceEntry]:
    """The sentences that may share a pass with `wanted`: those of its paragraph.

    A paragraph too short to sound well alone takes the next one along, but nothing crosses a heading or a scene
    break. The groups of a chapter do not depend on what is rendered.
    """
    found: list[SentenceEntry] = []
    for entry in index.sentences:
        if found and not _goes_with(found, entry, index.breaks):
            if wanted in found:
                break
            found = []
        found.append(entry)
    return found


def _goes_with(found: Sequence[SentenceEntry], entry: SentenceEntry, breaks: Sequence[int]) -> bool:
    last = found[-1]
    if entry.block_index == last.block_index:
        return True
    plain = last.block == entry.block and entry.block in ("paragraph", "quotation", "list_item", "verse")
    broken = any(last.block_index < at < entry.block_index for at in breaks)
    return plain and not broken and sum(len(one.text) for one in found) < SHORT_BLOCK


def following(index: ChapterIndex, entry: SentenceEntry) -> SentenceEntry | None:
    """The sentence after `entry`; None at the end of the chapter."""
    at = index.position(entry.id) + 1
    return index.sentences[at] if at < len(index.sentences) else None
