"""Renders one pass of one chapter: sentences → phonemes → audio → files → index. Runs in the render process."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from server.render import gate
from server.render.aac import Encoded, encode, lay_out, silence_au
from server.render.engine import Synthesizer
from server.render.grouping import first_waiting, following, group_of
from server.render.index import FRAME_SAMPLES, ChapterIndex, SentenceEntry, Word
from server.render.layout import sentence_file
from server.render.messages import Size
from server.render.passes import Pass, plan
from server.render.pauses import boundary, gap_samples
from server.render.pronounce.words import Phonemes
from server.render.pronouncers import Pronouncer
from server.render.records import RenditionRecord
from server.render.said import Asked, asked, provenance
from server.render.store import Store
from server.render.takes import seed_of, take
from server.render.timing import TAIL_SAMPLES, Part, join_pieces

FIRST_LIMIT = 120  # phonemes of a pass that somebody waits for
REMEMBERED = 512  # sentences whose phonemes are kept between passes


@dataclass(frozen=True, slots=True)
class Rendered:
    """What one call put into the store."""

    sentences: tuple[str, ...]
    audio_samples: int
    revision: int


class Renderer:
    """Renders into `store`. `pronouncer(voice)` gives who reads for a voice."""

    def __init__(self, store: Store, synth: Synthesizer, pronouncer: Callable[[str], Pronouncer]) -> None:
        self._store = store
        self._synth = synth
        self._pronouncer = pronouncer
        self._phonemes: OrderedDict[tuple[str, Asked], Phonemes] = OrderedDict()

    def render(
        self,
        book: str,
        chapter: int,
        start: str | None,
        *,
        size: Size,
        begun: Callable[[tuple[str, ...], str], None],
        stop: Callable[[], bool],
    ) -> Rendered:
        """Render the first sentences without audio from `start` on, as many as make one pass.

        `begun` is told which before the engine starts. Raises Stopped, RenderError, NotFound;
        NotSpeech, having kept nothing, when what came out is none.
        """
        index = self._store.chapter(book, chapter)
        first = first_waiting(index, start)
        if first is None:
            return Rendered((), 0, index.revision)
        rendition = self._store.rendition(book, index.rendition)
        near = group_of(index, first)
        # A small pass begins with the sentence that is wanted; else a group is always cut in the same way,
        # whatever of it is there already, so that a render that was broken off ends as it would have.
        begin = 0 if size == "usual" else near.index(first)
        wanted = near[begin : begin + 1] if size == "alone" else near[begin:]
        wanted = [entry for entry in wanted if entry.failed is None]
        phonemes = self._pronounce(book, wanted, index.voice)
        at = wanted.index(first)
        if not phonemes[at].phonemes:  # nothing that could be said: a silence of its own
            begun((first.id,), first.text)
            return self._save(index, rendition, [self._keep(index, rendition, first, phonemes[at], _SILENT, ["quiet"])])
        passes = passes_for(phonemes, at, FIRST_LIMIT if size == "short" else None)
        chosen = sorted({piece.sentence for one in passes for piece in one.pieces})
        chosen = [i for i in chosen if not wanted[i].settled]
        begun(tuple(wanted[i].id for i in chosen), wanted[chosen[0]].text)
        parts: dict[int, list[Part]] = {i: [] for i in range(len(wanted))}
        for one in passes:
            for sentence, cut in take(
                self._synth, one, phonemes, voice=rendition.voice, speed=rendition.speed, stop=stop
            ):
                parts[sentence].append(cut)
        whole = {i: join_pieces(parts[i]) for i in chosen}
        # All are judged before the first is written: nothing is kept of a pass with noise in it.
        judged = {i: gate.check(whole[i].audio, len(phonemes[i].phonemes)) for i in chosen}
        entries = [self._keep(index, rendition, wanted[i], phonemes[i], whole[i], judged[i]) for i in chosen]
        return self._save(index, rendition, entries)

    def _pronounce(self, book: str, entries: Sequence[SentenceEntry], voice: str) -> list[Phonemes]:
        """Phonemes of each sentence; what was said lately is remembered, a long paragraph takes several passes."""
        # This looks at the files: a rule counts from the next pass on.
        keys = [(voice, one) for one in asked(self._store, book, entries, voice)]
        new = list(dict.fromkeys(key for key in keys if key not in self._phonemes))
        if new:
            texts, headings, wanted = zip(*(one for _, one in new), strict=True)
            spoken = self._pronouncer(voice).sentences(texts, headings, wanted)
            self._phonemes.update(zip(new, spoken, strict=True))
        found = [self._phonemes[key] for key in keys]
        while len(self._phonemes) > REMEMBERED:
            self._phonemes.popitem(last=False)
        return found

    def _keep(
        self,
        index: ChapterIndex,
        rendition: RenditionRecord,
        entry: SentenceEntry,
        spoken: Phonemes,
        audio: Part,
        findings: list[str],
    ) -> SentenceEntry:
        """Write a sentence's file; give its entry."""
        pcm, speech_start, speech_end = lay_out(audio.audio)
        encoded: Encoded = encode(pcm, rendition.bitrate)
        digest = hashlib.sha256(encoded.data).hexdigest()
        # What plays now stays whole until the index knows the new file.
        first = sentence_file(index.chapter, entry.id)
        take = "" if not entry.rendered or (entry.file, entry.sha256) == (first, digest) else digest[:8]
        self._store.write_sentence(index.book, index.rendition, index.chapter, entry.id, encoded.data, take=take)
        words = tuple(
            Word(
                start=speech_start + span.start,
                end=speech_start + span.end,
                char_start=spoken.words[span.word].char_start,
                char_end=spoken.words[span.word].char_end,
            )
            for span in audio.words
        )
        made = {
            "file": sentence_file(index.chapter, entry.id, take),
            "sha256": digest,
            "bytes": len(encoded.data),
            "samples": len(pcm),
            "speech_start": speech_start,
            "speech_end": speech_end,
            "gap_after_samples": gap_samples(
                boundary(entry, following(index, entry), index.breaks),
                len(pcm) - speech_end + audio.tail_samples,
                audio.pause_samples,
            ),
            "data_offset": encoded.data_offset,
            "au_sizes": tuple(encoded.au_sizes),
            "words": words,
            "gate": tuple(findings),
            "provenance": provenance(spoken.phonemes, rendition),
            "seed": seed_of(spoken.phonemes, rendition.voice),
            "guessed": spoken.guessed or None,
        }
        return SentenceEntry(**{**entry.without_audio().model_dump(exclude_none=True), **made})

    def _save(self, index: ChapterIndex, rendition: RenditionRecord, entries: list[SentenceEntry]) -> Rendered:
        config = encode(np.zeros(FRAME_SAMPLES, np.float32), rendition.bitrate).codec_config
        saved = self._store.add_audio(
            index.book,
            index.rendition,
            index.chapter,
            entries,
            codec_config=config,
            silence=silence_au(rendition.bitrate),
        )
        length = sum(entry.length_samples for entry in entries)
        return Rendered(tuple(entry.id for entry in entries), length, saved.revision)


