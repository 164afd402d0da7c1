"""The rest of a hand, made from a view and solved."""

import numpy as np
import pytest

from helpers.clock import Ticks
from tiltless.agents.blueprint import load_blueprint
from tiltless.bench.search_value import sample_roots
from tiltless.blueprint.shipped import find_blueprint
from tiltless.cards.card import COMBO_CARDS
from tiltless.cards.ranges import Range
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, CHECK, RaiseTo
from tiltless.games.registry import load
from tiltless.kernels.postflop.street import BEST
from tiltless.postflop.node import find_node
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP, Spot
from tiltless.search import subgame
from tiltless.search.blueprint_policy import BlueprintPolicy, player_rows
from tiltless.search.entry import CARRIED_TRUST, hands_apart, make_entry
from tiltless.search.solved import carried_values, kept_strategy
from tiltless.search.subgame import RIVER_SIZES, Tremble, solve_subgame, subgame_spot, warm_start

GAME = load("nlhe")
RIVER = Spot("Ks7d2c5h9s", oop="22+,A2s+,K9s+", ip="22+,KTs+,QTs+", pot=20, stack=90, bets="a")


@pytest.fixture(scope="module")
def policy():
    known = load_blueprint(find_blueprint())
    return BlueprintPolicy(known.blueprint, known.buckets)


@pytest.fixture(scope="module")
def root(policy):
    return next(sample_roots(policy, 3, 1, seed=11))


def own_spot(policy, root, sizes=None, searcher=None):
    start = policy.start(root.node, root.board)
    sizes = sizes or str(policy.blueprint.tree.menu)
    return subgame_spot(start, root.beliefs[IP], root.beliefs[OOP], sizes, searcher)


def test_bets_that_were_made_are_in_the_tree():
    line = (RaiseTo(7), RaiseTo(23))
    found = solve_subgame(RIVER, line, IP, iterations=10)
    assert found.solver.iterations == 10
    assert found.node_at(line).actor == OOP
    assert found.node_at((RaiseTo(8),)) is None
    assert found.node_at((RaiseTo(7), CALL)).actor < 0


def test_a_search_lowers_exploitability():
    solver = PostflopSolver(RIVER)
    before = solver.exploitability()  # nobody knows anything: all actions alike
    assert solve_subgame(RIVER, (), OOP, iterations=60).solver.exploitability() < 0.1 * before


@pytest.mark.parametrize("step", [0.006, 0.02, 0.09])
def test_a_budget_is_kept(step):
    clock = Ticks(step)
    found = solve_subgame(RIVER, (), IP, seconds=1.0, now=clock)
    assert found.solver.iterations >= 8
    assert 1.0 - 4 * step < clock.time <= 1.0 + 2 * step
    assert found.seconds == pytest.approx(clock.time - step, abs=1e-9)


def test_too_little_time_gives_nothing():
    assert solve_subgame(RIVER, (), IP, seconds=0.1, now=Ticks(0.06)) is None


def test_a_turn_needs_more_iterations_than_a_river():
    turn = Spot("Ks7d2c5h", oop="QQ+", ip="QQ+", pot=20, stack=30, bets="a")
    assert solve_subgame(turn, (), IP, seconds=1.0, now=Ticks(0.08)) is None
    assert solve_subgame(turn, (), IP, seconds=1.0, now=Ticks(0.08), patient=True) is not None
    assert solve_subgame(turn, (), IP, seconds=1.0, now=Ticks(0.04)).solver.iterations >= 16


def test_without_a_root_the_range_is_fixed_and_says_so(policy, root):
    spot = own_spot(policy, root, RIVER_SIZES)
    given = {"entry": "resolving-gadget", "iterations": 8, "policy": policy}
    without, found = (solve_subgame(spot, (), IP, root=at, **given) for at in (-1, root.node))
    assert (without.entry, without.trust) == ("fixed-range", 1)
    assert (found.entry, found.trust) == ("resolving-gadget", 0.75)


def test_the_clock_is_looked_at_before_iterating(policy, monkeypatch):
    root = next(sample_roots(policy, 2, 1, seed=2))
    spot = own_spot(policy, root, "75%, a / a; force 15%")
    done = []
    monkeypatch.setattr(BlueprintPolicy, "_fill", lambda *given: done.append(given))
    monkeypatch.setattr(subgame, "make_entry", lambda *given: done.append("entry"))
    given = {"entry": "max-margin", "seconds": 1.0, "policy": policy, "root": root.node}
    assert solve_subgame(spot, (), OOP, now=Ticks(0.3), **given) is None
    assert len(done) == 3  # boards, of many


def test_an_unknown_entry_is_refused():
    with pytest.raises(OptionError, match="entry='very'"):
        solve_subgame(RIVER, (), IP, entry="very", iterations=5)


