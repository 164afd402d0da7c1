"""Aggregate reports of a solved spot: by action, by made hand, by dealt card, over many lines.

::

    node = find_node(solver, "x b32 c")
    for card, row in card_report(node).items():
        print(card_text(card), row.oop.ev, row.frequencies)
    print(aggregate(card_report(node).values()))
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
    """Totals of each kind of made hand in the range (`tiltless.cards.made_hands`), best first."""
    return _by_kind(report, made_hands(report.node.board), MADE_HANDS)


def draw_report(report: HandReport) -> dict[str, Totals]:
    """Totals of each kind of draw in the range (`tiltless.cards.made_hands`), best first."""
    return _by_kind(report, draws(report.node.board), DRAWS)


def _by_kind(report: HandReport, kinds: Kinds, names: Sequence[str]) -> dict[str, Totals]:
    present = set(kinds[report.known].tolist())
    return {name: report.total(kinds == n) for n, name in enumerate(names) if n in present}


class ActionRow(NamedTuple):
    """An action of a decision: its name, its frequency, and its EV when taken; NaN if never."""

    label: str
    often: float
    ev: float


def action_report(report: HandReport) -> list[ActionRow]:
    """Each action of a decision, in the order of the tree."""
    node, known = report.node, report.known
    pairs = report.pairs[known]
    rows = []
    for a, action in enumerate(node.actions):
        taken = pairs * report.strategy[known, a]
        total = float(taken.sum())
        often = total / float(pairs.sum()) if len(pairs) else math.nan
        value = float(taken @ report.action_ev[known, a]) / total if total > 0 else math.nan
        rows.append(ActionRow(action_label(action, node.betting, node.pot), often, value))
    return rows


class NodeReport(NamedTuple):
    """Means over both ranges at a node, or over several nodes.

    line, board: of the node; empty for several.  often: the probability that a deal of the spot
    reaches it.  pot: in chips, a mean for several nodes.
    frequencies: of each action of the player to act, by its word: ``{"x": 0.61, "b32": 0.39}``.
    player: who acts, ``oop`` or ``ip``; empty if nobody acts, or different players do.
    """

    line: str
    board: tuple[int, ...]
    often: float
    pot: float
    oop: Totals
    ip: Totals
    frequencies: dict[str, float]
    player: str = ""


def how_often(node: Node, *, cards: bool = True) -> float:
    """The probability that a deal of the spot reaches a node.

    cards: False ignores the probability of the cards on the line.
    """
    pairs = float(node.reaches[IP] @ node.others(IP))
    left, chance = 52 - _HELD - len(node.solver.boards[0].boards[0]), 1.0
    for move in node.moves:
        if cards and not isinstance(move, Action):
            chance, left = chance / left, left - 1
    return chance * pairs / node.solver.spot.pairs


def node_report(node: Node, *, equity: bool = True) -> NodeReport:
    """The report of both ranges at a node.  equity: as in `hand_report`."""
    oop, ip = (hand_report(node, player, equity=equity) for player in (OOP, IP))
    acts = oop if oop.actions else ip
    frequencies = dict(zip(acts.actions, acts.totals.frequencies, strict=False))
    often = how_often(node)
    where = node.line, node.board, often, float(node.pot)
    player = PLAYERS[node.actor] if node.actor >= 0 else ""
    return NodeReport(*where, oop.totals, ip.totals, frequencies, player)


def node_reports(nodes: Iterable[Node], *, equity: bool = True) -> list[NodeReport]:
    """The report of each node; nodes that are the same up to suits are computed once."""
    reports_by_node: dict[tuple[int, int, int, int], NodeReport] = {}
    reports = []
    for node in nodes:
        key = id(node.solver), node.street_index, node.board_index, node.index
        if key not in reports_by_node:
            reports_by_node[key] = node_report(node, equity=equity)
        reports.append(reports_by_node[key]._replace(line=node.line, board=node.board))
    return reports


def card_report(node: Node, *, equity: bool = True) -> dict[int, NodeReport]:
    """Reports after each card that may be dealt at a node, by card.

    Cards that are the same up to suits are computed once.
    """
    cards = node.cards_to_come()
    if not cards:
        raise OptionError(
            f"no card is dealt after {node.line!r}; give a line that ends a street, such as 'x x'"
        )
    after = [node.after(card) for card in cards]
    return dict(zip(cards, node_reports(after, equity=equity), strict=True))


def line_report(
    solver: PostflopSolver, lines: Iterable[str], *, equity: bool = True
) -> list[NodeReport]:
    """The report of each of several lines, such as ``["x", "x b32", "b32"]``.

    ``*`` is any card, with a report for each: ``["x x * x"]`` is what IP does on all rivers.
    """
    start = find_node(solver)
    groups = (nodes for line in lines for nodes in follow_lines(start, line).values())
    return node_reports((node for nodes in groups for node in nodes), equity=equity)


def aggregate(reports: Iterable[NodeReport], weights: Iterable[float] | None = None) -> NodeReport:
    """Means over nodes, weighted by how often each is reached.

    weights: additional factors, one for each report: for the same line on several flops, how often
    each flop is dealt, such as the number of boards that it represents times ``spot.pairs``.
    An action that a node does not have counts as never taken there. There are no frequencies if
    different players act.
    """
    rows = list(reports)
    factors = [1.0] * len(rows) if weights is None else [float(weight) for weight in weights]
    if len(factors) != len(rows):
        raise OptionError(f"{len(factors)} weights for {len(rows)} reports; give one for each")
    often = [row.often * factor for row, factor in zip(rows, factors, strict=True)]
    total = sum(often)
    if not total > 0:
        raise OptionError("these nodes are never reached; give others")
    rows = [
        row for row, each in zip(rows, often, strict=True) if each > 0
    ]  # unreached nodes have no EV
    fractions = [each / total for each in often if each > 0]
    players = {row.player for row in rows}
    words = list(dict.fromkeys(word for row in rows for word in row.frequencies))
    if len(players) > 1:
        words = []
    frequencies = {
        word: sum(
            fraction * row.frequencies.get(word, 0.0)
            for fraction, row in zip(fractions, rows, strict=True)
        )
        for word in words
    }
    pot = sum(fraction * row.pot for fraction, row in zip(fractions, rows, strict=True))
    oop, ip = (
        _mean_totals([getattr(row, side) for row in rows], rows, fractions)
        for side in ("oop", "ip")
    )
    player = players.pop() if len(players) == 1 else ""
    return NodeReport("", (), total, pot, oop, ip, frequencies, player)


def _mean_totals(
    totals: Sequence[Totals], rows: Sequence[NodeReport], fractions: Sequence[float]
) -> Totals:
    fraction, pot = np.array(fractions), np.array([row.pot for row in rows])
    combos, ev, equity = (
        np.array([getattr(each, name) for each in totals]) for name in ("combos", "ev", "equity")
    )
    won, due = float(fraction @ ev), float(fraction @ (equity * pot))
    eqr = won / due if due > 0 else float("nan")
    return Totals(float(fraction @ combos), 1.0, won, float(fraction @ equity), eqr, ())
