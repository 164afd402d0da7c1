"""AIVAT for hold'em hands of any number of players; see `tiltless.arena.estimators.aivat`.

V of a seat is its share of the pots if all live hands go to the showdown now, less what it has
paid:

    V(h) = sum over main pot and side pots of  chips * P(share)  -  paid

Chips that nobody has matched yet are a pot of their own, so they are not at stake. After the flop
bets that may follow make a lead more valuable than its share, so the difference from an even split
is enlarged by `GROWTH`; any fixed numbers give the right mean. Shares are exact
from the flop on and estimated by sampled boards before it (`tiltless.arena.estimators.pot_shares`).
The mean of V over the next cards is V before them, so that other runouts need not be enumerated;
before the deal all hands have the same prospects, and each pot is split evenly.

Chance terms are always there, action terms for the seats whose strategy is known. With an imagined
seat all terms are averaged over the hands that it could have held, against the true hands of all
others.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from tiltless.agents.agent import KnownStrategy, Policies
from tiltless.arena.estimators.checked_policies import checked_policies
from tiltless.arena.estimators.pot_shares import SAMPLED, PotShares, worlds_of
from tiltless.cards.card import COMBO_OF
from tiltless.cards.matchups import HOLDING
from tiltless.games.holdem.betting import Betting
from tiltless.games.holdem.history import PastDecision, StreetDeal, steps, view_before
from tiltless.games.holdem.pots import Pot, side_pots
from tiltless.games.holdem.state import HoldemState

__all__ = ["GROWTH", "aivat_table"]

GROWTH = (0.0, 0.5, 0.4, 0.25)
"""By street, how much more than its share of the pot a lead is valued while bets can follow. Chosen
on hands of a rule-based agent, where the variance falls by a tenth; no evaluation may tune it."""

_Vector = npt.NDArray[np.float64]


def aivat_table(
    final: HoldemState,
    seat: int,
    known: Mapping[int, KnownStrategy],
    imagined: int | None = None,
    sampled: int = SAMPLED,
) -> float:
    """The AIVAT result of ``seat`` in a hand of any number of players, in chips.

    known: the agents that reveal their strategy, by seat.  imagined: one of these seats, whose
    cards are averaged over.  sampled: boards before the flop.

    An action with probability 0 (a ruling of the dealer) has no term.
    """
    terms, view = _Correction(final, seat, imagined, sampled), final.view(seat)
    for step in steps(final):
        if isinstance(step, StreetDeal):
            terms.deal(step)
        elif isinstance(step, PastDecision) and step.seat in known:
            before = view_before(view, step)._replace(cards=final.hole[step.seat])
            terms.act(step, checked_policies(known[step.seat], before))
    return terms.result()


class _Correction:
    """The correction terms of a hand, over worlds: hands of one seat against all true others.

    weights: of the worlds; they sum to 1.  total: sum of the terms so far, in chips of ``seat``.
    """

    def __init__(self, final: HoldemState, seat: int, imagined: int | None, sampled: int) -> None:
        self.final, self.seat, self.sampled = final, seat, sampled
        self.growth = GROWTH[0]
        self.mover = seat if imagined is None else imagined  # the seat whose hands vary
        own = final.hole[self.mover]
        self.true = int(COMBO_OF[own[0], own[1]])
        combos = np.array([self.true])
        if imagined is not None:
            combos = worlds_of(final.hole, self.mover)
        self.weights: _Vector = np.full(len(combos), 1 / len(combos))
        self.shares = PotShares(final.hole, self.mover, combos, (), sampled)
        opening = final.opening
        expected = _evenly(self._pots(opening), seat) - self._paid(opening)[seat]
        self.total = self._mean(opening) - expected

    def _paid(self, betting: Betting) -> list[int]:
        pairs = zip(self.final.table.stacks, betting.stacks, strict=True)
        return [start - now for start, now in pairs]

    def _pots(self, betting: Betting) -> tuple[Pot, ...]:
        dead = self.final.table.dead
        paid = [each - ante for each, ante in zip(self._paid(betting), dead, strict=True)]
        return side_pots(paid, betting.live, sum(dead))

    def _values(self, betting: Betting) -> _Vector:
        """V in each world; payoffs, but for odd chips, once the hand is over."""
        pots = self._pots(betting)
        taken = self.shares.values(pots, self.seat)
        if self.growth and betting.able & betting.able - 1:
            even = _evenly(pots, self.seat)
            taken = even + (1 + self.growth) * (taken - even)
        return np.asarray(taken - self._paid(betting)[self.seat], np.float64)

    def _mean(self, betting: Betting) -> float:
        return float(self.weights @ self._values(betting))

    def deal(self, street: StreetDeal) -> None:
        """Add the term of new board cards."""
        self.growth = GROWTH[min(street.street, len(GROWTH) - 1)]
        before, combos = self._mean(street.betting), self.shares.combos
        if len(combos) > 1:
            free = ~HOLDING[list(street.cards)][:, combos].any(axis=0)
            combos, weights = combos[free], self.weights[free]
            self.weights = weights / weights.sum()
        self.shares = PotShares(self.final.hole, self.mover, combos, street.board, self.sampled)
        self.total += self._mean(street.betting) - before

    def act(self, past: PastDecision, strategy: Policies) -> None:
        """Add the term of an action by a player whose strategy is known."""
        actions, chances = strategy
        if past.action not in actions:
            return
        if past.seat == self.mover:
            rows = chances[self.shares.combos].astype(np.float64)
        else:
            cards = self.final.hole[past.seat]
            row = chances[COMBO_OF[cards[0], cards[1]]].astype(np.float64)
            rows = np.broadcast_to(row, (len(self.weights), len(row)))
        taken = actions.index(past.action)
        odds = self.weights @ rows
        if not odds[taken] > 0:
            return
        expected = 0.0
        for number, action in enumerate(actions):
            if odds[number] > 0:
                values = self._values(past.betting.after(action))
                expected += float((self.weights * rows[:, number]) @ values)
        if past.seat == self.mover:
            weights = self.weights * rows[:, taken]
            self.weights = weights / weights.sum()
        self.total += self._mean(past.betting.after(past.action)) - expected

    def result(self) -> float:
        """The payoff, averaged over worlds, minus the correction.

        V at the end splits pots in fractions. The payoffs have whole chips; the difference between
        the two in the true world has the right mean too.
        """
        betting = self.final.betting
        self.growth = 0.0
        values = self._values(betting)
        true = values[self.shares.combos == self.true][0]
        return self.final.payoffs[self.seat] - float(true) + self._mean(betting) - self.total


def _evenly(pots: tuple[Pot, ...], seat: int) -> float:
    """What a seat takes if each pot is split evenly."""
    return float(sum(chips / len(seats) for chips, seats in pots if seat in seats))
