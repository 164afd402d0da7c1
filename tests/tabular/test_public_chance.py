import numpy as np
import pytest

from naive.tabular.sampled import Dice, NaivePublicChance, Recipe
from tiltless.cfr.averaging import Power, Uniform
from tiltless.cfr.regret import Discounted, Floored, Plain
from tiltless.cfr.sampling import PublicChance
from tiltless.errors import OptionError
from tiltless.games import load
from tiltless.kernels.base.rng import seed_words
from tiltless.tabular.best_response import Evaluator
from tiltless.tabular.flat import flatten
from tiltless.tabular.full_traversal import FlatEngine, normalised
from tiltless.tabular.public import public_form
from tiltless.tabular.public_chance import PublicChanceEngine

GAMES = {
    "kuhn": load("kuhn"),
    "leduc": load("leduc"),
    "leduc-ranks": load("leduc", rank_only=True),
    "leduc-10": load("leduc", ranks=5, raises=1),  # vectors of two times eight
    "matrix": load("matrix", row=((0, -1, 2), (1, 0, -1), (-2, 1, 0))),
    "bargaining": load("bargaining", pie=4),  # not zero-sum: both players have payoffs
}
FLAT = {name: flatten(game) for name, game in GAMES.items()}
RULES = {
    "plain": Recipe(PublicChance()),
    "linear": Recipe(PublicChance(), Discounted(1, 1), Power(1, delay=3)),
    "floored": Recipe(PublicChance(), Floored(), Power(2.5)),
}


def trained(name, recipe, iterations, seed=0):
    engine = PublicChanceEngine(FLAT[name], *recipe, seed=seed)
    engine.run(1, iterations)
    return engine


def check_twin(name, rules, iterations):
    recipe = RULES[rules]
    twin = NaivePublicChance(public_form(GAMES[name], lane=8), recipe, Dice(seed_words(7, 1)[0, 0]))
    twin.run(1, iterations)
    engine = trained(name, recipe, iterations, seed=7)
    assert np.array_equal(engine.tables.regret, twin.regret.reshape(-1))
    assert np.array_equal(engine.tables.average, twin.average.reshape(-1))
    assert engine.tables.regret.any() or name == "bargaining"


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("name", GAMES)
def test_tables_equal_those_of_a_naive_twin(name, rules):
    check_twin(name, rules, 3 if name == "leduc-10" else 10)


@pytest.mark.nojit
@pytest.mark.bounds
@pytest.mark.parametrize("name", ["kuhn", "leduc-ranks"])
def test_a_few_iterations_equal_those_of_the_twin(name):
    check_twin(name, "linear", 2)


class Always:
    """Chance that always turns up the same card."""

    def __init__(self, choice):
        self.choice = choice

    def even(self, n):
        assert n == 6
        return self.choice


def test_the_mean_over_all_boards_is_the_full_update():
    """Exactly. No walk meets two nodes of chance on one way down, so it is enough to turn up each
    board everywhere, once."""
    flat, form = FLAT["leduc"], public_form(GAMES["leduc"], lane=8)
    regrets = np.random.default_rng(4).normal(size=flat.entries)
    places = form.flat_indices(flat)
    rows = np.where(places >= 0, regrets[places], 0.0)

    full = FlatEngine(flat, Plain(), Uniform(), alternating=False)
    full.tables.regret[:] = regrets
    full.tables.strategy[:] = normalised(flat, np.maximum(regrets, 0.0))
    own_reach = _own_reach(flat, full.tables.strategy)[places]
    full.run(1, 1)
    new_regrets = (full.tables.regret - regrets)[places]

    mean_regret, mean_average = np.zeros((2, form.rows, form.width))
    for board in range(6):
        for player in range(2):
            twin = NaivePublicChance(form, Recipe(PublicChance()), Always(board))
            twin.regret, twin.strategies = rows.copy(), {}
            ones = np.ones(form.width)
            twin.walk(0, 1, player, ones, ones, 1.0)
            mean_regret += (twin.regret - rows) / 6
            mean_average += twin.average / 6
    known = places >= 0
    assert mean_regret[known] == pytest.approx(new_regrets[known], abs=1e-12)
    assert mean_average[known] == pytest.approx(own_reach[known], abs=1e-12)


def _own_reach(flat, strategy):
    """Of each action: how likely its player makes it possible and takes it."""
    tree = flat.tree
    reach, found = np.ones((flat.nodes, 2)), np.zeros(flat.entries)
    for node in range(flat.nodes):
        actor, children = tree.actor[node], range(int(tree.first[node]), int(tree.first[node + 1]))
        for number, child in enumerate(children):
            reach[child] = reach[node]
            if actor >= 0:
                entry = tree.start[tree.row[node]] + number
                reach[child, actor] *= strategy[entry]
                found[entry] = reach[child, actor]
    return found


@pytest.mark.parametrize("name", ["kuhn", "matrix", "bargaining"])
@pytest.mark.parametrize("regret", [Plain(), Discounted(1, 1)], ids=repr)
def test_without_public_chance_it_is_full_cfr(name, regret):
    flat = FLAT[name]
    full = FlatEngine(flat, regret, Power(1), alternating=True)
    full.run(1, 200)
    ours = trained(name, Recipe(PublicChance(), regret, Power(1)), 200)
    assert ours.average() == pytest.approx(full.average(), abs=1e-9)
    assert ours.current() == pytest.approx(full.current(), abs=1e-9)


@pytest.mark.parametrize(
    ("name", "iterations", "bound"),
    [("kuhn", 10_000, 0.0003), ("matrix", 10_000, 0.0006), ("leduc", 20_000, 0.05)],
)
def test_distance_to_equilibrium(name, iterations, bound):
    """Leduc: mean 0.032, deviation 0.004 over 20 seeds; without public chance nothing is random."""
    engine = trained(name, RULES["plain"], iterations, seed=101)
    assert Evaluator(FLAT[name]).exploitability(engine.average()) < bound


def test_runs_may_be_split_and_continued_elsewhere():
    recipe = RULES["linear"]
    whole = trained("leduc", recipe, 300, seed=3)
    part = trained("leduc", recipe, 100, seed=3)
    part.run(101, 100)
    again = PublicChanceEngine(FLAT["leduc"], *recipe, seed=9)
    again.restore({name: np.array(array) for name, array in part.state().items()})
    again.run(201, 100)
    for one, two in zip(whole.tables, again.tables, strict=True):
        assert np.array_equal(one, two)
    other = trained("leduc", recipe, 300, seed=4)
    assert not np.array_equal(whole.tables.regret, other.tables.regret)


def test_more_than_two_players_are_refused():
    flat = flatten(load("kuhn", players=3))
    with pytest.raises(OptionError, match=r"kuhn.*3"):
        PublicChanceEngine(flat, *RULES["plain"])
