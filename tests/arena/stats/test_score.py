"""Units of winnings."""

import pytest

from tiltless.arena.stats.score import per_unit
from tiltless.errors import OptionError


def test_units():
    assert per_unit("mbb/h", 2) * 0.5 == 250
    assert per_unit("bb/100", 2) * 0.5 == 25
    assert per_unit("sb/h", 10) * 7 == pytest.approx(1.4)
    assert per_unit("sb/h", 10, 2) == 0.5
    assert per_unit("chips/h", 10) == 1
    with pytest.raises(OptionError, match=r"unit='bb'.*mbb/h"):
        per_unit("bb", 2)
