"""Long activations in parts."""

import mlx.core as mx
import numpy as np
import pytest

from server.kokoro_mlx.blocks import Blocks
from tests.unit.kokoro_mlx.helpers import normal


@pytest.mark.parametrize("channels", [3, 4])
@pytest.mark.parametrize("low", [-4, 0, 3, 9])
@pytest.mark.parametrize("high", [10, 12, 17])
def test_rows_are_those_of_the_whole_with_zeros_around(low: int, high: int, channels: int) -> None:
    x = normal(1, 12, channels)
    blocks = Blocks(mx.array(part) for part in np.split(x, [1, 5, 8]))
    assert len(blocks) == 12
    padded = np.pad(x, ((4, 5), (0, 0)))
    np.testing.assert_array_equal(np.array(blocks.rows(low, high)), padded[low + 4 : high + 4])
    np.testing.assert_array_equal(np.array(blocks.whole()), x)


def test_what_is_forgotten_is_let_go_and_not_made_up() -> None:
    x = normal(1, 12, 4)
    blocks = Blocks(mx.array(part) for part in np.split(x, [4, 8]))
    kept = blocks.copy()
    blocks.forget(7)
    assert len(blocks.parts) == 2
    np.testing.assert_array_equal(np.array(blocks.rows(4, 12)), x[4:])
    with pytest.raises(ValueError, match="those before 4 are forgotten"):
        blocks.rows(3, 12)
    np.testing.assert_array_equal(np.array(kept.rows(0, 12)), x)
