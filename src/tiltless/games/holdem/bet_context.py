"""The chips that a bet size is worked out from: pot, highest bet, legal raises."""

from typing import NamedTuple

from tiltless.errors import OptionError
from tiltless.games.holdem.actions import LegalActions
from tiltless.games.holdem.betting import Betting

__all__ = ["BetContext", "spot_of"]


class BetContext(NamedTuple):
    """What a size is worked out from: the chips when somebody may bet or raise.

    bet: the highest bet in front.  pot: all chips once it is called.  low, top: the smallest and
    the largest legal raise, as totals in front.  most: the same for what an opponent can call, or
    ``top`` where that is less.  big_blind: chips.  earlier: raises before this one, first bets and
    blinds not counted.  streets: how many are left, with this one.
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
        """The raise that a number of chips stands for."""
        chips = chips if chips > self.low else self.low
        return chips if chips < self.most else self.top

    def share(self, chips: int) -> float:
        """A raise to ``chips`` as a share of the pot after calling: 0.5 is half pot."""
        if self.pot <= 0:
            raise OptionError(f"a pot of {self.pot} chips has no shares; give a spot with chips")
        return (chips - self.bet) / self.pot


def spot_of(
    betting: Betting,
    pot: int,
    big_blind: int = 1,
    earlier: int = 0,
    streets: int = 1,
    legal: LegalActions | None = None,
) -> BetContext:
    """The spot of the player to act; ``pot``: all chips that everybody has paid so far.

    legal: the legal actions, if they are known already.
    """
    actor, bets, stacks, able = betting.actor, betting.bets, betting.stacks, betting.able
    if legal is None:
        legal = betting.actions
    top, bet, reach = legal.max_raise, betting.high, 0
    for seat, stack in enumerate(stacks):
        if able >> seat & 1 and seat != actor and stack + bets[seat] > reach:
            reach = stack + bets[seat]  # what this opponent can call
    most = top if top < reach else reach
    pot += bet - bets[actor]
    return BetContext(bet, pot, legal.min_raise, top, most, big_blind, earlier, streets)
