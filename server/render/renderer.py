"""Renders one pass of one chapter: sentences → phonemes → audio → files → index. Runs in the render process."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from server.render.aac import Encoded, encode, lay_out, silence_au
from server.render.booth import Booth, Heard
from server.render.ears import Taken, reverted
from server.render.engine import Synthesizer
from server.render.grouping import first_waiting, following, group_of
from server.render.index import FRAME_SAMPLES, ChapterIndex, SentenceEntry, Word
from server.render.layout import sentence_file
from server.render.messages import Size
from server.render.pauses import boundary, gap_samples
from server.render.pronounce.words import Phonemes
from server.render.pronouncers import Pronouncer
from server.render.quality import Verdict
from server.render.records import RenditionRecord
from server.render.said import Asked, asked, provenance
from server.render.store import Store
from server.render.takes import seed_of
from server.render.timing import TAIL_SAMPLES, Part
from server.render.variants import usual

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
        # A group is always cut in the same way, whatever of it is there already, so that a render that was broken off
        # ends as it would have; but a small pass begins with the sentence that is wanted.
        group = [first] if size == "alone" else [one for one in group_of(index, first) if one.failed is None]
        wanted = asked(self._store, book, group, index.voice)
        phonemes = self._pronounce(wanted, index.voice)
        at = group.index(first)
        if not phonemes[at].phonemes:  # nothing that could be said: a silence of its own
            begun((first.id,), first.text)
            silent = self._keep(index, rendition, first, phonemes[at], _SILENT)
            return self._save(index, rendition, [Taken(first, silent)], [wanted[at]])
        if settled := self._settled(rendition, group, phonemes):
            saved = self._store.add_audio(book, index.rendition, chapter, settled)
            return Rendered(tuple(entry.id for entry in settled), 0, saved.revision)
        booth = Booth(self._synth, rendition, phonemes, stop)
        if first.again == "ears":
            begun((first.id,), first.text)
            heard = {at: booth.speak_otherwise(at, first.variant or 0, usual(phonemes, at))}
        else:
            mute = [_NOTHING] * at if size == "short" else []
            passes = usual([*mute, *phonemes[len(mute) :]], at, FIRST_LIMIT if size == "short" else None)
            spoken = sorted({piece.sentence for one in passes for piece in one.pieces})
            chosen = [i for i in spoken if not group[i].settled and group[i].again != "ears"]
            begun(tuple(group[i].id for i in chosen), group[chosen[0]].text)
            # All are judged before the first is written: nothing is kept of a pass with noise in it.
            heard = booth.speak(passes, chosen)
        takes = [Taken(group[i], self._keep(index, rendition, group[i], phonemes[i], heard[i])) for i in sorted(heard)]
        return self._save(index, rendition, takes, [wanted[i] for i in sorted(heard)])

    def _settled(
        self, rendition: RenditionRecord, group: Sequence[SentenceEntry], phonemes: Sequence[Phonemes]
    ) -> list[SentenceEntry]:
        """Those whose audio is, or once was, what the rules ask for now: a rule was taken back. Nothing is rendered."""
        found = []
        for entry, spoken in zip(group, phonemes, strict=True):
            if entry.again != "rule" or not spoken.phonemes:
                continue
            wanted = provenance(spoken.phonemes, rendition)
            if entry.provenance == wanted:
                found.append(entry.model_copy(update={"again": None}))
            elif entry.earlier is not None and entry.earlier.provenance == wanted:
                found.append(reverted(entry))
        return found

    def _pronounce(self, wanted: Sequence[Asked], voice: str) -> list[Phonemes]:
        """Phonemes of each sentence; what was said lately is remembered, a long paragraph takes several passes."""
        keys = [(voice, one) for one in wanted]
        new = list(dict.fromkeys(key for key in keys if key not in self._phonemes))
        if new:
            texts, headings, otherwise = zip(*(one for _, one in new), strict=True)
            spoken = self._pronouncer(voice).sentences(texts, headings, otherwise)
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
        heard: Heard,
    ) -> SentenceEntry:
        """Write a sentence's file; give its entry."""
        audio, odd, variant = heard.part, heard.verdict.findings, heard.variant
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
            "gate": odd,
            "provenance": provenance(spoken.phonemes, rendition),
            "seed": seed_of(spoken.phonemes, rendition.voice, variant.salt if variant else 0),
            "guessed": spoken.guessed or None,
            "variant": variant.number if variant else None,
            "ears": "gate" if odd and spoken.phonemes else None,
        }
        return SentenceEntry(**{**entry.without_audio().model_dump(exclude_none=True), **made})

    def _save(
        self, index: ChapterIndex, rendition: RenditionRecord, takes: Sequence[Taken], wanted: Sequence[Asked]
    ) -> Rendered:
        """Keep what was spoken; `wanted` is how each was to be said as the pass began."""

        def outdated() -> set[str]:
            now = asked(self._store, index.book, [one.begun for one in takes], index.voice)
            return {one.made.id for one, was, is_ in zip(takes, wanted, now, strict=True) if was != is_}

        saved = self._store.add_takes(
            index.book,
            index.rendition,
            index.chapter,
            takes,
            codec_config=encode(np.zeros(FRAME_SAMPLES, np.float32), rendition.bitrate).codec_config,
            silence=silence_au(rendition.bitrate),
            outdated=outdated,
        )
        length = sum(one.made.length_samples for one in takes)
        return Rendered(tuple(one.made.id for one in takes), length, saved.revision)


_NOTHING = Phonemes("", ())
_SILENT = Heard(  # a sentence with nothing to say
    Part(np.zeros(FRAME_SAMPLES, np.float32), (), TAIL_SAMPLES, None), Verdict(("quiet",), 1.0)
)
