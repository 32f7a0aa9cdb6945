"""What is lit is what is heard, at every speed and after a jump; and sentences follow each other without a hole."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from server.library.editions import Spot
from tests.browser.conftest import SIZES
from tests.browser.measuring import in_step, joins, worst
from tests.browser.prepared import Walk, walking
from tests.browser.recording import Recorder, Score
from tests.browser.test_player import play

pytestmark = [pytest.mark.browser, pytest.mark.alone]

ERROR_S = 0.05


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    with walking(tmp_path_factory.mktemp("walk")) as made:
        yield made


@pytest.fixture(scope="module")
def score(walk: Walk) -> Score:
    _, store, record = walk
    return Score(store, record.id, [store.chapter(record.id, row.number) for row in record.chapters])


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(bypass_csp=True, viewport=SIZES["desk"])  # type: ignore[arg-type]
    context.set_default_timeout(90_000)
    yield context.new_page()
    context.close()


def begin(page: Page, walk: Walk, speed: float, spot: Spot) -> Recorder:
    """Play from the word of a sentence on, recorded."""
    daemon, _, record = walk
    page.add_init_script(f"localStorage.setItem('lectern.speed', '{speed}')")
    page.goto(f"{daemon.url}/#/book/{record.id}")
    page.wait_for_selector(".sentence.spoken")
    page.locator(f'[data-sentence="{spot.sentence}"] .word').first.click()
    recorder = Recorder(page)
    play(page)
    return recorder


@pytest.mark.parametrize("speed", [1, 1.5])  # more of them in benchmarks/highlight.py
def test_the_lit_word_is_the_one_that_is_heard(page: Page, walk: Walk, score: Score, speed: float) -> None:
    spots = list(score.starts)
    recorder = begin(page, walk, speed, spots[0])
    page.wait_for_timeout(2_600)
    jumped = recorder.frame()
    page.locator(f'[data-sentence="{spots[1].sentence}"] .word').nth(5).click()
    page.wait_for_timeout(2_000)
    recorder.fetch()
    before = in_step(recorder, score, speed, 0, jumped, spots[0])
    after = in_step(recorder, score, speed, jumped, recorder.frame(), spots[1])
    assert before.p95_s() <= ERROR_S and after.p95_s() <= ERROR_S, (before, after)
    assert len(before.errors_s) + len(after.errors_s) > (before.frames + after.frames) / 2


def test_sentences_and_chapters_are_joined_without_a_sample_more_or_less(page: Page, walk: Walk, score: Score) -> None:
    recorder = begin(page, walk, 1, next(iter(score.starts)))
    page.wait_for_selector('book-reader[data-chapter="2"]', timeout=120_000)
    page.wait_for_timeout(4_000)
    recorder.fetch()
    found = joins(recorder, score, next(iter(score.starts)))
    assert any(one.chapter for one in found) and len(found) > 2
    assert worst(found) == 0, found
    assert max(one.difference_db for one in found) < -40
