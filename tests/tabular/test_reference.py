from random import Random

import numpy as np
import pytest

from helpers.scripted import End, Scripted, Turn
from tiltless.errors import OptionError
from tiltless.games import InfoSet, load
from tiltless.games.holdem.actions import RaiseTo
from tiltless.tabular.best_response import Evaluator
from tiltless.tabular.flat import flatten
from tiltless.tabular.reference import ReadableSolver, regret_matching

KUHN, KUHN3 = flatten(load("kuhn")), flatten(load("kuhn", players=3))
LEDUC = flatten(load("leduc"))


def infosets(flat):
    return [InfoSet(*key, menu) for key, menu in zip(flat.keys, flat.actions, strict=True)]


def distance(flat, solver):
    """Exploitability, or half the NashConv of three players."""
    table = np.concatenate([solver.average(infoset) for infoset in infosets(flat)])
    return Evaluator(flat).nash_conv(table) / 2


def trained(flat, iterations, seed=1, **options):
    solver = ReadableSolver(flat.game, Random(seed), **options)
    solver.run(iterations)
    return solver


# Bounds are the mean plus four deviations over 20 seeds (Leduc: 8, and 4 for the long run); the
# mean is in brackets. Uniform strategies: Kuhn 0.458, for three players 1.03, Leduc 2.37.
@pytest.mark.parametrize(
    ("flat", "iterations", "bound"),
    [
        (KUHN, 3_000, 0.042),  # (0.015)
        (KUHN3, 1_000, 0.138),  # (0.074)
        pytest.param(LEDUC, 1_500, 1.23, marks=pytest.mark.slow),  # (1.05)
        pytest.param(LEDUC, 20_000, 0.25, marks=pytest.mark.slow),  # (0.182)
    ],
    ids=["kuhn", "kuhn3", "leduc", "leduc for longer"],
)
def test_distance_to_equilibrium(flat, iterations, bound):
    assert distance(flat, trained(flat, iterations)) < bound


def test_linear_weights():
    solver = trained(KUHN, 2_000, linear=True)
    assert distance(KUHN, solver) < 0.041  # (0.019)
    assert solver.averages.sum() > 100 * trained(KUHN, 2_000).averages.sum()


def test_regret_matching():
    assert regret_matching(np.array([3.0, -1.0, 1.0])).tolist() == [0.75, 0, 0.25]
    assert regret_matching(np.array([-3.0, -1.0])).tolist() == [0.5, 0.5]


def test_a_walk_by_hand():
    """Player 0 wins 3 or 1, half and half at first, and regrets what is above and below 2."""
    game = Scripted(Turn(0, "", {"a": End((3.0, -3.0)), "b": End((1.0, -1.0))}))
    solver = ReadableSolver(game, Random(1))
    infoset = game.start().infoset(0)
    solver.run(1)
    row = solver.rows[infoset.key]
    assert solver.regrets[row].tolist() == [1, -1]
    assert solver.current(infoset).tolist() == [1, 0]
    # The average is taken on player 1's walk, which comes second and meets the new strategy.
    assert solver.averages[row].tolist() == [1, 0]
    solver.run(1)
    assert solver.regrets[row].tolist() == [1, -3]
    assert solver.averages[row].tolist() == [2, 0]


def test_the_mean_of_many_walks_is_the_full_update():
    """At even play in Kuhn, the regrets of player 0 by hand: 1/6 for each deal, 1/2 for each move.

    With a jack facing a bet, folding brings -1 and calling -2: against -3/2, regrets of +1/2 and
    -1/2; the infoset is reached with probability 1/3 by the cards and 1/2 by the opponent's bet.
    """
    total, walks = np.zeros(2), 5_000
    solver = ReadableSolver(KUHN.game, Random(2))
    jack = next(key for key in KUHN.keys if key == (0, "check bet", "J"))
    for _ in range(walks):
        solver.regrets[:] = 0
        solver._traverse(KUHN.game.start(), 0, 1.0)
        if jack in solver.rows:
            total += solver.regrets[solver.rows[jack]]
    assert total / walks == pytest.approx([1 / 12, -1 / 12], abs=0.012)


def test_the_same_generator_gives_the_same_tables():
    one, two, other = (trained(LEDUC, 30, seed) for seed in (1, 1, 2))
    assert list(one.rows) == list(two.rows)
    assert np.array_equal(one.regrets, two.regrets)
    assert not np.array_equal(one.regrets, other.regrets)


def test_runs_may_be_split():
    whole, parts = trained(LEDUC, 40), trained(LEDUC, 10)
    parts.run(30)
    assert np.array_equal(whole.averages, parts.averages)
    assert parts.iterations == 40


def test_tables_grow():
    solver = ReadableSolver(KUHN.game, Random(1))
    solver.regrets, solver.averages = np.zeros(1), np.zeros(1)
    solver.run(200)
    assert solver.used == 24
    assert len(solver.regrets) == len(solver.averages) == 32
    small = trained(KUHN, 200)
    assert np.array_equal(solver.regrets[:24], small.regrets[:24])


def test_infosets_that_were_never_met_are_played_evenly():
    solver = ReadableSolver(LEDUC.game, Random(1))
    for infoset in infosets(LEDUC):
        even = np.full(len(infoset.actions), 1 / len(infoset.actions))
        assert np.array_equal(solver.average(infoset), even)
        assert np.array_equal(solver.current(infoset), even)


def test_a_key_may_join_infosets():
    """Leduc without suits: 288 rows instead of 936, and the same equilibria."""

    def ranks(infoset):
        line, board = infoset.public
        return infoset.player, line, board[:1], infoset.private[:1]

    solver = trained(LEDUC, 1_500, key=ranks)
    assert len(solver.rows) <= 288
    assert distance(LEDUC, solver) < 0.834  # (0.575), much better than 1.05 without


def test_keys_that_join_different_menus_are_refused():
    solver = ReadableSolver(LEDUC.game, Random(1), key=lambda infoset: infoset.player)
    with pytest.raises(OptionError, match=r"key \d .*\d .*\d"):
        solver.run(10)


def test_a_game_that_nobody_can_list():
    """No-limit hold'em, five big blinds deep: fold, call or all in; hands by their ranks."""

    def menu(infoset):
        actions = infoset.actions
        plain = [action for action in actions[:2] if not isinstance(action, RaiseTo)]
        return plain + [actions[-1]] * (actions[-1] not in plain)

    def key(infoset):
        _, _, moves = infoset.public
        one, two = sorted(infoset.private)
        seen = tuple(move for move in moves if not isinstance(move, tuple))
        return infoset.player, seen, one // 4, two // 4, one % 4 == two % 4

    game = load("nlhe", stack="5bb")
    solver = ReadableSolver(game, Random(3), key=key, menu=menu)
    solver.run(200)
    assert solver.used > 300
    assert len(solver.rows) > 100
    assert np.isfinite(solver.regrets).all()
    state = game.start().apply((51, 50)).apply((0, 5))  # aces against deuce and trey
    infoset = state.infoset(state.actor)
    assert len(solver.average(infoset)) == len(menu(infoset)) == 3
    assert solver.average(infoset).sum() == pytest.approx(1)
