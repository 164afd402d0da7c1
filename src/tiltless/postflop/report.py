"""Hand reports at a node: weight, strategy, EV, equity, EQR of every hand.

**EV** is in chips won from here on: the chips in the middle and in front belong to nobody yet, so
folding has EV 0, and checking down a pot P with equity q has EV q P. `Node.cfv` is net of half the
pot of the spot and of all that was paid since, so

    EV = cfv / others + pot of the spot / 2 + what the player has paid since,

and the EV of an action is the same with the cfv of the node that it leads to. Rake is already
deducted: the players' EVs sum to the pot less the expected rake.

**Equity** is the share of the pot if all cards were dealt and nobody bet again, against the range
with which the opponent reaches the node, exact over all possible runouts. **EQR**, equity
realisation, is EV / (equity x pot).

Means over hands are weighted by how often the hands are dealt: *pairs* is the weight of a hand
times the weight of the opponent's hands that share no card with it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import (
    CLASS_COUNT,
    CLASS_OF_COMBO,
    COMBO_COUNT,
    Cards,
    check_disjoint,
    combo_index,
    combo_text,
    parse_cards,
)
from tiltless.cards.hand_equity import hand_equities
from tiltless.cards.ranges import Range
from tiltless.errors import OptionError, RangeError
from tiltless.games.holdem.notation import action_words
from tiltless.kernels.postflop.street import AVERAGE
from tiltless.postflop.node import Node
from tiltless.postflop.spot import IP, OOP, PLAYERS

__all__ = [
    "HARDLY",
    "HandReport",
    "Totals",
    "actor_report",
    "check_decision",
    "class_means",
    "hand_report",
    "nobody_left",
    "number_text",
    "street_reports",
]

Vector = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

HARDLY = 1e-6
"""Of the opponent's range: against less, 32 bits are too coarse for an EV."""


class Totals(NamedTuple):
    """Means over some hands of a player.

    combos: sum of their weights.  share: fraction of all pairs of hands at the node, 0 to 1.
    ev, equity, eqr: see the module; NaN where there are no hands.
    frequencies: how often each action is taken, for the player who acts; NaN without hands.
    """

    combos: float
    share: float
    ev: float
    equity: float
    eqr: float
    frequencies: tuple[float, ...]


@dataclass(frozen=True, repr=False)
class HandReport:
    """The report of one player's 1,326 combos at a node; `hand_report` makes it.

    actions: of this player here, as words of a line; empty where the player does not act.
    weight: the player's reach with each combo, 0 to 1.
    pairs: weight times the opponent's reach with compatible hands; see the module.
    ev, equity, eqr: NaN for combos that are not in the player's range or face no possible hand.
    strategy: ``[1326, actions]``.  action_ev: of each action, ``[1326, actions]``, NaN as for ev.
    """

    node: Node
    player: int
    actions: tuple[str, ...]
    weight: Vector
    pairs: Vector
    ev: Vector
    equity: Vector
    strategy: Vector
    action_ev: Vector

    def __repr__(self) -> str:
        totals, who = self.totals, PLAYERS[self.player].upper()
        after = f" after {self.node.line!r}" if self.node.moves else ""
        return (
            f"<HandReport of {who}{after}: {totals.combos:.1f} combos, EV "
            f"{number_text(totals.ev)}, equity {number_text(100 * totals.equity, '{:.1f}')} %, EQR "
            f"{number_text(totals.eqr)}>"
        )

    @cached_property
    def eqr(self) -> Vector:
        """EV / (equity x pot); NaN where the equity is 0 or NaN."""
        return _ratio(self.ev, self.equity * self.node.pot)

    @cached_property
    def known(self) -> Mask:
        """The combos that reach this node, bool ``[1326]``."""
        return self.pairs > 0

    @cached_property
    def totals(self) -> Totals:
        """Totals of the whole range."""
        return self.total(np.ones(COMBO_COUNT, np.bool_))

    def total(self, which: Mask) -> Totals:
        """Totals of some combos, a mask bool ``[1326]``."""
        some = which & self.known
        pairs = self.pairs[some]
        met = float(pairs.sum())
        ev, equity = (_mean(numbers[some], pairs) for numbers in (self.ev, self.equity))
        often = pairs @ self.strategy[some] / met if met else np.full(len(self.actions), np.nan)
        return Totals(
            float(self.weight[some].sum()),
            met / every if (every := float(self.pairs.sum())) else 0.0,
            ev,
            equity,
            ev / (equity * self.node.pot) if equity > 0 else float("nan"),
            tuple(often.tolist()),
        )

    def hand(self, cards: Cards) -> Totals:
        """Totals of one hand, such as ``"AsKd"``; `RangeError` if the player never has it here."""
        combo, board = combo_index(cards), self.node.board
        check_disjoint(board=board, hand=parse_cards(cards))
        if not self.known[combo]:
            who, line = PLAYERS[self.player].upper(), self.node.line
            raise RangeError(
                f"{who} never has {combo_text(combo)} after {line!r}; ask for a hand of the range "
                "that reaches this node"
            )
        return self.total(np.arange(COMBO_COUNT) == combo)

    def by_class(self) -> dict[str, Vector]:
        """Means over the combos of each of the 169 classes: weight, ev, equity, strategy.

        The weight is averaged over all combos that the board does not block. The others are
        weighted by pairs, and NaN for classes that never reach this node. Shape ``[169]``;
        ``[169, actions]`` for the strategy.
        """
        board = self.node.board
        possible = np.array(Range.random().without(board).weights > 0, np.float64)
        return {
            "weight": class_means(self.weight, possible),
            "ev": class_means(np.nan_to_num(self.ev), self.pairs),
            "equity": class_means(np.nan_to_num(self.equity), self.pairs),
            "strategy": class_means(self.strategy, self.pairs),
        }