def test_the_blueprint_is_exact_in_its_own_tree(policy, root):
    blueprint = policy.blueprint
    solver = PostflopSolver(own_spot(policy, root))
    solver.tables.average[:] = policy.table(solver, root.node)
    node, place, visits = root.node, find_node(solver), 0
    while place.actor >= 0:
        children = list(blueprint.tree.children(node))
        assert place.actions == tuple(map(blueprint.tree.action, children))
        seen = blueprint.table(node).any(axis=1)[policy.buckets(root.board)]
        combos = place.combos(place.actor)
        combos = combos[seen[combos]]
        visits += len(combos)
        expected = blueprint.hands(node, root.board)[combos]
        assert place.strategy[combos] == pytest.approx(expected, abs=1e-6)
        node, place = children[-2], place.after(place.actions[-2])  # bets that are not all-in
    assert visits > 1000  # of two decisions or more


def test_hands_that_training_has_not_seen_play_by_strength_everywhere(policy, root):
    tree = policy.blueprint.tree
    solver = PostflopSolver(own_spot(policy, root))
    solver.tables.average[:] = policy.table(solver, root.node)
    ahead, unseen = [(root.node, find_node(solver))], 0
    while ahead and not unseen:
        node, place = ahead.pop()
        combos = place.combos(place.actor)
        rows = policy.rows(node, root.board)[combos]
        assert place.strategy[combos] == pytest.approx(rows, abs=1e-6)
        seen = policy.blueprint.table(node).any(axis=1)[policy.buckets(root.board)[combos]]
        unseen += np.count_nonzero(~seen)
        after = [place.after(action) for action in place.actions]
        pairs = zip(tree.children(node), after, strict=True)
        ahead += [pair for pair in pairs if pair[1].actor >= 0]
    assert unseen


def test_the_blueprint_in_other_sizes(policy, root):
    solver = PostflopSolver(own_spot(policy, root, RIVER_SIZES))
    table = policy.table(solver, root.node)
    solver.tables.average[:] = table
    for player in (IP, OOP):
        for rows in player_rows(solver, player):
            assert table[rows].min() >= 0
    place = find_node(solver)
    hands = policy.blueprint.hands(root.node, root.board)
    seen = policy.blueprint.table(root.node).any(axis=1)[policy.buckets(root.board)]
    combos = place.combos(OOP)
    combos = combos[seen[combos]]
    assert place.strategy[combos].sum(axis=1) == pytest.approx(1)
    assert place.strategy[combos, 0] == pytest.approx(hands[combos, 0], abs=1e-6)  # checks
    large = hands[combos, -2:].sum(axis=1)  # four pots and all-in
    assert place.strategy[combos, -1] == pytest.approx(large, abs=1e-6)


def test_a_warm_start_begins_with_the_blueprint(policy, root):
    solver = PostflopSolver(own_spot(policy, root, RIVER_SIZES))
    solver.tables.average[:] = table = policy.table(solver, root.node)
    expected = find_node(solver, [CHECK]).strategy
    solver.tables.average[:] = 0
    warm_start(solver, table, 0.5)
    solver.run(1)  # IP's average of one iteration is its first strategy; OOP has learned before
    assert find_node(solver, [CHECK]).strategy == pytest.approx(expected, abs=1e-5)


def test_who_trembles_does_everything_now_and_then():
    for player in (IP, OOP):
        solver = PostflopSolver(RIVER, played=(RaiseTo(7), RaiseTo(23)))
        solver.run(50)
        before = solver.tables.regret.copy()
        Tremble(solver, player, 0.03)()
        for node, (actor, _, actions, _) in enumerate(solver.forests[0].forest.node.tolist()):
            if actor < 0:
                continue
            regret, same = (
                solver.rows(table, 0, 0, node) for table in (solver.tables.regret, before)
            )
            plus = np.maximum(regret, 0)
            some = plus.sum(axis=0) > 0
            chances = (plus / np.where(some, plus.sum(axis=0), 1))[:, some]
            assert some.any()
            if actor == player:
                assert chances.min() >= 0.03 / actions / 1.03 * (1 - 1e-5)
                largest = (same == same.max(axis=0))[:, some]
                assert (plus[:, some][largest] == same[:, some][largest]).all()
            else:
                assert (regret == same).all()


def test_every_hand_has_a_strategy(policy, root):
    line = (CHECK, CHECK)[:1]
    spot = own_spot(policy, root, RIVER_SIZES, searcher=IP)
    found = solve_subgame(spot, line, IP, iterations=40, policy=policy, root=root.node)
    free = ~np.isin(COMBO_CARDS, root.board).any(axis=1)
    for moves in ((), (CHECK,), (CHECK, find_node(found.solver, (CHECK,)).actions[-1])):
        place = find_node(found.solver, moves)
        chances = found.strategy_at(place)
        assert chances[free].sum(axis=1) == pytest.approx(1)
        assert not chances[~free].any()
        come = place.reaches[place.actor] > 1e-3
        assert chances[come] == pytest.approx(place.strategy[come])


