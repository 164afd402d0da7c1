"""The cost of forgetting the board: nothing if nothing is shared, much if everything is."""

import numpy as np
import pytest

from tiltless.abstraction.cards.bucketing import StrengthBins
from tiltless.bench.tied_boards import _Pots, tied_loss
from tiltless.errors import OptionError
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP


class _Apart:
    """Every hand of every board has a bucket of its own."""

    text = "apart"

    def __init__(self, boards):
        self.boards, self.count = boards, 1326 * boards
        self.met = {}

    def buckets(self, board):
        number = self.met.setdefault(board.tobytes(), len(self.met))
        return np.arange(1326) + 1326 * number


def boards(count):
    rng = np.random.default_rng(0)
    return [rng.permutation(52)[:5].astype(np.uint8) for _ in range(count)]


def test_hands_that_share_nothing_are_solved_as_if_alone():
    pots = _Pots(_Apart(2), boards(2))
    for _ in range(5):
        for player in (OOP, IP):
            pots.learn(player, 2)
    alone = PostflopSolver(pots.solvers[1].spot)
    alone.run(5)
    assert pots.solvers[1].exploitability() == pytest.approx(alone.exploitability(), rel=1e-4)


def test_hands_of_a_bucket_play_alike_on_all_boards():
    pots = _Pots(StrengthBins(6), boards(3))
    for _ in range(3):
        for player in (OOP, IP):
            pots.learn(player, 3)
    for player in (OOP, IP):
        strategy = {}
        for board in range(3):
            rows = pots._rows(board, player, "regret")
            for hand, bucket in enumerate(pots.hands[board][player].bucket.tolist()):
                assert np.array_equal(strategy.setdefault(bucket, rows[:, hand]), rows[:, hand])
    weights, values = np.zeros(6), np.zeros(6)
    for board in range(3):
        hands = pots.hands[board][IP]
        for bucket, weight, value in zip(
            *hands[:2], pots._rows(board, IP, "average")[0], strict=True
        ):
            weights[bucket] += weight
            values[bucket] += weight * value
    assert pots.mean(IP, "average", 3)[0] == pytest.approx(values / np.maximum(weights, 1e-30))


def test_coarse_buckets_lose_more():
    fine, coarse = (tied_loss(StrengthBins(n), boards=6, unseen=4, iterations=25) for n in (40, 2))
    assert coarse.tied.mean > 2 * fine.tied.mean > 0
    assert coarse.unseen.mean > fine.unseen.mean
    with pytest.raises(OptionError):
        tied_loss(StrengthBins(2), boards=1)
