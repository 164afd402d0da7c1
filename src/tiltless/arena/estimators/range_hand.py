"""Hands of whole ranges: what one strategy wins from another, over all hands of both at once.

Two players whose strategies are known need not be dealt cards. Each has a *reach* instead: for each
of the 1,326 hands, the probability with which its strategy takes the actions so far. Only the board
is drawn, and the public tree is walked with both reaches: an action multiplies the reach of its
player, a fold and a showdown are worth an exact sum over all pairs of hands that share no card, and
so is an all-in, over all boards to come. What is left to chance is the board, and which lines are
followed:

A line is followed if its *weight*, probability times pot in units of the blinds, is at least
``rare``. A rarer one is followed with probability weight / rare, and then counts so much more that
the mean stays the same (Russian roulette, the usual name in Monte-Carlo methods).

What is estimated is only how much more is won than if hands were shown at once, for the chips that
both have paid. Showing hands now has the same value as showing them after the next cards, on
average, so all of that luck is taken out, as by AIVAT (`tiltless.arena.estimators.aivat`).

A board is drawn from all cards, but a hand's board from those that the two players do not hold: a
pair of hands counts C(n, k) / C(n - 4, k) times when k of n cards are dealt, if it holds none of
them, which makes the mean right.
"""

from math import comb
from random import Random
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from tiltless.agents.agent import CostlyStrategy, KnownStrategy, Policies
from tiltless.arena.dealer import shuffled_decks
from tiltless.arena.estimators.checked_policies import checked_policies
from tiltless.cards.hand_order import STANDARD
from tiltless.cards.matchups import HOLDING, apart, edges_of_all
from tiltless.errors import OptionError
from tiltless.games.game import CHANCE, TERMINAL
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.state import HoldemState
from tiltless.games.holdem.view import View, unchecked_view
from tiltless.seeding import SeededRandom, deal_key, derived_word

__all__ = [
    "KnownPlayer",
    "RangeHand",
    "RangePlayer",
    "Vector",
    "check_ranges",
    "mean_of_seats",
    "usual_rare",
]

Vector = npt.NDArray[np.float64]
_RARE, _COSTLY_RARE = 1.0, 10.0  # where answers take long, fewer lines on more boards pay
_PAIRS = 1326 * 1225
_LINES = 64  # random numbers of a deal that decide which rare lines are followed


def _is_decided(state: HoldemState) -> bool:
    """Whether nobody has a decision left: after a fold, at a showdown, or all-in."""
    return state.actor == TERMINAL or (state.actor == CHANCE and 0 in state.betting.stacks)


class RangePlayer(Protocol):
    """A player that acts for all of its hands at once."""

    def answer(self, view: View, own: Vector, other: Vector) -> Policies:
        """The policy for every hand.

        view: without cards.  own, other: the reaches of both players, float64 ``[1326]``.
        """
        ...


class KnownPlayer:
    """An agent that reveals its strategy."""

    def __init__(self, bot: KnownStrategy) -> None:
        self.bot = bot

    def answer(self, view: View, own: Vector, other: Vector) -> Policies:
        """Its policies, which do not depend on reaches."""
        return checked_policies(self.bot, view)


class RangeHand(NamedTuple):
    """A hand of two ranges on one board.

    players: by seat.  deck: as for `play_hand`; only its board is used.  rng: for rare lines.
    rare: see the module; 0 to follow all lines.
    """

    game: Holdem
    players: tuple[RangePlayer, RangePlayer]
    deck: list[int]
    rng: Random
    rare: float = _RARE

    def value(self, seat: int) -> float:
        """Chips that ``seat`` wins on average; over boards and draws, its expectation."""
        state = self.game.start(self.game.button)
        for place in (0, 2):  # cards that nobody looks at, so that the hand can begin
            state = state.apply(tuple(self.deck[place : place + 2]))
        everything = np.ones(1326)
        won = self._won(state, (everything, everything), 1 / _PAIRS)
        return won if seat == 0 else -won

    def _won(self, state: HoldemState, reach: tuple[Vector, Vector], count: float) -> float:
        """What seat 0 wins from here, summed over pairs of hands that count so many times each."""
        shown = min(state.paid) * float(reach[0] @ (edges_of_all(state.board) @ reach[1]))
        return shown * count + self._more(state, reach, count)

    def _more(self, state: HoldemState, reach: tuple[Vector, Vector], count: float) -> float:
        """How much more seat 0 wins from here than if hands were shown now."""
        if state.actor == CHANCE:
            left, size = 52 - len(state.board), self.game.deal_size(state.street, state.board)
            start = 4 + len(state.board)
            cards = self.deck[start : start + size]
            free = np.where(HOLDING[cards].any(axis=0), 0.0, 1.0)
            count *= comb(left, size) / comb(left - 4, size)
            return self._more(state.apply(tuple(cards)), (reach[0] * free, reach[1] * free), count)
        actor, total = state.actor, 0.0
        other, sign = reach[1 - actor], 1 if actor == 0 else -1
        view = unchecked_view(state, actor)._replace(cards=())
        policies = self.players[actor].answer(view, reach[actor], other)
        facing, ahead = apart() @ other, edges_of_all(state.board) @ other
        before = min(state.paid) * float(reach[actor] @ ahead)
        for action, chances in zip(policies.actions, policies.chances.T, strict=True):
            own = reach[actor] * chances
            mass, then = count * float(own @ facing), state.apply(action)
            chips = min(then.paid)
            if len(then.live) == 1:
                total -= sign * chips * mass
                continue
            total += sign * chips * count * float(own @ ahead)
            if mass > 0 and not _is_decided(then):
                weight = mass * then.pot / sum(self.game.rules.blinds)
                kept = min(1.0, weight / self.rare) if self.rare else 1.0
                if kept == 1.0 or self.rng.random() < kept:
                    after = (own, other) if actor == 0 else (other, own)
                    total += self._more(then, after, count / kept)
        return total - sign * before * count


def check_ranges(game: Holdem) -> None:
    """`OptionError` for a game that is not played with whole ranges."""
    whole = game.players == 2 and game.rules.hole_cards == 2 and game.deck.bit_count() == 52
    standard = game.order == STANDARD and game.hidden is None and not game.rules.run_suits
    if not whole or not standard or game.rules.big_blind_ante:
        raise OptionError(
            f"whole ranges play hold'em of two seats without a big blind ante, not {game.name} of "
            f"{game.players}; use aivat"
        )


def usual_rare(*bots: object) -> float:
    """``rare`` for these strategies."""
    return _COSTLY_RARE if any(isinstance(bot, CostlyStrategy) for bot in bots) else _RARE


def mean_of_seats(
    game: Holdem, player: RangePlayer, other: RangePlayer, seed: int, deal: int, rare: float
) -> float:
    """What a player wins from another on the board of a deal, on average over both seats."""
    deck, won = shuffled_decks(game, seed, deal, 1)[0].tolist(), 0.0
    for seat, table in enumerate(((player, other), (other, player))):
        rng = SeededRandom(derived_word(deal_key(seed, deal), _LINES, seat))
        won += RangeHand(game, table, deck, rng, rare).value(seat)
    return won / 2
