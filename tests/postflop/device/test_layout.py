"""Lists of the CUDA kernels against their slow twin."""

from dataclasses import replace

import numpy as np
import pytest

from naive.postflop import device_layout as naive
from tiltless.postflop.device.batch import merge_boards
from tiltless.postflop.device.layout import street_layouts
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import Spot

RIVER = Spot("QsJh2h8d3c", "QQ+,AKs,JTs,99:0.5", "88+,AQs+,T9s,random:0.01", 64, 320, "a; cap 1")
SPOTS = {
    "river": RIVER,
    "turn": replace(RIVER, board="QsJh2h8d"),
    "suits exchanged": replace(RIVER, board="QsJs2s8d"),
    "no hands": Spot("QsQh2h8d", "QQ", "JJ,88", 64, 200, "a; cap 1"),
    "flop": Spot("QsJs2s", "QQ+,AhKh:0.5,JTs", "88,AQs", 64, 320, "a; cap 1"),
}


def streets(spot):
    solver = PostflopSolver(spot)
    return solver.boards, street_layouts(solver.forests, solver.boards)


@pytest.mark.parametrize("name", SPOTS)
def test_hands_by_card_and_their_ranks(name):
    boards, layouts = streets(SPOTS[name])
    for some, layout in zip(boards, layouts, strict=True):
        expected = naive.hands(some.arrays, some is boards[-1])
        here = layout.street
        for mine, theirs in zip((here.card_at, here.card_hand, here.info), expected, strict=True):
            assert mine.dtype == theirs.dtype
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("name", ["turn", "suits exchanged", "no hands", "flop"])
def test_hands_on_later_boards(name):
    boards, layouts = streets(SPOTS[name])
    for above, some, layout in zip(boards, boards[1:], layouts[1:], strict=False):
        here = layout.street
        mine = here.pair_at, here.pair_child, here.pair_map, here.child_hand
        for one, two in zip(mine, naive.pairs(some.arrays, above.arrays), strict=True):
            assert one.dtype == two.dtype
            np.testing.assert_array_equal(one, two)


def test_boards_of_a_batch():
    sets = [PostflopSolver(replace(RIVER, board=board)) for board in (RIVER.board, "AsKd7h7c2d")]
    boards = merge_boards([each.boards[0] for each in sets], sets[0].forests[0])
    (layout,) = street_layouts(sets[0].forests, [boards])
    here = layout.street
    mine = here.card_at, here.card_hand, here.info
    for one, two in zip(mine, naive.hands(boards.arrays, True), strict=True):
        np.testing.assert_array_equal(one, two)
