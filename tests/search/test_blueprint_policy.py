"""The blueprint in a solver's tree, after bets that its own tree does not have."""

import numpy as np
import pytest

from tiltless.abstraction.bets.translation import Translation, chance_of_smaller
from tiltless.agents.blueprint import load_blueprint
from tiltless.bench.search_value import sample_roots
from tiltless.blueprint.shipped import find_blueprint
from tiltless.blueprint.tree_spot import TreeSpots
from tiltless.cards.card import COMBO_CARDS, parse_cards
from tiltless.games.holdem.actions import CHECK, FOLD, RaiseTo
from tiltless.postflop.node import find_node
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP
from tiltless.search import blueprint_lines
from tiltless.search.blueprint_lines import BlueprintLines, RootReading, _Followed, has_root
from tiltless.search.blueprint_policy import BlueprintPolicy
from tiltless.search.subgame import RIVER_SIZES, subgame_spot

SHARES = 0.3, 0.7


@pytest.fixture(scope="module")
def policy():
    known = load_blueprint(find_blueprint())
    return BlueprintPolicy(known.blueprint, known.buckets)


@pytest.fixture(scope="module")
def roots(policy):
    """Two river roots with other pots."""
    found = list(sample_roots(policy, 3, 6, seed=11))
    pots = [policy.start(each.node, each.board).pot for each in found]
    other = next(index for index, pot in enumerate(pots) if pot != pots[0])
    return found[0], found[other]


def solver_of(policy, root, sizes):
    start = policy.start(root.node, root.board)
    return PostflopSolver(subgame_spot(start, root.beliefs[IP], root.beliefs[OOP], sizes))


def table_of(policy, solver, readings):
    solver.tables.average[:] = table = policy.table(solver, readings)
    return table


def constant(nodes, shares=SHARES):
    both = [
        RootReading(node, np.full(1326, share)) for node, share in zip(nodes, shares, strict=False)
    ]
    return both, both


def column(policy, node, board, action):
    """The probability of an action with every hand, at a node of the blueprint."""
    actions = [
        policy.blueprint.tree.action(child) for child in policy.blueprint.tree.children(node)
    ]
    rows = policy.rows(node, board)
    return rows[:, actions.index(action)] if action in actions else np.zeros(1326)


def child(policy, node, index):
    return policy.blueprint.tree.children(node)[index]


def visited(policy, nodes, board):
    """Hands whose rows training has visited at all of some nodes."""
    tables = [policy.blueprint.table(node).any(axis=1) for node in nodes]
    return np.all([table[policy.buckets(board)] for table in tables], axis=0)


@pytest.mark.parametrize("sizes", [None, RIVER_SIZES])
def test_one_root_is_the_same_in_both_forms(policy, roots, sizes):
    root = roots[0]
    solver = solver_of(policy, root, sizes or str(policy.blueprint.tree.menu))
    one = policy.table(solver, root.node)
    assert (policy.table(solver, constant([root.node])) == one).all()
    assert has_root(root.node)
    assert has_root(constant([root.node]))
    assert not has_root(-1)
    assert not has_root(constant([-1, -1]))


def test_two_roots_are_mixed_by_weights_and_own_reach(policy, roots):
    root, other = roots
    nodes = [root.node, other.node]
    solver = solver_of(policy, root, str(policy.blueprint.tree.menu))
    table_of(policy, solver, constant(nodes))
    first = find_node(solver)
    combos = first.combos(OOP)
    combos = combos[visited(policy, nodes, root.board)[combos]]
    checks = [column(policy, node, root.board, CHECK)[combos] for node in nodes]
    mixed = sum(share * check for share, check in zip(SHARES, checks, strict=True))
    assert len(combos) > 100
    assert np.ptp(checks[0] - checks[1]) > 0.1
    assert first.strategy[combos, 0] == pytest.approx(mixed, abs=1e-6)

    bet = [action for action in first.after(CHECK).actions if isinstance(action, RaiseTo)][-1]
    second = first.after(CHECK).after(bet)  # all-in, which both have
    after = [child(policy, child(policy, node, 0), -1) for node in nodes]
    seen = visited(policy, [*nodes, *after], root.board)[combos]
    folds = [column(policy, node, root.board, FOLD)[combos] for node in after]
    reach = [share * check for share, check in zip(SHARES, checks, strict=True)]
    total = reach[0] + reach[1]
    seen &= total > 0
    expected = (reach[0] * folds[0] + reach[1] * folds[1]) / np.where(total > 0, total, 1)
    fold = second.actions.index(FOLD)
    assert np.count_nonzero(seen) > 50
    assert second.strategy[combos[seen], fold] == pytest.approx(expected[seen], abs=1e-5)


