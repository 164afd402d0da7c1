"""Means over flops from results written by hand, so that every number can be worked out."""

import math

import pytest

from tiltless.cards.flops import canonical_flop
from tiltless.errors import OptionError
from tiltless.postflop.flops.settings import FlopSettings
from tiltless.postflop.flops.solve import FlopResult
from tiltless.postflop.flops.summary import BY_FLOP, EVERY, FlopSummary, read_kinds
from tiltless.postflop.report import Totals
from tiltless.postflop.tables import NodeReport

SETTINGS = FlopSettings(
    oop="KK,T9s", ip="QQ,76s", pot=20, stack=30, bets="flop: 50%, a; turn, river: none"
)
START, AFTER_CHECK = SETTINGS.decisions
FLOPS = {text: canonical_flop(text) for text in ("Ks7s2h", "As8s2h", "JsJh4s", "Ts9h6d")}
PAIRS = {"Ks7s2h": 10.0, "As8s2h": 20.0, "JsJh4s": 5.0, "Ts9h6d": 8.0}


def result(flop, often, bet, ip_ev, ip_equity):
    """At the start OOP checks ``often``; then IP bets half the pot ``bet`` and is never all-in."""

    def totals(ev, equity):
        return Totals(10.0, 1.0, ev, equity, ev / (20 * equity), ())

    both = totals(20 - ip_ev, 1 - ip_equity), totals(ip_ev, ip_equity)
    board = FLOPS[flop].cards
    start = {"x": often, "b10": 1 - often, "b30": 0.0}
    reports = {
        "": NodeReport("", board, 1.0, 20.0, *both, start, "oop"),
        "x": NodeReport(
            "x", board, often, 20.0, *both, {"x": 1 - bet, "b10": bet, "b30": 0.0}, "ip"
        ),
    }
    return FlopResult(flop, PAIRS[flop], 10, 0.2, 1.0, reports)


RESULTS = {
    "Ks7s2h": result("Ks7s2h", 0.5, 0.8, 12.0, 0.6),
    "As8s2h": result("As8s2h", 1.0, 0.3, 11.0, 0.55),
    "JsJh4s": result("JsJh4s", 0.8, 0.4, 9.0, 0.5),
    "Ts9h6d": result("Ts9h6d", 0.0, 0.9, 8.0, 0.4),
}
SUMMARY = FlopSummary(SETTINGS, list(FLOPS.values()), RESULTS)


def deals(*names):
    return [FLOPS[name].weight * PAIRS[name] for name in names]


def test_a_class_is_a_mean_over_deals():
    king, ace, jacks, ten = deals(*FLOPS)
    every = king + ace + jacks + ten
    tones = SUMMARY.rows(AFTER_CHECK, "suits")
    assert [(row.name, row.flops) for row in tones] == [("rainbow", 1), ("two-tone", 3)]
    two = tones[1]
    assert two.share == pytest.approx((king + ace + jacks) / every)
    reached = 0.5 * king + ace + 0.8 * jacks
    assert two.often(["b10"]) == pytest.approx(
        (0.8 * 0.5 * king + 0.3 * ace + 0.4 * 0.8 * jacks) / reached
    )
    assert two.report.often == pytest.approx(reached / (king + ace + jacks))
    start = SUMMARY.rows(START, "suits")[1]
    ev = (12 * king + 11 * ace + 9 * jacks) / (king + ace + jacks)
    equity = (0.6 * king + 0.55 * ace + 0.5 * jacks) / (king + ace + jacks)
    assert start.number("ip", "ev") == pytest.approx(ev)
    assert start.number("ip", "equity") == pytest.approx(equity)
    assert start.number("ip", "eqr") == pytest.approx(ev / (20 * equity))
    total = SUMMARY.total(START)
    assert (total.name, total.flops, total.share) == (EVERY, 4, 1.0)
    assert sum(total.report.frequencies.values()) == pytest.approx(1)


def test_a_decision_that_is_never_reached_has_no_numbers():
    row = SUMMARY.rows(AFTER_CHECK, "suits")[0]
    assert row.report is None
    assert math.isnan(row.often(["b10"]))
    assert math.isnan(row.number("ip", "ev"))


def test_rows_are_in_the_order_of_the_table_or_sorted():
    def names(kind, **how):
        return [row.name for row in SUMMARY.rows(AFTER_CHECK, kind, **how)]

    assert names("high") == ["A", "K", "J", "T"]
    assert names(BY_FLOP) == list(FLOPS)
    assert names(BY_FLOP, sort="bet") == ["Ks7s2h", "JsJh4s", "As8s2h", "Ts9h6d"]
    assert names(BY_FLOP, sort="-b10", most=2) == ["As8s2h", "JsJh4s"]
    assert names(BY_FLOP, sort="ip ev")[0] == "Ks7s2h"
    assert names("high", sort="share")[0] == "A"
    assert names("suits, high") == ["rainbow, T", "two-tone, A", "two-tone, K", "two-tone, J"]
    assert names("pairing, straights") == [
        "unpaired, connected",
        "unpaired, disconnected",
        "paired, disconnected",
    ]


def test_what_cannot_be_shown():
    for kind in ("colour", "suits, suits", ""):
        with pytest.raises(OptionError):
            read_kinds(kind)
    with pytest.raises(OptionError, match="ip eqr"):
        SUMMARY.rows(START, "suits", sort="evs")


def test_weights_of_the_question_count_and_not_those_of_the_deck():
    """The same results with other weights, as a subset has them."""
    heavy = [FLOPS["Ks7s2h"]._replace(weight=1000), FLOPS["As8s2h"]._replace(weight=1)]
    subset = FlopSummary(SETTINGS, heavy, RESULTS)
    king, ace = 1000 * PAIRS["Ks7s2h"], PAIRS["As8s2h"]
    expected = (12 * king + 11 * ace) / (king + ace)
    assert subset.total(START).number("ip", "ev") == pytest.approx(expected)
