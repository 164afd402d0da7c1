"""Nodes of a blueprint as JSON, in the shape of `tiltless.web.answers.study`.

The line has the tree's actions, the board comes beside it: ``r5 c / x b6`` on Ks7d2c. A blueprint
has strategies and no values, so EV is not known.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.agents.blueprint import KnownHands
from tiltless.blueprint.line_text import ReadLine, read_line
from tiltless.blueprint.strategy import Blueprint
from tiltless.cards.card import COMBO_CARDS, COMBO_COUNT, card_text, cards_text, parse_cards
from tiltless.cards.hand_equity import hand_equities
from tiltless.cards.ranges import Range
from tiltless.errors import CardError, OptionError
from tiltless.games.holdem.notation import NEXT_STREET, split_line
from tiltless.kernels.blueprint.quantise import WHOLE
from tiltless.postflop.spot import IP, OOP, PLAYERS
from tiltless.web.answers.grid import actions_json, number
from tiltless.web.answers.study import Combos, combos_json, decision_step, equity_curve

__all__ = ["FollowedNode", "blueprint_node", "blueprint_spot", "followed_line", "unblocked"]

Vector = npt.NDArray[np.float64]

_DEALT = (0, 3, 4, 5)
_STREETS = ("preflop", "flop", "turn", "river")
_ROUND = 50  # weights of ranges as text are multiples of 1 / 50


class FollowedNode(NamedTuple):
    """A line followed through the tree: where it leads, the reaches, and the strip.

    reaches, at_street: of both players, now and at the start of the street, ``[1326]`` each.
    """

    here: ReadLine
    line: str
    reaches: list[Vector]
    at_street: list[Vector]
    strip: list[dict[str, Any]]
    visited: float


def blueprint_node(known: KnownHands, line: str, board: str, of: str) -> dict[str, Any]:
    """A node of a blueprint for two players.  board: cards in the order dealt, perhaps too few."""
    blueprint, cards = known.blueprint, parse_cards(board)
    if blueprint.game.players != len(PLAYERS):
        raise OptionError("only blueprints for two players are shown; choose another")
    followed = followed_line(known, line, cards)
    here, street = followed.here, min(followed.here.street, len(_DEALT) - 1)
    needed = _DEALT[street] - len(cards) if here.actor >= 0 else 0
    cards = cards[: _DEALT[street]]
    player = PLAYERS.index(of) if of in PLAYERS else here.actor if here.actor >= 0 else OOP
    acts = here.actor >= 0 and needed <= 0
    actions = [choice.action for choice in here.choices(blueprint.tree)] if acts else []
    strategy = _strategy(known, here.node, cards) if acts else np.zeros((COMBO_COUNT, 0))
    weight = unblocked(followed.reaches[player], cards)
    equity = np.full(COMBO_COUNT, np.nan)
    if len(cards) >= _DEALT[1]:
        other = unblocked(followed.reaches[1 - player], cards)
        if weight.any() and other.any():
            mine = Range.from_weights((weight > 0).astype(np.float64))
            equity = hand_equities(mine, Range.from_weights(other / other.max()), board=cards)
    own = acts and player == here.actor
    none = np.full(COMBO_COUNT, np.nan)
    rows = actions_json(actions, here.betting, here.pot, blueprint.game.rules.big_blind)
    acting = unblocked(followed.reaches[here.actor], cards) if acts else none
    for n, row in enumerate(rows):
        row["frequency"] = number(float(acting @ strategy[:, n]) / max(float(acting.sum()), 1e-30))
        row["ev"] = None
    combos = Combos(weight, strategy, none, equity, np.zeros(0))
    return {
        "kind": "blueprint",
        "line": followed.line,
        "board": [card_text(card) for card in cards],
        "dealt": 0,
        "street": _STREETS[street],
        "pot": here.pot,
        "big_blind": blueprint.game.rules.big_blind,
        "stacks": dict(zip(PLAYERS, here.betting.stacks, strict=True)),
        "to_call": here.betting.to_call if here.actor >= 0 else 0,
        "player": PLAYERS[here.actor] if here.actor >= 0 else "",
        "of": PLAYERS[player],
        "over": "" if here.actor >= 0 else "over",
        "often": number(followed.visited, 6),
        "needs": max(needed, 0),
        "cards": [card_text(card) for card in range(52) if card not in cards] if needed > 0 else [],
        "strip": followed.strip,
        "notes": list(here.notes),
        "actions": rows,
        "totals": {
            name: _totals(unblocked(followed.reaches[n], cards), equity if n == player else none)
            for n, name in enumerate(PLAYERS)
        },
        "curves": {PLAYERS[player]: equity_curve(weight, equity)},
        "locked": False,
        "locks": 0,
        **combos_json(combos, cards, own=own, listed=len(cards) > 0),
    }


def _totals(weight: Vector, equity: Vector) -> dict[str, Any]:
    known = np.where(np.isnan(equity), 0.0, weight)
    mean = float(known @ np.nan_to_num(equity)) / known.sum() if known.sum() > 0 else None
    return {"combos": number(weight.sum(), 1), "ev": None, "equity": number(mean), "eqr": None}


def blueprint_spot(known: KnownHands, line: str, board: str) -> dict[str, Any]:
    """The spot at the start of the street that a line leads to, for the exact solver.

    Both ranges are those with which the blueprint gets there, rounded.
    """
    cards = parse_cards(board)
    followed = followed_line(known, line, cards)
    here = followed.here
    dealt = _DEALT[min(here.street, len(_DEALT) - 1)]
    if not here.street or len(cards) < dealt or here.actor < 0:
        raise OptionError("spots begin on the flop, the turn or the river; deal the board first")
    cards, paid = cards[:dealt], here.betting.bets
    ranges = [_text(unblocked(followed.at_street[n], cards)) for n in (IP, OOP)]
    return {
        "board": cards_text(cards),
        "pot": here.pot - sum(paid),
        "stack": min(stack + bet for stack, bet in zip(here.betting.stacks, paid, strict=True)),
        "big_blind": known.blueprint.game.rules.big_blind,
        "ip": ranges[IP],
        "oop": ranges[OOP],
    }


def _text(weight: Vector) -> str:
    rounded = np.rint(_ROUND * weight / max(float(weight.max()), 1e-30)) / _ROUND
    return str(Range.from_weights(rounded))


def _strategy(known: KnownHands, node: int, cards: Sequence[int]) -> Vector:
    """`Blueprint.hands`, with buckets from tables where they are there."""
    table = known.blueprint.table(node)
    chances = table / WHOLE
    chances[~table.any(axis=1)] = 1 / table.shape[1]
    out: Vector = chances[known.buckets(tuple(cards))]
    out[_blocked(cards)] = 0
    return out


def followed_line(known: KnownHands, line: str, cards: tuple[int, ...]) -> FollowedNode:
    """Follow a line word by word; `OptionError` where it leaves the tree or lacks a board."""
    blueprint, tree = known.blueprint, known.blueprint.tree
    here = read_line(tree, "")
    reaches, so_far = [np.ones(COMBO_COUNT) for _ in PLAYERS], ""
    at_street, strip, often = [each.copy() for each in reaches], [], 1.0
    for text in split_line(line):
        if text == NEXT_STREET:
            continue
        if here.actor < 0:
            raise OptionError(f"the hand is over after {so_far!r}; shorten the line")
        board = cards[: _DEALT[min(here.street, len(_DEALT) - 1)]]
        actions = [choice.action for choice in here.choices(tree)]
        after = read_line(tree, f"{so_far} {text}")
        taken = actions[_child(blueprint, here, after)]
        step = decision_step(PLAYERS[here.actor], so_far, actions, here.betting, here.pot, taken)
        if here.street and len(board) < _DEALT[here.street]:
            raise CardError(f"the {_STREETS[here.street]} is not dealt; give the board")
        chances = _strategy(known, here.node, board)[:, actions.index(taken)]
        mine = unblocked(reaches[here.actor], board)
        often *= float(mine @ chances) / max(float(mine.sum()), 1e-30)
        reaches[here.actor] = mine * chances
        strip.append(step)
        so_far = f"{so_far} {step['choices'][step['taken']]['word']}".strip()
        if after.street != here.street and after.actor >= 0:
            so_far = f"{so_far} {NEXT_STREET}"
            at_street = [each.copy() for each in reaches]
            dealt = cards[len(board) : _DEALT[after.street]]
            if dealt:
                strip.append({"kind": "card", "line": so_far, "cards": [*map(card_text, dealt)]})
        here = read_line(tree, so_far)
    return FollowedNode(here, so_far, reaches, at_street, strip, often)


def _child(blueprint: Blueprint, here: ReadLine, after: ReadLine) -> int:
    """The number of the action that leads from one node to the next."""
    children = list(blueprint.tree.children(here.node))
    return children.index(after.node)


def _blocked(cards: Sequence[int]) -> npt.NDArray[np.bool_]:
    return np.asarray(np.isin(COMBO_CARDS, list(cards)).any(axis=1))


def unblocked(weights: Vector, cards: Sequence[int]) -> Vector:
    """Weights with 0 for hands that contain one of the cards."""
    return np.where(_blocked(cards), 0.0, weights) if len(cards) else weights
