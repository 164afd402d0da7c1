import math

import pytest

from helpers.solved_spots import flop, river, single, turn, wide
from tiltless.cards.card import combo_index, parse_card
from tiltless.cards.made_hands import MADE_HANDS
from tiltless.errors import OptionError
from tiltless.postflop.node import find_node
from tiltless.postflop.report import actor_report, hand_report
from tiltless.postflop.spot import IP, OOP
from tiltless.postflop.tables import (
    aggregate,
    card_report,
    draw_report,
    how_often,
    line_report,
    made_hand_report,
    node_report,
)


@pytest.mark.parametrize("kinds", [made_hand_report, draw_report])
def test_kinds_are_parts_of_the_range(kinds):
    report = actor_report(find_node(wide(), "x"))
    rows = kinds(report)
    assert sum(row.share for row in rows.values()) == pytest.approx(1)
    assert sum(row.combos for row in rows.values()) == pytest.approx(report.totals.combos)
    ev = sum(row.share * row.ev for row in rows.values())
    assert ev == pytest.approx(report.totals.ev)
    for action, often in enumerate(report.totals.frequencies):
        mean = sum(row.share * row.frequencies[action] for row in rows.values())
        assert mean == pytest.approx(often)


def test_kinds_come_best_first_and_only_those_that_there_are():
    rows = made_hand_report(hand_report(find_node(river()), OOP))
    assert list(rows) == sorted(rows, key=MADE_HANDS.index)
    # AA, QJs, T9s (a straight), AKo, 76s
    assert list(rows) == ["straight", "two pair", "overpair", "ace high", "nothing"]
    aces = hand_report(find_node(river()), OOP)
    pairs = [combo_index(hand) for hand in ("AsAh", "AsAd", "AsAc", "AhAd", "AhAc", "AdAc")]
    assert rows["overpair"].combos == pytest.approx(aces.weight[pairs].sum())


def test_cards_that_leave_a_player_without_a_hand_have_no_numbers():
    node = find_node(single(), "x x")
    rows = card_report(node)
    gone = {parse_card(text) for text in ("As", "Ah", "Ks", "Kh")}
    assert {card for card, row in rows.items() if math.isnan(row.oop.ev)} == gone
    assert {card for card, row in rows.items() if math.isnan(row.ip.equity)} == gone
    assert {card for card, row in rows.items() if row.often == 0} == gone
    assert aggregate(rows.values()).oop.ev == pytest.approx(hand_report(node, OOP).totals.ev)


def test_how_often_lines_are_played():
    solver = wide()
    assert how_often(find_node(solver)) == pytest.approx(1)
    for line in ("", "x", "x b64", "x x 3c"):
        node = find_node(solver, line)
        often = how_often(node)
        after = [how_often(node.after(action)) for action in node.actions]
        assert sum(after) == pytest.approx(often)
        shares = actor_report(node).totals.frequencies
        assert [each / often for each in after] == pytest.approx(list(shares))


def test_how_often_two_cards_are_dealt():
    node = find_node(flop(), "x x 3c x x 4d")
    assert how_often(node) == pytest.approx(how_often(node, cards=False) / (45 * 44))


@pytest.mark.parametrize(("solver", "line"), [(turn, "x x"), (turn, "b20 c"), (flop, "b30 c")])
def test_cards_are_parts_of_the_node_before(solver, line):
    node = find_node(solver(), line)
    rows, before = card_report(node), node_report(node)
    assert list(rows) == node.cards_to_come()
    whole = aggregate(rows.values())
    assert whole.often == pytest.approx(before.often)
    assert whole.pot == pytest.approx(before.pot)
    for mean, exact in ((whole.oop, before.oop), (whole.ip, before.ip)):
        assert mean.ev == pytest.approx(exact.ev, abs=1e-3)
        assert mean.equity == pytest.approx(exact.equity, abs=1e-6)
        assert mean.eqr == pytest.approx(exact.eqr, abs=1e-3)
    assert sum(whole.frequencies.values()) == pytest.approx(1)


