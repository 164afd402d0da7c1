from dataclasses import replace

import pytest

from tiltless.blueprint.training.convergence import COLUMNS, Match, is_flat
from tiltless.files.csv_log import Log

# 4 mbb/h either way, and a value of 50 known to within 10 mbb/h
STILL = Match(
    walks=2000,
    before=1000,
    hands=1_000_000,
    chips=0.0,
    chips_error=0.008 / 1.959963984540054,
    value=0.1,
    value_error=0.02 / 1.959963984540054,
    big_blind=2,
)


def won(mbb, reach=4.0, value=50.0):
    chips = {
        "chips": mbb / 500,
        "chips_error": reach / 500 / 1.959963984540054,
        "value": value / 500,
    }
    return replace(STILL, **chips)


def test_units():
    match = replace(STILL, chips=0.01)
    assert match.mbb == pytest.approx(5)
    assert match.mbb_95 == pytest.approx(4)
    assert match.value_mbb == pytest.approx(50)
    assert match.value_mbb_95 == pytest.approx(10)


def test_a_match_is_read_back_from_its_row(tmp_path):
    match = replace(STILL, walks=123_456_789_012, chips=0.0123)
    Log(tmp_path / "m.csv", COLUMNS, 0).add(match.row())
    (row,) = Log(tmp_path / "m.csv", COLUMNS, match.walks).rows
    again = Match.from_row(row, 2)
    assert (again.walks, again.before, again.hands) == (match.walks, 1000, 1_000_000)
    assert again.chips == pytest.approx(match.chips)
    assert again.value_mbb_95 == pytest.approx(match.value_mbb_95, rel=1e-5)


@pytest.mark.parametrize(
    ("matches", "flat"),
    [
        ([STILL] * 3, True),
        ([STILL] * 2, False),  # too few
        ([], False),
        ([won(50), STILL, STILL, STILL], True),  # what was long ago does not count
        ([STILL, won(6), STILL], False),  # one of them won
        ([won(4.9), won(4.9), won(4.9)], False),  # each may be luck, all together are not
        ([won(3), won(-4), won(2)], True),
        ([won(-30)] * 3, True),  # worse than before is no gain either
        ([won(0, reach=40)] * 3, False),  # too few hands to say
        ([won(0, reach=30)] * 3, True),
        ([STILL, STILL, won(0, value=65)], False),  # the value of the game still moves
        ([won(0, value=65), STILL, STILL], False),
        ([STILL, STILL, won(0, value=60)], True),
    ],
)
def test_flat_is_no_gain_that_hands_can_see(matches, flat):
    assert is_flat(matches, 3) is flat


def test_matches_after_few_walks_do_not_count():
    short = replace(STILL, before=1600)
    assert not is_flat([STILL, STILL, short], 3)
    assert is_flat([STILL, STILL, short, STILL], 3)
    assert not is_flat([STILL, won(50), STILL, short], 3)
    assert is_flat([replace(STILL, before=1500), STILL, STILL], 3)


def test_no_checkpoints_are_never_flat():
    assert not is_flat([STILL], 0)
