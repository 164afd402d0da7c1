"""Local best response: a simple opponent that knows the strategy it plays against.

It tracks the bot's range with Bayes' rule from the bot's actions and strategy, and at each decision
takes the action that is best if both players only check and call from there to the showdown
(`tiltless.arena.estimators.local_spot`). What it wins on average is a lower bound of the bot's
exploitability. It may be negative, which says nothing.

Paper: Lisý & Bowling (2017), "Equilibrium approximation quality of current no-limit poker bots",
arXiv 1612.07547, algorithm 1.  Deviations: win probabilities are exact on every street, by
enumeration (before the flop from a table); the paper does not list its 56 bets, see `bet_sizes`.
"""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.agents.agent import (
    Agent,
    Clock,
    CostlyStrategy,
    Decision,
    KnownStrategy,
    check_or_call,
)
from tiltless.arena.estimators.aivat import edges_on
from tiltless.arena.estimators.coarse_to_fine import FEW, coarse_to_fine
from tiltless.arena.estimators.local_spot import LocalSpot, best_action, narrowed
from tiltless.cards.card import COMBO_OF
from tiltless.cards.matchups import HOLDING
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, FOLD, Action, RaiseTo
from tiltless.games.holdem.history import PastDecision, StreetDeal, steps, view_before
from tiltless.games.holdem.view import View
from tiltless.validate import brief

__all__ = [
    "BETS",
    "SETTINGS",
    "LbrSetting",
    "LocalBestResponse",
    "bet_sizes",
    "beyond_call",
    "fold_chances",
    "lbr_options",
    "lbr_raises",
    "stakes",
    "takes_long",
]

_Vector = npt.NDArray[np.float64]
_LETTERS = "FCPAB"
BETS = 56


class LbrSetting(NamedTuple):
    """Allowed actions on each street: ``LbrSetting.parse("C|C|FCPA|FCPA")``.

    streets: letters for each street; the last entry also holds for later streets.  F fold, C check
    or call, P raise by the pot, A raise all-in, B the ``bets`` raises of `bet_sizes`.
    ask: the number of raises asked about first where the bot takes long to answer
    (`CostlyStrategy`), see `tiltless.arena.estimators.coarse_to_fine`; 0: it is asked about all.
    """

    streets: tuple[str, ...]
    bets: int = BETS
    ask: int = FEW

    @classmethod
    def parse(cls, text: str) -> "LbrSetting":
        """One of `SETTINGS` by number, or letters for each street separated by ``|``."""
        if text.strip() in SETTINGS:
            return SETTINGS[text.strip()]
        streets = tuple(part.strip().upper() for part in text.split("|"))
        for street in streets:
            if "C" not in street or set(street) - set(_LETTERS):
                raise OptionError(
                    f"setting {brief(text)} is not known; use {', '.join(SETTINGS)}, or letters of "
                    f"{_LETTERS} with C on every street, such as C|C|FCPA|FCPA"
                )
        return cls(streets)

    def allowed(self, street: int) -> str:
        """The letters of a street."""
        return self.streets[min(street, len(self.streets) - 1)]

    def __str__(self) -> str:
        return "|".join(self.streets)


SETTINGS = {
    "1": LbrSetting(("FC", "FC", "FC", "FC")),
    "2": LbrSetting(("C", "C", "FCPA", "FCPA")),
    "3": LbrSetting(("C", "C", "FCB", "FCB")),
    "4": LbrSetting(("C", "FCB", "FC", "FC")),
}
"""The four settings that are usually published (DeepStack's supplement): fold and call only; bets
of the pot or all-in on turn and river; 56 sizes there; 56 sizes on the flop. Quote the largest
result of the four."""


def bet_sizes(least: int, most: int, count: int = BETS) -> tuple[int, ...]:
    """Raises from the smallest legal one to all-in, in equal ratios; fewer if some coincide."""
    sizes = np.rint(np.geomspace(least, most, count)).astype(int)
    sizes[0], sizes[-1] = least, most
    return tuple(dict.fromkeys(sizes.tolist()))


def lbr_raises(view: View, allowed: str, bets: int) -> list[RaiseTo]:
    """The raises to look at, ascending.  allowed: letters of `LbrSetting`.  bets: sizes for B."""
    least, most = view.min_raise, view.max_raise
    if not most:
        return []
    sizes: list[int] = []
    if "P" in allowed:
        called = view.bets[view.seat] + view.to_call
        sizes.append(min(max(called + view.pot + view.to_call, least), most))
    if "A" in allowed:
        sizes.append(most)
    if "B" in allowed:
        sizes += bet_sizes(least, most, bets)
    return [RaiseTo(size) for size in sorted(set(sizes))]


def lbr_options(view: View, setting: LbrSetting) -> tuple[list[Action], list[RaiseTo]]:
    """What a response may do: fold, check or call as far as they are allowed, and raises."""
    allowed, stay = setting.allowed(view.street), check_or_call(view.actions)
    options: list[Action] = [FOLD, stay] if "F" in allowed and stay == CALL else [stay]
    return options, lbr_raises(view, allowed, setting.bets)


