"""Ends of hands for two ranges, sixteen at a time, against a loop over all pairs."""

from dataclasses import replace

import numpy as np
import pytest

from tiltless.cards.card import COMBO_CARDS
from tiltless.cards.evaluate import evaluate
from tiltless.kernels.base.jit import kernel
from tiltless.kernels.base.simd import aligned_zeros
from tiltless.kernels.postflop.street import ACTOR, FOLD, SHOWDOWN
from tiltless.kernels.postflop.terminals import TerminalBuffers, terminal_values
from tiltless.postflop.betting_forest import street_forests
from tiltless.postflop.boards import board_sets
from tiltless.postflop.spot import Spot

BOARD = "QsJh2h8d3c"
# Lists of unequal length, hands that both have, hands of which all cards are with the opponent.
OOP = "AsAd, KhTh, 9c9d, 7s6s, QcJc, AcAh, 54s, 65s, QhTh"
IP = "KdKc, KhTh, QcJc, 5h4h, AhTd, QdJd, KQ, 77, 65s, 33, 88, QhTh"
SPOT = Spot(BOARD, OOP, IP, 20, 67, "50%, a / 60%, a")


@kernel
def terminals(slots, ends, boards, board, traverser, reach, cfv, lanes):
    """A kernel, since the code of a part is compiled anew in every process."""
    terminal_values(slots, ends, boards, board, traverser, reach, cfv, lanes)


def lanes(widest):
    return TerminalBuffers(
        *(aligned_zeros(16 * (widest + 1)) for _ in range(3)),
        *(aligned_zeros(16 * 52) for _ in range(2)),
        *(np.zeros(16, np.int64) for _ in range(3)),
    )


def naive(spot, made, combos, traverser, node, reach):
    """The worth of each hand at an end: one pair after the other."""
    board = list(spot.board)
    betting = made.betting[node]
    mine = spot.pot / 2 + spot.stack - max(betting.stacks)  # what both have matched
    rake = min(spot.rake * 2 * mine, spot.rake_cap)
    cfv = []
    for hand in combos[traverser]:
        total = 0.0
        cards = COMBO_CARDS[hand].tolist()
        for other, weight in zip(combos[1 - traverser], reach, strict=True):
            theirs = COMBO_CARDS[other].tolist()
            if {*cards} & {*theirs}:
                continue
            if made.forest.node[node, ACTOR] == FOLD:
                won = betting.live == 1 << traverser
                total += weight * (mine - rake if won else -mine)
                continue
            one, two = evaluate(cards + board), evaluate(theirs + board)
            share = 1.0 if one > two else 0.5 if one == two else 0.0
            total += weight * (share * (2 * mine - rake) - mine)
        cfv.append(total)
    return np.array(cfv)


@pytest.mark.nojit
@pytest.mark.bounds
@pytest.mark.parametrize(
    "change",
    [
        {},
        {"rake": 0.05, "rake_cap": 3.0},
        {"board": "AsKsQsJsTs"},  # all tie
        {"board": "2s2h2d2c3c", "bets": "50%"},  # many ties
        {"bets": "25%, 50%, 75%, 100%, a / 50%, 100%, a", "big_blind": 2},  # more than 16 ends
        {"bets": "none"},
        {"oop": "QcJc", "ip": "QdJd"},
        {"oop": "7s6s", "ip": "22+, A2s+"},
    ],
)
def test_ends_as_pair_by_pair(change):
    fields = {"board": BOARD, "oop": OOP, "ip": IP, **change}
    spot = replace(SPOT, **fields)
    (made,), (boards,) = street_forests(spot), board_sets(spot)
    arrays, combos = boards.arrays, boards.combos[0]
    widest = int(arrays.width.max())
    rng = np.random.default_rng(1)
    ends = [n for n in range(made.nodes) if made.forest.node[n, ACTOR] in (FOLD, SHOWDOWN)]
    some = ends if len(ends) < 30 else rng.choice(ends, 30, replace=False).tolist()
    for traverser in (0, 1):
        width, theirs = (int(arrays.width[0, who]) for who in (traverser, 1 - traverser))
        reach = aligned_zeros((made.slots[traverser] + 1) * theirs)
        rows = reach[: made.slots[traverser] * theirs].reshape(-1, theirs)
        rows[:, : len(combos[1 - traverser])] = rng.random((len(rows), len(combos[1 - traverser])))
        rows[rng.random(rows.shape) < 0.3] = 0
        cfv = aligned_zeros((made.nodes + 1) * width)
        cfv[:] = np.nan
        terminals(
            made.forest.slot, made.ends, arrays, np.uint64(0), traverser, reach, cfv, lanes(widest)
        )
        found = cfv.reshape(-1, width)
        for n in ends:
            assert not found[n, len(combos[traverser]) :].any()  # nobody holds these
        for n in some:
            slot = rows[made.forest.slot[traverser, n], : len(combos[1 - traverser])]
            wanted = naive(spot, made, combos, traverser, n, slot.astype(float))
            close = 1e-5 * spot.pot * len(combos[1 - traverser])
            assert np.abs(found[n, : len(wanted)] - wanted).max() < close
        inner = [n for n in range(made.nodes) if n not in ends]
        assert np.isnan(found[inner]).all()  # and nothing else is written
