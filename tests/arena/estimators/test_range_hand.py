"""Hands of whole ranges against pairs of hands one by one, and against hands that are dealt."""

from itertools import product
from math import comb
from random import Random
from zlib import crc32

import numpy as np
import pytest

from tiltless.agents.agent import Agent, Decision, Policies
from tiltless.agents.registry import make_agent
from tiltless.arena.dealer import Seated, play_hand, shuffled_decks
from tiltless.arena.estimators.evaluation import evaluate_agents
from tiltless.arena.estimators.lbr import SETTINGS, LbrSetting, LocalBestResponse, stakes
from tiltless.arena.estimators.lbr_match import play_lbr
from tiltless.arena.estimators.local_spot import LocalSpot
from tiltless.arena.estimators.range_hand import KnownPlayer, RangeHand, mean_of_seats
from tiltless.arena.estimators.range_response import RangeResponse, _Spot
from tiltless.arena.plan import MatchPlan
from tiltless.cards.card import COMBO_CARDS, COMBO_OF
from tiltless.cards.matchups import HOLDING, edges_against_all, edges_of_all
from tiltless.errors import OptionError
from tiltless.games import load
from tiltless.games.game import CHANCE, TERMINAL
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo

GAME = load("nlhe", stack=24)
EXACTLY = 15.546  # big blinds that a response of fold and call wins from all-ins of 200


class Noisy(Agent):
    """Any policy, other ones for other hands and histories."""

    def policies(self, view):
        legal = view.actions
        actions = [CHECK] if legal.check else [FOLD, CALL]
        if legal.max_raise:
            part = max(legal.min_raise, max(view.bets) + view.pot)
            actions += [RaiseTo(size) for size in {min(part, legal.max_raise), legal.max_raise}]
        rng = np.random.default_rng(crc32(repr((view.seat, view.moves)).encode()))
        return Policies(tuple(actions), rng.dirichlet(np.ones(len(actions)), 1326).astype("f4"))

    def act(self, view, clock, rng):
        actions, chances = self.policies(view)
        row = chances[COMBO_OF[view.cards[0], view.cards[1]]].astype(float)
        return Decision(rng.choices(actions, row)[0])


class Recorded:
    """A range player, with what it has answered."""

    def __init__(self, player):
        self.player, self.answers = player, {}

    def answer(self, view, own, other):
        found = self.answers[view.moves] = self.player.answer(view, own, other)
        return found


def shown(state, pair):
    """What seat 0 wins with a pair of hands if they are shown now; 0 if the board blocks it."""
    cards = {*COMBO_CARDS[pair[0]].tolist(), *COMBO_CARDS[pair[1]].tolist()}
    if cards & {*state.board}:
        return 0.0
    return min(state.paid) * edges_against_all(pair[0], state.board)[pair[1]]


def one_by_one(state, pair, deck, answers):
    """What seat 0 wins with a pair of hands, from the definition; 0 if the board blocks it.

    When cards are dealt, what they change if hands are shown at once is left out: it is 0 on
    average over all boards.
    """
    if {*COMBO_CARDS[list(pair)].ravel().tolist()} & {*state.board}:
        return 0.0
    if state.actor == TERMINAL or (state.actor == CHANCE and 0 in state.betting.stacks):
        if len(state.live) == 1:
            return min(state.paid) if state.live == (0,) else -min(state.paid)
        return shown(state, pair)
    if state.actor == CHANCE:
        size, left = (3, 52) if not state.board else (1, 52 - len(state.board))
        then = state.apply(tuple(deck[4 + len(state.board) :][:size]))
        more = one_by_one(then, pair, deck, answers) - shown(then, pair)
        return shown(state, pair) + more * comb(left, size) / comb(left - 4, size)
    actions, chances = answers[state.actor][state.moves]
    row = chances[pair[state.actor]]
    return sum(
        float(chance) * one_by_one(state.apply(action), pair, deck, answers)
        for action, chance in zip(actions, row, strict=True)
        if chance > 0
    )


def test_cards_change_nothing_on_average_if_hands_are_shown():
    """Why that may be left out: over all turns and rivers of a flop."""
    board, pair = (2, 17, 40), (60, 700)
    held = {*COMBO_CARDS[list(pair)].ravel().tolist()}
    later = [
        edges_against_all(pair[0], (*board, card))[pair[1]]
        for card in range(52)
        if card not in held and card not in board
    ]
    assert len(later) == 45
    assert np.mean(later) == pytest.approx(edges_against_all(pair[0], board)[pair[1]])