def passes_for(phonemes: Sequence[Phonemes], wanted: int, first_limit: int | None) -> list[Pass]:
    """The pass in which sentence `wanted` begins, and those that finish the sentences begun in it."""
    # Sentences with nothing to say are in no pass; the others keep their numbers.
    spoken = [i for i, one in enumerate(phonemes) if one.phonemes]
    planned = plan([phonemes[i] for i in spoken], [0] * len(spoken), first_limit=first_limit)
    planned = [
        replace(one, pieces=tuple(replace(piece, sentence=spoken[piece.sentence]) for piece in one.pieces))
        for one in planned
    ]
    begin = next(i for i, one in enumerate(planned) if any(piece.sentence == wanted for piece in one.pieces))
    # A pass that begins in the middle of a sentence needs the passes that hold the rest of it, on both sides.
    while begin > 0 and planned[begin - 1].pieces[-1].sentence == planned[begin].pieces[0].sentence:
        begin -= 1
    end = begin + 1
    while end < len(planned) and planned[end].pieces[0].sentence == planned[end - 1].pieces[-1].sentence:
        end += 1
    return planned[begin:end]


_SILENT = Part(np.zeros(FRAME_SAMPLES, np.float32), (), TAIL_SAMPLES, None)  # of a sentence with nothing to say
