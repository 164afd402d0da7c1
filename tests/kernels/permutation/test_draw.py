import numpy as np
import pytest

from helpers.hidden_order import drawn_order, random_showdowns, rows_of
from naive.permutation import agreement as naive
from tiltless.kernels.permutation.draw import draw_agreeing
from tiltless.permutation.evidence import EvidenceRows
from tiltless.permutation.prior import draw_tables, inversions, rank_chances


def draw(count, rows=None, most=10**7, seed=1):
    out = np.empty((count, 13), np.int8)
    arrays = (rows or EvidenceRows()).arrays()
    found, draws = draw_agreeing(np.array([seed], np.uint64), draw_tables(), most, *arrays, out)
    return out[:found], draws


@pytest.mark.nojit
def test_draws_are_orders():
    orders, draws = draw(20)
    assert draws == 20
    assert (np.sort(orders, axis=1) == np.arange(13)).all()


def test_draws_have_the_chances_of_the_prior():
    orders, _ = draw(200_000)
    assert inversions(orders).mean() == pytest.approx(22.04, abs=0.05)
    counts = np.stack([np.bincount(column, minlength=13) for column in orders.T])
    chances = rank_chances()
    deviations = (counts / len(orders) - chances) / np.sqrt(chances / len(orders))
    assert np.abs(deviations).max() < 4.5


@pytest.mark.nojit
@pytest.mark.bounds
def test_draws_that_agree_are_those_of_all_draws_that_agree():
    showdowns = list(random_showdowns(1, drawn_order(4), 3))
    everything, _ = draw(60)
    some, draws = draw(60, rows_of(showdowns), most=60)
    kept = [order.tolist() for order in everything if naive.agrees(order, showdowns)]
    assert some.tolist() == kept
    assert draws == 60
    assert 0 < len(kept) < 60
