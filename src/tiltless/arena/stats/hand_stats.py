"""Player statistics: VPIP, PFR, 3-bet, aggression, showdowns.

========================  ==========================================================================
VPIP                      hands in which the player called or raised before the flop
PFR                       hands in which the player raised before the flop
3-bet                     hands in which the player re-raised before the flop, out of those in which
                          it faced exactly one raise by another player
aggression factor (AF)    bets and raises per call, on the flop and later
WTSD                      went to showdown: showdowns out of the hands in which the player saw the
                          flop
W$SD                      won at showdown: showdowns in which the player won a main or side pot;
                          one in which it only split pots counts half
========================  ==========================================================================

Posting a blind is not voluntary. A player who is all-in before the flop sees the flop if it is
dealt.
"""

from collections.abc import Sequence
from typing import NamedTuple

from tiltless.arena.dealer import PlayedHand
from tiltless.games.holdem.actions import Call, Fold, RaiseTo
from tiltless.games.holdem.state import HoldemState

__all__ = ["HandStats", "count_hand", "new_sheet"]


class HandStats(NamedTuple):
    """Counts of one player; the statistics are ratios of them.

    raises, calls: on the flop and later.  half_wins: 2 for each showdown in which the player won a
    whole pot, 1 for each in which it only split pots.
    """

    hands: int = 0
    decisions: int = 0
    voluntary: int = 0
    raised_preflop: int = 0
    three_bet_chances: int = 0
    three_bets: int = 0
    raises: int = 0
    calls: int = 0
    flops: int = 0
    showdowns: int = 0
    half_wins: int = 0

    def merge(self, other: "HandStats") -> "HandStats":
        """The sum of two parts."""
        return HandStats(*map(sum, zip(self, other, strict=True)))

    @property
    def vpip(self) -> float:
        """Fraction of hands in which the player put in chips voluntarily before the flop."""
        return _ratio(self.voluntary, self.hands)

    @property
    def pfr(self) -> float:
        """Fraction of hands in which the player raised before the flop."""
        return _ratio(self.raised_preflop, self.hands)

    @property
    def three_bet(self) -> float:
        """Fraction of the opponents' first raises that the player re-raised."""
        return _ratio(self.three_bets, self.three_bet_chances)

    @property
    def aggression(self) -> float:
        """Bets and raises per call after the flop; infinite if the player never called."""
        if not self.calls:
            return float("inf") if self.raises else float("nan")
        return self.raises / self.calls

    @property
    def went_to_showdown(self) -> float:
        """Fraction of the flops seen that led to a showdown."""
        return _ratio(self.showdowns, self.flops)

    @property
    def won_at_showdown(self) -> float:
        """Fraction of the showdowns that were won."""
        return _ratio(self.half_wins, 2 * self.showdowns)


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


def new_sheet() -> list[int]:
    """Mutable counts, all 0, in the order of the fields of `HandStats`."""
    return [0] * len(HandStats._fields)


(
    _HANDS,
    _DECISIONS,
    _VOLUNTARY,
    _RAISED,
    _CHANCES,
    _THREE_BETS,
    _RAISES,
    _CALLS,
    _FLOPS,
    _SHOWDOWNS,
    _HALF_WINS,
) = range(len(HandStats._fields))


def count_hand(hand: PlayedHand, sheets: Sequence[list[int]]) -> None:
    """Add a hand to the counts of each seat.  sheets: by seat, see `new_sheet`."""
    final = hand.final
    voluntary = raised = chances = three_bets = folded = 0  # seats, as bit masks
    raises_so_far = 0
    for street, seat, action in hand.decisions:
        kind = action.__class__
        sheet = sheets[seat]
        sheet[_DECISIONS] += 1
        if street:
            if kind is RaiseTo:
                sheet[_RAISES] += 1
            elif kind is Call:
                sheet[_CALLS] += 1
            continue
        bit = 1 << seat
        if raises_so_far == 1 and not raised & bit:
            chances |= bit
            if kind is RaiseTo:
                three_bets |= bit
        if kind is RaiseTo:
            raises_so_far += 1
            voluntary |= bit
            raised |= bit
        elif kind is Call:
            voluntary |= bit
        elif kind is Fold:
            folded |= bit
    for seat, sheet in enumerate(sheets):
        sheet[_HANDS] += 1
        sheet[_VOLUNTARY] += voluntary >> seat & 1
        sheet[_RAISED] += raised >> seat & 1
        sheet[_CHANCES] += chances >> seat & 1
        sheet[_THREE_BETS] += three_bets >> seat & 1
        if final.street and not folded >> seat & 1:
            sheet[_FLOPS] += 1
    live = final.live
    if len(live) > 1:
        for seat, halves in zip(live, _half_wins(final, hand.payoffs), strict=True):
            sheets[seat][_SHOWDOWNS] += 1
            sheets[seat][_HALF_WINS] += halves


def _half_wins(final: HoldemState, payoffs: Sequence[int]) -> list[int]:
    """For each seat at the showdown: 2 if it won a whole pot, 1 if it only split pots, else 0.

    Chips that nobody called are returned, and are not a pot.
    """
    live, pots = final.live, final.pots
    contested = [pot for pot in pots if len(pot.seats) > 1]
    if len(live) == 2:  # a single pot: the payoffs tell who won it
        returned = {pot.seats[0]: pot.chips for pot in pots if len(pot.seats) == 1}
        paid, whole = final.paid, sum(pot.chips for pot in contested)
        taken = [payoffs[seat] + paid[seat] - returned.get(seat, 0) for seat in live]
        return [2 if chips == whole else int(chips > 0) for chips in taken]
    values, halves = final.values, dict.fromkeys(live, 0)
    for _, seats in contested:
        best = max(values[seat] for seat in seats)
        winners = [seat for seat in seats if values[seat] == best]
        for seat in winners:
            halves[seat] = max(halves[seat], 2 if len(winners) == 1 else 1)
    return list(halves.values())
