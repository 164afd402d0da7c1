"""The agent for Permutation Hold'em."""

from functools import partial
from random import Random

import numpy as np
import pytest

from helpers.hidden_order import drawn_order
from helpers.playing import deal, play
from tiltless.agents import KnownStrategy, make_agent
from tiltless.agents.agent import Clock
from tiltless.agents.permutation.agent import PermutationAgent
from tiltless.agents.permutation.beliefs import Belief
from tiltless.agents.permutation.hands import card_names, combo_names, median_orders
from tiltless.agents.permutation.view import relabelled_view
from tiltless.arena.chunk import play_chunk
from tiltless.arena.match import play_match
from tiltless.arena.plan import MatchPlan
from tiltless.cards.card import COMBO_CARDS, COMBO_OF, RANKS
from tiltless.cards.hand_order import permuted
from tiltless.errors import OptionError
from tiltless.games.holdem.history import HIDDEN_RANKS
from tiltless.games.holdem.permutation import draw_ranks
from tiltless.games.registry import load
from tiltless.seeding import SeededRandom

RANK_ORDER = "4392T7JA5KQ68"
ORDER = np.array(permuted(RANK_ORDER).true_ranks, np.int8)
SCRIPTS = {
    "first in": "",
    "raised": "r6",
    "flop": "r6 c",
    "odd bet": "r6 c k r7",
    "turn": "r6 c k r8 c k",
    "river": "r6 c k r8 c k k r21",
}


def view_after(script, ranks=RANK_ORDER, board="Ks7d2c9h4s", hole="AsAd QhQc"):
    state = play(deal(load("permutation", ranks=ranks), hole), script, board)
    return state.view(state.actor)


def true_view(script):
    """The same hand in hold'em, dealt with true cards."""
    names = [RANKS[rank] for rank in ORDER]
    hole, board = ("".join(_named(text, names)) for text in ("AsAd QhQc", "Ks7d2c9h4s"))
    game = load("nlhe", stack=200, effective_raises=True)
    state = play(deal(game, hole), script, board)
    return state.view(state.actor)


def _named(text, names):
    for letter in text:
        yield names[RANKS.index(letter)] if letter in RANKS else letter


@pytest.fixture(scope="module")
def oracle():
    return make_agent(f"permutation:ranks={RANK_ORDER}")


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_a_renamed_view_is_that_of_the_true_cards(script):
    view = view_after(script)
    true = relabelled_view(view, card_names(ORDER).tolist())
    assert true == true_view(script)._replace(rules=view.rules)
    back = np.argsort(ORDER).astype(np.int8)
    again = relabelled_view(true, card_names(back).tolist())
    assert again == view._replace(game="nlhe")


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_an_oracle_plays_as_its_inner_agent_does_with_true_cards(oracle, script):
    inner, view, true = make_agent("blueprint"), view_after(script), true_view(script)
    for seed in range(5):
        ours = oracle.act(view, Clock(), SeededRandom(seed))
        assert ours == inner.act(true, Clock(), SeededRandom(seed))
    told, expected = oracle.policies(view), inner.policies(true)
    assert told.actions == expected.actions
    assert (told.chances == expected.chances[combo_names(ORDER)]).all()


def test_search_through_renamed_cards():
    searching = "search:iterations=8,turn=75%+a/a"
    wrapped = make_agent(f"permutation:ranks={RANK_ORDER},agent={searching}")
    inner = make_agent(searching)
    view, true = view_after(SCRIPTS["river"]), true_view(SCRIPTS["river"])
    ours = wrapped.act(view, Clock(), SeededRandom(1))
    assert ours.source == "search"
    assert ours == inner.act(true, Clock(), SeededRandom(1))


def test_a_whole_match_of_an_oracle_is_a_match_of_hold_em():
    """With shown ranks that are true, the agent is its inner agent, hand by hand."""
    played = []
    for agent, game in ((f"permutation:ranks={RANKS}", "permutation"), ("blueprint", "nlhe")):
        given = {"ranks": RANKS} if game == "permutation" else {"effective_raises": True}
        plan = MatchPlan((agent, "rules:rollouts=50"), 30, game, {**given, "stack": 200}, seed=5)
        played.append(play_match(plan)[0].won)
    assert played[0] == played[1]
    assert played[0].total


class Samples:
    """Beliefs that never change."""

    def __init__(self, samples):
        self.samples = samples

    def observe(self, *showdown):
        raise AssertionError(showdown)

    def belief(self):
        return Belief(ORDER, self.samples)


