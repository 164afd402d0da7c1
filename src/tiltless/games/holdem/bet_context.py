"""The chips that a bet size is worked out from: pot, highest bet, legal raises."""

from typing import NamedTuple

from tiltless.errors import OptionError
from tiltless.games.holdem.actions import LegalActions
from tiltless.games.holdem.betting import Betting

__all__ = ["BetContext", "spot_of"]


class BetContext(NamedTuple):
    """The chips that a bet size depends on, at a decision where a bet or raise is legal.

    bet: the highest bet of the street.  pot: all chips once that bet is called.  low, top: the
    smallest and the largest legal raise, as totals.  most: the largest total that an opponent can
    call, at most ``top``.  big_blind: in chips.  earlier: raises before this one, not counting the
    first bet or the blinds.  streets: how many are left, including this one.
    """

    bet: int
    pot: int
    low: int
    top: int
    most: int
    big_blind: int = 1
    earlier: int = 0
    streets: int = 1

    def legal(self, chips: int) -> int:
        """The nearest legal raise; all-in if no opponent can call more than ``chips``."""
        chips = chips if chips > self.low else self.low
        return chips if chips < self.most else self.top

    def share(self, chips: int) -> float:
        """A raise to ``chips`` as a fraction of the pot after calling: 0.5 is half pot."""
        if self.pot <= 0:
            raise OptionError(
                f"pot={self.pot}: no bet is a fraction of it; give a spot with chips in the pot"
            )
        return (chips - self.bet) / self.pot


def spot_of(
    betting: Betting,
    pot: int,
    big_blind: int = 1,
    earlier: int = 0,
    streets: int = 1,
    legal: LegalActions | None = None,
) -> BetContext:
    """The bet context of the player to act.

    pot: all chips paid so far, by everybody.  legal: the legal actions, if already computed.
    """
    actor, bets, stacks, able = betting.actor, betting.bets, betting.stacks, betting.able
    if legal is None:
        legal = betting.actions
    top, bet, callable_total = legal.max_raise, betting.high, 0
    for seat, stack in enumerate(stacks):
        if able >> seat & 1 and seat != actor and stack + bets[seat] > callable_total:
            callable_total = stack + bets[seat]  # what this opponent can call
    most = top if top < callable_total else callable_total
    pot += bet - bets[actor]
    return BetContext(bet, pot, legal.min_raise, top, most, big_blind, earlier, streets)
