"""Hand reports at a node: weight, strategy, EV, equity, EQR of every hand.

**EV** is in chips, won from here on: what is in the middle or in front belongs to nobody, so to
fold is 0, and to check down a pot P with equity q is q P. `Node.cfv` is net of half the pot of
the spot and of all that was paid since, so

    EV = worth / others + pot of the spot / 2 + what the player has paid since,

and that of an action is the same with the worth of what it leads to. Rake is gone already: both
EVs sum to the pot less the rake that will be taken, on average.

**Equity** is the share of the pot if all cards were dealt and nobody bet again, against the range
with which the opponent comes here, exact over all boards that may come. **EQR**, equity
realisation, is EV / (equity x pot).

Means over hands count how often hands are really dealt: *pairs* is the weight of a hand times that
of the opponent's hands that it leaves possible.
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
Many = npt.NDArray[np.bool_]

_HARDLY = 1e-6  # less than this share of the opponent's range: 32 bits know no EV against it


class Totals(NamedTuple):
    """Means over some hands of a player.

    combos: sum of their weights.  share: of all pairs of hands of the place, 0 to 1.
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
    """All numbers of one player's 1,326 combos at a place; `hand_report` makes it.

    actions: of this player here, as words of a line; none where another acts.
    weight: in the range of the spot, times how often the player comes here with the combo; 0 to 1.
    pairs: how often hands are dealt and come here, of both players; see the module.
    ev, equity, eqr: NaN for combos that are not in the player's range or meet no hand.
    strategy: ``[1326, actions]``.  action_ev: of each action, ``[1326, actions]``, NaN as for ev.
    """

    place: Node
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
        after = f" after {self.place.line!r}" if self.place.moves else ""
        return (
            f"<HandReport of {who}{after}: {totals.combos:.1f} combos, EV "
            f"{number_text(totals.ev)}, equity {number_text(100 * totals.equity, '{:.1f}')} %, EQR "
            f"{number_text(totals.eqr)}>"
        )

    @cached_property
    def eqr(self) -> Vector:
        """EV / (equity x pot); NaN without equity."""
        return _ratio(self.ev, self.equity * self.place.pot)

    @cached_property
    def known(self) -> Many:
        """The combos that come here, bool ``[1326]``."""
        return self.pairs > 0

    @cached_property
    def totals(self) -> Totals:
        """Of the whole range."""
        return self.total(np.ones(COMBO_COUNT, np.bool_))

    def total(self, which: Many) -> Totals:
        """Of some combos, bool ``[1326]``."""
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
            ev / (equity * self.place.pot) if equity > 0 else float("nan"),
            tuple(often.tolist()),
        )

    def hand(self, cards: Cards) -> Totals:
        """Of one hand, such as ``"AsKd"``; refused where the player cannot have it here."""
        combo, board = combo_index(cards), self.place.board
        check_disjoint(board=board, hand=parse_cards(cards))
        if not self.known[combo]:
            who, line = PLAYERS[self.player].upper(), self.place.line
            raise RangeError(
                f"{who} never comes here with {combo_text(combo)} ({line!r}); ask for a hand of "
                "its range"
            )
        return self.total(np.arange(COMBO_COUNT) == combo)

    def by_class(self) -> dict[str, Vector]:
        """Means over the combos of each of the 169 classes: weight, ev, equity, strategy.

        The weight is over all combos that the board leaves possible; others count by pairs, and are
        NaN for classes that do not come here. ``[169]``, and ``[169, actions]`` for the strategy.
        """
        board = self.place.board
        possible = np.array(Range.random().without(board).weights > 0, np.float64)
        return {
            "weight": class_means(self.weight, possible),
            "ev": class_means(np.nan_to_num(self.ev), self.pairs),
            "equity": class_means(np.nan_to_num(self.equity), self.pairs),
            "strategy": class_means(self.strategy, self.pairs),
        }


def hand_report(place: Node, player: int, *, equity: bool = True) -> HandReport:
    """The numbers of a player, 0 IP or 1 OOP, at a place.

    equity: False leaves equities out, as NaN, which saves most of the time on a flop.
    """
    return _report(place, player, _worth(place, player), equity)


def actor_report(place: Node, *, equity: bool = True) -> HandReport:
    """The numbers of the player who acts at a place; `OptionError` as of `check_decision`."""
    check_decision(place)
    return hand_report(place, place.actor, equity=equity)


