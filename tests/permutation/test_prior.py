from math import log2
from random import Random

import numpy as np
import pytest

from helpers.hidden_order import drawn_order
from naive.permutation.chain import inversions as naive_inversions
from tiltless.cards.card import RANKS
from tiltless.cards.hand_order import permuted
from tiltless.errors import ArrayError
from tiltless.games.holdem.permutation import draw_ranks, ranks_probability
from tiltless.permutation.prior import (
    ENTROPY,
    LOG2_Z,
    inversions,
    log2_prior,
    rank_chances,
    rank_order,
)


def test_prior_is_the_engines():
    for seed in range(50):
        ranks = draw_ranks(Random(seed))
        order = permuted(ranks).true_ranks
        assert 2.0 ** log2_prior([order])[0] == pytest.approx(ranks_probability(ranks), rel=1e-12)
        assert rank_order(order) == ranks


def test_known_numbers():
    assert pytest.approx(8.923e-7, rel=1e-4) == 2.0**-LOG2_Z  # the identity
    assert pytest.approx(29.2448, abs=1e-4) == ENTROPY
    assert (ENTROPY - LOG2_Z) / log2(4 / 3) == pytest.approx(22.04, abs=0.005)  # mean inversions
    assert inversions([range(13), range(12, -1, -1)]).tolist() == [0, 78]


def test_inversions_count_pairs():
    orders = [drawn_order(seed) for seed in range(30)]
    assert inversions(orders).tolist() == [naive_inversions(order) for order in orders]


def test_chances_of_ranks():
    chances = rank_chances()
    assert chances.sum(axis=1) == pytest.approx(np.ones(13))
    assert np.abs(chances - chances.T).max() < 1e-12
    assert np.abs(chances - chances[::-1, ::-1]).max() < 1e-12
    assert chances[0, 0] == pytest.approx(0.2561, abs=1e-4)
    drawn = np.array([drawn_order(seed) for seed in range(4000)])
    assert np.abs(drawn.mean(axis=0) - chances @ np.arange(13)).max() < 0.25
    assert chances[3, 5] == pytest.approx((drawn[:, 3] == 5).mean(), abs=0.02)


@pytest.mark.parametrize(
    "orders", [[[0] * 13], [range(12)], range(13), [[0.5] * 13], [range(1, 14)]], ids=str
)
def test_what_is_no_order_is_refused(orders):
    with pytest.raises(ArrayError, match="true rank"):
        inversions(orders)


def test_text_of_the_identity():
    assert rank_order(range(13)) == RANKS
