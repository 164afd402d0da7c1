"""Local best response against several: a lower bound where best responses are known exactly."""

from functools import cache

import numpy as np
import pytest

from helpers.table_agents import Ranked
from naive.tabular.trees import random_strategy
from tiltless.agents.registry import make_agent
from tiltless.arena.dealer import Seated, play_hand, shuffled_decks
from tiltless.arena.estimators.lbr import LbrSetting, LocalBestResponse
from tiltless.arena.estimators.lbr_match import lbr_plan, play_responses
from tiltless.arena.estimators.lbr_table import TableBestResponse, drawn_hands
from tiltless.arena.estimators.local_table import LocalTable
from tiltless.cards.card import COMBO_CARDS
from tiltless.errors import OptionError
from tiltless.games import CHANCE, TERMINAL, load
from tiltless.games.holdem.actions import FOLD, RaiseTo
from tiltless.tabular.best_response import Evaluator
from tiltless.tabular.flat import flatten

GAMES = {
    "kuhn": {"players": 3},
    "leduc": {"players": 3, "ranks": 3, "raises": 1},
}
AGGRESSIVE = ("bet", "raise")


@cache
def solved(name):
    return Evaluator(flatten(load(name, **GAMES[name])))


def any_strategy(name, seed):
    """By turns mixed, nearly pure, and pure."""
    strategy, _ = random_strategy(solved(name).flat, seed)
    if seed % 3 == 1:
        strategy = {key: row**16 / (row**16).sum() for key, row in strategy.items()}
    if seed % 3 == 2:
        strategy = {key: np.eye(len(row))[row.argmax()] for key, row in strategy.items()}
    return strategy


def table_of(name, strategy):
    return np.concatenate([strategy[key] for key in solved(name).flat.keys])


def infosets(name, strategy, seat):
    """All that ``seat`` can meet, whatever it does: worlds (states) and their odds by infoset."""
    met = {}

    def walk(state, odds):
        if state.actor == TERMINAL or odds == 0:
            return
        if state.actor == CHANCE:
            options = state.chance.outcomes()
        elif state.actor == seat:
            met.setdefault(state.infoset(seat).key, []).append((state, odds))
            options = [(action, 1.0) for action in state.actions]
        else:
            options = zip(state.actions, strategy[state.infoset(state.actor).key], strict=True)
        for move, share in options:
            walk(state.apply(move), odds * share)

    walk(solved(name).game.start(), 1.0)
    return met


def passive(state):
    """Check, or call."""
    for action in ("check", "call", "pass"):
        if action in state.actions and not (action == "pass" and state.actions[0] == "fold"):
            return action
    raise AssertionError(state.actions)


def outcomes(state, seat, strategy, answering):
    """(odds, payoff) of ``seat``: those who owe answer once, then all check and call."""
    if state.actor == TERMINAL:
        return [(1.0, state.payoffs[seat])]
    if state.actor == CHANCE:
        return [
            (p * q, pay)
            for move, p in state.chance.outcomes()
            for q, pay in outcomes(state.apply(move), seat, strategy, frozenset())
        ]
    if state.actor in answering and "fold" in state.actions:
        fold = strategy[state.infoset(state.actor).key][state.actions.index("fold")]
        left = answering - {state.actor}
        both = ((fold, "fold"), (1 - fold, "call"))
        return [
            (p * q, pay)
            for p, move in both
            if p > 0
            for q, pay in outcomes(state.apply(move), seat, strategy, left)
        ]
    return outcomes(state.apply(passive(state)), seat, strategy, answering)


def naive_choices(name, strategy, seat):
    """U by the game's own payoffs, relative to a fold, at every infoset."""
    found = {}
    for key, worlds in infosets(name, strategy, seat).items():
        total = sum(odds for _, odds in worlds)
        values = {}
        for action in worlds[0][0].actions:
            value = 0.0
            for state, odds in worlds:
                paid = -payoff_of_fold(state, seat)
                if action == "fold":
                    continue
                others = frozenset(range(3)) - {seat}
                for p, pay in outcomes(state.apply(action), seat, strategy, others):
                    value += odds * p * (pay + paid)
            values[action] = value / total
        found[key] = values
    return found


def payoff_of_fold(state, seat):
    """What ``seat`` has paid so far, as a loss."""
    if hasattr(state, "line"):
        return -state.line.paid[seat]
    bets = [turn for turn, move in enumerate(state.moves) if move in ("bet", "call")]
    return -1 - sum(turn % 3 == seat for turn in bets)


