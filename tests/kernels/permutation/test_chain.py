import numpy as np
import pytest

from helpers.hidden_order import drawn_order, pins, random_showdowns, rows_of
from naive.permutation import chain as naive
from naive.permutation.listing import orders_between
from tiltless.kernels.permutation.chain import HARD, MIXED_MOVES, REINSERTIONS, run_chains

NONE = np.empty((0, 13), np.int8)
TOP, BOTTOM = [12, 10, 11, 9], [0, 2, 1, 3, 4]  # four shown ranks are free: 24 orders


def run(rows, start, steps, log_penalty, moves, seed=1):
    order = np.array([start], np.int8)
    visited = np.empty((steps, 13), np.int8)
    state = np.array([seed], np.uint64)
    changed = run_chains(state, moves, steps, log_penalty, order, *rows.arrays(), visited)
    assert (visited[-1] == order[0]).all()
    return visited, changed


@pytest.mark.parametrize("moves", [MIXED_MOVES, REINSERTIONS], ids=["mixed", "reinsertions"])
def test_a_chain_stays_where_everything_agrees_and_visits_by_the_prior(moves):
    known = list(pins(TOP, BOTTOM))
    orders = list(orders_between(TOP, BOTTOM))
    visited, changed = run(rows_of(known), orders[0], 400_000, HARD, moves)
    index = {order: i for i, order in enumerate(orders)}
    counts = np.bincount([index[tuple(order)] for order in visited[::40].tolist()], minlength=24)
    chances = np.array(naive.target(orders, [], 1.0))
    deviations = (counts / 10_000 - chances) / np.sqrt(chances / 10_000)
    assert np.abs(deviations).max() < 4.5
    assert changed > 1000


def test_violations_cost_their_penalty():
    known = [*pins(TOP, BOTTOM)] * 4  # 0.05^4 for each broken one: the chain leaves hardly ever
    truth = next(orders_between(TOP, BOTTOM))
    wrong = list(pins([5, 7], []))  # both are free: some orders violate more of these than others
    orders = list(orders_between(TOP, BOTTOM))
    chances = np.array(naive.target(orders, known + wrong, 0.05))
    visited, _ = run(rows_of(known + wrong), truth, 600_000, np.log(0.05), MIXED_MOVES)
    index = {order: i for i, order in enumerate(orders)}
    seen = [index[order] for order in map(tuple, visited[::60].tolist()) if order in index]
    counts = np.bincount(seen, minlength=24) / len(seen)
    assert len(seen) > 9000
    assert np.abs(counts - chances).max() < 0.03
    assert chances.max() - chances.min() > 0.1


@pytest.mark.nojit
@pytest.mark.bounds
def test_moves_reach_every_kind_of_neighbour_and_return_permutations():
    start = drawn_order(2)
    for kind in range(5):
        visited, changed = run(rows_of([]), start, 30, HARD, np.full(16, kind, np.uint8))
        assert (np.sort(visited, axis=1) == np.arange(13)).all()
        assert changed > 0


def test_block_moves_keep_a_block_together():
    identity = np.arange(13, dtype=np.int8)
    found = set()
    for seed in range(300):
        visited, _ = run(rows_of([]), identity, 1, HARD, np.full(16, 3, np.uint8), seed)
        found.add(tuple(np.argsort(visited[0]).tolist()))
    expected = set()
    for size in (2, 3, 4):
        for source in range(14 - size):
            block = list(range(source, source + size))
            rest = [rank for rank in range(13) if rank not in block]
            for target in range(14 - size):
                expected.add((*rest[:target], *block, *rest[target:]))
    assert found <= expected
    assert len(found) > 20


def test_the_same_state_gives_the_same_chain():
    rows = rows_of(random_showdowns(1, drawn_order(1), 5))
    one, other = (run(rows, range(13), 200, np.log(0.07), REINSERTIONS)[0] for _ in range(2))
    assert (one == other).all()
    assert len(np.unique(one, axis=0)) > 5
    assert not (one == run(rows, range(13), 200, np.log(0.07), REINSERTIONS, seed=2)[0]).all()
