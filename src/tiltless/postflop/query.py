"""Node selection in a solved spot: one decision, all next cards, or several lines."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tiltless.cards.card import card_text
from tiltless.errors import OptionError
from tiltless.games.holdem.notation import ANY_CARD
from tiltless.kernels.postflop.street import STREET_END
from tiltless.postflop.export import node_as_json
from tiltless.postflop.line import follow_lines
from tiltless.postflop.node import Node, find_node
from tiltless.postflop.report import HandReport, check_decision, hand_report
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import PLAYERS
from tiltless.postflop.tables import NodeReport, action_report, aggregate, node_reports

__all__ = ["NodeQuery", "query_nodes"]


@dataclass(frozen=True)
class NodeQuery:
    """The node of a line, or those of several; `query_nodes` finds them.

    lines: the lines asked for and the nodes of each: ``x x *`` has one node for each card.
    """

    lines: dict[str, list[Node]]

    @property
    def node(self) -> Node:
        """The first node."""
        return self.nodes[0]

    @cached_property
    def nodes(self) -> list[Node]:
        """All nodes."""
        return [node for nodes in self.lines.values() for node in nodes]

    @property
    def is_one(self) -> bool:
        """Whether there is exactly one node; several are shown as a table."""
        return len(self.nodes) == 1

    @property
    def card_at(self) -> int:
        """The index of the first ``*`` among the moves, if there is only one line; otherwise -1."""
        words = next(iter(self.lines)).split()
        return words.index(ANY_CARD) if len(self.lines) == 1 and ANY_CARD in words else -1

    @cached_property
    def reports(self) -> list[NodeReport]:
        """The report of each node."""
        return node_reports(self.nodes)

    @cached_property
    def rows(self) -> dict[str, NodeReport]:
        """Table rows: one for each card, or one for each line; means where a row has many nodes."""
        groups: dict[str, list[NodeReport]] = {}
        lines = [line for line, nodes in self.lines.items() for _ in nodes]
        for line, node, report in zip(lines, self.nodes, self.reports, strict=True):
            card = node.moves[self.card_at] if self.card_at >= 0 else None
            groups.setdefault(card_text(card) if isinstance(card, int) else line, []).append(report)
        return {name: _mean(group) for name, group in groups.items()}

    @cached_property
    def together(self) -> NodeReport | None:
        """The mean over all nodes; None if none is ever reached, or if one leads to another."""
        moves = {node.moves for node in self.nodes}
        inside = any(line[:n] in moves for line in moves for n in range(len(line)))
        if inside or len(moves) < len(self.nodes) or not any(row.often for row in self.reports):
            return None
        return aggregate(self.reports)

    @cached_property
    def report(self) -> HandReport | None:
        """The report of the actor, if there is one node and it is a decision."""
        if not self.is_one or self.node.actor < 0:
            return None
        return hand_report(self.node, self.node.actor, equity=False)

    def check_drawn(self) -> None:
        """Raise `OptionError` unless there is exactly one decision to draw a grid of."""
        if not self.is_one:
            asked = ", ".join(self.lines)
            raise OptionError(
                f"{asked!r} has {len(self.nodes)} nodes, and a grid shows one; give a line "
                "without * that leads to a decision, such as 'x'"
            )
        check_decision(self.node)

    def check_exported(self) -> None:
        """Raise `OptionError` if there is nothing to export."""
        if self.is_one:
            check_decision(self.node)

    def as_json(self) -> dict[str, Any]:
        """``line``, ``player`` and ``actions`` of one decision, or ``places`` and ``together``."""
        if not self.is_one:
            mean = None if self.together is None else node_as_json(self.together)
            return {"places": [node_as_json(row) for row in self.reports], "together": mean}
        if self.report is None:
            return {}
        return {
            "line": self.node.line,
            "player": PLAYERS[self.report.player],
            "actions": [
                {
                    "action": str(action),
                    "label": row.label,
                    "frequency": None if math.isnan(row.often) else row.often,
                    "ev": None if math.isnan(row.ev) else row.ev,
                }
                for action, row in zip(self.node.actions, action_report(self.report), strict=True)
            ],
        }


def query_nodes(solver: PostflopSolver, at: str) -> NodeQuery:
    """Find the nodes of a line, or of several lines as in `follow_lines`.

    A line that ends where a card is dealt is followed by every card.
    """
    start = find_node(solver)
    lines = follow_lines(start, at)
    if len(lines) == 1:
        line, nodes = lines.popitem()
        if nodes[0].actor == STREET_END:
            line = f"{line} {ANY_CARD}"
        return NodeQuery(follow_lines(start, line))
    return NodeQuery(lines)


def _mean(reports: list[NodeReport]) -> NodeReport:
    """The mean over reached nodes; the first report if none is reached."""
    if len(reports) == 1 or not any(row.often for row in reports):
        return reports[0]
    return aggregate(reports)
