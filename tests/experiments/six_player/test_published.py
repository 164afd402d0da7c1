"""What the six-player report printed: counts, tables, its policy and translation examples."""

from random import Random

import pytest

from helpers.six_report import policy_of
from tiltless.abstraction.bets.translation import chance_of_smaller
from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.agents.win_rate import win_rate
from tiltless.cards.card import COMBO_CARDS, parse_cards
from tiltless.experiments.six_player.options import STEPS
from tiltless.experiments.six_player.policy import hand_class
from tiltless.experiments.six_player.published import (
    HAND_CLASSES,
    POLICY_COUNTS,
    TRIALS,
    published_interval,
)
from tiltless.experiments.six_player.training import ABSTRACTION
from tiltless.experiments.six_player.translation import nearest_index, translated
from tiltless.games import load


def test_counts_of_policies():
    assert POLICY_COUNTS == (47_736, 7_956, 546)
    classes = {hand_class(cards) for cards in COMBO_CARDS.tolist()}
    assert classes == set(range(HAND_CLASSES)) == set(range(91))
    cards = card_abstraction(ABSTRACTION)
    assert [street.count for street in cards.streets] == [91, STEPS, STEPS, STEPS]
    combos = cards.streets[0].buckets(parse_cards(""))
    assert [hand_class(cards) for cards in COMBO_CARDS.tolist()] == combos.tolist()


def test_published_tables():
    assert [sum(trial.chips) for trial in TRIALS] == [0] * 5
    assert [len(trial.players) for trial in TRIALS] == [6, 6, 6, 6, 5]
    won = [t.per_hand(t.players.index("V2")) for t in TRIALS[1:4]]
    assert won == pytest.approx([378.1, 202.3, 189.4], abs=0.1)
    interval = published_interval()
    assert interval.mean == pytest.approx(257, abs=0.5)
    assert (interval.low, interval.high) == pytest.approx((-5, 519), abs=0.5)
    first = TRIALS[0]
    ours = [first.per_hand(seat) for seat, who in enumerate(first.players) if who == "V2"]
    assert sum(ours) / 3 == pytest.approx(39.7, abs=0.05)


def test_the_printed_policy():
    """p1 with 2C 4H, small blind p3: p5 calls 25 times and folds 75 of 100 times."""
    root = hand_class(parse_cards("2c4h")) * 6 + 2
    start = (root, "p4 BIGBLIND")
    called = (*start, "p5 CALL", "p6 FOLD")
    policy = policy_of(
        {
            (root,): (100, 0),
            start: (100, 0),
            (*start, "p5 CALL"): (25, 0),
            called: (20, 0),
            (*called, "p1 FOLD"): (3, 250),
            (*called, "p1 CALL"): (2, 500),
            (*start, "p5 FOLD"): (75, 0),
        }
    )
    node = policy.root(parse_cards("4d2s"), 2)
    assert policy.visits[node] == 100  # p3's SMALLBLIND; suits do not matter
    assert policy.nested(node) == {
        "p4": {
            "BIGBLIND": [
                100,
                {
                    "p5": {
                        "FOLD": [75, {}],
                        "CALL": [
                            25,
                            {
                                "p6": {
                                    "FOLD": [
                                        20,
                                        {"p1": {"FOLD": [(3, 250), {}], "CALL": [(2, 500), {}]}},
                                    ]
                                }
                            },
                        ],
                    }
                },
            ]
        }
    }
    assert policy.root(parse_cards("4d2s"), 3) == -1


def test_the_translation_example():
    """450 between 400 and 500: 0.445, so the report takes 400; by the paper it is nearer to 500."""
    assert chance_of_smaller(450, 400, 500) == pytest.approx(0.445, abs=0.0005)
    assert translated(450, [100, 400, 500, 900]) == 1
    assert chance_of_smaller(0.45, 0.4, 0.5) == pytest.approx(0.483, abs=0.0005)
    assert translated(450, [100, 400, 500, 900], "paper", pot=1000) == 2
    assert translated(405, [400, 500]) == 1  # the wrong way round: f is 0.94 here
    assert translated(405, [400, 500], "paper", pot=1000) == 0
    assert [translated(x, [400, 500]) for x in (100, 400, 500, 900)] == [0, 0, 1, 1]
    assert nearest_index(437, [400, 500]) == 0


def test_aces_win_less_than_half_against_five_random_hands():
    rules = load("nlhe", seats=6).rules
    shares = {}
    for hand in ("AsAh", "KsKh", "AsKs"):
        shares[hand] = win_rate(rules, parse_cards(hand), (), 400_000, Random(3), opponents=5).share
    assert shares["AsAh"] == pytest.approx(0.491, abs=0.004)
    assert shares["KsKh"] == pytest.approx(0.429, abs=0.004)
    assert shares["AsKs"] == pytest.approx(0.311, abs=0.004)
