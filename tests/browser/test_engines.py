"""The player in the other engines, as far as they are to be had here: WebKitGTK, Safari's nearest kin, and Firefox."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest

from server.library.editions import Spot
from server.render.index import SAMPLE_RATE
from tests.browser.prepared import Walk, walking
from tests.browser.recording import Score
from tests.browser.test_player import HEARD
from tests.browser.webdriver import Driver, firefox, webkit

pytestmark = pytest.mark.browser

ERROR_S = 0.05
AUDIO = "document.querySelector('audio')"
# Whoever was here before has left a place.
BEGINNING = """return fetch("/api/v1/books/%s/position", {
  method: "PUT", headers: { "content-type": "application/json" },
  body: JSON.stringify({ chapter: 1, sentence: "%s", word: 0, reason: "jump" }),
}).then((answer) => answer.ok)"""


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    with walking(tmp_path_factory.mktemp("walk")) as made:
        yield made


def error_s(score: Score, page: Driver) -> float:
    """How far the audio is outside the lit word, on the time line of a book that is played from its start."""
    now = page.run(f"return ({HEARD})()")
    begin, end = score.span(Spot(now["chapter"], now["sentence"]), now["word"])
    at = now["time_s"] * SAMPLE_RATE
    return float(max(0.0, begin - at, at - end)) / SAMPLE_RATE


def webkit_as_safari() -> AbstractContextManager[Driver]:
    return webkit(hls=True)


@pytest.mark.parametrize("opened", [webkit, webkit_as_safari, firefox])
def test_it_plays_lights_what_is_heard_goes_where_it_is_tapped_and_on_into_the_next_chapter(
    walk: Walk, opened: Callable[[], AbstractContextManager[Driver]]
) -> None:
    daemon, store, record = walk
    score = Score(store, record.id, [store.chapter(record.id, row.number) for row in record.chapters])
    spots = list(score.starts)
    with opened() as page:
        page.go(f"{daemon.url}/#/book/{record.id}")
        page.until("document.querySelector('.sentence.spoken') !== null")
        page.run(BEGINNING % (record.id, spots[0].sentence))
        page.go(f"{daemon.url}/#/")
        page.until("document.querySelector('book-shelf') !== null")
        page.go(f"{daemon.url}/#/book/{record.id}")
        page.until(f"document.querySelector('[data-sentence=\"{spots[0].sentence}\"].spoken') !== null")
        page.click("transport-bar .play")
        page.until("document.querySelector('book-reader[data-playing]') && document.querySelector('.word.lit')")
        errors = sorted(error_s(score, page) for _ in range(25))
        assert errors[23] <= ERROR_S, errors
        page.click(f'[data-sentence="{spots[2].sentence}"] .word[data-word="3"]')
        page.until(f"document.querySelector('[data-sentence=\"{spots[2].sentence}\"] .word.lit')?.dataset.word >= 3")
        page.until("document.querySelector('book-reader').dataset.chapter === '2'")
        page.until("document.querySelector('book-reader[data-playing]') && document.querySelector('.word.lit')")
        assert max(error_s(score, page) for _ in range(5)) <= 4 * ERROR_S
        own = opened is webkit_as_safari
        assert page.run(f"return {AUDIO}.src").endswith(".m3u8") == own
        page.run(f"{AUDIO}.currentTime = {AUDIO}.duration - 1")
        page.until("document.querySelector('book-reader[data-state=ended]')")
        time.sleep(1)  # what begins anew does so at once
        assert page.run(f"return {AUDIO}.paused")
        assert page.run(f"return ({HEARD})()")["sentence"] == spots[-1].sentence