@pytest.mark.parametrize(
    ("name", "seeds"),
    [
        ("kuhn", range(12)),
        pytest.param("leduc", range(3), marks=pytest.mark.slow),
    ],
)
def test_never_more_than_a_best_response(name, seeds):
    """Choices by U, played against the strategies; winnings by another traversal."""
    more = 0
    for seed in seeds:
        strategy = any_strategy(name, seed)
        found = solved(name).evaluate(table_of(name, strategy))
        for seat in range(3):
            both = dict(strategy)
            choices = naive_choices(name, strategy, seat)
            if name == "kuhn":
                choices = shipped_choices(strategy, seat)[0]
            for key, values in choices.items():
                best = max(values, key=values.get)
                both[key] = np.array([float(action == best) for action in values])
            won = solved(name).values(table_of(name, both))[seat]
            assert won <= found.best[seat] + 1e-9
            more += won > found.values[seat]
    assert more > 0.6 * 3 * len(seeds)


def shipped_choices(strategy, seat):
    """U by `LocalTable` at every infoset of Kuhn of three, and who answers each action."""
    found, asked = {}, {}
    for key, worlds in infosets("kuhn", strategy, seat).items():
        state = worlds[0][0]
        odds = np.array([each for _, each in worlds])
        paid = [-payoff_of_fold(state, each) for each in range(3)]
        folded = {turn % 3 for turn, move in enumerate(state.moves) if move == "fold"}
        live = [each for each in range(3) if each not in folded]
        cards = {each: np.array([s.cards[each] for s, _ in worlds]) for each in live}
        hands = {each: cards[each] for each in live if each != seat}
        table = LocalTable(seat, odds / odds.sum(), hands, cards, paid)
        found[key] = {}
        for action in state.actions:
            after, answers = state.apply(action), {}
            while after.actor >= 0 and after.actor != seat and "fold" in after.actions:
                fold = np.zeros(4)
                for world, _ in worlds:
                    mine = world.apply(action)
                    while mine.actor != after.actor:
                        mine = mine.apply("fold")
                    row = strategy[mine.infoset(after.actor).key]
                    fold[mine.cards[after.actor]] = row[mine.actions.index("fold")]
                answers[after.actor] = 1, fold
                after = after.apply("fold")
            cost = -payoff_of_fold(state.apply(action), seat) - paid[seat]
            found[key][action] = 0.0 if action == "fold" else table.value(cost, answers)
            asked[key, action] = len(answers)
    return found, asked


@pytest.mark.parametrize("seed", range(6))
def test_values_are_what_the_game_pays(seed):
    """In Kuhn of three, against payoffs of the game itself."""
    strategy = any_strategy("kuhn", seed)
    compared = 0
    for seat in range(3):
        expected = naive_choices("kuhn", strategy, seat)
        found, asked = shipped_choices(strategy, seat)
        for key, values in found.items():
            for action, value in values.items():
                if asked[key, action] < 2:  # the second of two is asked as if the first had folded
                    assert value == pytest.approx(expected[key][action], abs=1e-9)
                    compared += 1
    assert compared > 30


def test_pots_by_hand():
    """A side pot, a tie and a fold: 10 each from three, 20 more each from two of them."""
    two = np.array([0.5, 0.5])
    hands = {1: np.array([0, 1]), 2: np.array([0, 0])}
    values = {0: np.array([5, 5]), 1: np.array([5, 9]), 2: np.array([1, 1])}
    table = LocalTable(0, two, hands, values, [10, 30, 10])
    # calls 20: the pot of 30 and the side pot of 40 are split, or lost
    assert table.value(20) == pytest.approx(0.5 * (15 + 20) - 20)
    folds = {1: (20, np.array([1.0, 0.0]))}
    table = LocalTable(0, two, hands, values, [10, 10, 10])
    # bets 20, called by 9 and folded by 5, while seat 2 is all-in
    assert table.value(20, folds) == pytest.approx(0.5 * (30 + 20) + 0 - 20)


def test_hands_are_drawn_from_the_product_of_ranges():
    rng = np.random.default_rng(3)
    one, two = np.zeros(1326), np.zeros(1326)
    one[[0, 5]], two[[0, 5, 700]] = (3, 1), (1, 1, 2)
    hands = drawn_hands([one, two], one >= 0, 4000, rng)
    pairs, counts = np.unique(hands, axis=1, return_counts=True)
    assert not any(set(COMBO_CARDS[a].tolist()) & set(COMBO_CARDS[b].tolist()) for a, b in pairs.T)
    odds = {
        (a, b): one[a] * two[b]
        for a in (0, 5)
        for b in (0, 5, 700)
        if not set(COMBO_CARDS[a].tolist()) & set(COMBO_CARDS[b].tolist())
    }
    for pair, count in zip(pairs.T, counts, strict=True):
        assert count / 4000 == pytest.approx(odds[tuple(pair)] / sum(odds.values()), abs=0.03)
    same = np.zeros(1326)
    same[7] = 1
    (left, right) = drawn_hands([same, same], same >= 0, 50, rng)
    assert left[0] == 7
    assert not set(COMBO_CARDS[left[0]].tolist()) & set(COMBO_CARDS[right[0]].tolist())