def hand_report(node: Node, player: int, *, equity: bool = True) -> HandReport:
    """The report of a player, 0 IP or 1 OOP, at a node.

    equity: False leaves equities as NaN, which saves most of the time on a flop.
    """
    return _report(node, player, _board_cfv(node, player), equity)


def actor_report(node: Node, *, equity: bool = True) -> HandReport:
    """The report of the player to act at a node; raises `OptionError` as `check_decision` does."""
    check_decision(node)
    return hand_report(node, node.actor, equity=equity)


def check_decision(node: Node) -> None:
    """Raise `OptionError` where nobody acts, or if the board blocks a player's whole range."""
    if node.actor < 0:
        raise OptionError(
            f"nobody acts after {node.line!r}; give a line that leads to a decision, such as 'x'"
        )
    if blocked := nobody_left(node):
        raise OptionError(f"{blocked} ({node.line!r}); give a line with another card")


def nobody_left(node: Node) -> str:
    """``OOP has no hand left after this card``; empty if both players have hands."""
    for player in (OOP, IP):
        if not len(node.combos(player)):
            return f"{PLAYERS[player].upper()} has no hand left after this card"
    return ""


def number_text(number: float, form: str = "{:.2f}") -> str:
    """A number as text: ``-`` for NaN, and no minus sign before a zero."""
    if np.isnan(number):
        return "-"
    text = form.format(number)
    return text.removeprefix("-") if not text.strip("-0.% ") else text


def street_reports(node: Node, *, equity: bool = True) -> Iterator[HandReport]:
    """Reports of the actor at a decision and at all later decisions of the same street."""
    check_decision(node)
    cfv = {player: _board_cfv(node, player) for player in (OOP, IP)}
    nodes = [node]
    while nodes:
        here = nodes.pop()
        if here.actor >= 0:
            yield _report(here, here.actor, cfv[here.actor], equity)
            nodes += [here.after(action) for action in reversed(here.actions)]


def _board_cfv(node: Node, player: int) -> npt.NDArray[np.float32]:
    return node.solver.cfv(node.street_index, node.board_index, player, AVERAGE)


def _report(node: Node, player: int, cfv: npt.NDArray[np.float32], equity: bool) -> HandReport:
    """cfv: the result of `PostflopSolver.cfv` for this player and board."""
    spot, others, weight = node.solver.spot, node.others(player), node.reaches[player]
    met = others > HARDLY * node.reaches[1 - player].sum()
    held = np.zeros(COMBO_COUNT, np.bool_)
    combos = node.combos(player)
    held[combos] = True
    met &= held
    paid = spot.pot / 2 + spot.stack - node.betting.stacks[player]

    def value(index: int) -> Vector:
        ev = np.full(COMBO_COUNT, np.nan)
        ev[combos] = cfv[index, : len(combos)]
        ev[met] = ev[met] / others[met] + paid
        return np.where(met, ev, np.nan)

    acts = node.actor == player
    below = [value(child) for child in node.forest.children(node.index)] if acts else []
    return HandReport(
        node,
        player,
        action_words(node.actions, node.betting) if acts else (),
        weight,
        np.where(met, weight * others, 0.0),
        value(node.index),
        _equities(node, player, held) if equity else np.full(COMBO_COUNT, np.nan),
        node.strategy if acts else np.zeros((COMBO_COUNT, 0)),
        np.stack(below, axis=1) if below else np.zeros((COMBO_COUNT, 0)),
    )


def _equities(node: Node, player: int, held: Mask) -> Vector:
    """Equity of every combo of a player against the opponent's range here; NaN if not held."""
    reach = node.reaches[1 - player]
    if not (held.any() and reach.any()):
        return np.full(COMBO_COUNT, np.nan)
    mine = Range.from_weights(held.astype(np.float64))
    theirs = Range.from_weights(reach / reach.max())
    return hand_equities(mine, theirs, board=node.board)


def class_means(numbers: Vector, weights: Vector) -> Vector:
    """Weighted means over the combos of each class, ``[169, …]``; NaN without weight."""
    columns = numbers.reshape(COMBO_COUNT, -1).T
    sums = [np.bincount(CLASS_OF_COMBO, column * weights, CLASS_COUNT) for column in columns]
    total = np.bincount(CLASS_OF_COMBO, weights, CLASS_COUNT).astype(np.float64)
    means = _ratio(np.array(sums, np.float64).reshape(len(columns), CLASS_COUNT), total).T
    return means.reshape(CLASS_COUNT, *numbers.shape[1:])


def _mean(numbers: Vector, weights: Vector | Sequence[float]) -> float:
    total = float(np.sum(weights))
    return float(numbers @ np.asarray(weights)) / total if total else float("nan")


def _ratio(above: Vector, below: Vector) -> Vector:
    """Quotients; NaN where the divisor is not positive."""
    positive = below > 0
    return np.where(positive, above / np.where(positive, below, 1.0), np.nan)
