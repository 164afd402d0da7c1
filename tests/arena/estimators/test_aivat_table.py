"""AIVAT with more than two players."""

from functools import lru_cache
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

from helpers.endings import Shover, every_ending
from helpers.table_agents import Ranked
from naive.tabular.trees import random_strategy
from tiltless.arena.dealer import Seated, play_hand, shuffled_decks
from tiltless.arena.estimators import evaluation
from tiltless.arena.estimators.aivat import aivat, aivat_hand
from tiltless.arena.estimators.aivat_table import _Correction, aivat_table
from tiltless.arena.estimators.evaluation import evaluate_agents
from tiltless.arena.estimators.pot_shares import SAMPLED, PotShares, worlds_of
from tiltless.arena.plan import MatchPlan
from tiltless.cards.card import COMBO_CARDS, COMBO_OF, parse_cards
from tiltless.cards.evaluate import evaluate
from tiltless.games import load
from tiltless.games.game import CHANCE, TERMINAL
from tiltless.games.holdem.actions import CALL, CHECK
from tiltless.games.holdem.history import StreetDeal, steps
from tiltless.games.holdem.pots import Pot
from tiltless.intervals import tally
from tiltless.tabular.flat import flatten


@pytest.fixture
def shares_are_kept(monkeypatch):
    """The same shares are computed once, however many endings or seats ask for them."""
    kept = {}

    def shares(hole, mover, combos, board=(), sampled=SAMPLED):
        key = hole, mover, combos.tobytes(), board, sampled
        if key not in kept:
            kept[key] = PotShares(hole, mover, combos, board, sampled)
        return kept[key]

    monkeypatch.setattr("tiltless.arena.estimators.aivat_table.PotShares", shares)


GAMES = {
    "kuhn": {"players": 3},
    "leduc": {"players": 3, "ranks": 3, "raises": 1, "rank_only": True},
}


@lru_cache(maxsize=2)
def played(name):
    """A game of three with random strategies: all that may happen, and exact values."""
    game = load(name, **GAMES[name])
    strategy, _ = random_strategy(flatten(game), 4)

    def play(state):
        row = strategy[state.infoset(state.actor).key]
        return dict(zip(state.actions, row.tolist(), strict=True))

    values, ends = {}, []

    def walk(state, moves, odds):
        if state.actor == TERMINAL:
            ends.append((moves, odds, state.payoffs))
            values[state] = np.array(state.payoffs, float)
        else:
            options = (
                state.chance.outcomes() if state.actor == CHANCE else list(play(state).items())
            )
            values[state] = sum(p * walk(state.apply(a), (*moves, a), odds * p) for a, p in options)
        return values[state]

    value = walk(game.start(), (), 1.0)
    return SimpleNamespace(game=game, play=play, values=values, ends=ends, value=value)


