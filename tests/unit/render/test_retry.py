"""What sounds odd is tried once more in another layout, and what a person hears wrong is rendered otherwise."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from server.errors import Conflict, NotFound, NotSpeech
from server.render.ears import accepted, rendered_otherwise, sounds_wrong, taken_back, withdrawn
from server.render.engine import Stopped, Take
from server.render.index import SentenceEntry
from server.render.renderer import Renderer
from server.render.said import stale
from server.render.store import Store
from server.render.verify import Tally, verify
from tests.fakes.books import make_book
from tests.fakes.synth import ENGINE, FRAME_SAMPLES, FakeSynth
from tests.fakes.worker import Letters
from tests.parity.store_reader import check

AT = datetime(2026, 7, 1, tzinfo=UTC)
THREE = ["The kettle sang in the kitchen. | Nobody came to take it down. | In the end it was quiet in there."]
Odds = Callable[[str], bool]


class Odd(FakeSynth):
    """Goes on with a tone for half a second after the passes that `odd` names; counts what it is asked for."""

    def __init__(self, odd: Odds = lambda _: False) -> None:
        self.odd, self.said = odd, list[tuple[str, int]]()

    def render(self, phonemes: str, voice: str, *, speed: float, seed: int, stop: Callable[[], bool]) -> Take:
        self.said.append((phonemes, seed))
        made = super().render(phonemes, voice, speed=speed, seed=seed, stop=stop)
        if not self.odd(phonemes):
            made.audio[:] *= np.float32(1 + seed % 1_000 / 5_000)  # the seed is heard, as it is in the model's noise
            return made
        tone = (0.2 * np.sin(np.arange(20 * FRAME_SAMPLES) / 10)).astype(np.float32)
        return Take(np.concatenate([made.audio, tone]), (*made.pred_dur[:-1], made.pred_dur[-1] + 20))


def together(phonemes: str) -> bool:
    return phonemes.count(".") > 1


class Shelf:
    def __init__(self, root: Path, odd: Odds = lambda _: False, paragraphs: list[str] = THREE) -> None:
        root.mkdir(parents=True)
        self.store, self.book = Store(root), make_book([paragraphs])
        (source := root.parent / "kettle.epub").write_bytes(b"PK")
        self.store.put_book(
            self.book, source=source, voice="af_heart", engine=ENGINE, bitrate=48_000, added=AT
        )  # fmt: skip
        self.synth = Odd(odd)
        self.renderer = Renderer(self.store, self.synth, lambda _: Letters())

    def once(self, stop: Callable[[], bool] = lambda: False) -> tuple[str, ...]:
        return self.renderer.render(self.book.id, 1, None, size="usual", begun=lambda *_: None, stop=stop).sentences

    def render(self) -> tuple[SentenceEntry, ...]:
        while self.once():
            pass
        return self.entries

    @property
    def entries(self) -> tuple[SentenceEntry, ...]:
        return self.store.chapter(self.book.id, 1).sentences

    def change(self, at: int, change: Callable[[SentenceEntry], SentenceEntry]) -> SentenceEntry:
        return self.store.change_sentence(self.book.id, 1, self.entries[at].id, change)

    def sound(self) -> None:
        """The store is whole, by two readers."""
        assert [problem for problem in check(self.store.root) if "book.json is of" not in problem] == []
        assert list(verify(self.store, Tally())) == []
        assert self.store.sweep() == []


class TestRetry:
    def test_an_odd_sentence_is_rendered_once_more_alone(self, tmp_path: Path) -> None:
        shelf = Shelf(tmp_path / "store", together)
        entries = shelf.render()
        assert [entry.variant for entry in entries] == [None, None, 1]
        assert [entry.ears for entry in entries] == [None, None, None] and entries[2].gate == ()
        assert len(shelf.synth.said) == 2  # so much more work, and no more
        shelf.sound()

    def test_what_is_odd_both_times_waits_for_ears(self, tmp_path: Path) -> None:
        shelf = Shelf(tmp_path / "store", lambda _: True)
        last = shelf.render()[2]
        assert last.ears == "gate" and "runs on" in (last.gate or ()) and len(shelf.synth.said) == 2
        shelf.sound()

    def test_noise_at_the_second_attempt_keeps_the_first(self, tmp_path: Path) -> None:
        class Worse(Odd):
            def render(self, phonemes: str, *args: object, **named: object) -> Take:
                if not together(phonemes):
                    raise NotSpeech("noise")
                return super().render(phonemes, *args, **named)  # type: ignore[arg-type]

        shelf = Shelf(tmp_path / "store")
        shelf.renderer = Renderer(shelf.store, Worse(together), lambda _: Letters())
        assert [entry.ears for entry in shelf.render()] == [None, None, "gate"]

    def test_broken_off_in_between_it_ends_byte_for_byte_the_same(self, tmp_path: Path) -> None:
        whole = Shelf(tmp_path / "whole" / "store", together).render()
        broken = Shelf(tmp_path / "broken" / "store", together)
        stops = iter([*[False] * 100, *[True] * 10])  # in the middle of the second attempt
        with pytest.raises(Stopped):
            while True:
                broken.once(lambda: next(stops))
        assert broken.entries[0].file is None or broken.entries == whole
        assert broken.render() == whole


class TestEars:
    def test_a_complaint_is_kept_and_is_answered_by_another_sound(self, tmp_path: Path) -> None:
        shelf = Shelf(tmp_path / "store")
        before = shelf.render()
        told = shelf.change(1, partial(sounds_wrong, note="It says kettle.", at=AT))
        assert (told.ears, told.note, told.complained) == ("listener", "It says kettle.", AT)
        assert Store(shelf.store.root).chapter(shelf.book.id, 1).sentences[1] == told  # on the disk
        shelf.change(1, partial(rendered_otherwise, at=AT))
        asked = len(shelf.synth.said)
        after = shelf.render()
        assert len(shelf.synth.said) == asked + 1
        one = after[1]
        assert (one.ears, one.note, one.again, one.variant) == ("redone", "It says kettle.", None, 1)
        assert one.sha256 != before[1].sha256 and after[0] == before[0] and after[2] == before[2]
        assert stale(shelf.store, shelf.book.id, Letters()) == {}
        shelf.sound()

    def test_asked_again_and_again_it_is_another_each_time_and_can_be_made_again(self, tmp_path: Path) -> None:
        runs = []
        for name in ("one", "two"):
            shelf = Shelf(tmp_path / name / "store", paragraphs=["Six."])
            shelf.render()
            sums = [shelf.entries[0].sha256]
            for number in (1, 2, 3):
                shelf.change(0, partial(rendered_otherwise, at=AT))
                shelf.render()
                assert shelf.entries[0].variant == number
                sums.append(shelf.entries[0].sha256)
            shelf.sound()
            runs.append((sums, [seed for _, seed in shelf.synth.said]))
        assert runs[0] == runs[1] and len(set(runs[0][1])) == 4

    def test_the_earlier_sound_can_be_taken_back_and_back_again(self, tmp_path: Path) -> None:
        shelf = Shelf(tmp_path / "store", together)
        shelf.render()
        before = shelf.change(2, partial(sounds_wrong, note=None, at=AT))
        shelf.change(2, partial(rendered_otherwise, at=AT))
        now = shelf.render()[2]
        back = shelf.change(2, taken_back)
        assert back.model_copy(update={"earlier": None}) == before
        shelf.sound()
        assert shelf.change(2, taken_back) == now
        with pytest.raises(Conflict):
            shelf.change(0, taken_back)

    def test_what_is_accepted_is_done_with(self, tmp_path: Path) -> None:
        shelf = Shelf(tmp_path / "store", lambda _: True)
        shelf.render()
        shelf.change(2, partial(rendered_otherwise, at=AT))
        done = shelf.change(2, accepted)
        assert (done.ears, done.again, done.note, done.complained) == ("accepted", None, None, None)
        assert shelf.once() == ()

    def test_a_complaint_that_is_taken_back_leaves_what_was_thought_before(self, tmp_path: Path) -> None:
        shelf = Shelf(tmp_path / "store", lambda _: True)  # odd, whatever the layout
        before = shelf.render()[2]
        assert before.ears == "gate"
        shelf.change(2, partial(sounds_wrong, note=None, at=AT))
        assert shelf.change(2, withdrawn) == before
        shelf.change(2, accepted)
        noted = shelf.change(2, partial(sounds_wrong, note="It hums.", at=AT))
        assert shelf.change(2, partial(sounds_wrong, note=None, at=AT + timedelta(hours=1))) == noted
        more = shelf.change(2, partial(sounds_wrong, note="It clicks.", at=AT + timedelta(hours=1)))
        assert (more.note, more.complained) == ("It clicks.", AT + timedelta(hours=1))
        back = shelf.change(2, withdrawn)
        assert (back.ears, back.note, back.complained, back.thought) == ("accepted", None, None, None)
        with pytest.raises(Conflict):
            shelf.change(2, withdrawn)
        shelf.sound()

    def test_a_complaint_about_what_was_rendered_anew_keeps_what_was_said_then(self, tmp_path: Path) -> None:
        shelf = Shelf(tmp_path / "store")
        shelf.render()
        shelf.change(1, partial(sounds_wrong, note="It says kettle.", at=AT))
        shelf.change(1, partial(rendered_otherwise, at=AT))
        redone = shelf.render()[1]
        assert redone.ears == "redone" and redone.thought is None
        told = shelf.change(1, partial(sounds_wrong, note=None, at=AT))
        assert (told.ears, told.note) == ("listener", "It says kettle.")
        assert shelf.change(1, withdrawn) == redone

    def test_what_is_asked_for_while_it_is_spoken_is_still_done(self, tmp_path: Path) -> None:
        shelf = Shelf(tmp_path / "store")
        shelf.render()
        shelf.store.render_again(shelf.book.id, 1, [shelf.entries[1].id], "asked")

        def ask() -> bool:  # asked in the middle of the pass whether to go on
            if shelf.entries[1].again == "asked":
                shelf.change(1, partial(sounds_wrong, note="It says kettle.", at=AT))
                shelf.change(1, partial(rendered_otherwise, at=AT))
            return False

        shelf.once(ask)
        one = shelf.entries[1]
        assert (one.again, one.ears, one.note) == ("ears", "listener", "It says kettle.")
        one = shelf.render()[1]
        assert (one.again, one.ears, one.note, one.variant) == (None, "redone", "It says kettle.", 1)
        shelf.sound()

    def test_nothing_is_said_of_what_nobody_heard(self, tmp_path: Path) -> None:
        shelf = Shelf(tmp_path / "store")
        for change in (accepted, partial(sounds_wrong, note=None, at=AT), partial(rendered_otherwise, at=AT)):
            with pytest.raises(Conflict):
                shelf.change(0, change)
        with pytest.raises(NotFound):
            shelf.store.change_sentence(shelf.book.id, 1, "0123456789ab-1", accepted)

    def test_a_complaint_while_it_is_rendered_is_not_lost(self, tmp_path: Path) -> None:
        shelf = Shelf(tmp_path / "store")
        shelf.render()
        shelf.change(1, partial(rendered_otherwise, at=AT))

        def complain(*_: object) -> None:
            shelf.change(1, partial(sounds_wrong, note="Odd.", at=AT))

        shelf.renderer.render(shelf.book.id, 1, None, size="usual", begun=complain, stop=lambda: False)
        assert (shelf.entries[1].ears, shelf.entries[1].note) == ("redone", "Odd.")

    def test_it_goes_with_its_audio_to_another_edition(self, tmp_path: Path) -> None:
        shelf = Shelf(tmp_path / "store")
        shelf.render()
        shelf.change(1, partial(rendered_otherwise, at=AT))
        shelf.render()
        said = shelf.change(1, partial(sounds_wrong, note="It hums.", at=AT))
        corrected = replace(make_book([["It is a true story.", *THREE]]), id=shelf.book.id)
        (source := tmp_path / "corrected.epub").write_bytes(b"PK corrected")
        shelf.store.put_book(corrected, source=source, voice="af_heart", engine=ENGINE, bitrate=48_000, added=AT)
        moved = next(entry for entry in shelf.entries if entry.text == said.text)
        assert (moved.ears, moved.note, moved.variant, moved.sha256) == ("listener", "It hums.", 1, said.sha256)
        assert moved.earlier is None


class TestUndo:
    def test_a_rule_that_is_taken_back_brings_the_old_sound_back_without_rendering(self, tmp_path: Path) -> None:
        shelf = Shelf(tmp_path / "store")
        before = shelf.render()
        rules = shelf.store.book_folder(shelf.book.id) / "overrides.txt"
        touched = {before[0].id}
        rules.write_text("kettle = pot\n")
        shelf.store.render_again(shelf.book.id, 1, touched, "rule")
        after = shelf.render()
        assert after[0].sha256 != before[0].sha256 and len(shelf.synth.said) == 2
        rules.unlink()
        shelf.store.render_again(shelf.book.id, 1, touched, "rule")
        back = shelf.render()
        assert len(shelf.synth.said) == 2
        assert back[0].model_copy(update={"earlier": None}) == before[0] and back[1:] == before[1:]
        rules.write_text("kettle = pot\n")  # and once more the other way
        shelf.store.render_again(shelf.book.id, 1, touched, "rule")
        assert shelf.render()[0].sha256 == after[0].sha256 and len(shelf.synth.said) == 2
        shelf.sound()

    def test_a_rule_that_is_taken_back_before_it_was_heard_costs_nothing(self, tmp_path: Path) -> None:
        shelf = Shelf(tmp_path / "store")
        before = shelf.render()
        shelf.store.render_again(shelf.book.id, 1, {before[0].id}, "rule")
        assert shelf.render() == before and len(shelf.synth.said) == 1

    def test_an_earlier_sound_that_is_lost_is_forgotten(self, tmp_path: Path) -> None:
        shelf = Shelf(tmp_path / "store")
        shelf.render()
        shelf.change(1, partial(rendered_otherwise, at=AT))
        earlier = shelf.render()[1].earlier
        assert earlier is not None
        (shelf.store.rendition_folder(shelf.book.id, shelf.store.book(shelf.book.id).rendition) / earlier.file).unlink()
        assert len(list(verify(shelf.store, Tally()))) == 1
        shelf.store.sweep()
        assert shelf.entries[1].earlier is None and shelf.entries[1].rendered
        shelf.sound()