@pytest.mark.parametrize("name", ["raised", "odd bet", "turn", "river"])
def test_each_hand_is_played_by_its_median_order(oracle, name, monkeypatch):
    samples = np.array([drawn_order(seed) for seed in range(7)], np.int8)
    inner = make_agent("blueprint")
    agent = PermutationAgent(inner, partial(Samples, samples))
    monkeypatch.setattr(agent, "_has_flop_table", lambda _: True)  # or computed, which is slow
    assert isinstance(agent, KnownStrategy)
    view = view_after(SCRIPTS[name])
    told = agent.policies(view)
    assert told.chances[COMBO_OF[view.cards]].sum() == pytest.approx(1)
    free = np.flatnonzero(~np.isin(COMBO_CARDS, view.board).any(axis=1))
    used = set()
    for combo in free[::150].tolist():
        own = view._replace(cards=tuple(COMBO_CARDS[combo].tolist()))
        decision = agent.act(own, Clock(), SeededRandom(combo))
        if view.board:
            one = np.array([combo])
            chosen = median_orders(inner.at(view.rules).known.buckets, view.board, samples, one)[0]
            order = samples[chosen]
            used.add(int(chosen))
        else:
            order = ORDER
        true = relabelled_view(own, card_names(order).tolist())
        assert decision == inner.act(true, Clock(), SeededRandom(combo))
        row = dict(zip(told.actions, told.chances[combo].tolist(), strict=True))
        assert dict(decision.policy) == {action: chance for action, chance in row.items() if chance}
    assert len(used) > 1 or not view.board


def test_without_a_flop_table_a_flop_is_played_by_the_borda_order(monkeypatch):
    inner = make_agent("blueprint")
    agent = PermutationAgent(inner, partial(Samples, np.arange(13, dtype=np.int8)[None]))
    for table, order in ((True, np.arange(13, dtype=np.int8)), (False, ORDER)):
        monkeypatch.setattr(agent, "_has_flop_table", lambda _, table=table: table)
        agent.match_start()
        view = view_after(SCRIPTS["flop"])
        true = relabelled_view(view, card_names(order).tolist())
        assert agent.act(view, Clock(), Random(1)) == inner.act(true, Clock(), Random(1))


def test_it_learns_from_showdowns_and_forgets():
    agent = make_agent("permutation:how=borda")
    assert (agent.beliefs.belief().order == np.arange(13)).all()
    dealt = deal(load("permutation", ranks=RANK_ORDER), "8c8d AhAs")
    state = play(dealt, "c k k k k k k k", "Ks7d2c9h4s")
    for _ in range(3):
        agent.showdown(state.view(0))
    order = agent.beliefs.belief().order
    assert order[RANKS.index("8")] > order[RANKS.index("A")]
    agent.match_start()
    assert (agent.beliefs.belief().order == np.arange(13)).all()


def test_hands_that_were_not_shown_teach_nothing():
    agent = make_agent("permutation")
    state = play(deal(load("permutation", ranks=RANK_ORDER)), "f")
    before = agent.beliefs.belief()
    agent.showdown(state.view(0))
    assert agent.beliefs.belief() is before


@pytest.mark.parametrize(
    "text",
    [
        "permutation:how=mean",
        "permutation:samples=0",
        "permutation:certain=-1",
        "permutation:ranks=AA",
        "permutation:agent=rules",
        "permutation:agent=os:system",
    ],
)
def test_options_that_are_refused(text):
    with pytest.raises(OptionError):
        make_agent(text)


def test_tables_that_are_refused_or_noted():
    agent = make_agent("permutation")
    game = load("permutation")
    assert agent.check_table(game.name, game.rules) == ""
    assert "Permutation" in agent.check_table("nlhe", load("nlhe").rules)
    with pytest.raises(OptionError):
        agent.check_table("nlhe", load("nlhe", seats=3).rules)


def test_one_order_for_a_match_that_no_view_contains():
    game = load("permutation").for_match(Random(4))
    ranks = draw_ranks(Random(4))
    assert load("nlhe").for_match(Random(4)) == load("nlhe")
    assert game.for_match(Random(5)) != game
    for seed in range(3):
        state = game.start().apply(game.hidden.sample(Random(seed)))
        assert state.ranks == ranks
        state = play(deal(game), "c k k k k k k k")
        assert state.ranks == ranks
        assert state.moves[0] == HIDDEN_RANKS
        for seat in range(2):
            assert ranks not in repr(tuple(state.view(seat)))
            assert ranks not in repr(state.infoset(seat))
    assert not game.start().can(RANKS)
    assert list(game.hidden.outcomes()) == [(ranks, 1.0)]


def test_hands_in_turn_have_one_order():
    seen = []
    plan = MatchPlan(("fish", "fish"), 40, "permutation", {}, seed=2, mirrored=False, chunk=20)
    agents = plan.make_agents()
    for number in range(2):
        play_chunk(plan, number, agents, look=lambda hand: seen.append(hand.played.final.ranks))
    assert len(set(seen[:20])) == len(set(seen[20:])) == 1
    assert seen[0] != seen[20]


@pytest.mark.parametrize(
    ("opponent", "hands"),
    [("fish", 20)]
    + [pytest.param(name, 300, marks=pytest.mark.slow) for name in ("fish", "uniform", "all-in")],
)
def test_it_beats_simple_agents(opponent, hands):
    """In 20 hands nothing is proved but that it plays without faults."""
    plan = MatchPlan(
        ("permutation", opponent), hands, "permutation", {}, seed=1, mirrored=False, chunk=hands
    )
    score = play_match(plan)
    assert score.mean > 0 or hands < 300
    assert not score[0].faults.rulings
