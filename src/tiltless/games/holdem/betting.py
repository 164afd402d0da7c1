"""Betting rounds: who acts, what is legal, what an action changes. No cards here.

The rules are those of pokerkit, with the switches of `Round`:

* The smallest raise adds the largest bet or raise made on this street so far, and at least one
  `Round.bet`. A player with fewer chips may still raise all-in.
* An all-in raise that adds less is *incomplete*. A player who has already acted may raise again
  only when facing at least the largest raise: after a bet of 100 and an all-in of 150 the bettor
  may only call or fold, and others must raise to 250; after 100, all-in 160, all-in 210 the bettor
  faces 110 and may raise, to 310 or more. The first bet or raise of a street is never incomplete.
* A raise is legal only if an opponent with chips left could call it. Players with nothing to decide
  are skipped: those who are all-in, and those who owe nothing when all opponents are all-in.
* The price of a call is the highest bet actually posted: a short all-in blind lowers it.

Sets of seats are bit masks: seat s is ``1 << s``.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from tiltless.games.game import IllegalActionError
from tiltless.games.holdem.actions import NO_ACTIONS, Call, Check, Fold, LegalActions, RaiseTo
from tiltless.validate import brief

__all__ = [
    "MOST_COUNTED",
    "NOBODY",
    "SEAT_BITS",
    "Betting",
    "Round",
    "next_seat",
    "open_round",
]

NOBODY = -1
"""`Betting.actor` when the round is over."""

SEAT_BITS = 4
"""Bits of each seat's count in `Betting.raised`."""
MOST_COUNTED = (1 << SEAT_BITS) - 1
"""The count of a seat's raises saturates at this number."""


@dataclass(frozen=True, slots=True)
class Round:
    """The rules of betting on one street.

    bet: the smallest bet and raise, in chips.
    fixed: bets and raises are exactly that size (fixed limit).
    cap: the most bets and raises on the street, blinds not counted; None: no limit.
    cap_each: the most that one player may make.
    acpc: the minimum raise of the Annual Computer Poker Competition: after a raise from Y to X, the
        next is to X + (X - Y), but never below the previous minimum; an incomplete raise does not
        take away the right to raise again.
    effective: nobody may raise to more than an opponent can call (MIT Pokerbots).
    free_fold: folding is legal where checking is free.
    """

    bet: int
    fixed: bool = False
    cap: int | None = None
    cap_each: int | None = None
    acpc: bool = False
    effective: bool = False
    free_fold: bool = False