@pytest.mark.parametrize("response", [None, "2", "FC|FCA|FC|FCP"])
def test_as_pair_by_pair(response):
    """Few hands of both, on one board, along all lines."""
    deck, few = shuffled_decks(GAME, 3, 1, 1)[0].tolist(), np.zeros((2, 1326))
    few[0, [5, 700, 1320]] = 1
    few[1, [6, 701, 77]] = 1
    bot = KnownPlayer(Noisy())
    first = RangeResponse(Noisy(), LbrSetting.parse(response)) if response else bot
    players = Recorded(first), Recorded(bot)
    hand = RangeHand(GAME, players, deck, Random(0), rare=0)
    state = GAME.start(GAME.button)
    for place in (0, 2):
        state = state.apply(tuple(deck[place : place + 2]))
    found = hand._won(state, (few[0], few[1]), 1.0)
    answers = [player.answers for player in players]
    pairs = [
        (one, two)
        for one, two in product(*map(np.flatnonzero, few))
        if not {*COMBO_CARDS[one]} & {*COMBO_CARDS[two]}
    ]
    assert len(pairs) == 8
    assert found == pytest.approx(sum(one_by_one(state, pair, deck, answers) for pair in pairs))
    assert abs(found) > 1


@pytest.mark.parametrize("folds", [None, 0.0, 1.0])
def test_values_of_all_hands_at_once_are_those_of_each(folds):
    """A bet on the river; the bot's range has no hand with a card of the response's."""
    state = load("nlhe", stack=50).start()
    for move in ((0, 1), (2, 3), CALL, CHECK, (20, 33, 46), CHECK, CHECK, (7,), CHECK, CHECK, (8,)):
        state = state.apply(move)
    view, rng = state.apply(RaiseTo(3)).view(0), np.random.default_rng(5)
    free = ~HOLDING[list(view.board)].any(axis=0)
    range_ = np.where(free, rng.random(1326) ** 4, 0.0)
    chances = None if folds is None else folds * rng.random(1326)
    spot = _Spot(view, range_)
    stay, raised = spot.stay(), spot.raised(9, spot.answer(chances))
    for hand in rng.choice(np.flatnonzero(free), 20, replace=False).tolist():
        left = np.where(HOLDING[COMBO_CARDS[hand]].any(axis=0), 0.0, range_)
        met, wins = left.sum(), 0.5 + edges_against_all(hand, np.array(view.board, np.uint8)) / 2
        local = LocalSpot(left / met, wins, *stakes(view))
        assert stay[hand] == pytest.approx(met * local.call())
        assert raised[hand] == pytest.approx(met * local.raises(9, chances))


def test_each_hand_acts_like_the_response_that_holds_it():
    """The same action as `LocalBestResponse`, wherever it gets to in hands that are dealt."""
    bot, setting, compared, raised = Noisy(), SETTINGS["2"], 0, 0
    for deal in range(12):
        deck = shuffled_decks(GAME, 7, deal, 1)[0].tolist()
        seat = deal % 2
        response = Recorded(RangeResponse(bot, setting))
        players = [KnownPlayer(bot)] * 2
        players[seat] = response
        RangeHand(GAME, tuple(players), deck, Random(0), rare=0).value(seat)
        seats = [Seated(bot)] * 2
        seats[seat] = Seated(LocalBestResponse(bot, setting))
        final = play_hand(GAME, seats, deck, seed=7, deal=deal, button=GAME.button).final
        hand = COMBO_OF[final.hole[seat][0], final.hole[seat][1]]
        for number, move in enumerate(final.moves):
            if (known := response.answers.get(final.moves[:number])) is not None:
                assert known.actions[int(np.argmax(known.chances[hand]))] == move
                compared += len(known.actions) > 1
                raised += isinstance(move, RaiseTo)
    assert compared >= 5
    assert raised


def test_rare_lines_count_as_much_as_they_should():
    """Over many draws on one board the mean is that of all lines."""
    deck, player = shuffled_decks(GAME, 3, 2, 1)[0].tolist(), KnownPlayer(Noisy())
    players = player, KnownPlayer(make_agent("fish"))
    exactly = RangeHand(GAME, players, deck, Random(0), rare=0).value(0)
    drawn = [RangeHand(GAME, players, deck, Random(n), rare=2).value(0) for n in range(30)]
    error = np.std(drawn, ddof=1) / np.sqrt(len(drawn))
    assert abs(np.mean(drawn) - exactly) < 4 * error
    assert 0 < error < abs(exactly)


def test_each_deal_and_seat_draws_its_own_rare_lines(monkeypatch):
    monkeypatch.setattr(RangeHand, "value", lambda hand, seat: hand.rng.random())
    game, nobody = load("nlhe"), KnownPlayer(make_agent("fish"))

    def drawn(seed, deal):
        return mean_of_seats(game, nobody, nobody, seed, deal, 1.0)

    assert len({drawn(seed, deal) for seed in range(3) for deal in range(3)}) == 9
    assert drawn(1, 2) == drawn(1, 2)
    seats = []
    monkeypatch.setattr(RangeHand, "value", lambda hand, seat: seats.append(hand.rng.random()) or 0)
    drawn(1, 2)
    assert len(set(seats)) == 2


