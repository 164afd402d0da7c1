import math

import numpy as np
import pytest

from helpers.solved_spots import flop, river, single, turn, wide
from naive.postflop import values as naive
from tiltless.cards.card import COMBO_CARDS, combo_index
from tiltless.cards.equity import equity
from tiltless.cards.ranges import Range
from tiltless.cards.suits import swap_combos
from tiltless.errors import CardError, OptionError, RangeError
from tiltless.postflop.node import find_node
from tiltless.postflop.report import (
    actor_report,
    hand_report,
    nobody_left,
    number_text,
    street_reports,
)
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP, Spot

RIVER_LINES = [
    "",
    "x",
    "x b32",
    "b32",
    "b150",
    "x b32 r96",
    "b32 r96 r150",
    "x x",
    "b32 f",
    "b32 c",
]
TURN_LINES = ["x b20", "x x", "x x 3c x", "b40 c", "x b20 c Th", "b40 c 2s", "b20 f"]


def _check(solver, line):
    node = find_node(solver, line)
    for player in (IP, OOP):
        report = hand_report(node, player)
        slow = naive.values(solver, node.moves, player)
        expected = naive.reaches(solver, node.moves)[player]
        assert slow
        for combo, weight in expected.items():
            assert report.weight[combo] == pytest.approx(weight, abs=1e-12)
        for combo, (ev, share) in slow.items():
            assert report.ev[combo] == pytest.approx(ev, abs=2e-4), (line, player, combo)
            assert report.equity[combo] == pytest.approx(share, abs=1e-9)
            if share > 0.01:
                assert report.eqr[combo] == pytest.approx(ev / share / node.pot, abs=1e-3)
        assert set(np.flatnonzero(np.isfinite(report.ev))) == set(slow)


@pytest.mark.parametrize("rake", [0.0, 0.05])
@pytest.mark.parametrize("line", RIVER_LINES)
def test_river_against_every_pair_of_hands(line, rake):
    _check(river(rake), line)


@pytest.mark.parametrize("line", TURN_LINES)
def test_turn_against_every_pair_and_card(line):
    _check(turn(0.02), line)


@pytest.mark.parametrize(("card", "who"), [("As", "OOP"), ("Kh", "IP"), ("3c", None)])
def test_a_card_that_leaves_a_player_without_a_hand(card, who):
    node = find_node(single(), f"x x {card}")
    for player in (OOP, IP):
        report = hand_report(node, player)
        assert report.known.any() == (who is None)
        assert np.isfinite(report.equity).any() == (who is None)
        assert np.isnan(report.totals.ev) == (who is not None)
    if who is None:
        assert nobody_left(node) == ""
        assert actor_report(node).known.any()
        return
    assert nobody_left(node) == f"{who} has no hand left after this card"
    for report in (actor_report, lambda node: next(street_reports(node))):
        with pytest.raises(OptionError, match=f"^{who} .*card"):
            report(node)


def _nodes(node, deep):
    yield node
    for move in [*node.actions, *node.cards_to_come()[::13]] if deep else ():
        yield from _nodes(node.after(move), deep - 1)


@pytest.mark.parametrize("solver", [river, turn, flop])
def test_what_must_add_up(solver):
    for node in _nodes(find_node(solver()), 5):
        both = [hand_report(node, player) for player in (IP, OOP)]
        one, two = (report.totals for report in both)
        if not both[0].known.any():
            continue
        assert one.ev + two.ev == pytest.approx(node.pot, abs=1e-3 * node.pot)
        assert one.equity + two.equity == pytest.approx(1, abs=1e-9)
        assert both[0].pairs.sum() == pytest.approx(both[1].pairs.sum(), rel=1e-9)
        assert one.share == pytest.approx(1)
        if node.actor >= 0:
            mine = both[node.actor]
            known = mine.known
            assert sum(mine.totals.frequencies) == pytest.approx(1)
            assert mine.strategy[known].sum(axis=1) == pytest.approx(1)
            mean = (mine.strategy * mine.action_ev)[known].sum(axis=1)
            assert mean == pytest.approx(mine.ev[known], abs=1e-3)
            assert both[1 - node.actor].actions == ()
            assert both[1 - node.actor].totals.frequencies == ()


def test_rake_is_what_both_miss():
    node = find_node(river(0.05), "x x")  # the pot is 64: 3.20 of rake
    one, two = (hand_report(node, player).totals for player in (IP, OOP))
    assert one.ev + two.ev == pytest.approx(64 - 3.2, abs=1e-3)
    node = find_node(river(0.05), "b150 c")  # the cap
    one, two = (hand_report(node, player).totals for player in (IP, OOP))
    assert one.ev + two.ev == pytest.approx(364 - 4, abs=1e-3)


def test_to_fold_is_nothing_and_to_check_down_is_equity():
    report = actor_report(find_node(wide(), "x b64"))
    assert report.actions[0] == "f"
    assert report.action_ev[report.known, 0] == pytest.approx(0, abs=1e-3)
    shown = hand_report(find_node(river(), "x x"), IP)
    assert shown.ev[shown.known] == pytest.approx(64 * shown.equity[shown.known], abs=1e-3)


@pytest.mark.parametrize("solver", [river, turn, flop])
def test_equity_is_that_of_the_ranges(solver):
    node = find_node(solver(), "x")
    one, two = (hand_report(node, player) for player in (IP, OOP))
    ranges = [Range.from_weights(report.weight) for report in (one, two)]
    found = equity(*ranges, board=node.board)
    assert one.totals.equity == pytest.approx(found.shares[0], abs=1e-9)
    assert two.totals.equity == pytest.approx(found.shares[1], abs=1e-9)


