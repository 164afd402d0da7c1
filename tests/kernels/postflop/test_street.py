"""Passes over a street: reach down, counterfactual values up, against NumPy one node at a time."""

import numpy as np
import pytest

from tiltless.kernels.base.jit import kernel
from tiltless.kernels.postflop.decision import PassRules
from tiltless.kernels.postflop.street import ACTOR, AVERAGE, BEST, LEARN, down, up
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import Spot

SPOT = Spot("QsJh2h8d3c", "77+, KTs, 54s", "AK, KQ, T9s, 22+", 20, 67, "50%, a / 60%, a")
ROOT = np.uint64(0)
RULES = {
    "plain": PassRules(1.0, 1.0, 0.0, 0.0, 1.0, 0.25),
    "discounted": PassRules(0.75, 0.5, 0.0, 0.0, 1.0, 0.5),
    "floored": PassRules(0.75, 0.5, 1.0, 0.0, 1.0, 0.0),
    "predictive": PassRules(0.75, 0.5, 1.0, 1.0, 0.875, 0.5),
}


@kernel
def upward(forest, boards, tables, board, traverser, mode, rules, space):
    """A kernel, since the code of a part is compiled anew in every process."""
    up(forest, boards, tables, board, traverser, mode, rules, space)


class Street:
    """A river whose tables and vectors hold anything."""

    def __init__(self, rules="plain", compressed=False, seed=0):
        rng = np.random.default_rng(seed)
        predictive = rules == "predictive"
        self.rules = RULES[rules]
        name = "pcfr+" if predictive else "dcfr"
        self.solver = PostflopSolver(SPOT, rules=name, compressed=compressed)
        self.made, self.boards = self.solver.forests[0], self.solver.boards[0].arrays
        tables = self.solver.tables
        for table in (tables.regret, tables.forecast):
            table[:] = rng.normal(size=len(table))
            table[rng.random(len(table)) < 0.4] = -1
        if self.rules.floored:
            np.maximum(tables.regret, 0, out=tables.regret)
            np.maximum(tables.forecast, 0, out=tables.forecast)
        tables.average[:] = rng.random(len(tables.average)) * (
            rng.random(len(tables.average)) > 0.3
        )
        if compressed:
            tables.small_regret[:] = rng.integers(-32767, 32768, len(tables.small_regret))
            tables.small_average[:] = rng.integers(0, 65536, len(tables.small_average))
            tables.regret_unit[:] = rng.random(len(tables.regret_unit)) / 32767
            tables.average_unit[:] = rng.random(len(tables.average_unit)) / 65535
        self.space = self.solver._runner.shared.above
        for vector in (self.space.reach, self.space.cfv):
            vector[:] = rng.normal(size=len(vector))
        self.space.reach[:] = np.abs(self.space.reach)

    def rows(self, name, n):
        tables = self.solver.tables
        if not self.solver.compressed:
            return self.solver.rows(getattr(tables, name), 0, 0, n).astype(float)
        kind = "average" if name == "average" else "regret"
        unit = getattr(tables, f"{kind}_unit")[int(self.boards.unit[0]) + n]
        return self.solver.rows(getattr(tables, f"small_{kind}"), 0, 0, n) * np.float64(unit)

    def vectors(self, which, player):
        width = int(self.boards.width[0, player])
        vector = getattr(self.space, which)
        return vector[: len(vector) // width * width].reshape(-1, width)


def shares(rows):
    rows = np.maximum(rows, 0)
    total = rows.sum(axis=0)
    return np.where(total > 0, rows / np.where(total > 0, total, 1), 1 / len(rows))


WAYS = [(rules, False) for rules in RULES] + [("plain", True), ("floored", True)]


@pytest.mark.bounds
@pytest.mark.nojit
@pytest.mark.filterwarnings("ignore:.* encountered in divide:RuntimeWarning")
@pytest.mark.parametrize(("rules", "compressed"), WAYS)
@pytest.mark.parametrize("mode", [LEARN, AVERAGE, BEST])
@pytest.mark.parametrize("traverser", [0, 1])
def test_reach_goes_down(rules, compressed, mode, traverser):
    street = Street(rules, compressed)
    made, other = street.made, 1 - traverser
    source = "average" if mode != LEARN else "forecast" if rules == "predictive" else "regret"
    mine = [n for n in range(made.nodes) if made.forest.node[n, ACTOR] == other]
    before = {n: (street.rows(source, n), street.rows("average", n)) for n in mine}
    kept = {
        n: street.rows("average", n)
        for n in range(made.nodes)
        if n not in mine and made.forest.node[n, ACTOR] >= 0
    }
    root = street.vectors("reach", other)[0].astype(float)
    down(
        made.forest,
        street.boards,
        street.solver.tables,
        ROOT,
        traverser,
        mode,
        street.rules,
        street.space,
    )
    reach = {0: root}
    found = street.vectors("reach", other)
    slot = made.forest.slot[traverser]
    for n in range(made.nodes):
        if n:
            parent = made.parent[n]
            step = made.children(parent).index(n)
            played = shares(before[parent][0])[step] if parent in before else 1.0
            reach[n] = reach[parent] * played
        assert np.abs(found[slot[n]] - reach[n]).max() < 1e-5
    close = 3e-5 if compressed else 1e-5
    for n in mine:
        wanted = before[n][1]
        if mode == LEARN:
            wanted = wanted * street.rules.keep + reach[n] * shares(before[n][0])
        assert np.abs(street.rows("average", n) - wanted).max() < close * max(1, wanted.max())
    for n, rows in kept.items():
        assert np.array_equal(street.rows("average", n), rows)


@pytest.mark.bounds
@pytest.mark.nojit
@pytest.mark.filterwarnings("ignore:.* encountered in divide:RuntimeWarning")
@pytest.mark.parametrize(("rules", "compressed"), WAYS)
@pytest.mark.parametrize("mode", [LEARN, AVERAGE, BEST])
@pytest.mark.parametrize("traverser", [0, 1])
@pytest.mark.parametrize("locked", [False, True])
def test_values_come_up(rules, compressed, mode, traverser, locked):
    street = Street(rules, compressed)
    made, p = street.made, street.rules
    decisions = [n for n in range(made.nodes) if made.forest.node[n, ACTOR] >= 0]
    fixed = set(decisions[::3]) if locked else set()
    boards = street.boards
    if locked:
        marks = np.zeros((1, made.nodes), np.bool_)
        marks[0, sorted(fixed)] = True
        boards = boards._replace(locked=marks)
    before = {n: {name: street.rows(name, n) for name in ("regret", "average")} for n in decisions}
    ahead = {n: street.rows("forecast", n) for n in decisions} if rules == "predictive" else {}
    wanted = street.vectors("cfv", traverser).astype(float)
    upward(made.forest, boards, street.solver.tables, ROOT, traverser, mode, p, street.space)
    found = street.vectors("cfv", traverser)
    close = 3e-5 if compressed else 1e-5
    for n in reversed(decisions):
        children = wanted[list(made.children(n))]
        if made.forest.node[n, ACTOR] != traverser:
            wanted[n] = children.sum(axis=0)
            continue
        if mode == BEST and n not in fixed:
            wanted[n] = children.max(axis=0)
            continue
        source = before[n]["average" if mode != LEARN else "regret"]
        if mode == LEARN and n not in fixed and ahead:
            source = ahead[n]
        wanted[n] = (shares(source) * children).sum(axis=0)
        old = new = before[n]["regret"]
        if mode == LEARN and n not in fixed:
            new = old * np.where(old > 0, p.up, p.down) + children - wanted[n]
            if p.floored:
                new = np.maximum(new, 0)
            if ahead:
                next_up = np.maximum(new * p.next_up + children - wanted[n], 0)
                assert np.abs(street.rows("forecast", n) - next_up).max() < 1e-4
        far = np.abs(street.rows("regret", n) - new).max()
        assert far < close * max(1, np.abs(new).max()), n
    assert np.abs(found[: made.nodes] - wanted[: made.nodes]).max() < 1e-4
    for n in decisions:
        assert np.array_equal(street.rows("average", n), before[n]["average"])


@pytest.mark.bounds
def test_compressed_rows_of_zeros_stay_zeros():
    street = Street("floored", compressed=True)
    tables = street.solver.tables
    for table in tables:
        table[:] = 0
    street.space.cfv[:] = 0
    street.space.reach[:] = 0
    down(street.made.forest, street.boards, tables, ROOT, 0, LEARN, street.rules, street.space)
    upward(street.made.forest, street.boards, tables, ROOT, 0, LEARN, street.rules, street.space)
    assert not any(table.any() for table in tables)