def check_decision(place: Node) -> None:
    """`OptionError` where nobody acts, or the cards leave a player without a hand."""
    if place.actor < 0:
        raise OptionError(
            f"nobody acts after {place.line!r}; give a line that leads to a decision, such as 'x'"
        )
    if gone := nobody_left(place):
        raise OptionError(f"{gone} ({place.line!r}); give a line with another card")


def nobody_left(place: Node) -> str:
    """``OOP has no hand left after this card``; nothing where both have hands."""
    for player in (OOP, IP):
        if not len(place.combos(player)):
            return f"{PLAYERS[player].upper()} has no hand left after this card"
    return ""


def number_text(number: float, form: str = "{:.2f}") -> str:
    """A number as players read it: ``-`` where it is not known, and no minus before a zero."""
    if np.isnan(number):
        return "-"
    text = form.format(number)
    return text.removeprefix("-") if not text.strip("-0.% ") else text


def street_reports(place: Node, *, equity: bool = True) -> Iterator[HandReport]:
    """The same for a decision and all decisions after it on the same street."""
    check_decision(place)
    cfv = {player: _worth(place, player) for player in (OOP, IP)}
    places = [place]
    while places:
        here = places.pop()
        if here.actor >= 0:
            yield _report(here, here.actor, cfv[here.actor], equity)
            places += [here.after(action) for action in reversed(here.actions)]


def _worth(place: Node, player: int) -> npt.NDArray[np.float32]:
    return place.solver.cfv(place.level, place.number, player, AVERAGE)


def _report(place: Node, player: int, cfv: npt.NDArray[np.float32], equity: bool) -> HandReport:
    """cfv: what `PostflopSolver.cfv` says of this player and board."""
    spot, others, weight = place.solver.spot, place.others(player), place.reaches[player]
    met = others > _HARDLY * place.reaches[1 - player].sum()
    held = np.zeros(COMBO_COUNT, np.bool_)
    combos = place.combos(player)
    held[combos] = True
    met &= held
    paid = spot.pot / 2 + spot.stack - place.betting.stacks[player]

    def value(node: int) -> Vector:
        found = np.full(COMBO_COUNT, np.nan)
        found[combos] = cfv[node, : len(combos)]
        found[met] = found[met] / others[met] + paid
        return np.where(met, found, np.nan)

    acts = place.actor == player
    below = [value(child) for child in place.street.children(place.node)] if acts else []
    return HandReport(
        place,
        player,
        action_words(place.actions, place.betting) if acts else (),
        weight,
        np.where(met, weight * others, 0.0),
        value(place.node),
        _equities(place, player, held) if equity else np.full(COMBO_COUNT, np.nan),
        place.strategy if acts else np.zeros((COMBO_COUNT, 0)),
        np.stack(below, axis=1) if below else np.zeros((COMBO_COUNT, 0)),
    )


def _equities(place: Node, player: int, held: Many) -> Vector:
    """Equity of every combo of a player against the other's range here, NaN where there is none."""
    reach = place.reaches[1 - player]
    if not (held.any() and reach.any()):
        return np.full(COMBO_COUNT, np.nan)
    mine = Range.from_weights(held.astype(np.float64))
    theirs = Range.from_weights(reach / reach.max())
    return hand_equities(mine, theirs, board=place.board)


def class_means(numbers: Vector, weights: Vector) -> Vector:
    """Weighted means over the combos of each class, ``[169, …]``; NaN where there is no weight."""
    columns = numbers.reshape(COMBO_COUNT, -1).T
    sums = [np.bincount(CLASS_OF_COMBO, column * weights, CLASS_COUNT) for column in columns]
    total = np.bincount(CLASS_OF_COMBO, weights, CLASS_COUNT).astype(np.float64)
    means = _ratio(np.array(sums, np.float64).reshape(len(columns), CLASS_COUNT), total).T
    return means.reshape(CLASS_COUNT, *numbers.shape[1:])


def _mean(numbers: Vector, weights: Vector | Sequence[float]) -> float:
    total = float(np.sum(weights))
    return float(numbers @ np.asarray(weights)) / total if total else float("nan")


def _ratio(above: Vector, below: Vector) -> Vector:
    """Quotients, NaN where the divisor is not above 0."""
    positive = below > 0
    return np.where(positive, above / np.where(positive, below, 1.0), np.nan)