def test_the_start_is_the_value_of_the_spot():
    solver = wide()
    for player, value in zip((IP, OOP), solver.values(), strict=True):
        totals = hand_report(find_node(solver), player).totals
        assert totals.ev == pytest.approx(value + 32, abs=1e-3)
        assert totals.combos == pytest.approx(solver.spot.ranges[player].combos)


def test_suits_that_are_alike_have_the_same_numbers():
    swap = swap_combos(0, 3)  # clubs and spades
    for line in ("", "x b20", "x x 3h x", "x x Th"):
        node = find_node(turn(), line)
        for player in (IP, OOP):
            report = hand_report(node, player)
            for name in ("weight", "ev", "equity"):
                numbers = getattr(report, name)
                np.testing.assert_allclose(numbers[swap], numbers, atol=1e-4)
    for one, two in (("3c", "3s"), ("Tc", "Ts")):  # and so have cards
        first, second = (hand_report(find_node(turn(), f"x x {c}"), OOP) for c in (one, two))
        np.testing.assert_allclose(first.ev[swap], second.ev, atol=1e-4)
        assert first.totals.ev == pytest.approx(second.totals.ev, abs=1e-5)


def test_parts_make_the_whole():
    report = actor_report(find_node(wide(), "x"))
    pairs = COMBO_CARDS[:, 0] >> 2 == COMBO_CARDS[:, 1] >> 2
    one, two, whole = report.total(pairs), report.total(~pairs), report.totals
    assert one.combos + two.combos == pytest.approx(whole.combos)
    assert one.share + two.share == pytest.approx(1)
    assert one.share * one.ev + two.share * two.ev == pytest.approx(whole.ev)
    nothing = report.total(np.zeros(1326, np.bool_))
    assert nothing.combos == nothing.share == 0
    assert np.isnan(nothing.ev)
    assert np.isnan(nothing.frequencies).all()


def test_classes():
    report = actor_report(find_node(wide()))
    classes = report.by_class()
    assert classes["strategy"].shape == (169, 4)
    assert classes["weight"][0] == 1  # AA
    assert classes["weight"][168] == 0  # 22
    assert np.isnan(classes["ev"][168])
    aces = [combo_index(hand) for hand in ("AsAh", "AsAd", "AsAc", "AhAd", "AhAc", "AdAc")]
    mean = np.average(report.ev[aces], weights=report.pairs[aces])
    assert classes["ev"][0] == pytest.approx(mean)
    assert np.nansum(classes["strategy"], axis=1)[0] == pytest.approx(1)


def test_a_street_is_its_decisions():
    node = find_node(wide(), "x x 3c")
    reports = list(street_reports(node))
    lines = [report.node.line for report in reports]
    assert lines[:3] == ["x x 3c", "x x 3c x", "x x 3c x b32"]
    assert len(lines) == len(set(lines)) == 24
    for report in reports[::5]:
        alone = actor_report(report.node)
        np.testing.assert_allclose(report.ev, alone.ev, atol=1e-4)
        np.testing.assert_array_equal(report.equity, alone.equity)


def test_equity_may_be_left_out():
    report = hand_report(find_node(river()), OOP, equity=False)
    assert np.isnan(report.equity).all()
    assert np.isnan(report.totals.equity)
    assert np.isnan(report.totals.eqr)
    assert np.isfinite(report.totals.ev)


def test_nobody_acts():
    for line in ("x x", "b40 f"):
        node = find_node(turn(), line)
        with pytest.raises(OptionError, match=f"'{line}'"):
            actor_report(node)
        with pytest.raises(OptionError, match="nobody acts"):
            list(street_reports(node))


@pytest.mark.parametrize(
    ("number", "form", "text"),
    [
        (1.234, "{:.2f}", "1.23"),
        (-0.004, "{:.2f}", "0.00"),
        (-0.006, "{:.2f}", "-0.01"),
        (-0.0, "{:.1%}", "0.0%"),
        (-0.2, "{:.0f} %", "0 %"),
        (math.nan, "{:.2f}", "-"),
    ],
)
def test_numbers_as_players_read_them(number, form, text):
    assert number_text(number, form) == text


def test_one_hand_of_a_report():
    node = find_node(river(0.0), "x")
    report = hand_report(node, IP)
    combo = int(np.flatnonzero(report.known)[0])
    found = report.hand(COMBO_CARDS[combo].tolist())
    assert (found.ev, found.equity) == pytest.approx((report.ev[combo], report.equity[combo]))
    with pytest.raises(CardError, match="Qs"):
        report.hand(node.board[:2])
    stranger = np.flatnonzero((report.weight == 0) & ~np.isin(COMBO_CARDS, node.board).any(axis=1))
    with pytest.raises(RangeError, match="IP"):
        report.hand(COMBO_CARDS[stranger[0]].tolist())


def test_against_hardly_any_hand_there_is_no_ev():
    """The aces meet a millionth of the range, which is lost in the rounding of 32 bits."""
    spot = Spot("Jh8d4c2s2h", "AsAh, KsKh:5e-7", "AsAd, QcQd", pot=10, stack=20, bets="a")
    report = hand_report(find_node(PostflopSolver(spot)), IP)
    assert math.isnan(report.ev[combo_index("AsAd")])
    assert math.isfinite(report.ev[combo_index("QcQd")])
