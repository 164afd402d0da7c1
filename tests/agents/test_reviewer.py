"""Reviews of whole hands and sessions by the shipped blueprint."""

import json
from dataclasses import replace

import pytest

from helpers.leaky_agents import FoldsRivers, NeverBluffs
from tiltless.abstraction.cards.tables import build_tables
from tiltless.agents.registry import make_agent
from tiltless.agents.reviewer import QUICK, Reviewer, ReviewOptions, why_not
from tiltless.arena.dealer import Seated, play_hand, shuffled_decks
from tiltless.blueprint.shipped import find_blueprint
from tiltless.blueprint.strategy import load_blueprint
from tiltless.cards.card import parse_cards
from tiltless.cli.study.review_text import review_json
from tiltless.errors import OptionError
from tiltless.games import load
from tiltless.games.game import CHANCE, TERMINAL
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.history import streets
from tiltless.intervals import tally
from tiltless.search.review_totals import review_totals, worst_first

GAME = load("nlhe", seats=2, stack="100bb")
LINE = [RaiseTo(6), CALL, CHECK, RaiseTo(8), CALL, CHECK, CHECK, RaiseTo(30), CALL]
FAST = ReviewOptions(iterations=4, playouts=400)


def played(actions, hero, villain, game=GAME, board=("Kh8s2c", "5d", "9h")):
    """A hand in which seat 0 is on the button."""
    state, todo = game.start(0), list(actions)
    cards = iter(map(parse_cards, (hero, villain, *board)))
    while state.actor != TERMINAL:
        state = state.apply(next(cards) if state.actor == CHANCE else todo.pop(0))
    return state.view(0)


@pytest.fixture(scope="module")
def reviewer():
    return Reviewer(FAST)


def decisions(review):
    return json.dumps(review_json(review_totals([review]), [review])["reviews"][0]["decisions"])


def test_cards_that_the_opponent_had_or_showed_change_nothing(reviewer):
    """Whoever won at the showdown, and with what: the review is the same."""
    lost, won = played(LINE, "AhKd", "KcKs"), played(LINE, "AhKd", "QcJd")
    assert lost.shown != won.shown
    assert lost.payoffs[0] < 0 < won.payoffs[0]
    one, two = (reviewer.review(view, 3) for view in (lost, won))
    assert decisions(one) == decisions(two)
    assert (one.won, two.won) == (-22, 22)
    other = reviewer.review(played(LINE, "AdTh", "QcJd"), 3)
    assert decisions(other) != decisions(one)


def test_every_decision_of_the_hero_and_no_other(reviewer):
    review = reviewer.review(played(LINE, "AhKd", "QcJd"), 3)
    assert [row.street for row in review.rows] == ["preflop", "flop", "turn", "river"]
    assert [row.solved for row in review.rows] == [False, False, True, True]
    assert review.rows[0].taken == "raise to 3bb"
    assert {row.position for row in review.rows} == {"BTN"}
    for row in review.rows[2:]:
        assert row.cost is not None
        values = {each.action: each.ev for each in row.options if each.ev == each.ev}
        assert row.cost.mean == pytest.approx(max(values.values()) - values[row.action], abs=1e-6)


def test_a_terrible_fold_is_the_worst_decision(reviewer):
    view = played([*LINE[:-2], RaiseTo(178), FOLD], "KcKd", "QcJd")
    review = reviewer.review(view, 1)
    worst = worst_first([review])[0]
    assert (worst.street, worst.taken, worst.kind, worst.grade) == (
        "river",
        "fold",
        "too tight",
        "blunder",
    )
    assert worst.cost.mean > 5


def test_what_cannot_be_judged_says_why(reviewer):
    def reason(**parameters):
        game = load("nlhe", **{"seats": 2, "stack": "100bb", **parameters})
        state = game.start(0)
        if game.players == 2:
            return why_not(played([FOLD], "AhKd", "QcJd", game))
        for cards in ("AhKd", "QcJd", "2c2d"):
            state = state.apply(parse_cards(cards))
        return why_not(state.apply(FOLD).apply(FOLD).view(0))

    assert reason() == reason(stack="95bb") == reason(stack="210bb") == ""
    assert "40 big blinds" in reason(stack="40bb")
    assert "3 seats" in reason(seats=3)
    assert "antes" in reason(ante=1, stack="100bb")
    assert "blinds" in reason(blinds=(1, 3), stack=300)
    view = played([FOLD], "AhKd", "QcJd")
    assert "cards" in why_not(view._replace(cards=()))
    review = reviewer.review(played([FOLD], "AhKd", "QcJd", load("nlhe", seats=2, stack="40bb")))
    assert not review.rows
    totals = review_totals([review])
    assert (totals.judged, totals.hands) == (0, 1)
    assert totals.unjudged[0][1] == 1
    with pytest.raises(OptionError):
        ReviewOptions(iterations=0)
    with pytest.raises(OptionError, match=r"playouts=1 .*100"):  # whose mean would seem certain
        ReviewOptions(playouts=1)


def reviewed(hero, deals, options, street=0):
    """The reviews of a hero against the blueprint, both seats by turns."""
    reviewer, villain = Reviewer(options), Seated(make_agent("blueprint"))
    found = []
    for deal in deals:
        deck = shuffled_decks(GAME, 1, deal, 1)[0].tolist()
        hand = play_hand(GAME, [Seated(hero), villain], deck, seed=1, deal=deal, button=deal % 2)
        view = hand.final.view(0)
        past = streets(view)
        if len(past) > street and any(each.seat == 0 for each in past[street].decisions):
            found.append(reviewer.review(view, deal))
    return found


@pytest.mark.slow
def test_the_blueprint_costs_less_than_rules_on_the_same_deals():
    build_tables(load_blueprint(find_blueprint()).abstraction)  # without them, no playouts
    deals = range(120)
    ours = reviewed(make_agent("blueprint"), deals, QUICK)
    theirs = reviewed(make_agent("rules"), deals, QUICK)
    assert len(ours) == len(theirs)
    less = tally(b.cost - a.cost for a, b in zip(ours, theirs, strict=True)).interval
    print("blueprint", review_totals(ours).value, "rules", review_totals(theirs).value, less)
    early = [row for each in (*ours, *theirs) for row in each.rows if not row.solved]
    valued = sum(row.cost is not None for row in early)
    print(f"{len(ours)} hands, {valued} of {len(early)} decisions before the turn valued")
    assert valued > 0.9 * len(early)
    assert less.low > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "leak"),
    [(FoldsRivers, "folds to a bet on the river"), (NeverBluffs, "bluffs on the river")],
)
def test_known_leaks_are_found(agent, leak):
    options = replace(QUICK, iterations=24, playouts=0)
    totals = review_totals(reviewed(agent(), range(700), options, street=3))
    found = {each.name: each for each in totals.tendencies if each.is_leak}
    print(*map(str, found.values()), sep="\n")
    assert leak in found
    assert (found[leak].done > found[leak].expected) == (agent is FoldsRivers)
    if agent is FoldsRivers:
        rates = {each.name: each.cost for each in totals.kinds}
        assert max(rates, key=rates.get) == "too tight"
        # of the river alone: hands that were over before are not among these
        rivers = {name for name in found if name.endswith("river")}
        assert rivers <= {leak, "raises a bet on the river"}  # who folds does not raise
