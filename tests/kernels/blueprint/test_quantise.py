"""Rounding to bytes: sums exact, no probability far off, the same as with fractions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.blueprint.quantise import quantise_row
from tiltless.kernels.blueprint.quantise import WHOLE, Blocks, check_bytes, quantise

weights = st.one_of(
    st.lists(st.integers(0, 20), min_size=1, max_size=6),
    st.lists(st.floats(0, 1, width=32), min_size=1, max_size=6),
    st.lists(st.sampled_from([0.0, 1e-30, 1.0, 3.0, 1e30]), min_size=1, max_size=6),
)


def numbers(*values):
    return np.array(values, dtype=np.int64)


def rounded(rows, dtype=np.float32):
    """Rows of one width, in one block."""
    table = np.array(rows, dtype=dtype)
    out = np.full(table.size, 99, np.uint8)
    blocks = Blocks(numbers(0), numbers(table.shape[1]), numbers(len(rows)))
    visited = quantise(table.ravel(), blocks, np.empty(table.shape[1]), out)
    return out.reshape(table.shape).tolist(), visited


@pytest.mark.nojit
@pytest.mark.bounds
@given(weights)
def test_bytes_sum_to_255_and_are_close(row):
    row = [float(np.float32(weight)) for weight in row]
    [found], visited = rounded([row])
    total = sum(row)
    assert visited == (total > 0)
    assert sum(found) == (WHOLE if total > 0 else 0)
    for byte, weight in zip(found, row, strict=True):
        if total > 0:
            assert abs(byte / WHOLE - weight / total) < 1 / WHOLE
        assert byte == 0 or weight > 0


@pytest.mark.nojit
@given(st.lists(st.integers(0, 9), min_size=1, max_size=7))
def test_it_is_the_largest_remainder_with_ties_to_the_first(row):
    row.append(-sum(row) % 64)  # sums to a multiple of 64, 64 in most cases
    if sum(row) in (0, 64):  # so that nothing is rounded before the remainders are compared
        assert rounded([row], np.float64)[0] == [quantise_row(row)]


@pytest.mark.nojit
def test_ties_and_shares_by_hand():
    assert rounded([[1, 1]])[0] == [[128, 127]]
    assert rounded([[1, 1, 1]])[0] == [[85, 85, 85]]
    assert rounded([[1, 1, 1, 1]])[0] == [[64, 64, 64, 63]]
    assert rounded([[0, 5, 0]])[0] == [[0, 255, 0]]
    assert rounded([[1, 1000]])[0] == [[0, 255]]  # 0.25 and 254.75
    assert rounded([[3, 1000]])[0] == [[1, 254]]  # 0.76 and 254.24
    assert rounded([[0, 0], [2, 2], [0, 0]]) == ([[0, 0], [128, 127], [0, 0]], 1)


@pytest.mark.nojit
@pytest.mark.bounds
def test_more_actions_than_bytes_can_tell_apart():
    [found], visited = rounded([[1.0] * 300])
    assert visited == 1
    assert sum(found) == WHOLE
    assert found == [1] * 255 + [0] * 45


@pytest.mark.nojit
@pytest.mark.bounds
def test_blocks_of_different_widths_and_wrong_rows_are_found():
    table = np.array([255, 100, 155, 0, 0, 1, 0, 254, 1, 0, 0, 0], np.uint8)
    blocks = Blocks(numbers(0, 1, 6), numbers(1, 2, 3), numbers(1, 2, 2))
    found = np.zeros(3, np.int64)
    check_bytes(table, blocks, found)
    assert found.tolist() == [3, 0, -1]
    table[3] = 7
    table[11] = 254
    check_bytes(table, blocks, found)
    assert found.tolist() == [3, 2, 3]
