"""Totals of reviews from rows made by hand, and the page that shows them."""

import math
from xml.etree import ElementTree

import numpy as np
import pytest

from tiltless.cards.card import parse_cards
from tiltless.games import load
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.intervals import Interval
from tiltless.search.review import ReviewedDecision, SolvedChances
from tiltless.search.review_rows import DecisionRow, HandReview, Option, decision_row
from tiltless.search.review_totals import review_totals, worst_first
from tiltless.viz.review_report import review_html

BET = RaiseTo(8)


def row(action=FOLD, street="river", cost=0.0, half=0.0, grade="best", **changes):
    """A decision that faces a bet, with a strategy that folds a tenth of the time."""
    faced = action in (FOLD, CALL)
    chances = {FOLD: 0.1, CALL: 0.9} if faced else {CHECK: 0.5, BET: 0.5}
    options = tuple(
        Option(each, f"{each} <&>", 1.5, 0.0, chance) for each, chance in chances.items()
    )
    kind = "too tight" if cost else None
    fixed = {
        "hand": 3,
        "position": "BTN",
        "cards": "AsKd",
        "board": "Kh8s2c5d9h",
        "line": "r2.5 c / x",
        "story": (("preflop", "you raise to 2.5, opponent calls"), ("flop", "opponent checks")),
        "pot": 10.0,
        "best": "call",
        "solved": True,
        "exploitability": 1.0,
        "equity": 0.7,
        "note": "",
        "weight": np.full(169, 0.5),
        "strategy": np.full((169, len(chances)), 1 / len(chances)),
    }
    made = {
        "street": street,
        "faced": faced,
        "taken": str(action),
        "action": action,
        "kind": kind,
        "cost": Interval(cost, cost - half, cost + half),
        "grade": grade,
        "options": options,
        "actions": tuple(chances),
    }
    return DecisionRow(**{**fixed, **made, **changes})


def hand(number, *rows):
    return HandReview(number, rows, 1.0)


def test_who_folds_all_the_time_has_a_leak_and_rough_solutions_say_so():
    for exploitability, rough in ((1.0, False), (9.0, True)):
        rows = [row(exploitability=exploitability) for _ in range(20)]
        totals = review_totals([hand(n, each) for n, each in enumerate(rows)])
        (found,) = (each for each in totals.tendencies if each.is_leak)
        assert (found.name, found.done, found.chances) == ("folds to a bet on the river", 20, 20)
        assert found.expected == pytest.approx(2.0)
        assert found.deviation == pytest.approx(math.sqrt(20 * 0.9**2))
        assert found.rough is rough
        assert ("iterations" in str(found)) is rough
        assert totals.accuracy == (("river", exploitability),)


def test_three_mistakes_are_no_habit():
    """The solution is certain, so its own deviation is 0, but nobody folds three times by habit."""
    sure = (Option(FOLD, "fold", 0.0, 0.0, 0.0), Option(CALL, "call", 1.0, 0.0, 1.0))
    rows = [row(FOLD if n < 3 else CALL, options=sure) for n in range(20)]
    (folds, *_) = review_totals([hand(1, *rows)]).tendencies
    assert (folds.done, folds.expected, folds.deviation) == (3, 0, math.sqrt(3))
    assert not folds.is_leak
    rows = [row(FOLD if n < 10 else CALL, options=sure) for n in range(20)]
    assert review_totals([hand(1, *rows)]).tendencies[0].is_leak


def test_bluffs_are_bets_with_little_equity():
    rows = [row(CHECK, equity=0.1) for _ in range(30)] + [row(BET, equity=0.9) for _ in range(30)]
    names = {each.name: each for each in review_totals([hand(1, *rows)]).tendencies}
    assert names["bluffs on the river"].done == 0
    assert names["bluffs on the river"].is_leak
    assert names["bets on the river"].done == 30
    assert not names["bets on the river"].is_leak


def test_costs_add_up_by_hand_street_and_kind():
    reviews = [
        hand(1, row(cost=2.0, grade="mistake"), row(street="turn")),
        hand(2, row(cost=1.0, grade="good")),
        HandReview(3, (), 5.0, "the hand is not over"),
    ]
    totals = review_totals(reviews)
    assert (totals.hands, totals.judged, totals.unjudged) == (3, 2, (("the hand is not over", 1),))
    assert totals.value.mean == pytest.approx(-150)
    by_street = {each.name: (each.cost, each.mistakes) for each in totals.streets}
    assert by_street["river"] == (3.0, 1)
    assert [each.cost for each in totals.kinds] == [0, 3.0, 0]
    assert [each.cost.mean for each in worst_first(reviews)] == [2.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("cost", "half", "grade", "verdict"),
    [
        (2.0, 0.0, "mistake", "mistake, too tight"),
        (0.4, 0.5, "best", "unclear"),
        (0.01, 0.0, "best", "best"),
        (0.0, 0.0, "best", "best"),
    ],
)
def test_what_may_be_noise_is_no_mistake(cost, half, grade, verdict):
    assert row(cost=cost, half=half, grade=grade).verdict == verdict


def test_actions_are_ordered_by_their_size():
    """A strategy between two spots has first the actions of one, then those of the other."""
    view = load("nlhe", seats=2, stack="10bb").start(0)
    for cards in map(parse_cards, ("AhKd", "7c7d")):
        view = view.apply(cards)
    view = view.view(0)
    chances = np.tile(np.array([0.1, 0.2, 0.4, 0.3], np.float32), (1326, 1))
    strategy = SolvedChances((FOLD, CALL, RaiseTo(20), RaiseTo(8)), chances)
    made = decision_row(ReviewedDecision(view, FOLD, strategy, np.ones((2, 1326))), 1)
    assert made.actions == (FOLD, CALL, RaiseTo(8), RaiseTo(20))
    assert tuple(each.action for each in made.options) == made.actions
    assert [each.chance for each in made.options] == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert made.strategy[0] == pytest.approx([0.1, 0.2, 0.3, 0.4])


def test_the_page_is_whole_and_escapes_names():
    reviews = [hand(1, row(cost=2.0, grade="mistake")), hand(2, row(CHECK, street="turn"))]
    rows = worst_first(reviews)
    page = review_html(review_totals(reviews), rows, hero="<me>", source="a&b", settings="quick")
    assert "<script" not in page
    tree = ElementTree.fromstring(
        page.partition("\n")[2]
        .replace("<meta charset", "<meta c")
        .replace('utf-8">', 'utf-8"/>')
        .replace('scale=1">', 'scale=1"/>')
        .replace("<br>", "<br/>")
    )
    text = "".join(tree.itertext())
    assert "Review of <me>" in text
    assert "you raise to 2.5, opponent calls" in text
    assert "Solved turns to 1.0 % and rivers to 1.0 % of the pot on average" in text
    assert "Fold() <&>" in text or "fold <&>" in text
    grids = tree.findall(".//{*}svg")
    assert len(grids) == len(rows) == 2
    assert all(len(each.findall("{*}text")) == 169 for each in grids)
