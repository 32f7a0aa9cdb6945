"""Apple's own decoder gives each file the samples that its index says, and a click where it was put. On a Mac only."""

import platform
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.parity.store_reader import Chapter, chapters, playing
from tests.parity.test_golden_store import LOUDEST_SAMPLES, expected

pytestmark = pytest.mark.parity

GOLDEN = ROOT / "tests" / "data" / "store-v2"


@pytest.fixture(scope="module")
def foundation() -> Any:
    """The AVFoundation of this Mac."""
    if platform.system() != "Darwin":
        pytest.skip("AVAudioFile is Apple's: it is checked on a Mac")
    return pytest.importorskip("AVFoundation", reason="AVAudioFile is checked with pyobjc-framework-AVFoundation")


def rendered() -> list[tuple[Chapter, dict[str, Any], dict[str, Any]]]:
    """Every rendered sentence of the golden store, with what is expected of it."""
    want = {one["chapter"]: {s["id"]: s for s in one["sentences"]} for one in expected(GOLDEN)["chapters"]}
    found = [one for one in chapters(GOLDEN / "store") if playing(one)]
    return [(one, entry, want[one.index["chapter"]][entry["id"]]) for one in found for entry in one.rendered]


@pytest.mark.parametrize(
    ("chapter", "entry", "want"),
    [pytest.param(*one, id=f"{one[0].index['chapter']}-{one[1]['id']}") for one in rendered()],
)
def test_the_length_and_the_loudest_sample(foundation: Any, chapter: Chapter, entry: Any, want: Any) -> None:
    samples = read(foundation, chapter.folder / entry["file"], entry["samples"])
    assert len(samples) == want["decoded_samples"] == entry["samples"]
    loudest = max(range(len(samples)), key=lambda at: abs(samples[at]))
    assert abs(loudest - want["loudest_sample"]) <= LOUDEST_SAMPLES


def read(foundation: Any, path: Path, count: int) -> list[float]:
    """The first `count` samples that AVAudioFile gives of a file, fewer where it has no more."""
    url = foundation.NSURL.fileURLWithPath_(str(path))
    file, error = foundation.AVAudioFile.alloc().initForReading_error_(url, None)
    assert file is not None, error
    assert file.processingFormat().sampleRate() == 24_000
    # Of a file that may be joined the length is `samples` itself; another renderer's may have a rest of a unit more.
    assert count <= file.length() < count + 1_024
    buffer = foundation.AVAudioPCMBuffer.alloc().initWithPCMFormat_frameCapacity_(file.processingFormat(), count)
    done, error = file.readIntoBuffer_frameCount_error_(buffer, count, None)
    assert done, error
    channel = buffer.floatChannelData()[0]
    return [float(channel[at]) for at in range(int(buffer.frameLength()))]
