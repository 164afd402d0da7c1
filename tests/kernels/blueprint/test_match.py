import numpy as np
import pytest

from naive.blueprint.match import class_of, nothing_of, parity_of, play_hand, some_weights
from tiltless.blueprint.tree import betting_tree
from tiltless.games import load
from tiltless.kernels.blueprint.match import MatchDeals, play_mirrored
from tiltless.kernels.blueprint.nodes import STREET, Rows
from tiltless.kernels.blueprint.playout import CardLayout
from tiltless.kernels.cards.shuffle import deal_hands

HEADS_UP = betting_tree(load("nlhe", stack=20), "50%, 100%, a; cap 2")
RUNS = betting_tree(load("river-of-blood", stack=20), "100%, a; cap 1")


def dealt(tree, deals, seed=1):
    """Cards and words, and the buckets of a side that looks at its cards and one that does not."""
    rng = np.random.default_rng(seed)
    cards = np.zeros((deals, 35), np.uint8)
    suits = tree.run_suits
    deal_hands(rng.integers(0, 2**63, 1, np.uint64), np.arange(52, dtype=np.uint8), 9, suits, cards)
    bucket = np.zeros((2, deals, 2, tree.streets), np.uint32)
    for i, player, street in np.ndindex(deals, 2, tree.streets):
        bucket[0, i, player, street] = (parity_of if street else class_of)(cards[i], player)
    words = rng.integers(0, 2**63, (deals, 2), np.uint64)
    return MatchDeals(cards, bucket, words)


def sides_of(tree, first_type=np.float32, second_type=np.float32, seed=2):
    """Tables, rows and features of two sides."""
    counts = [169, *[2] * (tree.streets - 1)], [1] * tree.streets
    sides = []
    for number, dtype in enumerate((first_type, second_type)):
        rows = tree.rows(counts[number])
        sides.append((some_weights(tree, rows, seed + number, dtype), rows))
    features = [[class_of, *[parity_of] * (tree.streets - 1)], [nothing_of] * tree.streets]
    return [(*side, feature) for side, feature in zip(sides, features, strict=True)]


def walk(tree, sides, deals, lanes=8):
    """The last nodes of all hands."""
    end = np.full((2, len(deals.cards)), -7, np.int32)
    (first, mine, _), (second, theirs, _) = sides
    rows = Rows(*(np.stack(pair) for pair in zip(mine, theirs, strict=True)))
    layout = CardLayout(2, tree.board, tree.run_suits, False)
    return end, play_mirrored(tree.nodes, first, second, rows, layout, deals, lanes, end)


@pytest.mark.nojit
@pytest.mark.bounds
@pytest.mark.parametrize("tree", [HEADS_UP, RUNS], ids=["heads-up", "runs"])
@pytest.mark.parametrize(
    "types",
    [(np.float32, np.float32), (np.uint8, np.uint8), (np.float32, np.uint8)],
    ids=["floats", "bytes", "mixed"],
)
def test_hands_end_where_the_twin_ends_them(tree, types):
    sides, deals = sides_of(tree, *types), dealt(tree, 60)
    words = deals.words.copy()
    end, wrong = walk(tree, sides, deals)
    assert wrong == -1
    assert np.array_equal(words, deals.words)
    for seating, players in enumerate((sides, sides[::-1])):
        for i in range(60):
            path = play_hand(tree, deals.cards[i].tolist(), deals.words[i].tolist(), players)
            assert end[seating, i] == path[-1]
    assert len(set(end.ravel().tolist())) > 20
    assert (end[0] != end[1]).any()
    assert tree.nodes.node[end, STREET].max() == tree.streets - 1


@pytest.mark.parametrize("lanes", [1, 2, 7, 64])
@pytest.mark.parametrize("tree", [HEADS_UP, RUNS], ids=["heads-up", "runs"])
def test_lanes_do_not_matter(tree, lanes):
    sides, deals = sides_of(tree), dealt(tree, 500)
    assert np.array_equal(walk(tree, sides, deals)[0], walk(tree, sides, deals, lanes)[0])


@pytest.mark.nojit
@pytest.mark.bounds
@pytest.mark.parametrize("deals", [0, 1, 3])
def test_fewer_hands_than_lanes(deals):
    end, wrong = walk(HEADS_UP, sides_of(HEADS_UP), dealt(HEADS_UP, deals))
    assert wrong == -1
    assert (HEADS_UP.nodes.node[end, 0] < -1).all()


@pytest.mark.nojit
@pytest.mark.bounds
@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("side", [0, 1])
def test_weights_that_are_not_finite_are_reported(bad, side):
    sides, deals = sides_of(HEADS_UP), dealt(HEADS_UP, 50)
    table, rows, _ = sides[side]
    table[1 : rows.start[1] : 3] = bad  # in every row of the root, which has three actions
    end, wrong = walk(HEADS_UP, sides, deals)
    assert wrong % 2 == side
    place = wrong // 2
    assert not np.isfinite(table[place : place + 4]).all()
    assert (HEADS_UP.nodes.node[end, 0] < -1).all()


def test_weights_below_zero_count_as_zero_also_where_they_are_infinite():
    sides, deals = sides_of(HEADS_UP), dealt(HEADS_UP, 500)
    end, _ = walk(HEADS_UP, sides, deals)
    for table, _, _ in sides:
        table[table < 0] = -np.inf
    other, wrong = walk(HEADS_UP, sides, deals)
    assert wrong == -1
    assert np.array_equal(end, other)
