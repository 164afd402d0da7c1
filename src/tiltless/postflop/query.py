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

    lines: what was asked for, and where each leads: ``x x *`` to one place for each card.
    """

    lines: dict[str, list[Node]]

    @property
    def place(self) -> Node:
        """The first."""
        return self.places[0]

    @cached_property
    def places(self) -> list[Node]:
        """All of them."""
        return [place for places in self.lines.values() for place in places]

    @property
    def is_one(self) -> bool:
        """Whether it is one place; several are shown as a table."""
        return len(self.places) == 1

    @property
    def card_at(self) -> int:
        """Which move is the first card that may be any, where there is one line; else -1."""
        words = next(iter(self.lines)).split()
        return words.index(ANY_CARD) if len(self.lines) == 1 and ANY_CARD in words else -1

    @cached_property
    def reports(self) -> list[NodeReport]:
        """Of each place."""
        return node_reports(self.places)

    @cached_property
    def rows(self) -> dict[str, NodeReport]:
        """What a table has: a row for each card, or for each line; means where a row is of many."""
        groups: dict[str, list[NodeReport]] = {}
        lines = [line for line, places in self.lines.items() for _ in places]
        for line, place, report in zip(lines, self.places, self.reports, strict=True):
            card = place.moves[self.card_at] if self.card_at >= 0 else None
            groups.setdefault(card_text(card) if isinstance(card, int) else line, []).append(report)
        return {name: _mean(group) for name, group in groups.items()}

    @cached_property
    def together(self) -> NodeReport | None:
        """The mean over all places; None where play never comes there, or one leads to another."""
        moves = {place.moves for place in self.places}
        inside = any(made[:n] in moves for made in moves for n in range(len(made)))
        if inside or len(moves) < len(self.places) or not any(row.often for row in self.reports):
            return None
        return aggregate(self.reports)

    @cached_property
    def report(self) -> HandReport | None:
        """Of who acts at the one place."""
        if not self.is_one or self.place.actor < 0:
            return None
        return hand_report(self.place, self.place.actor, equity=False)

    def check_drawn(self) -> None:
        """`OptionError` where there is no one decision to draw a grid of."""
        if not self.is_one:
            asked = ", ".join(self.lines)
            raise OptionError(
                f"{asked!r} is {len(self.places)} places, and a grid shows one; give a line "
                "without * that leads to a decision, such as 'x'"
            )
        check_decision(self.place)

    def check_exported(self) -> None:
        """`OptionError` where there is nothing to write."""
        if self.is_one:
            check_decision(self.place)

    def as_json(self) -> dict[str, Any]:
        """``line``, ``player`` and ``actions`` of a decision; ``places`` and ``together`` else."""
        if not self.is_one:
            mean = None if self.together is None else node_as_json(self.together)
            return {"places": [node_as_json(row) for row in self.reports], "together": mean}
        if self.report is None:
            return {}
        return {
            "line": self.place.line,
            "player": PLAYERS[self.report.player],
            "actions": [
                {
                    "action": str(action),
                    "label": row.label,
                    "frequency": None if math.isnan(row.often) else row.often,
                    "ev": None if math.isnan(row.ev) else row.ev,
                }
                for action, row in zip(self.place.actions, action_report(self.report), strict=True)
            ],
        }


def query_nodes(solver: PostflopSolver, at: str) -> NodeQuery:
    """at: a line of `tiltless.postflop.line`, or several as of `follow_lines`.

    A line that ends where a card is dealt is taken with any card.
    """
    start = find_node(solver)
    lines = follow_lines(start, at)
    if len(lines) == 1:
        line, places = lines.popitem()
        if places[0].actor == STREET_END:
            line = f"{line} {ANY_CARD}"
        return NodeQuery(follow_lines(start, line))
    return NodeQuery(lines)


def _mean(reports: list[NodeReport]) -> NodeReport:
    """Of several, or of those that play comes to."""
    if len(reports) == 1 or not any(row.often for row in reports):
        return reports[0]
    return aggregate(reports)