def test_cards_of_suits_that_are_alike_are_the_same_card():
    rows = card_report(find_node(turn(), "x x"))
    one, two = rows[parse_card("3c")], rows[parse_card("3s")]
    assert one.oop == two.oop
    assert (one.line, two.line) == ("x x 3c", "x x 3s")
    again = node_report(find_node(turn(), "x x 3s"))  # not by the short way
    assert again.oop.ev == pytest.approx(two.oop.ev, abs=1e-4)
    assert again.oop.equity == pytest.approx(two.oop.equity)
    assert again.often == pytest.approx(two.often)
    assert again.frequencies == pytest.approx(two.frequencies)
    assert again.board == two.board


def test_all_in_cards_have_no_actions():
    rows = card_report(find_node(turn(), "b40 c"))
    assert all(row.frequencies == {} for row in rows.values())
    assert aggregate(rows.values()).oop.eqr == pytest.approx(1, abs=1e-4)


def test_lines_add_up():
    solver = wide()
    rows = line_report(solver, ["x", "b32", "b64", "b320"])
    whole = aggregate(rows)
    start = node_report(find_node(solver))
    assert whole.often == pytest.approx(1)
    # Chips that OOP bets come out of what it wins.
    paid = sum(row.often * bet for row, bet in zip(rows, (0, 32, 64, 320), strict=True))
    assert whole.oop.ev - paid == pytest.approx(start.oop.ev, abs=1e-3)
    assert whole.ip.ev == pytest.approx(start.ip.ev, abs=1e-3)
    assert whole.pot == pytest.approx(64 + paid)
    assert set(whole.frequencies) == {"x", "b32", "b64", "b320", "f", "c"} | {
        word for row in rows for word in row.frequencies
    }


def test_lines_with_any_card():
    """What IP does after a check on all rivers is the mean over what it does on each."""
    solver = wide()
    rows = line_report(solver, ["x x * x"])
    cards = find_node(solver, "x x").cards_to_come()
    assert [row.board[-1] for row in rows] == cards
    assert {row.player for row in rows} == {"ip"}
    one = node_report(find_node(solver, "x x 3c x"))
    assert rows[cards.index(parse_card("3c"))].frequencies == pytest.approx(one.frequencies)
    mean = aggregate(rows)
    assert mean.player == "ip"
    after = sum(how_often(find_node(solver, f"{row.line} x")) for row in rows)
    assert mean.frequencies["x"] == pytest.approx(after / mean.often)


def test_no_frequencies_where_not_the_same_player_acts():
    one, two = line_report(wide(), ["x", "x b64"])
    assert (one.player, two.player) == ("ip", "oop")
    mean = aggregate([one, two])
    assert mean.player == ""
    assert mean.frequencies == {}
    assert mean.oop.ev > 0
    assert node_report(find_node(wide(), "b64 f")).player == ""


def test_how_often_without_the_chance_of_cards():
    node = find_node(wide(), "x x 3c")
    assert how_often(node) * 44 == pytest.approx(how_often(node, cards=False))
    assert how_often(find_node(wide(), "x"), cards=False) == how_often(find_node(wide(), "x"))


def test_weights_and_nodes_that_are_never_reached():
    one, two = line_report(wide(), ["x", "b64"])
    mean = aggregate([one, two], [1, 3])
    share = one.often / (one.often + 3 * two.often)
    assert mean.oop.ev == pytest.approx(share * one.oop.ev + (1 - share) * two.oop.ev)
    never = one._replace(often=0.0, oop=one.oop._replace(ev=math.nan), frequencies={"x": math.nan})
    assert aggregate([never, two]).oop.ev == pytest.approx(two.oop.ev)
    assert aggregate([never, two]).frequencies == pytest.approx(two.frequencies)


def test_mistakes():
    with pytest.raises(OptionError, match=r"'x'.*'x x'"):
        card_report(find_node(turn(), "x"))
    row = node_report(find_node(river()))
    with pytest.raises(OptionError, match=r"2 weights.*1 reports"):
        aggregate([row], [1, 2])
    with pytest.raises(OptionError, match="never"):
        aggregate([])


def test_both_players_and_who_acts():
    row = node_report(find_node(wide(), "x b64"))
    assert row.line == "x b64"
    assert row.pot == 128
    assert list(row.frequencies) == ["f", "c", "r160", "r320"]
    assert row.oop == hand_report(find_node(wide(), "x b64"), OOP).totals
    assert row.ip == hand_report(find_node(wide(), "x b64"), IP).totals