@pytest.mark.parametrize("name", GAMES)
def test_nothing_is_left_where_all_is_known(name):
    """With exact V and all strategies known every result is the expectation."""
    here = played(name)
    known = dict.fromkeys(range(3), here.play)
    assert abs(here.value.sum()) < 1e-12
    for seat in range(3):
        exact = lambda state, seat=seat: here.values[state][seat]  # noqa: E731
        for moves, _, _ in here.ends[:: max(1, len(here.ends) // 400)]:
            found = aivat(here.game, moves, seat, exact, known)
            assert found == pytest.approx(here.value[seat], abs=1e-9)


@pytest.mark.parametrize("imagined", [None, 0, 2])
def test_a_guess_of_nothing_changes_nothing_and_any_guess_has_no_bias(imagined):
    """V = 0 is raw, hand by hand; means are those of the game whatever V is."""
    here = played("kuhn")
    known = dict.fromkeys((0, 2), here.play)
    if imagined is None:
        for moves, _, payoffs in here.ends:
            assert aivat(here.game, moves, 1, lambda state: 0.0, known) == payoffs[1]
    guess = lambda state: 3.0 * len(repr(state)) % 7  # noqa: E731
    for seat in range(3):
        mean = sum(
            odds * aivat(here.game, moves, seat, guess, known, imagined)
            for moves, odds, _ in here.ends
        )
        assert mean == pytest.approx(here.value[seat], abs=1e-9)


HOLE = tuple(map(parse_cards, ("AsKd", "7h7c", "Td9d", "2c2h")))


def naive_share(hands, board, seats, seat):
    """Counted board by board."""
    gone = {card for hand in hands for card in hand} | set(board)
    deck = [card for card in range(52) if card not in gone]
    total = count = 0
    for more in combinations(deck, 5 - len(board)):
        values = {each: evaluate((*hands[each], *board, *more)) for each in seats}
        best = [each for each in seats if values[each] == max(values.values())]
        total += (seat in best) / len(best)
        count += 1
    return total / count


@pytest.mark.parametrize("mover", [0, 2])
@pytest.mark.parametrize("board", ["7d8sKh", "7d8sKh6s", "JcJdQsQdAc"])
def test_shares_of_pots_board_by_board(mover, board):
    board = parse_cards(board)
    every = worlds_of(HOLE, mover)
    assert len(every) == 46 * 45 // 2
    every = every[~np.isin(COMBO_CARDS[every], board).any(axis=1)]
    few = np.random.default_rng(1).choice(every, 3, replace=False)
    for combos in (every, np.array([COMBO_OF[HOLE[mover]]])):
        shares = PotShares(HOLE, mover, combos, board)
        for seats in ((0, 2), (1, 3), (0, 1, 2, 3), (1, 2, 3)):
            for seat in seats:
                found = dict(zip(combos, shares.values([Pot(10, seats)], seat), strict=True))
                for combo in few if len(combos) > 1 else combos:
                    hands = list(HOLE)
                    hands[mover] = tuple(COMBO_CARDS[combo].tolist())
                    counted = naive_share(hands, board, seats, seat)
                    assert found[combo] == pytest.approx(10 * counted, abs=1e-9)


def test_shares_before_the_flop_are_near_the_exact_ones():
    """AA against KK and 72o, all-in: published equities of 77.2, 18.8 and 4.0 or so, sampled."""
    hole = tuple(map(parse_cards, ("AsAh", "KsKh", "7d2c")))
    one = PotShares(hole, 0, np.array([COMBO_OF[hole[0]]]), sampled=4000)
    many = PotShares(hole, 0, worlds_of(hole, 0), sampled=4000)
    true = np.flatnonzero(many.combos == COMBO_OF[hole[0]])[0]
    from tiltless.cards.equity import equity

    exact = equity("AsAh", "KsKh", "7d2c").shares
    for seat in range(3):
        found = one.values([Pot(1, (0, 1, 2))], seat)[0]
        assert found == pytest.approx(exact[seat], abs=0.03)
        assert many.values([Pot(1, (0, 1, 2))], seat)[true] == pytest.approx(found, abs=0.03)


BOTS = Shover(5), Shover(3), Shover(9)
THREE = tuple(map(parse_cards, ("AsKd", "7h7c", "Td9d")))
FLOP, TURN = parse_cards("7d8s2h"), parse_cards("Ts")
UP_TO_THE_TURN = (CALL, CALL, CHECK, FLOP, CHECK, CHECK, CHECK, TURN)


def possible(mover, imagined):
    """Hands of the mover after the turn, beside the others' true ones."""
    if imagined is None:
        return np.array([COMBO_OF[THREE[mover]]])
    combos = worlds_of(THREE, mover)
    return combos[~np.isin(COMBO_CARDS[combos], (*FLOP, *TURN)).any(axis=1)]


def terms_before(final, seat, imagined):
    """The chance terms up to the turn, which are the same in all endings."""
    terms = _Correction(final, seat, imagined, FEW)
    for step in steps(final):
        if isinstance(step, StreetDeal) and step.street < 3:
            terms.deal(step)
    return terms.total


FEW = 16  # boards before the flop: as good as many where only the mean counts


@pytest.mark.parametrize(
    ("seat", "known", "imagined", "stacks"),
    [
        pytest.param(0, (), None, (40, 40, 40), marks=pytest.mark.slow),
        pytest.param(1, (0, 2), None, (40, 25, 33), marks=pytest.mark.slow),
        (2, (0, 1, 2), None, (40, 25, 33)),
        pytest.param(0, (0, 1, 2), 0, (40, 25, 33), marks=pytest.mark.slow),
        pytest.param(1, (0, 2), 0, (40, 40, 40), marks=pytest.mark.slow),
    ],
)
def test_the_mean_of_all_endings_of_a_turn_is_that_of_the_payoffs(
    seat, known, imagined, stacks, shares_are_kept
):
    """All rivers and decisions of three players, side pots and odd chips too: equal to 1e-9.

    With imagined hands, payoffs are averaged over all hands of that seat, one by one.
    """
    mover = seat if imagined is None else imagined
    combos = possible(mover, imagined)
    agents = {each: BOTS[each] for each in known}
    total, mean, expected, met, early = 0.0, 0.0, 0.0, 0, None
    game = load("nlhe", seats=3, stack=stacks)
    for state, weights in every_ending(game, THREE, UP_TO_THE_TURN, BOTS, mover, combos):
        met, total = met + 1, total + weights.sum()
        if early is None:
            early = terms_before(state, seat, imagined)
        odd = state.payoffs[seat] - fractions(state, seat, [state.hole[mover]], mover)[0]
        result = aivat_table(state, seat, agents, imagined, FEW) - odd
        mean += weights.sum() * result
        hands = COMBO_CARDS[combos].tolist() if imagined is not None else [state.hole[mover]]
        expected += float(weights @ fractions(state, seat, hands, mover))
    assert total == pytest.approx(1)
    assert met > 400
    assert mean == pytest.approx(expected - early, abs=1e-9)
    assert abs(early) > 0.01


def fractions(final, seat, hands, mover):
    """Payoffs of a seat with each hand of the mover, pots split in fractions."""
    paid, out = final.paid[seat], []
    values = {each: evaluate((*final.hole[each], *final.board)) for each in final.live}
    for hand in hands:
        if set(hand) & set(final.board):
            out.append(0.0)
            continue
        if mover in values:
            values[mover] = evaluate((*hand, *final.board))
        won = 0.0
        for chips, seats in final.pots:
            best = max(values[each] for each in seats)
            winners = [each for each in seats if values[each] == best]
            won += chips * (seat in winners) / len(winners)
        out.append(won - paid)
    return np.array(out)


def finals(agents, deals, seed=5, **parameters):
    """Hands of these agents, one for each deal, with a moving button."""
    game = load("nlhe", seats=len(agents), **parameters)
    for deal in range(deals):
        deck = shuffled_decks(game, seed, deal, 1)[0].tolist()
        table = [Seated(agent) for agent in agents]
        button = deal % len(agents)
        yield play_hand(game, table, deck, seed=seed, deal=deal, button=button).final


@pytest.mark.parametrize("big_blind_ante", [0, 2])
def test_all_seats_sum_to_nothing(big_blind_ante, shares_are_kept):
    bots = [Ranked(0.5, 0.2), Ranked(0.6), Ranked(0.4), Ranked()]
    known = dict(enumerate(bots))
    for final in finals(bots, 5, big_blind_ante=big_blind_ante):
        for strategies, imagined in ((known, 2), ({1: bots[1]}, 1)):
            all_of = [aivat_table(final, seat, strategies, imagined) for seat in range(4)]
            assert sum(all_of) == pytest.approx(0, abs=1e-6)
            assert any(all_of)


def test_imagined_cards_are_not_looked_at():
    """Another hand that would have been played the same way has the same result."""
    bots = [Ranked(0.9, 0.3), Ranked(0.8), Ranked(0.9)]
    known, compared = dict(enumerate(bots)), 0
    for final in finals(bots, 10, seed=8):
        others = {card for seat in (0, 2) for card in final.hole[seat]} | set(final.board)
        own = next(c for c in COMBO_CARDS.tolist() if not set(c) & others)
        state = final.game.start(final.button)
        for seat in range(3):
            state = state.apply(tuple(own) if seat == 1 else final.hole[seat])
        for move in final.moves[3:]:
            state = state.apply(move)
        one, two = (aivat_hand(each, 0, known, 1) for each in (final, state))
        odd = [each.payoffs[0] % 1 for each in (final, state)]
        if final.hole[1] != state.hole[1] and odd == [0, 0]:
            assert one == pytest.approx(two, abs=1)  # an odd chip at most
            compared += abs(one - two) < 1e-9
    assert compared >= 8


@pytest.mark.parametrize(
    ("seats", "known", "imagined"), [(3, (0, 1, 2), None), (3, (1,), 1), (4, (0, 1, 2, 3), 0)]
)
@pytest.mark.parametrize("hands", [25, pytest.param(1000, marks=pytest.mark.slow)])
def test_no_bias_and_less_variance(seats, known, imagined, hands):
    """The mean change is 0, four standard errors allowed, which are passed once in 16,000 times.

    The ratio of variances in 700 other hands is 0.48, 0.39 and 0.23. Bootstrap samples of 150 of
    these have up to 1.24 (one in 10,000), which is 0.73 for 1,000 hands if the logarithm of the
    excess falls with the square root; few hands say nothing about it.
    """
    bots = [Ranked(0.5), *[Ranked(0.4, 0.15)] * (seats - 1)]
    raw, less, change = [], [], []
    for final in finals(bots, hands):
        raw.append(final.payoffs[0])
        less.append(aivat_hand(final, 0, {each: bots[each] for each in known}, imagined))
        change.append(less[-1] - raw[-1])
    assert abs(tally(change).mean) < 4 * tally(change).standard_error
    assert hands < 1000 or tally(less).variance < 0.9 * tally(raw).variance


def test_an_evaluation_of_six_seats():
    """Estimators agree; the control is exactly even; the result is that of the match."""
    one, five = "helpers.table_agents:Ranked:loose=0.3", "helpers.table_agents:Ranked:loose=0.5"
    plan = MatchPlan((one, *[five] * 5), 8, trusted=True)
    found = evaluate_agents(plan)
    raw, aivat_ = found.estimates["raw"].deals, found.estimates["aivat"].deals
    assert len(found.scores) == 6
    assert raw.mean == pytest.approx(found.scores[0].mean)
    assert abs(raw.mean - aivat_.mean) < 4 * (raw.standard_error + aivat_.standard_error)
    control = evaluate_agents(MatchPlan((five,) * 3, 3, trusted=True))
    for estimate in control.estimates.values():
        assert estimate.deals.mean == pytest.approx(0, abs=1e-9)
        assert estimate.deals.variance < 1e-12


@pytest.mark.parametrize(("others", "imagined"), [("fish", 0), ("uniform", None)])
def test_hands_are_imagined_only_if_all_strategies_are_known(others, imagined, monkeypatch):
    """In seat 0, whoever sits there: what rotation cancels stays cancelled."""
    seen = set()

    def spy(final, seat, known, which):
        seen.add(which)
        return 0.0

    monkeypatch.setattr(evaluation, "aivat_hand", spy)
    evaluate_agents(MatchPlan(("fish", others, "fold"), 2), ["aivat"])
    assert seen == {imagined}
