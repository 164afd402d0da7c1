"""The engine of several seats: repeats, resumes, averages for every seat, and known traps."""

import threading

import numpy as np
import pytest

from tiltless.abstraction.cards.buckets import ComboBuckets
from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.cards.tables import build_tables
from tiltless.blueprint.multiway import engine as engine_module
from tiltless.blueprint.multiway.deals import HoldemDealer, draw_callers
from tiltless.blueprint.multiway.engine import DEALS, MultiwayEngine, VectorRules
from tiltless.blueprint.multiway.graph_layout import betting_graph
from tiltless.blueprint.multiway.locate import GraphSpots
from tiltless.blueprint.multiway.menu import MultiwayMenu
from tiltless.blueprint.multiway.openings import openings
from tiltless.cards.card import CLASS_NAMES, CLASS_OF_COMBO, CLASS_SIZES
from tiltless.errors import ArrayError, OptionError
from tiltless.games.registry import load
from tiltless.kernels.multiway.nodes import ACTIONS, ACTOR, FIRST, FOLDS, STREET

MENU = MultiwayMenu.parse("2.5bb / a; cap 2; force 15%", "75% / a; cap 2; force 15%", "75%; cap 1")
BUCKETS = [ComboBuckets(count, CLASS_OF_COMBO % count) for count in (13, 5, 4, 3)]
GAME = load("nlhe", seats=3, stack="10bb")
GRAPH = betting_graph(GAME, MENU)
QUICK = VectorRules(384, average_every=384, snapshot_every=768)


class Recorded(HoldemDealer):
    """Notes the random state of each block."""

    def __init__(self, *args):
        super().__init__(*args)
        self.states, self.lock = [], threading.Lock()

    def deal(self, state, deals, callers=0.0):
        with self.lock:
            self.states.append(int(state[0]))
        return super().deal(state, deals, callers)


def make(rules=QUICK, threads=1, seed=1, dealer=None):
    dealer = dealer or HoldemDealer(GAME, BUCKETS)
    return MultiwayEngine(GRAPH, dealer, rules, seed=seed, threads=threads)


def test_one_thread_repeats_and_resumes_to_the_bit():
    whole, parts = make(), make()
    whole.run(1600)
    parts.run(700)
    again = make()
    again.restore({name: array.copy() for name, array in parts.state().items()})
    again.run(900)
    assert whole.walks == again.walks >= 1600
    for name, array in whole.state().items():
        np.testing.assert_array_equal(array, again.state()[name], err_msg=name)
    other = make(seed=2)
    other.run(1600)
    assert (other.regret != whole.regret).any()
    with pytest.raises(ArrayError):
        make().restore({**whole.state(), "regret": whole.regret[:5]})


def test_two_threads_run_every_block_once():
    dealer, alone = Recorded(GAME, BUCKETS), Recorded(GAME, BUCKETS)
    engine, single = make(threads=2, dealer=dealer), make(dealer=alone)
    engine.run(6000)
    single.run(6000)
    assert sorted(dealer.states) == sorted(alone.states)
    assert len(set(dealer.states)) == engine.blocks
    engine.check_finite()
    # lost updates are rare: the strategies of both are close where they are often used
    first = GRAPH.nodes.node[0, ACTIONS]
    both = [each.average[: 13 * first].reshape(13, first) for each in (engine, single)]
    one, two = (table / table.sum(axis=1, keepdims=True) for table in both)
    assert abs(one - two).mean() < 0.1


@pytest.mark.parametrize("every", [6, 192, 384, 600, 10_000])
def test_every_player_has_an_average_whatever_the_interval(every):
    """An interval that shares a factor with the number of players once left some without."""
    engine = make(VectorRules(average_every=every, snapshot_every=every))
    engine.run(max(every, 2000))
    node = GRAPH.nodes.node
    for player in range(3):
        at = np.flatnonzero((node[:, ACTOR] == player) & (node[:, STREET] == 0))[0]
        assert engine.at(engine.average, at).sum(axis=1).min() > 0
    flop = node[:, STREET] == 1
    for position in range(2):
        rows = [
            engine.at(engine.average, n) for n in np.flatnonzero(flop & (node[:, 0] == position))
        ]
        assert any(row.any() for row in rows)


