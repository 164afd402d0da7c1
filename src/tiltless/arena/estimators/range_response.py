"""Local best response with all of its hands at once, in a hand of whole ranges.

For every hand that it may hold the response takes the action of the largest U, as
`tiltless.arena.estimators.lbr` does for one: what it believes of the bot is the bot's reach,
without the hands that share a card with its own. So its winnings are those of that response, with
the luck of both players' cards taken out exactly (`tiltless.arena.estimators.range_hand`).

All terms of U are linear in the probabilities to fold. With D (1 where two hands share no card) and
E (edges, P(win) - P(lose)), the bot's range r, its chances to fold f, the pot, a call of c and a
raise of b more chips than a call, U of the response's hands times D r is

    U(call)    D r = (D r + E r) / 2 pot - (D r - E r) / 2 c
    U(raise b) D r = D (r f) pot + (C + W) / 2 (pot + b) - (C - W) / 2 (c + b)
    C = D (r (1 - f)),  W = E (r (1 - f))

Where a bot takes long to answer, it is asked about few sizes, coarse to fine, as in
`tiltless.arena.estimators.coarse_to_fine`; the next size asked about is the one that promises most
to all hands together.

Paper: Lisý & Bowling (2017), arXiv 1612.07547, algorithm 1.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tiltless.agents.agent import KnownStrategy, Policies
from tiltless.arena.estimators.coarse_to_fine import MORE, WORTH, middle_of_gap, share_of_smaller
from tiltless.arena.estimators.lbr import (
    LbrSetting,
    beyond_call,
    fold_chances,
    lbr_options,
    stakes,
    takes_long,
)
from tiltless.arena.estimators.range_hand import Vector
from tiltless.cards.matchups import apart, edges_of_all
from tiltless.games.holdem.actions import FOLD, Action, RaiseTo
from tiltless.games.holdem.view import View

__all__ = ["RangeResponse"]


class _Answer(NamedTuple):
    """What a bot does after a raise, against each hand of the response.

    folded: D (r f).  called, won: C and W of the module.
    """

    folded: Vector
    called: Vector
    won: Vector

    def mixed(self, other: "_Answer", share: float) -> "_Answer":
        """Between two answers, as if the bot gave this one with probability ``share``."""
        return _Answer(*(share * a + (1 - share) * b for a, b in zip(self, other, strict=True)))


class _Spot:
    """A decision of the response: U times D r, for each of its hands."""

    def __init__(self, view: View, range_: Vector) -> None:
        self.pot, self.asked = stakes(view)
        self.range, self.edges = range_, edges_of_all(view.board)
        self.met = apart() @ range_
        self.ahead = self.edges @ range_

    def stay(self) -> Vector:
        """Of a check or a call."""
        return _shown(self.met, self.ahead, self.pot, self.asked)

    def answer(self, folds: Vector | None) -> _Answer:
        """The bot's answer to a raise.  folds: its chances; None if it never folds."""
        if folds is None:
            return _Answer(np.zeros(1326), self.met, self.ahead)
        stays = self.range * (1 - folds)
        called = apart() @ stays
        return _Answer(self.met - called, called, self.edges @ stays)

    def raised(self, beyond: float, answer: _Answer) -> Vector:
        """Of a raise by ``beyond`` chips more than a call."""
        shown = _shown(answer.called, answer.won, self.pot + beyond, self.asked + beyond)
        return np.asarray(answer.folded * self.pot + shown)


def _shown(met: Vector, ahead: Vector, win: float, lose: float) -> Vector:
    return np.asarray((met + ahead) / 2 * win - (met - ahead) / 2 * lose)


class RangeResponse:
    """A `RangePlayer` that plays a local best response to a bot."""

    def __init__(self, bot: KnownStrategy, setting: LbrSetting) -> None:
        self.bot, self.setting = bot, setting

    def answer(self, view: View, own: Vector, other: Vector) -> Policies:
        """For each hand, the action with the largest U; the cheapest if several are equal."""
        options, raises = lbr_options(view, self.setting)
        actions: list[Action] = [*options]
        if len(options) + len(raises) == 1:
            return Policies(tuple(actions), np.ones((1326, 1), np.float32))
        spot = _Spot(view, other)
        values = [np.zeros(1326) if action == FOLD else spot.stay() for action in options]
        for index, value in self._raised(view, spot, raises, own, np.max(values, axis=0)).items():
            actions.append(raises[index])
            values.append(value)
        # sums in another order differ by rounding: what is that close is equal
        best = np.max(values, axis=0)
        slack = 1e-9 * (spot.pot + spot.asked) * np.maximum(spot.met, 1e-300)
        chosen = np.argmax(np.array(values) >= best - slack, axis=0)
        chances = np.zeros((1326, len(actions)), np.float32)
        chances[np.arange(1326), chosen] = 1
        return Policies(tuple(actions), chances)

    def _raised(
        self, view: View, spot: _Spot, raises: list[RaiseTo], own: Vector, least: Vector
    ) -> dict[int, Vector]:
        """U times D r of raises, by index; of some only where the bot takes long to answer."""
        sizes = beyond_call(view, raises)
        values: dict[int, Vector] = {}
        answers: dict[int, _Answer] = {}

        def learn(index: int) -> None:
            answers[index] = spot.answer(fold_chances(self.bot, view, raises[index]))
            values[index] = spot.raised(sizes[index], answers[index])

        few = self.setting.ask
        if not 0 < few < len(raises) or not takes_long(self.bot, view, raises[0]):
            for index in range(len(raises)):
                learn(index)
            return values
        for index in np.unique(np.rint(np.linspace(0, len(raises) - 1, max(few, 2)))).astype(int):
            learn(int(index))
        pot, bisected = spot.pot + spot.asked, False  # one gap: sums over hands change slowly
        for _ in range(MORE):
            so_far = np.maximum(least, np.max(list(values.values()), axis=0))
            best, promised = -1, WORTH * float(own @ spot.met) * pot
            for low, high in pairwise(sorted(answers)):
                for index in range(low + 1, high):
                    share = share_of_smaller(
                        sizes[index] / pot, sizes[low] / pot, sizes[high] / pot
                    )
                    guess = answers[low].mixed(answers[high], share)
                    more = spot.raised(sizes[index], guess) - so_far
                    gain = float(own @ np.maximum(more, 0.0))
                    if gain > promised:
                        best, promised = index, gain
            if best < 0 and not bisected:
                total = {i: float(own @ np.maximum(each, least)) for i, each in values.items()}
                best, bisected = middle_of_gap(total), True
            if best < 0:
                break
            learn(best)
        return dict(sorted(values.items()))
