"""Values, best responses and what is made of them: against known numbers, OpenSpiel and twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.scripted import End, Luck, Scripted, Turn
from naive.tabular.best_response import best_response_value, best_value_of_all
from naive.tabular.trees import expected_payoffs, random_strategy
from tiltless.errors import ArrayError, OptionError
from tiltless.games import load
from tiltless.kernels.tabular import best_response as kernels
from tiltless.protocols.openspiel import openspiel_game, openspiel_policy
from tiltless.tabular.best_response import (
    Evaluator,
    best_response,
    evaluate_profile,
    exploitability,
    nash_conv,
)
from tiltless.tabular.cce import CoarseCorrelatedPlay
from tiltless.tabular.flat import flatten
from tiltless.tabular.strategy import SUM_TOLERANCE, Strategy


def end(*payoffs):
    return End(tuple(map(float, payoffs)))


def hidden_delay():
    """Player 0 may think twice, which player 1 does not see: one infoset, two levels."""

    def answer(what, bonus):
        after = {"a": end(bonus - what, what - bonus), "b": end(what, -what)}
        return Turn(1, "answer", {
            "left": Turn(0, f"after left {what}", after),
            "right": end(1 - what, what - 1),
        })  # fmt: skip

    def begin(bonus):
        again = {"x": answer(2, bonus), "y": answer(-1, bonus)}
        return Turn(0, "first", {"now": answer(1, bonus), "later": Turn(0, "second", again)})

    return Scripted(Luck((0,), {"h": begin(3), "t": begin(-2)}, (0.4, 0.6)))


def three_at_once(seed):
    """Three players choose at once; whatever payoffs."""
    rng = np.random.default_rng(seed)

    def last(a, b):
        return Turn(2, "third", {c: end(*rng.integers(-9, 10, 3)) for c in "lr"})

    return Scripted(
        Turn(0, "first", {a: Turn(1, "second", {b: last(a, b) for b in "lr"}) for a in "lr"}),
        players=3,
        zero_sum=False,
    )


def coin_nobody_sees():
    def guess(coin):
        def leave(mine):
            return Turn(1, f"after {mine}", {
                "stay": end(mine == coin, -(mine == coin)), "leave": end(-0.25, 0.25),
            })  # fmt: skip

        return Turn(0, "guess", {side: leave(side) for side in "ht"})

    return Scripted(Luck((), {"h": guess("h"), "t": guess("t")}, (0.3, 0.7)))


GAMES = {
    "rps": load("rps"),
    "dilemma": load("matrix", row=[[3, 0], [5, 1]], column=[[3, 5], [0, 1]]),
    "bargaining": load("bargaining", pie=4),
    "kuhn": load("kuhn"),
    "kuhn3": load("kuhn", players=3),
    "kuhn4": load("kuhn", players=4),
    "leduc": load("leduc"),
    "leduc-ranks": load("leduc", rank_only=True),
    "leduc-nine": load("leduc", ranks=3, suits=3, raises=1),
    "hidden coin": coin_nobody_sees(),
    "hidden delay": hidden_delay(),
    "three at once": three_at_once(0),
}
FLAT = {name: flatten(game) for name, game in GAMES.items()}
FOR_TWO = [n for n, game in GAMES.items() if game.players == 2]
PREFERENCES = {
    "fold": ("fold", "check"),
    "call": ("check", "call"),
    "raise": ("raise", "bet", "call"),
}


def close(value, tolerance=1e-12):
    return pytest.approx(value, abs=tolerance, rel=0)


def always(flat, what):
    """The first action of the preferences that is legal, everywhere."""
    table = []
    for number in range(flat.infosets):
        words = flat.action_texts(number)
        choice = next(word for word in PREFERENCES[what] if word in words)
        table += [float(word == choice) for word in words]
    return Strategy.from_table(flat, table)


def profile(flat, what):
    return Strategy.uniform(flat) if what == "uniform" else always(flat, what)


# Known numbers (uniform and constant strategies are exact fractions) and OpenSpiel beside them.

NASH_CONV = {
    ("kuhn", "uniform"): 11 / 12,
    ("kuhn", "fold"): 2,
    ("kuhn", "call"): 2 / 3,
    ("kuhn", "raise"): 2 / 3,
    ("leduc", "uniform"): 1709 / 360,
    ("leduc", "fold"): 2,
    ("leduc", "call"): 44 / 15,
    ("leduc", "raise"): 71 / 15,
}
GAINS = {"kuhn": (0.375, 13 / 24), "leduc": (2.165625, 1487 / 576)}
SELF_PLAY = {"kuhn": 0.125, "leduc": -0.078125}
HEADS_UP = {
    ("kuhn", "fold", "uniform"): -0.5,
    ("kuhn", "raise", "uniform"): 0.5,
    ("kuhn", "uniform", "raise"): -0.25,
    ("leduc", "fold", "uniform"): -0.75,
    ("leduc", "raise", "uniform"): 11 / 9,
    ("leduc", "uniform", "raise"): -371 / 144,
}


@pytest.mark.parametrize(("name", "what"), NASH_CONV)
def test_known_nash_conv(name, what):
    strategy = profile(FLAT[name], what)
    assert nash_conv(strategy) == close(NASH_CONV[name, what])
    assert exploitability(strategy) == close(NASH_CONV[name, what] / 2)


@pytest.mark.parametrize("name", GAINS)
def test_known_improvements_and_values_of_uniform_play(name):
    found = evaluate_profile(Strategy.uniform(FLAT[name]))
    assert found.gains == close(GAINS[name])
    assert found.values == close((SELF_PLAY[name], -SELF_PLAY[name]))


@pytest.mark.parametrize(("name", "first", "second"), HEADS_UP)
def test_known_values_of_one_strategy_against_another(name, first, second):
    both = Strategy.combine(profile(FLAT[name], first), profile(FLAT[name], second))
    value = HEADS_UP[name, first, second]
    assert evaluate_profile(both).values == close((value, -value))


def test_numbers_of_the_literature_to_seven_digits():
    """As printed by OpenSpiel, so that no fraction above was derived from our own result."""
    assert NASH_CONV["leduc", "uniform"] == close(4.7472222, 5e-8)
    assert GAINS["leduc"][1] == close(2.5815972, 5e-8)
    assert GAINS["kuhn"][1] == close(0.5416667, 5e-8)
    assert HEADS_UP["leduc", "uniform", "raise"] == close(-2.5763889, 5e-8)


@pytest.mark.parametrize(
    "what",
    [
        "uniform",
        "raise",
        0,
        *(pytest.param(w, marks=pytest.mark.slow) for w in ("fold", "call", 1, 2)),
    ],
)
@pytest.mark.parametrize("name", ["kuhn", "kuhn3", "leduc", "leduc-ranks"])
def test_openspiel_finds_the_same(name, what):
    pyspiel = pytest.importorskip("pyspiel")
    flat = FLAT[name]
    if isinstance(what, int):
        strategy = Strategy.from_table(flat, random_strategy(flat, what)[1])
    else:
        strategy = profile(flat, what)
    game, policy = openspiel_game(flat.game), openspiel_policy(strategy)
    found = evaluate_profile(strategy)
    start = game.new_initial_state()
    responses = [pyspiel.TabularBestResponse(game, p, policy) for p in range(flat.game.players)]
    theirs = [response.value_from_state(start) for response in responses]
    returns = pyspiel.expected_returns(start, pyspiel.TabularPolicy(policy), -1, True)
    assert found.values == close(returns, 1e-9)
    assert found.best == close(theirs, 1e-9)
    assert found.nash_conv == close(pyspiel.nash_conv(game, policy), 1e-9)
    if flat.game.players == 2:
        assert exploitability(strategy) == close(pyspiel.exploitability(game, policy), 1e-9)


def test_three_player_kuhn():
    assert nash_conv(Strategy.uniform(FLAT["kuhn3"])) == close(2.0625)


@pytest.mark.slow
def test_three_player_leduc():
    flat = flatten(load("leduc", players=3))
    found = nash_conv(Strategy.uniform(flat))
    assert found == close(12.6112213, 1e-7)
    pyspiel = pytest.importorskip("pyspiel")
    game = openspiel_game(flat.game)
    assert found == close(pyspiel.nash_conv(game, pyspiel.UniformRandomPolicy(game)), 1e-6)


# Twins.


@pytest.mark.nojit
@pytest.mark.bounds
@pytest.mark.parametrize("name", ["rps", "dilemma", "kuhn", "hidden coin", "hidden delay"])
def test_no_pure_strategy_does_better(name):
    """Every pure strategy is tried; the best response is exactly the best of them."""
    flat = FLAT[name]
    strategy, table = random_strategy(flat, 5)
    found = Evaluator(flat).evaluate(table)
    best = [best_value_of_all(flat, [strategy], player) for player in range(2)]
    assert found.best == close(best)
    assert found.values == close(expected_payoffs(flat.game.start(), strategy))


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", GAMES)
def test_recursion_over_the_readable_game_finds_the_same(name, seed):
    flat = FLAT[name]
    strategy, table = random_strategy(flat, seed)
    found = Evaluator(flat).evaluate(table)
    best = [best_response_value(flat.game, strategy, p) for p in range(flat.game.players)]
    assert found.best == close(best)
    assert found.values == close(expected_payoffs(flat.game.start(), strategy))


@pytest.mark.nojit
@pytest.mark.bounds
def test_three_players_without_the_compiler():
    test_recursion_over_the_readable_game_finds_the_same("kuhn3", 0)


def test_that_an_infoset_on_two_levels_is_covered():
    assert not FLAT["hidden delay"].same_level


# Properties.


def kuhn_profiles():
    unit = st.floats(0, 1)
    return st.lists(unit, min_size=12, max_size=12).map(
        lambda first: np.array([[p, 1 - p] for p in first]).ravel()
    )


@given(kuhn_profiles(), kuhn_profiles())
def test_properties_of_random_profiles_of_kuhn(table, other):
    flat = FLAT["kuhn"]
    evaluator = Evaluator(flat)
    found = evaluator.evaluate(table)
    assert evaluator.exploitability(table) >= -1e-12
    assert sum(found.values) == close(0)
    assert found.nash_conv == close(sum(found.best))
    mine, yours = Strategy(flat, table), Strategy(flat, other)
    deviations = Strategy.combine(yours, mine), Strategy.combine(mine, yours)
    for player, deviation in enumerate(deviations):
        assert evaluator.values(deviation.table)[player] <= found.best[player] + 1e-12


@pytest.mark.parametrize("name", GAMES)
def test_best_responses_achieve_their_values(name):
    flat = FLAT[name]
    evaluator = Evaluator(flat)
    cuts = flat.tree.start[flat.tree.player]
    _, table = random_strategy(flat, 11)
    found, response = evaluator.evaluate(table), evaluator.best_response(table)
    assert found.best == response.values
    assert set(np.unique(response.table)) <= {0.0, 1.0}
    for player in range(flat.game.players):
        part = slice(cuts[player], cuts[player + 1])
        deviation = table.copy()
        deviation[part] = response.table[part]
        assert evaluator.values(deviation)[player] == close(found.best[player])
        assert evaluator.evaluate(deviation).gains[player] == close(0)


def test_best_response_of_a_strategy_is_a_strategy():
    uniform = Strategy.uniform(FLAT["kuhn"])
    response = best_response(uniform)
    assert response[0, "check bet", "K"] == {"fold": 0.0, "call": 1.0}
    assert response[1, "bet", "J"] == {"fold": 1.0, "call": 0.0}
    assert evaluate_profile(Strategy.combine(response, uniform)).values[0] == close(0.5)


def test_equilibrium_of_kuhn_cannot_be_exploited():
    """Kuhn (1950): player 0 bets a jack with any odds a up to 1/3; the value is -1/18."""
    flat = FLAT["kuhn"]
    for a in (0, 0.2, 1 / 3):
        second = {
            (0, "", "J"): a, (0, "", "Q"): 0, (0, "", "K"): 3 * a,
            (0, "check bet", "J"): 0, (0, "check bet", "Q"): a + 1 / 3, (0, "check bet", "K"): 1,
            (1, "check", "J"): 1 / 3, (1, "check", "Q"): 0, (1, "check", "K"): 1,
            (1, "bet", "J"): 0, (1, "bet", "Q"): 1 / 3, (1, "bet", "K"): 1,
        }  # fmt: skip
        table = np.array([[1 - second[key], second[key]] for key in flat.keys]).ravel()
        found = evaluate_profile(Strategy(flat, table))
        assert found.values == close((-1 / 18, 1 / 18))
        assert found.best == close((-1 / 18, 1 / 18))


def test_nobody_is_clairvoyant():
    """A maximum for each history would give player 1 the win in every cell."""
    found = evaluate_profile(Strategy.uniform(FLAT["rps"]))
    assert found.best == close((0, 0))


def swapped(part):
    if isinstance(part, tuple):
        return tuple(map(swapped, part))
    return part.translate(str.maketrans("hs", "sh")) if len(part) == 2 else part


def test_names_of_suits_do_not_matter():
    flat = FLAT["leduc"]
    strategy, table = random_strategy(flat, 3)
    other = np.concatenate([strategy[player, *map(swapped, key)] for player, *key in flat.keys])
    assert not np.array_equal(table, other)
    evaluator = Evaluator(flat)
    one, two = evaluator.evaluate(table), evaluator.evaluate(other)
    assert one.values == close(two.values)
    assert one.best == close(two.best)


def test_a_strategy_by_ranks_is_worth_the_same_with_suits():
    ranks, suits = FLAT["leduc-ranks"], FLAT["leduc"]
    strategy, table = random_strategy(ranks, 4)
    rows = [strategy[p, (line, board[:1]), own[:1]] for p, (line, board), own in suits.keys]
    one = Evaluator(ranks).evaluate(table)
    two = Evaluator(suits).evaluate(np.concatenate(rows))
    assert one.values == close(two.values)
    assert one.best == close(two.best)


def test_workspace_forgets_the_last_profile():
    evaluator = Evaluator(FLAT["leduc"])
    tables = [random_strategy(FLAT["leduc"], seed)[1] for seed in range(2)]
    first = evaluator.evaluate(tables[0])
    response = evaluator.best_response(tables[0]).table
    assert evaluator.evaluate(tables[1]) != first
    assert evaluator.evaluate(tables[0]) == first
    assert np.array_equal(evaluator.best_response(tables[0]).table, response)


def test_any_array_of_numbers_will_do():
    evaluator, table = Evaluator(FLAT["kuhn"]), always(FLAT["kuhn"], "call").table
    expected = evaluator.evaluate(table)
    assert not table.flags.writeable
    assert evaluator.evaluate(table.tolist()) == expected
    assert evaluator.evaluate(table.astype(np.float32)) == expected
    assert evaluator.evaluate(np.repeat(table, 2)[::2]) == expected


# Correlated play.


def average_of(evaluator, tables):
    """The average strategy: each iteration counts at an infoset as often as its owner comes."""
    start, entries = evaluator.sequences.start, len(tables[0])
    total = np.zeros(entries)
    for table in tables:
        evaluator.gather(table)
        total += evaluator.workspace.reach[:entries]
    widths = np.diff(start)
    return total / np.repeat(np.add.reduceat(total, start[:-1]), widths)


@pytest.mark.parametrize("name", ["kuhn", "dilemma", "bargaining", "leduc", "hidden delay"])
def test_two_players_play_as_their_averages(name):
    flat = FLAT[name]
    evaluator, play = Evaluator(flat), CoarseCorrelatedPlay(flat)
    tables = [random_strategy(flat, seed)[1] for seed in range(4)]
    for table in tables:
        play.add(table)
    means = np.mean([evaluator.values(table) for table in tables], axis=0)
    average = average_of(evaluator, tables)
    assert play.evaluate().values == close(means)
    assert play.evaluate().best == close(evaluator.evaluate(average).best)
    assert play.cce_gap() == close(evaluator.cce_gap(average, means))
    if flat.game.zero_sum:
        assert play.evaluate().nash_conv == close(evaluator.nash_conv(average))


@pytest.mark.parametrize("seed", range(3))
def test_three_players_play_together(seed):
    """Against all pure deviations; averages alone would give another number."""
    flat = flatten(three_at_once(seed))
    play = CoarseCorrelatedPlay(flat)
    pairs = [random_strategy(flat, 10 * seed + t) for t in range(3)]
    for _, table in pairs:
        play.add(table)
    strategies = [strategy for strategy, _ in pairs]
    values = [expected_payoffs(flat.game.start(), s) for s in strategies]
    best = [best_value_of_all(flat, strategies, player) for player in range(3)]
    found = play.evaluate()
    assert found.values == close(np.mean(values, axis=0))
    assert found.best == close(best)
    assert play.cce_gap() == close(np.max(best - np.mean(values, axis=0)))
    average = average_of(play.evaluator, [table for _, table in pairs])
    assert play.evaluator.evaluate(average).best != close(best, 1e-3)


def test_a_correlated_equilibrium_has_a_negative_gap():
    """Chicken: (dare, yield) and (yield, dare) half the time each; deviating costs everybody."""
    flat = flatten(load("matrix", row=[[0, 7], [2, 6]], column=[[0, 2], [7, 6]]))
    play = CoarseCorrelatedPlay(flat)
    play.add([1, 0, 0, 1])
    play.add([0, 1, 1, 0])
    assert play.evaluate().values == (4.5, 4.5)
    assert play.evaluate().best == (4.0, 4.0)  # yield against a coin
    assert play.cce_gap() == -0.5
    assert play.best_response().values == (4.0, 4.0)


def test_a_weight_of_three_is_three_times():
    flat = FLAT["kuhn3"]
    once, thrice = CoarseCorrelatedPlay(flat), CoarseCorrelatedPlay(flat)
    for seed, weight in enumerate((1, 3, 2)):
        table = random_strategy(flat, seed)[1]
        once.add(table, weight=weight)
        for _ in range(weight):
            thrice.add(table)
    assert once.evaluate().values == close(thrice.evaluate().values)
    assert once.evaluate().best == close(thrice.evaluate().best)


def test_no_play_and_odd_weights_are_refused():
    play = CoarseCorrelatedPlay(FLAT["kuhn"])
    with pytest.raises(OptionError, match="no iteration has been added"):
        play.cce_gap()
    with pytest.raises(OptionError, match="weight=-1"):
        play.add(Strategy.uniform(FLAT["kuhn"]).table, weight=-1)


def test_gap_of_three_players_needs_the_play():
    with pytest.raises(OptionError, match=r"kuhn.*3.*CoarseCorrelatedPlay"):
        Evaluator(FLAT["kuhn3"]).cce_gap(Strategy.uniform(FLAT["kuhn3"]).table, (0, 0, 0))


# Refusals.


@pytest.mark.parametrize("name", ["kuhn3", "dilemma", "bargaining"])
def test_exploitability_is_for_two_and_zero_sum(name):
    uniform = Strategy.uniform(FLAT[name])
    for refused in (
        lambda: exploitability(uniform),
        lambda: Evaluator(FLAT[name]).exploitability(uniform.table),
    ):
        with pytest.raises(OptionError, match=r"zero-sum.*nash_conv"):
            refused()
    assert nash_conv(uniform) > 0


@pytest.mark.nojit
@pytest.mark.bounds
@pytest.mark.parametrize("wrong", [(0.5, 0.6), (1.5, -0.5), (np.nan, 1), (np.inf, 0), (0, 0)])
def test_what_is_no_distribution_is_refused(wrong):
    flat = FLAT["kuhn"]
    key = (1, "bet", "Q")
    table = Strategy.uniform(flat).table.copy()
    start = flat.tree.start[flat.number[key]]
    table[start : start + 2] = wrong
    evaluator = Evaluator(flat)
    for ask in (evaluator.evaluate, evaluator.values, evaluator.best_response):
        with pytest.raises(ArrayError, match=r"kuhn .*player 1, Q: bet .*1"):
            ask(table)


def test_wrong_shapes_are_refused():
    with pytest.raises(ArrayError, match=r"\(3,\); kuhn.*\(24,\)"):
        Evaluator(FLAT["kuhn"]).evaluate([1, 0, 0])


def forgotten():
    """Player 0 does not remember the own first move."""

    def then(first):
        return Turn(0, "then", {b: end(first == b, -(first == b)) for b in "lr"})

    return Scripted(Turn(0, "first", {a: then(a) for a in "lr"}))


def absent_minded():
    """The same infoset twice on one way."""
    return Scripted(
        Turn(0, "exit?", {
            "exit": end(0, 0), "on": Turn(0, "exit?", {"exit": end(4, -4), "on": end(1, -1)}),
        })
    )  # fmt: skip


@pytest.mark.parametrize("game", [forgotten(), absent_minded()])
def test_games_of_imperfect_recall_are_refused(game):
    with pytest.raises(OptionError, match=r"imperfect recall.*\(player 0, nothing.*\)"):
        Evaluator(flatten(game))


def test_tolerances_are_the_same_everywhere():
    assert kernels.SUM_TOLERANCE == SUM_TOLERANCE