def test_known_results():
    deep = load("nlhe", stack=20_000, blinds=(50, 100))

    def won(bot, setting, deals):
        return play_lbr(deep, make_agent(bot), SETTINGS[setting], deals, seed=1, ranges=True).raw

    assert won("fold", "1", 16).mean == pytest.approx(25, abs=0.5)  # half of the big blind checked
    assert won("fold", "4", 2).mean == pytest.approx(75)
    fish = won("fish", "1", 2)
    assert (fish.mean, fish.standard_error) == pytest.approx((0, 0), abs=1e-9)
    shoved = won("all-in", "1", 2)  # nothing is left to chance
    assert shoved.mean == pytest.approx(100 * EXACTLY, rel=1e-3)
    assert shoved.standard_error == pytest.approx(0, abs=1e-9)


def test_the_mean_is_that_of_hands_that_are_dealt_and_varies_less():
    plain = play_lbr(GAME, Noisy(), SETTINGS["2"], 100, seed=4).aivat
    ranges = play_lbr(GAME, Noisy(), SETTINGS["2"], 16, seed=5, ranges=True).raw
    both = np.hypot(plain.standard_error, ranges.standard_error)
    assert abs(plain.mean - ranges.mean) < 4 * both
    assert ranges.variance < 0.3 * plain.variance
    assert ranges.mean > 5 * ranges.standard_error


def test_asked_about_few_sizes():
    """A bot that takes long: fewer questions, and never a better value than by all of them."""

    class Slow(Noisy):
        asked = 0

        def takes_long(self, view):
            return True

        def policies(self, view):
            self.asked += 1
            return super().policies(view)

    deck, rng, won, asked = shuffled_decks(GAME, 3, 2, 1)[0].tolist(), Random(0), [], []
    for few in (4, 0):
        bot = Slow()
        setting = LbrSetting.parse("C|C|C|FCB")._replace(ask=few)
        table = RangeResponse(bot, setting), KnownPlayer(Noisy())
        won.append(RangeHand(GAME, table, deck, rng, rare=0).value(0))
        asked.append(bot.asked)
    assert asked[0] < 0.6 * asked[1]
    assert won[0] == pytest.approx(won[1], rel=0.2)


def test_two_strategies_on_the_same_deals():
    """Equal players win nothing; the order of agents is a sign; parts add up."""
    plan = MatchPlan(("probe-pot", "fish"), 6, "nlhe", {"stack": 24}, 3, chunk=2, trusted=True)
    found = evaluate_agents(plan, ("ranges",)).estimates["ranges"].deals
    back = MatchPlan(("fish", "probe-pot"), 6, "nlhe", {"stack": 24}, 3, chunk=2, trusted=True)
    other = evaluate_agents(back, ("ranges",)).estimates["ranges"].deals
    assert found.mean == pytest.approx(-other.mean)
    players = [KnownPlayer(make_agent(name)) for name in plan.agents]
    each = [mean_of_seats(GAME, *players, 3, deal, 1.0) for deal in range(6)]
    assert (found.count, found.mean) == (6, pytest.approx(np.mean(each)))
    same = MatchPlan(("probe-pot", "probe-pot"), 3, "nlhe", {"stack": 24}, 3, trusted=True)
    for result in evaluate_agents(same, ("ranges",)).estimates["ranges"].deals[:2]:
        assert result == pytest.approx(3 if result > 1 else 0, abs=1e-9)


def test_beside_dealt_hands():
    plan = MatchPlan(("probe-top-20", "all-in"), 100, "nlhe", {"stack": 24}, 3, trusted=True)
    found = evaluate_agents(plan, ("raw", "ranges"))
    raw, ranges = (found.estimates[name].deals for name in ("raw", "ranges"))
    assert abs(raw.mean - ranges.mean) < 4 * np.hypot(raw.standard_error, ranges.standard_error)
    assert ranges.variance < 0.1 * raw.variance


@pytest.mark.parametrize(
    ("agents", "game", "parameters", "message"),
    [
        (("rules", "fish"), "nlhe", {}, "rules does not reveal"),
        (("fish",) * 3, "nlhe", {"seats": 3}, "two seats"),
        (("fish", "fish"), "short-deck", {}, "two seats"),
        (("fish", "fish"), "river-of-blood", {}, "two seats"),
    ],
)
def test_what_ranges_cannot_play(agents, game, parameters, message):
    plan = MatchPlan(agents, 1, game, parameters, trusted=True)
    with pytest.raises(OptionError, match=message):
        evaluate_agents(plan, ("ranges",))


@pytest.mark.parametrize("board", [(), (3, 17, 40), (3, 17, 40, 50), (3, 17, 40, 50, 8)])
def test_edges_of_all_are_those_of_each(board):
    edges = edges_of_all(board)
    assert (edges == -edges.T).all()
    for hand in (0, 1, 500, 1325):
        row = edges_against_all(hand, board)
        if {*COMBO_CARDS[hand].tolist()} & {*board}:
            row = np.zeros(1326)
        assert edges[hand] == pytest.approx(row, abs=1e-12)