def beyond_call(view: View, raises: Sequence[RaiseTo]) -> list[int]:
    """The chips of each raise beyond a call, as far as the other player can call them."""
    other = 1 - view.seat
    room = view.bets[other] + view.stacks[other]
    called = view.bets[view.seat] + view.to_call
    return [min(action.chips, room) - called for action in raises]


def takes_long(bot: KnownStrategy, view: View, action: Action) -> bool:
    """Whether the bot's answer to an action of ours takes long."""
    answering = _answering(view, action)
    return answering is not None and isinstance(bot, CostlyStrategy) and bot.takes_long(answering)


def fold_chances(bot: KnownStrategy, view: View, action: Action) -> _Vector | None:
    """The probability that the bot folds each hand to a raise of ours; None if it never does."""
    answering = _answering(view, action)
    known = None if answering is None else bot.policies(answering)
    if known is None or FOLD not in known.actions:
        return None
    return known.chances[:, known.actions.index(FOLD)].astype(np.float64)


class LocalBestResponse(Agent):
    """Plays heads-up against a bot whose strategy is known; see the module.

    It sees only a player's `View`, and asks for the bot's strategy given the public history.
    """

    def __init__(self, bot: KnownStrategy, setting: LbrSetting) -> None:
        self.bot, self.setting = bot, setting
        self._forget()

    def _forget(self) -> None:
        self._moves = 0
        self._range: _Vector = np.zeros(1326)

    def hand_start(self, view: View) -> None:
        """Reset the bot's range."""
        self._forget()

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """The action with the largest U; the cheapest if several are equal."""
        self._follow(view)
        options, raises = lbr_options(view, self.setting)
        if len(options) + len(raises) == 1:
            return Decision(options[0], source="lbr")
        values = self._values(view, options, raises)
        return Decision(best_action(values), values=tuple(values), source="lbr")

    def _values(
        self, view: View, options: list[Action], raises: list[RaiseTo]
    ) -> list[tuple[Action, float]]:
        """U of each action; of some raises only if not all are asked about."""
        hand = int(COMBO_OF[view.cards[0], view.cards[1]])
        spot = LocalSpot(self._range, 0.5 + edges_on(hand, view.board) / 2, *stakes(view))
        values = [(action, 0.0 if action == FOLD else spot.call()) for action in options]
        beyond = beyond_call(view, raises)
        if not 0 < self.setting.ask < len(raises) or not takes_long(self.bot, view, raises[0]):
            return values + [
                (action, spot.raises(chips, fold_chances(self.bot, view, action)))
                for action, chips in zip(raises, beyond, strict=True)
            ]
        found = coarse_to_fine(
            spot,
            beyond,
            lambda index: fold_chances(self.bot, view, raises[index]),
            self.setting.ask,
            max(value for _, value in values),
        )
        return values + [(raises[index], value) for index, value in found.items()]

    def _follow(self, view: View) -> None:
        """Update the range with the moves since the last call."""
        if not self._moves:
            self._range = _left(np.ones(1326), view.cards, ())
        for step in steps(view)[self._moves :]:
            if isinstance(step, StreetDeal):
                self._range = _left(self._range, step.cards, step.board)
            elif isinstance(step, PastDecision) and step.seat != view.seat:
                self._range = self._acted(view_before(view, step), step.action)
        self._moves = len(view.moves)

    def _acted(self, before: View, action: Action) -> _Vector:
        """The range after an action of the bot; unchanged if the action has probability 0.

        That happens after a ruling, and if probabilities are rounded to 0.
        """
        known = self.bot.policies(before)
        if action not in known.actions:
            return self._range
        return narrowed(self._range, known.chances[:, known.actions.index(action)])


def _left(weights: _Vector, cards: tuple[int, ...], board: tuple[int, ...]) -> _Vector:
    """The range without hands that hold one of these cards; uniform if nothing is left."""
    left = np.where(HOLDING[list(cards)].any(axis=0), 0.0, weights)
    if not left.any():
        left = np.ones(1326)
        left[HOLDING[list(cards + board)].any(axis=0)] = 0.0
    return np.asarray(left / left.sum())


def _answering(view: View, action: Action) -> View | None:
    """The other player's view after an action, without its cards; None if it is not to act."""
    betting = view.betting.after(action)
    if betting.actor != 1 - view.seat:
        return None
    return view._replace(
        seat=betting.actor,
        cards=(),
        actor=betting.actor,
        actions=betting.actions,
        betting=betting,
        moves=(*view.moves, action),
    )


def stakes(view: View) -> tuple[int, int]:
    """The pot that can be won now, and the cost of a call.

    Chips that the opponent has put in beyond what our stack can call are returned, so not counted.
    """
    asked = view.to_call
    own, other = view.paid[view.seat], view.paid[1 - view.seat]
    return own + min(other, own + asked), asked
