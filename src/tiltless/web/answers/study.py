"""Nodes of solved spots and of blueprints as JSON, the same for both, for the explorer.

A node has its strip (what was done, and what else could have been), both players' ranges, and for
the player who is looked at the strategy of each of 169 classes and of every combo.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import COMBO_COUNT, card_text, combo_text
from tiltless.cards.made_hands import DRAWS, MADE_HANDS, draws, made_hands
from tiltless.games.holdem.actions import Action
from tiltless.games.holdem.betting import Betting
from tiltless.games.holdem.notation import action_label, action_words
from tiltless.kernels.postflop.street import FOLD as FOLDED
from tiltless.kernels.postflop.street import STREET_END
from tiltless.postflop.node import Node, find_node
from tiltless.postflop.report import Totals, class_means, hand_report
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import OOP, PLAYERS, Spot
from tiltless.postflop.tables import action_report, card_report, how_often
from tiltless.web.answers.grid import actions_json, class_of, classes_json, number, numbers

__all__ = [
    "Combos",
    "cards_json",
    "combos_json",
    "decision_step",
    "equity_curve",
    "first_grid",
    "solved_node",
    "spot_json",
]

Vector = npt.NDArray[np.float64]

_CURVE = 100  # points of an equity curve
_LEAST = 0.0005  # of the largest weight; a combo with less is not listed


class Combos(NamedTuple):
    """Every combo of a player at a node; see `tiltless.postflop.report.HandReport`.

    ev, equity: NaN where they are not known.
    """

    weight: Vector
    strategy: Vector
    ev: Vector
    equity: Vector
    action_ev: Vector


def spot_json(spot: Spot) -> dict[str, Any]:
    """A spot as its editor reads it."""
    return {
        "board": spot.board_text,
        "pot": spot.pot,
        "stack": spot.stack,
        "bets": str(spot.bets),
        "big_blind": spot.big_blind,
        "rake": spot.rake,
        "oop": str(spot.oop),
        "ip": str(spot.ip),
    }


def solved_node(solver: PostflopSolver, line: str, of: str) -> dict[str, Any]:
    """A node of a solved spot.  of: whose hands are shown, by default those of who acts."""
    node = find_node(solver, line)
    actor = PLAYERS[node.actor] if node.actor >= 0 else ""
    player = PLAYERS.index(of) if of in PLAYERS else max(node.actor, -1)
    if player < 0:
        player = OOP
    report = hand_report(node, player)
    other = hand_report(node, 1 - player)
    reports = {PLAYERS[player]: report, PLAYERS[1 - player]: other}
    acts = next((each for each in reports.values() if each.actions), None)
    actions = actions_json(node.actions, node.betting, node.pot, 1) if acts else []
    for row, action in zip(actions, action_report(acts) if acts else (), strict=True):
        row["frequency"], row["ev"] = number(action.often), number(action.ev, 3)
    combos = Combos(report.weight, report.strategy, report.ev, report.equity, report.action_ev)
    return {
        "kind": "spot",
        "line": node.line,
        "board": [card_text(card) for card in node.board],
        "dealt": len(solver.boards[0].boards[0]),
        "street": ("flop", "turn", "river")[len(node.board) - 3],
        "pot": node.pot,
        "stacks": dict(zip(PLAYERS, node.betting.stacks, strict=True)),
        "to_call": node.betting.to_call if node.actor >= 0 else 0,
        "player": actor,
        "of": PLAYERS[player],
        "over": _over(node),
        "often": number(how_often(node, cards=False)),
        "cards": [card_text(card) for card in node.cards_to_come()],
        "strip": list(_strip(solver, node)),
        "actions": actions,
        "totals": {name: _totals(each.totals) for name, each in reports.items()},
        "curves": {name: equity_curve(each.pairs, each.equity) for name, each in reports.items()},
        "locked": _key(node) in solver.locks,
        "locks": len(solver.locks),
        **combos_json(combos, node.board, own=bool(report.actions), pairs=report.pairs),
    }


def first_grid(solver: PostflopSolver) -> dict[str, Any]:
    """The first decision of a spot as it stands while it is solved."""
    node = find_node(solver)
    report = hand_report(node, node.actor)
    actions = actions_json(node.actions, node.betting, node.pot, 1)
    for row, often in zip(actions, report.totals.frequencies, strict=True):
        row["frequency"] = number(often)
    classes = classes_json(np.nan_to_num(report.weight), np.nan_to_num(report.strategy))
    return {"player": PLAYERS[node.actor], "actions": actions, "classes": classes}


def equity_curve(weight: Vector, equity: Vector) -> list[float]:
    """The equity of a range from its best hand to its worst: at 101 equal steps of its weight.

    weight: of each combo, ``[1326]``.  equity: NaN where it is not known.  Empty without hands.
    """
    known = ~np.isnan(equity) & (np.nan_to_num(weight) > 0)
    if not known.any():
        return []
    order = np.argsort(-equity[known], kind="stable")
    values, parts = equity[known][order], weight[known][order]
    ends = np.cumsum(parts) / parts.sum()
    at = np.searchsorted(ends, np.linspace(0, 1, _CURVE + 1) - 1e-12)
    return numbers(values[np.minimum(at, len(values) - 1)], 3)


def _key(node: Node) -> tuple[int, int, int]:
    return node.street_index, node.board_index, node.index


def _over(node: Node) -> str:
    if node.actor >= 0 or node.actor == STREET_END:
        return ""
    return "fold" if node.actor == FOLDED else "showdown"


def _totals(totals: Totals) -> dict[str, Any]:
    return {
        "combos": number(totals.combos, 1),
        "ev": number(totals.ev, 3),
        "equity": number(totals.equity),
        "eqr": number(totals.eqr, 3),
    }


def _strip(solver: PostflopSolver, node: Node) -> Iterator[dict[str, Any]]:
    """What was done on the line, with the other choices."""
    here = find_node(solver)
    for move in node.moves:
        if isinstance(move, Action):
            yield decision_step(
                PLAYERS[here.actor], here.line, here.actions, here.betting, here.pot, move
            )
        else:
            yield {"kind": "card", "line": here.line, "cards": [card_text(move)]}
        here = here.after(move)


def decision_step(
    player: str,
    line: str,
    actions: Sequence[Action],
    betting: Betting,
    pot: int,
    taken: Action,
) -> dict[str, Any]:
    """A decision of the strip.  line: that leads to it."""
    words = action_words(tuple(actions), betting)
    labels = [action_label(action, betting, pot) for action in actions]
    return {
        "kind": "action",
        "player": player,
        "line": line,
        "taken": list(actions).index(taken),
        "choices": [
            {"word": word, "label": label} for word, label in zip(words, labels, strict=True)
        ],
    }


def combos_json(
    combos: Combos,
    board: Sequence[int],
    *,
    own: bool,
    pairs: Vector | None = None,
    listed: bool = True,
) -> dict[str, Any]:
    """``classes`` and ``combos``.

    own: whether the player acts here; otherwise there is no strategy.  pairs: weights of means
    over a class, by default the combos' own.  listed: False before the flop, where all combos of a
    class are alike.
    """
    weight = np.nan_to_num(combos.weight)
    weights = weight if pairs is None else pairs
    strategy = combos.strategy if own else (weight > 0).astype(np.float64)[:, None]
    classes = classes_json(weight, strategy)
    for name, values in (("ev", combos.ev), ("equity", combos.equity)):
        known = np.where(np.isnan(values), 0.0, weights)
        classes[name] = numbers(class_means(np.nan_to_num(values), known), 3)
    if not own:
        classes["strategy"] = None
    least = _LEAST * max(float(weight.max()), 1e-30)
    some = np.flatnonzero(weight > least).tolist() if listed else []
    dealt = len(board) >= 3
    made = made_hands(tuple(board)) if dealt else np.full(COMBO_COUNT, -1)
    drawn = draws(tuple(board)) if dealt else np.full(COMBO_COUNT, -1)
    rows = [
        {
            "hand": combo_text(n),
            "class": class_of(n),
            "weight": number(float(weight[n])),
            "ev": number(float(combos.ev[n]), 3),
            "equity": number(float(combos.equity[n])),
            "mix": numbers(combos.strategy[n], 3) if own else None,
            "evs": numbers(combos.action_ev[n], 3) if own and combos.action_ev.size else None,
            "made": MADE_HANDS[int(made[n])] if dealt and made[n] >= 0 else "",
            "draw": DRAWS[int(drawn[n])] if dealt and drawn[n] >= 0 else "",
        }
        for n in some
    ]
    return {"classes": classes, "combos": rows}


def cards_json(solver: PostflopSolver, line: str) -> list[dict[str, Any]]:
    """What each next card does: EV and equity of both players, and what the next player does."""
    rows = []
    for card, report in card_report(find_node(solver, line)).items():
        rows.append(
            {
                "card": card_text(card),
                "oop": _totals(report.oop),
                "ip": _totals(report.ip),
                "player": report.player,
                "frequencies": {word: number(part) for word, part in report.frequencies.items()},
            }
        )
    return rows