def test_the_average_of_the_first_street_is_weighted_by_own_reach():
    """Twice through the tree: at the root the whole strategy, below it times what came before."""
    engine = make()
    rng = np.random.default_rng(2)
    engine.regret[:] = rng.normal(0, 1, len(engine.regret))
    engine.add_first_street(3.0)
    node = GRAPH.nodes.node

    def sigma(at):
        row = np.maximum(engine.at(engine.regret, at).astype(float), 0)
        total = row.sum(axis=1, keepdims=True)
        return np.where(total > 0, row / np.where(total > 0, total, 1), 1 / row.shape[1])

    def check(at, reach):
        if node[at, ACTOR] < 0:
            return 0
        actor, strategy = int(node[at, ACTOR]), sigma(at)
        expected = 3 * reach[actor][:, None] * strategy
        np.testing.assert_allclose(engine.at(engine.average, at), expected, rtol=1e-5, atol=1e-6)
        below = 0
        for a in range(node[at, ACTIONS]):
            changed = [*reach]
            changed[actor] = reach[actor] * strategy[:, a]
            below += check(int(node[at, FIRST]) + a, changed)
        return below + 1

    assert check(0, [np.ones(13)] * 3) == GRAPH.size.decisions[0]
    later = engine.average[engine.start[node[:, STREET] == 1].max() :]
    assert not later.any()


def test_snapshots_add_the_current_strategy_of_visited_rows():
    engine = make()
    node = GRAPH.nodes.node
    at = int(np.flatnonzero((node[:, ACTOR] >= 0) & (node[:, STREET] == 2))[0])
    row = engine.at(engine.regret, at)
    row[1, 0], row[2, :] = 5.0, -1.0
    engine.add_snapshot(2.0)
    found = engine.at(engine.average, at)
    actions = int(node[at, ACTIONS])
    assert found[0].tolist() == [0] * actions
    assert found[1].tolist() == [2] + [0] * (actions - 1)
    assert found[2].tolist() == [2 / actions] * actions
    assert engine.average.sum() == pytest.approx(4)


def test_weights_grow_linearly_and_then_stay():
    rules = VectorRules(1000, discount_until=5000)
    assert [rules.weight(walks) for walks in (0, 999, 1000, 4999, 5000, 10**9)] == [
        1,
        1,
        2,
        5,
        6,
        6,
    ]
    assert VectorRules(0).weight(10**9) == 1


def test_regrets_do_not_overflow_and_respect_the_floor():
    """Integers once overflowed after long runs; these are float32 with weights up to 10^9."""
    engine = make(VectorRules(1, floor=-50.0, average_every=384, snapshot_every=384))
    engine.blocks = 10**9 // engine.block_walks
    engine.run(4000)
    engine.check_finite()
    assert engine.regret.min() == -50
    assert engine.regret.max() > 2**31
    engine.regret[3] = np.inf
    with pytest.raises(ArrayError):
        engine.check_finite()


def test_tables_that_do_not_fit_are_refused_with_a_message(monkeypatch):
    """A full table once answered 0; a dense one is allocated whole or not at all."""
    monkeypatch.setattr(engine_module, "free_memory", lambda: 1000.0)
    with pytest.raises(OptionError, match="GB"):
        make()


def test_callers_are_drawn_in_their_share_of_deals():
    words = np.random.default_rng(1).integers(0, 2**64, 20_000, dtype=np.uint64)
    masks = draw_callers(words, 6, 0.25)
    some = masks[masks > 0]
    assert 0.24 < len(some) / len(masks) < 0.26
    assert {int(mask).bit_count() for mask in some} == {1, 2}
    for player in range(6):
        assert (some >> player & 1).any()
    assert not draw_callers(words, 6, 0.0).any()