class Betting(NamedTuple):
    """The chips on the table during a betting round; immutable.

    actor: the seat to act, or `NOBODY`.  stacks: chips behind.  bets: chips bet on this street.
    high: the highest bet.  live: seats that have not folded.  able: those with chips behind.
    waiting: seats still to act, unless the round ends earlier.
    largest: the largest bet or raise of the street.  least: the smallest full raise, as a total.
    raises: bets and raises so far on this street; raised: the same for each seat, in `SEAT_BITS`
    bits each, saturating at `MOST_COUNTED`.
    """

    rules: Round
    actor: int
    stacks: tuple[int, ...]
    bets: tuple[int, ...]
    high: int
    live: int
    able: int
    waiting: int
    largest: int
    least: int
    raises: int
    raised: int

    @property
    def to_call(self) -> int:
        """The price of a call for the player to act, even if the stack does not cover it."""
        return self.high - self.bets[self.actor] if self.actor >= 0 else 0

    @property
    def actions(self) -> LegalActions:
        """The legal actions of the player to act."""
        actor = self.actor
        if actor < 0:
            return NO_ACTIONS
        owed = self.high - self.bets[actor]
        low, high = self._raise_bounds()
        if owed:
            return LegalActions(True, False, min(owed, self.stacks[actor]), low, high)
        return LegalActions(self.rules.free_fold, True, 0, low, high)

    def _raise_bounds(self) -> tuple[int, int]:
        """The smallest and the largest raise of the player to act; (0, 0) if none is legal."""
        rules, actor, stacks, bets, high, _, able, _, largest, least, raises, raised = self
        total = bets[actor] + stacks[actor]
        if total <= high:
            return 0, 0
        if rules.cap is not None and raises >= rules.cap:
            return 0, 0
        if rules.cap_each is not None:
            if raised >> SEAT_BITS * actor & MOST_COUNTED >= rules.cap_each:
                return 0, 0
        if high - bets[actor] < largest and not rules.acpc:
            return 0, 0  # already acted, and the raises since then are incomplete
        most = 0  # the largest total that an opponent can call
        for seat, bet in enumerate(bets):
            if able >> seat & 1 and seat != actor and bet + stacks[seat] > most:
                most = bet + stacks[seat]
        if most <= high:
            return 0, 0
        if rules.effective and most < total:
            total = most
        low = least if least < total else total
        return low, low if rules.fixed else total

    def after(self, action: Any) -> "Betting":
        """The betting after an action of the player to act; raises `IllegalActionError`."""
        rules, actor, stacks, bets, high, live, able, waiting, largest, least, raises, raised = self
        if actor < 0:
            raise IllegalActionError(f"{action} is not legal: this betting round is over")
        kind = action.__class__
        bit = 1 << actor
        waiting &= ~bit
        if kind is Check:
            if bets[actor] != high:
                raise self._illegal(action)
        elif kind is Call:
            owed = high - bets[actor]
            if not owed:
                raise self._illegal(action)
            behind = stacks[actor] - owed
            if behind <= 0:
                owed += behind
                behind = 0
                able &= ~bit
            stacks = (*stacks[:actor], behind, *stacks[actor + 1 :])
            bets = (*bets[:actor], bets[actor] + owed, *bets[actor + 1 :])
        elif kind is RaiseTo:
            chips = action.chips
            low, top = self._raise_bounds()
            if not low <= chips <= top or not top:
                raise self._illegal(action)
            behind = stacks[actor] + bets[actor] - chips
            if not behind:
                able &= ~bit
            stacks = (*stacks[:actor], behind, *stacks[actor + 1 :])
            bets = (*bets[:actor], chips, *bets[actor + 1 :])
            step = chips - high
            if step > largest:
                largest = step
            if rules.acpc:
                least = max(least, chips + step)
            else:
                least = chips + max(largest, rules.bet)
            high = chips
            waiting = able & ~bit
            raises += 1
            if raised >> SEAT_BITS * actor & MOST_COUNTED < MOST_COUNTED:
                raised += 1 << SEAT_BITS * actor
        elif kind is Fold:
            if bets[actor] == high and not rules.free_fold:
                raise self._illegal(action)
            live &= ~bit
            able &= ~bit
        else:
            raise self._illegal(action)
        if not waiting or not live & live - 1:
            actor = NOBODY
        else:
            above = waiting >> actor + 1  # the seats after the actor, then those from seat 0
            if above:
                actor += (above & -above).bit_length()
            else:
                actor = (waiting & -waiting).bit_length() - 1
            if not able & able - 1 and bets[actor] == high:
                actor = NOBODY  # everybody else is all-in: nothing to decide
        return Betting(
            rules, actor, stacks, bets, high, live, able, waiting, largest, least, raises, raised
        )

    def _illegal(self, action: Any) -> IllegalActionError:
        named = action if isinstance(action, Fold | Check | Call | RaiseTo) else brief(action)
        return IllegalActionError(
            f"{named} is not legal for seat {self.actor}; legal: {self.actions}"
        )

    def next_round(self, rules: Round, after: int) -> "Betting":
        """The next street: no bets yet; the first player after seat ``after`` acts first."""
        return open_round(rules, self.stacks, (0,) * len(self.stacks), self.live, after)


def open_round(
    rules: Round, stacks: tuple[int, ...], bets: tuple[int, ...], live: int, after: int
) -> Betting:
    """A new round: ``bets`` are the blinds; the first player after seat ``after`` acts first."""
    high = max(bets)
    able = 0
    for seat, stack in enumerate(stacks):
        if stack and live >> seat & 1:
            able |= 1 << seat
    actor = NOBODY
    if able and live & live - 1:
        actor = next_seat(able, after)
        if not able & able - 1 and bets[actor] == high:
            actor = NOBODY
    return Betting(rules, actor, stacks, bets, high, live, able, able, 0, high + rules.bet, 0, 0)


def next_seat(seats: int, after: int) -> int:
    """The first seat of a non-empty set, clockwise from the seat after ``after``."""
    above = seats >> after + 1
    if above:
        return after + (above & -above).bit_length()
    return (seats & -seats).bit_length() - 1
