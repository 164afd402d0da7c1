"""Aggregate reports of a solved spot: by action, by made hand, by dealt card, over many lines.

::

    place = find_node(solver, "x b32 c")
    for card, row in card_report(place).items():
        print(card_text(card), row.oop.ev, row.frequencies)
    print(aggregate(card_report(place).values()))
    print(aggregate(line_report(solver, ["x b32 c * x", "x x * x"])).frequencies)  # IP, any river
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from tiltless.cards.made_hands import DRAWS, MADE_HANDS, Kinds, draws, made_hands
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import Action
from tiltless.games.holdem.notation import action_label
from tiltless.postflop.line import follow_lines
from tiltless.postflop.node import Node, find_node
from tiltless.postflop.report import HandReport, Totals, hand_report
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP, PLAYERS

__all__ = [
    "ActionRow",
    "NodeReport",
    "action_report",
    "aggregate",
    "card_report",
    "draw_report",
    "how_often",
    "line_report",
    "made_hand_report",
    "node_report",
    "node_reports",
]

_HELD = 4  # cards of both players


def made_hand_report(report: HandReport) -> dict[str, Totals]:
    """Means over each kind of made hand that there is (`tiltless.cards.made_hands`), best first."""
    return _by_kind(report, made_hands(report.place.board), MADE_HANDS)


def draw_report(report: HandReport) -> dict[str, Totals]:
    """Means over each kind of draw that there is (`tiltless.cards.made_hands`), best first."""
    return _by_kind(report, draws(report.place.board), DRAWS)


def _by_kind(report: HandReport, kinds: Kinds, names: Sequence[str]) -> dict[str, Totals]:
    there = set(kinds[report.known].tolist())
    return {name: report.total(kinds == n) for n, name in enumerate(names) if n in there}


class ActionRow(NamedTuple):
    """An action of a decision: its name, how often it is taken, and its EV when it is; or NaN."""

    label: str
    often: float
    ev: float


def action_report(report: HandReport) -> list[ActionRow]:
    """Each action of a decision, in the order of the tree."""
    place, known = report.place, report.known
    pairs = report.pairs[known]
    rows = []
    for a, action in enumerate(place.actions):
        taken = pairs * report.strategy[known, a]
        total = float(taken.sum())
        often = total / float(pairs.sum()) if len(pairs) else math.nan
        value = float(taken @ report.action_ev[known, a]) / total if total > 0 else math.nan
        rows.append(ActionRow(action_label(action, place.betting, place.pot), often, value))
    return rows


class NodeReport(NamedTuple):
    """Means over both ranges at a place, or over several places.

    line, board: of the place; empty for several.  often: how often play comes there, of all deals
    of the spot.  pot: chips there, a mean for several places.
    frequencies: of each action of the player who acts, by its word: ``{"x": 0.61, "b32": 0.39}``.
    player: who acts, ``oop`` or ``ip``; empty for nobody, or not the same one everywhere.
    """

    line: str
    board: tuple[int, ...]
    often: float
    pot: float
    oop: Totals
    ip: Totals
    frequencies: dict[str, float]
    player: str = ""


def how_often(place: Node, *, cards: bool = True) -> float:
    """How often play comes to a place, of all deals of the spot.

    cards: False leaves out how likely the cards of the line are.
    """
    pairs = float(place.reaches[IP] @ place.others(IP))
    left, chance = 52 - _HELD - len(place.solver.boards[0].boards[0]), 1.0
    for move in place.moves:
        if cards and not isinstance(move, Action):
            chance, left = chance / left, left - 1
    return chance * pairs / place.solver.spot.pairs


def node_report(place: Node, *, equity: bool = True) -> NodeReport:
    """Both ranges at a place; equity: as in `hand_report`."""
    oop, ip = (hand_report(place, player, equity=equity) for player in (OOP, IP))
    acts = oop if oop.actions else ip
    frequencies = dict(zip(acts.actions, acts.totals.frequencies, strict=False))
    often = how_often(place)
    where = place.line, place.board, often, float(place.pot)
    player = PLAYERS[place.actor] if place.actor >= 0 else ""
    return NodeReport(*where, oop.totals, ip.totals, frequencies, player)


def node_reports(places: Iterable[Node], *, equity: bool = True) -> list[NodeReport]:
    """The report of each place; what suits make the same is worked out once."""
    found: dict[tuple[int, int, int, int], NodeReport] = {}
    reports = []
    for place in places:
        key = id(place.solver), place.level, place.number, place.node
        if key not in found:
            found[key] = node_report(place, equity=equity)
        reports.append(found[key]._replace(line=place.line, board=place.board))
    return reports


def card_report(place: Node, *, equity: bool = True) -> dict[int, NodeReport]:
    """What each card does that may be dealt at a place: the report of where it leads.

    Cards that suits make the same are worked out once.
    """
    cards = place.cards_to_come()
    if not cards:
        raise OptionError(
            f"no card is dealt after {place.line!r}; give a line that ends a street, such as 'x x'"
        )
    after = [place.after(card) for card in cards]
    return dict(zip(cards, node_reports(after, equity=equity), strict=True))


def line_report(
    solver: PostflopSolver, lines: Iterable[str], *, equity: bool = True
) -> list[NodeReport]:
    """The report of each of many lines, such as ``["x", "x b32", "b32"]``.

    A ``*`` is any card, and makes a report for each: ``["x x * x"]`` is what IP does on all rivers.
    """
    start = find_node(solver)
    groups = (places for line in lines for places in follow_lines(start, line).values())
    return node_reports((place for places in groups for place in places), equity=equity)


def aggregate(reports: Iterable[NodeReport], weights: Iterable[float] | None = None) -> NodeReport:
    """Means over places, by how often play comes there.

    weights: more factors, one for each: with reports of the same line on several flops, how often
    each flop is dealt, such as the boards that it stands for times ``spot.pairs``.
    An action that some places do not have counts as never taken there. Where not the same player
    acts everywhere, there are no frequencies.
    """
    rows = list(reports)
    factors = [1.0] * len(rows) if weights is None else [float(weight) for weight in weights]
    if len(factors) != len(rows):
        raise OptionError(f"{len(factors)} weights for {len(rows)} reports; give one for each")
    often = [row.often * factor for row, factor in zip(rows, factors, strict=True)]
    total = sum(often)
    if not total > 0:
        raise OptionError("play never comes to these places; give others")
    rows = [row for row, each in zip(rows, often, strict=True) if each > 0]  # others have no EV
    shares = [each / total for each in often if each > 0]
    players = {row.player for row in rows}
    words = list(dict.fromkeys(word for row in rows for word in row.frequencies))
    if len(players) > 1:
        words = []
    frequencies = {
        word: sum(
            share * row.frequencies.get(word, 0.0) for share, row in zip(shares, rows, strict=True)
        )
        for word in words
    }
    pot = sum(share * row.pot for share, row in zip(shares, rows, strict=True))
    oop, ip = (
        _mean_totals([getattr(row, side) for row in rows], rows, shares) for side in ("oop", "ip")
    )
    player = players.pop() if len(players) == 1 else ""
    return NodeReport("", (), total, pot, oop, ip, frequencies, player)


def _mean_totals(
    totals: Sequence[Totals], rows: Sequence[NodeReport], shares: Sequence[float]
) -> Totals:
    share, pot = np.array(shares), np.array([row.pot for row in rows])
    combos, ev, equity = (
        np.array([getattr(each, name) for each in totals]) for name in ("combos", "ev", "equity")
    )
    won, due = float(share @ ev), float(share @ (equity * pot))
    eqr = won / due if due > 0 else float("nan")
    return Totals(float(share @ combos), 1.0, won, float(share @ equity), eqr, ())