def test_hands_that_never_come_play_by_their_regrets():
    solver = PostflopSolver(RIVER, played=(RaiseTo(7), RaiseTo(23)))
    solver.lock(find_node(solver), {CHECK: 1})
    solver.run(5)
    node = find_node(solver, (RaiseTo(7), RaiseTo(23)))
    combos = node.combos(OOP)
    assert not solver.average(0, 0, node.index).any()
    plus = np.maximum(solver.read_rows("regret", 0, 0, node.index)[:, : len(combos)].T, 0)
    some = plus.any(axis=1)
    assert some.any()
    found = kept_strategy(node)[combos]
    assert found[some] == pytest.approx(plus[some] / plus[some].sum(axis=1, keepdims=True))
    assert found.sum(axis=1) == pytest.approx(1)


def test_turns_are_solved_too(policy):
    root = next(sample_roots(policy, 2, 1, seed=2))
    spot = own_spot(policy, root, "75%, a / a; force 15%")
    given = {"entry": "resolving-gadget", "iterations": 8, "policy": policy}
    found = solve_subgame(spot, (), OOP, root=root.node, **given)
    assert found.solver.iterations == 8
    chances = found.strategy_at(found.node_at(()))
    free = ~np.isin(COMBO_CARDS, root.board).any(axis=1)
    assert chances[free].sum(axis=1) == pytest.approx(1)
    cold = PostflopSolver(spot)
    assert found.solver.exploitability() < 0.5 * cold.exploitability()


def test_carried_values_are_those_of_the_river_in_the_turn_s_tree(policy):
    """A river solver with the same ranges, tree and strategy gives each hand the same value."""
    root = next(sample_roots(policy, 2, 1, seed=2))
    sizes = "75%, a / a; force 15%"
    spot = own_spot(policy, root, sizes, searcher=OOP)
    found = solve_subgame(spot, (), OOP, iterations=20, policy=policy, root=root.node)
    bet = find_node(found.solver, (CHECK,)).actions[1]
    card = next(card for card in range(51, 0, -1) if card not in root.board)
    line = (CHECK, bet, CALL)
    there = find_node(found.solver, (*line, card))
    ip, oop = (Range.from_weights(weights / weights.max()) for weights in there.reaches)
    pot, stack = spot.pot + 2 * bet.chips, spot.stack - bet.chips
    alone = PostflopSolver(Spot(there.board, oop, ip, pot, stack, sizes, big_blind=spot.big_blind))
    ahead = [(there, find_node(alone))]
    while ahead:
        one, two = ahead.pop()
        if one.actor < 0:
            continue
        assert one.actions == two.actions
        combos = two.combos(two.actor)
        rows = alone.rows(alone.tables.average, 0, 0, two.index)
        rows[:, : len(combos)] = one.strategy[combos].T
        ahead += [(one.after(action), two.after(action)) for action in one.actions]
    for player in (IP, OOP):
        carried = carried_values(found, line, card, player)
        apart, combos = hands_apart(alone, player), alone.boards[0].combos[0][player]
        expected = alone.root_values(player, BEST)[: len(apart)]
        some = apart > 1e-3 * apart.max()
        assert some.sum() > 100
        assert np.isnan(carried[np.isin(COMBO_CARDS, there.board).any(axis=1)]).all()
        assert carried[combos[some]] == pytest.approx(expected[some] / apart[some], abs=1e-3 * pot)


def test_carried_values_replace_those_of_the_blueprint(policy, root):
    spot = own_spot(policy, root, RIVER_SIZES)
    solver = PostflopSolver(spot)
    apart = hands_apart(solver, IP)
    values = np.full(1326, np.nan)
    known = solver.boards[0].combos[0][IP][:200]
    values[known] = 3.0
    gadget = make_entry(solver, "max-margin", None, IP, 0.5, values)
    assert gadget.alternative[:200] == pytest.approx(3 * apart[:200])
    rest = apart[200:] * (spot.pot / 2 + spot.stack)  # as much as can be won: never chosen
    assert gadget.alternative[200:] == pytest.approx(rest)
    found = solve_subgame(spot, (), OOP, entry="max-margin", carried=values, iterations=8)
    assert (found.entry, found.trust) == ("max-margin", CARRIED_TRUST["max-margin"])
    combos = found.solver.boards[0].combos[0][IP]  # who enters with the believed range again
    believed = found.solver.start(IP)[: len(combos)]
    assert believed == pytest.approx(spot.weights[IP][combos])