def test_weights_by_hand_are_averages_of_a_bucket(policy, roots):
    root, other = roots
    rng = np.random.default_rng(1)
    one = rng.random(1326)
    both = [RootReading(root.node, one), RootReading(other.node, 1 - one)]
    solver = solver_of(policy, root, str(policy.blueprint.tree.menu))
    table_of(policy, solver, (both, both))
    first, buckets = find_node(solver), policy.buckets(root.board)
    combos = first.combos(OOP)
    combos = combos[visited(policy, [root.node, other.node], root.board)[combos]]
    free = np.zeros(1326, np.bool_)
    free[first.combos(OOP)] = True
    checks = [column(policy, each.node, root.board, CHECK) for each in both]
    for combo in combos[:40].tolist():
        share = one[free & (buckets == buckets[combo])].mean()
        mixed = share * checks[0][combo] + (1 - share) * checks[1][combo]
        assert first.strategy[combo, 0] == pytest.approx(mixed, abs=1e-6)


def test_boards_without_hands_in_the_last_buckets(policy, roots):
    few = BlueprintPolicy(policy.blueprint, lambda board: np.minimum(policy.buckets(board), 150))
    solver = solver_of(policy, roots[0], "75%, a")
    table = few.table(solver, constant([each.node for each in roots]))
    assert 0.5 < table.max() <= 1 + 1e-6


@pytest.mark.parametrize("sizes", ["12%, a / a; force 5%", "90%, a / a; force 5%"])
def test_bets_that_the_blueprint_lacks_are_answered_by_a_mixture(policy, roots, sizes):
    root = roots[0]
    solver = solver_of(policy, root, sizes)
    table_of(policy, solver, root.node)
    first = find_node(solver)
    bet = next(action for action in first.actions if isinstance(action, RaiseTo))
    x = bet.chips / solver.spot.pot
    spot = policy._spots.spot(root.node)
    known = Translation().readings(bet.chips, spot.spot, spot.actions, spot.spot)
    assert len(known) == 2
    facing = first.after(bet)
    nodes = [child(policy, root.node, index) for index, _ in known]
    combos = facing.combos(IP)
    combos = combos[visited(policy, nodes, root.board)[combos]]
    folds = [column(policy, node, root.board, FOLD)[combos] for node in nodes]
    shares = [spot.spot.share(a.chips) if isinstance(a, RaiseTo) else 0.0 for a in spot.actions]
    f = chance_of_smaller(x, *(shares[index] for index, _ in known))
    expected = f * folds[0] + (1 - f) * folds[1]
    assert expected.max() > 0.2
    fold = facing.actions.index(FOLD)
    assert facing.strategy[combos, fold] == pytest.approx(expected, abs=1e-5)


def test_few_nodes_are_followed(policy, roots, monkeypatch):
    solver = solver_of(policy, roots[0], RIVER_SIZES)
    largest = {}
    for most in (1, 2, 4, 99):
        monkeypatch.setattr(blueprint_lines, "MOST_FOLLOWED", most)
        blueprint = policy.blueprint
        fresh = BlueprintLines(blueprint, TreeSpots(blueprint.tree), policy.buckets)
        answered = next(fresh.streets(solver, roots[0].node))
        lines = [line for each in answered if each for line in each.after if line]
        largest[most] = max(len(each) for line in lines for each in line.followed)
    assert largest[1] <= 1
    assert largest[2] == 2
    assert largest[4] <= 4
    assert largest[99] > 2


def test_lines_known_from_other_trees_change_nothing(policy):
    (root,) = sample_roots(policy, 2, 1, seed=12)
    start = policy.start(root.node, root.board)
    used = BlueprintPolicy(policy.blueprint, policy.buckets, policy.strengths)
    spot = subgame_spot(start, root.beliefs[IP], root.beliefs[OOP], "75%, a / a; force 15%")
    most = spot.stack
    tables = []
    for played in [(), (RaiseTo(most // 3),), (CHECK, RaiseTo(most // 5)), ()]:
        solver = PostflopSolver(spot, played=played)
        fresh = BlueprintPolicy(policy.blueprint, policy.buckets, policy.strengths)
        tables.append(used.table(solver, root.node))
        assert (tables[-1] == fresh.table(solver, root.node)).all()
    assert len({len(table) for table in tables}) == 3
    river = solver_of(policy, next(iter(sample_roots(policy, 3, 1, seed=13))), "50%, a")
    assert (used.table(river, root.node) == fresh.table(river, root.node)).all()


def test_means_of_a_street_are_over_the_hands_that_the_board_allows():
    board = tuple(parse_cards("Ks7d2c5h"))
    held = np.isin(COMBO_CARDS, board).any(axis=1)
    lines = BlueprintLines(None, None, lambda cards: held.astype(np.int64))  # bucket 1: blocked
    both = [_Followed(4, np.array([0.25, 1.0])), _Followed(7, np.array([0.75, 0.0]))]
    found = lines._averaged(both, board)
    assert [(node, weight.tolist()) for node, weight in found] == [(4, [0.25]), (7, [0.75])]
