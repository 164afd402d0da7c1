"""Push/fold equilibrium before the flop, for stacks much shorter than the blueprint's.

There are two players. One may push ``push`` chips, the effective stack, to win the ``pot``; the
other then pays ``call`` or folds. With equities e of the 169 classes (`preflop_equities`),

    EV(push) = P(fold) pot + P(call) (e (pot + push + call) - push),
    EV(call) = (1 - e) (pot + push + call) - call,

and EV(fold) = 0; if the first player may check, EV(check) = e pot against a random hand.
`push_fold` computes the equilibrium by fictitious play (Brown 1951).

Deviation: the caller assumes that half of all pushes come from random hands. Against the
equilibrium that costs little, since many calls are close; players who push too much pay for it.
"""

from functools import lru_cache
from math import gcd
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.agents.agent import check_or_fold
from tiltless.cards.card import CLASS_COUNT, CLASS_OF_COMBO
from tiltless.cards.hand_order import STANDARD
from tiltless.cards.preflop import class_pairs, equity_vs_random, preflop_equities
from tiltless.games.holdem.actions import CALL, Action, RaiseTo
from tiltless.games.holdem.history import decisions
from tiltless.games.holdem.view import View

__all__ = ["PushFold", "depth", "play_push_fold", "push_fold"]

_ROUNDS = 400
_ANY = 0.5  # fraction of pushes assumed to come from random hands
_BOARD, _DECK = 5, 52

_Classes = npt.NDArray[np.float64]


class PushFold(NamedTuple):
    """Probability to push, and whether to call a push, by class; float64 ``[169]`` each."""

    push: _Classes
    call: _Classes


def push_fold(pot: int, push: int, call: int, free: bool = False) -> PushFold:
    """The equilibrium; chips as in the module's formulas, free: whether checking is possible."""
    common = gcd(pot, push, call) or 1
    return _solved(pot // common, push // common, call // common, free)


@lru_cache(maxsize=4096)
def _solved(pot: int, push: int, call: int, free: bool) -> PushFold:
    equity, pairs = preflop_equities(), class_pairs().astype(np.float64)
    everything = pot + push + call
    deals = pairs.sum(axis=1)
    stolen = pairs * pot
    shown = pairs * (equity * everything - push)  # [pusher, caller]
    called = pairs * ((1 - equity) * everything - call)
    passed = equity_vs_random() * pot * deals if free else np.zeros(CLASS_COUNT)
    pushing, calling = np.ones(CLASS_COUNT), np.ones(CLASS_COUNT)
    for number in range(2, _ROUNDS + 2):
        pushes = stolen @ (1 - calling) + shown @ calling > passed
        calls = pushing @ called > 0
        pushing += (pushes - pushing) / number
        calling += (calls - calling) / number
    return PushFold(pushing, _calls(called, pushing))


def _calls(called: _Classes, pushing: _Classes) -> _Classes:
    """The classes that call, if pushes come from a range or, as often, from random hands."""
    weights = class_pairs().sum(axis=1)
    frequency = float((weights * pushing).sum() / weights.sum())
    assumed = _ANY + (1 - _ANY) * (pushing / frequency if frequency else 1.0)
    return np.asarray(assumed @ called > 0, dtype=np.float64)


def depth(view: View) -> float:
    """The effective stack of two players, in multiples of blinds and antes; 20 is 30 big blinds."""
    opening = view.opening
    chips = min(stack + bet for stack, bet in zip(opening.stacks, opening.bets, strict=True))
    return chips / max(1, sum(view.starting_stacks) - sum(opening.stacks))


def play_push_fold(view: View) -> tuple[tuple[Action, ...], npt.NDArray[np.float64]] | None:
    """Actions, and the policy of each hand, float64 ``[1326, actions]``.

    None if push/fold does not apply: after the flop, in games other than two-player hold'em with
    standard hands, or if raises are limited.
    """
    if view.street or not _fits(view):
        return None
    legal, seat = view.actions, view.seat
    passes = check_or_fold(legal)
    mine, theirs = view.betting, 1 - seat
    reach = mine.bets[theirs] + mine.stacks[theirs]
    own = mine.bets[seat] + mine.stacks[seat]
    most = min(own, reach)
    if legal.max_raise:
        if legal.max_raise < most:
            return None
        pot = view.pot - max(0, mine.bets[theirs] - own)
        pushing = push_fold(
            pot, most - mine.bets[seat], max(0, most - mine.bets[theirs]), legal.check
        ).push
        return _rows(RaiseTo(legal.max_raise), passes, pushing)
    if legal.check:
        return _rows(passes, passes, np.ones(CLASS_COUNT))
    if mine.stacks[theirs] and legal.call < mine.stacks[seat]:
        return None
    return _rows(CALL, passes, _answers(view))


def _fits(view: View) -> bool:
    rules = view.rules
    return (
        rules.seats == rules.hole_cards == 2
        and rules.hand_order == STANDARD
        and not rules.run_suits
        and rules.deck.bit_count() == _DECK
        and sum(street.cards for street in rules.streets) == _BOARD
    )


def _answers(view: View) -> _Classes:
    """The classes that call an all-in."""
    cost, seat = view.to_call, view.seat
    raises = [past.betting for past in decisions(view) if isinstance(past.action, RaiseTo)]
    counted = view.bets[seat] + cost  # the part of the opponent's bet that can be called
    pot = view.pot - max(0, view.bets[1 - seat] - counted)
    if not raises:  # a blind: any hand
        return np.asarray(equity_vs_random() * (pot + cost) > cost, dtype=np.float64)
    push = min(view.bets[1 - seat], counted) - raises[-1].bets[1 - seat]
    return push_fold(pot - push, push, cost, raises[-1].actions.check).call


def _rows(
    goes: Action, passes: Action, classes: _Classes
) -> tuple[tuple[Action, ...], npt.NDArray[np.float64]]:
    chances = classes[CLASS_OF_COMBO]
    if goes == passes:
        return (goes,), np.ones((len(chances), 1))
    return (goes, passes), np.stack([chances, 1 - chances], axis=1)