def test_callers_lead_to_rows_that_others_do_not_reach():
    """Regrets that say fold: only callers and exploration see a flop."""
    node = GRAPH.nodes.node
    flop = GRAPH.offsets([13, 5, 4, 3])[(node[:, STREET] == 1) & (node[:, ACTOR] >= 0)].min()

    def visited(rules):
        engine = make(rules)
        for at in np.flatnonzero((node[:, FOLDS] == 1) & (node[:, STREET] == 0)):
            engine.at(engine.regret, int(at))[:, 0] = 1e9
        engine.run(1000)
        return np.count_nonzero(engine.regret[flop:])

    quiet = VectorRules(0, explore=0.0, callers=0.0)
    assert visited(quiet) < visited(VectorRules(0, explore=0.0, callers=0.5))
    assert visited(quiet) < visited(VectorRules(0, explore=0.05, callers=0.0))


def test_rows_that_callers_lead_to_learn_the_same_with_any_weight():
    """Regret matching does not see the scale of a row; powers of two scale without rounding."""
    one, small = (
        make(VectorRules(0, explore=0.0, callers=1.0, caller_weight=weight))
        for weight in (1, 1 / 64)
    )
    for engine in (one, small):
        engine.run(1000)
    np.testing.assert_array_equal(one.regret, 64 * small.regret)
    assert one.regret.any()


@pytest.mark.slow
def test_the_first_to_play_raise_more_than_they_limp():
    """Aces limped first in while callers had full weight and the only four-bet was all-in.

    After 600,000 traversals of 4 seats the button limped 20 % of hands and aces always; without
    callers, but still without a four-bet, 14 % and 76 %. Now 9 % and 16 %.
    """
    game = load("nlhe", seats=4, stack="100bb")
    graph, cards = betting_graph(game, "six-small"), card_abstraction("small")
    rules = VectorRules(1 << 14, average_every=1 << 15, snapshot_every=1 << 16)
    engine = MultiwayEngine(graph, HoldemDealer(game, build_tables(cards).groups), rules, seed=1)
    engine.run(600_000)
    found = openings(
        GraphSpots(graph), cards.buckets(()), lambda node: engine.at(engine.average, node)
    )
    cutoff, button, _ = found
    share = CLASS_SIZES / CLASS_SIZES.sum()
    assert cutoff.raises[CLASS_NAMES.index("AA")] > 0.6
    assert share @ cutoff.raises > 1.3 * (share @ cutoff.limps)
    assert share @ button.raises > 3 * (share @ button.limps)


def test_players_win_what_the_others_lose_on_average():
    engine = make()
    engine.run(40_000)
    assert abs(engine.value_by_player().sum()) < 0.2  # chips; the sampled others differ by turn
    assert engine.walks == engine.blocks * DEALS * 3


@pytest.mark.parametrize(
    "change",
    [{"explore": 0.5}, {"callers": 2}, {"caller_weight": 0}, {"floor": 3.0}, {"average_every": 0}],
)
def test_rules_that_make_no_sense_are_refused(change):
    with pytest.raises(OptionError):
        VectorRules(**change)


class HighestDraws:
    """Draws next to 1, which a sum of rounded weights may not reach."""

    def random(self, shape):
        return np.full(shape, np.nextafter(1.0, 0.0))

    def integers(self, low, high, shape):
        return np.random.default_rng(1).integers(low, high, shape)


def test_a_hand_without_weight_is_never_drawn():
    weight = np.zeros((2, 1326), np.float32)
    for player in range(2):
        weight[player, 100 * player + np.arange(7)] = 0.1 + np.arange(7) * 0.01 * player
    dealer = HoldemDealer(GAME, BUCKETS, board=(51, 50, 49), ranges=weight)
    below = dealer.weight.astype(np.float64).sum(axis=1)
    dealer.weight *= (0.999 / below[:, None]).astype(np.float32)  # as if rounding were coarse
    held, _ = dealer._drawn(HighestDraws(), 3)
    assert (np.take_along_axis(weight, held.T, axis=1) > 0).all()
    assert held.tolist() == [[6, 106]] * 3