def test_heads_up_it_is_the_same_response():
    """With one opponent choices are those of the exact one, unless U is nearly equal."""
    bot, setting = Ranked(0.6, 0.2), LbrSetting.parse("C|FCPA")
    game = load("nlhe")
    same = met = 0
    for deal in range(25):
        deck = shuffled_decks(game, 3, deal, 1)[0].tolist()
        exact, sampled = LocalBestResponse(bot, setting), TableBestResponse(bot, setting)

        class Both(LocalBestResponse):
            def act(self, view, clock, rng, exact=exact, sampled=sampled):
                nonlocal same, met
                one, other = (each.act(view, clock, rng) for each in (exact, sampled))
                near = dict(other.values)
                for action, value in one.values:
                    met += 1
                    close = abs(near[action] - value) < 0.12 * (view.pot + view.stack / 4)
                    same += close
                return one

        table = [Seated(Both(bot, setting)), Seated(bot)]
        play_hand(game, table, deck, seed=3, deal=deal)
    assert met > 40
    assert same > 0.95 * met


@pytest.mark.parametrize(("bot", "won"), [("fold", 1250), ("fish", 0)])
def test_against_those_who_do_not_look(bot, won):
    """It takes the blinds of folders in every seat; checking down callers is even."""
    setting = "FCA|C" if bot == "fold" else "C"
    plan = lbr_plan(bot, "", 60, "nlhe", {"seats": 6}, seed=1, chunk=5)
    found = play_responses(plan, LbrSetting.parse(setting)).first
    assert found.raw.mean == pytest.approx(won * 2 / 1000)
    assert found.raw.variance == pytest.approx(0, abs=1e-9)
    assert found.deals == 10


def test_it_wins_from_a_bot_that_folds_too_much():
    plan = lbr_plan("helpers.table_agents:Ranked", "", 36, "nlhe", {"seats": 3}, seed=2, chunk=10)
    found = play_responses(plan, LbrSetting.parse("C|C|FCPA"))
    again = play_responses(plan, LbrSetting.parse("C|C|FCPA"))
    assert found == again
    assert found.first.aivat is not None
    gap = abs(found.first.aivat.mean - found.first.raw.mean)
    assert gap < 4 * (found.first.raw.standard_error + found.first.aivat.standard_error)
    with pytest.raises(OptionError, match="two seats"):
        lbr_plan("fish", "fold", 60, "nlhe", {"seats": 3}, seed=0, chunk=1)
    with pytest.raises(OptionError, match="policies"):
        play_responses(
            lbr_plan("rules", "", 6, "nlhe", {"seats": 3}, seed=0, chunk=1), LbrSetting.parse("1")
        )
    assert make_agent("fish")


def first_view(**rules):
    """What the button of three seats sees before its first action."""
    state = load("nlhe", seats=3, **rules).start()
    for cards in ((0, 1), (2, 3), (4, 5)):
        state = state.apply(cards)
    return state.view(state.actor)


@pytest.mark.parametrize("rules", [{}, {"ante": 1}, {"big_blind_ante": 2}])
def test_all_chips_are_paid_for_somebody_or_dead(rules):
    view, response = first_view(**rules), TableBestResponse(Ranked(), LbrSetting.parse("FC"), 10)
    response._follow(view)
    table = response._table(view, np.random.default_rng(0))
    assert sum(table.paid) + table.dead == view.pot
    assert table.paid == [blind + rules.get("ante", 0) for blind in (0, 1, 2)]


def test_each_opponent_is_asked_as_if_those_before_it_had_folded():
    class Asked(Ranked):
        def policies(self, view):
            self.moves = [*getattr(self, "moves", []), view.moves]
            return super().policies(view)

    view, bot = first_view(), Asked()
    answers = TableBestResponse(bot, LbrSetting.parse("FCB"))._answers(view, RaiseTo(6))
    assert {seat: cost for seat, (cost, _) in answers.items()} == {1: 5, 2: 4}
    assert [moves[len(view.moves) :] for moves in bot.moves] == [(RaiseTo(6),), (RaiseTo(6), FOLD)]
