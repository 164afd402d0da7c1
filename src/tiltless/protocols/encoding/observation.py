"""Observations: what one player knows at a state, as a vector of float32.

A vector has named parts (`Observation.parts`), always of the same size. Of Kuhn, Leduc and matrix
games it contains everything that the player knows. Of hold'em it contains the cards, the chips and
a summary of the betting, what each seat has paid and how often it has raised on each street, but
not the order of actions within a street. Seats are counted from the player's own, clockwise; chips
are divided by the largest starting stack of the game.
"""

from functools import singledispatch
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.errors import OptionError
from tiltless.games.game import Game
from tiltless.games.holdem.betting import MOST_COUNTED, SEAT_BITS, Betting
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.history import PastDecision, StreetDeal, steps
from tiltless.games.holdem.state import HoldemState
from tiltless.games.kuhn import Kuhn, KuhnState
from tiltless.games.leduc import Leduc, LeducState
from tiltless.games.matrix import MatrixGame, MatrixState
from tiltless.validate import brief

__all__ = ["CARDS", "HoldemObservation", "Observation", "observation_of"]

Vector = npt.NDArray[np.float32]

CARDS = 52


class Observation:
    """The layout of a game's observations.

    parts: (name, size) in order.  size: of the whole vector.  complete: whether the vector
    contains everything that the player knows (perfect recall).
    """

    complete: ClassVar[bool] = True

    def __init__(self, *parts: tuple[str, int]) -> None:
        self.parts = parts
        self.size = sum(size for _, size in parts)

    def vector(self, state: Any, player: int) -> Vector:
        """What ``player`` knows at ``state``, float32 ``[size]``; a new array."""
        out = np.zeros(self.size, np.float32)
        self.write(state, player, out)
        return out

    def write(self, state: Any, player: int, out: Vector) -> None:
        """The same into an array of zeros."""
        raise NotImplementedError

    def dealt(self, before: Any, after: Any) -> None:
        """Chance has dealt: a hint that may save work, and changes no observation."""


@singledispatch
def observation_of(game: Game) -> Observation:
    """The layout of a game's observations."""
    raise OptionError(
        f"{brief(game)} has no observations; use a game of the registry, or add its class with "
        "observation_of.register"
    )


class _KuhnObservation(Observation):
    """The player, the card, and for each move in turn check or fold, bet or call."""

    def __init__(self, game: Kuhn) -> None:
        self._players = game.players
        most = 2 * game.players - 1
        super().__init__(("player", game.players), ("card", game.players + 1), ("moves", 2 * most))

    def write(self, state: KuhnState, player: int, out: Vector) -> None:
        out[player] = 1
        if player < len(state.cards):
            out[self._players + state.cards[player]] = 1
        for turn, move in enumerate(state.moves):
            out[2 * self._players + 1 + 2 * turn + (move in ("bet", "call"))] = 1


class _LeducObservation(Observation):
    """The player, the card, the board card, and for each round and move fold, call, raise."""

    def __init__(self, game: Leduc) -> None:
        cards = len(game.card_names)
        self._turns = game.players + game.raises * (game.players - 1)
        super().__init__(
            ("player", game.players),
            ("card", cards),
            ("board", cards),
            ("moves", 2 * 3 * self._turns),
        )

    def write(self, state: LeducState, player: int, out: Vector) -> None:
        players, cards = state.game.players, len(state.game.card_names)
        out[player] = 1
        if player < len(state.cards):
            out[players + state.cards[player]] = 1
        if state.board is not None:
            out[players + cards + state.board] = 1
        first = players + 2 * cards
        for number, line in enumerate(state.line.text.split("/")):
            for turn, word in enumerate(line.split()):
                kind = 0 if word == "fold" else 2 if word == "raise" else 1
                out[first + 3 * (number * self._turns + turn) + kind] = 1


class _MatrixObservation(Observation):
    """The player, how many have chosen, and the player's own choice."""

    def __init__(self, game: MatrixGame) -> None:
        choices = max(len(game.row_actions), len(game.column_actions))
        super().__init__(("player", 2), ("chosen", 3), ("own choice", choices))

    def write(self, state: MatrixState, player: int, out: Vector) -> None:
        out[player] = 1
        out[2 + len(state.choices)] = 1
        if player < len(state.choices):
            out[5 + state.game.indices[player][state.choices[player]]] = 1


class HoldemObservation(Observation):
    """Cards, chips and a summary of the betting.

    ================  ============  =====================================================
    own cards, board  52 each       1 for each card, by its number
    street            streets       one of them is 1; all streets past the last are one
    button, actor     seats each    one of them is 1; no actor if nobody acts
    live              seats         1 if the seat has not folded
    stacks            seats         chips behind
    bets              seats         chips bet on this street
    pot               1             all chips paid so far
    to call, raises   3             the price of a call, the smallest and the largest raise
                                    as totals; 0 if the player is not to act
    paid by street    streets seats chips paid on each street, antes on the first
    raises by street  streets seats bets and raises, divided by 15, at most 1
    ================  ============  =====================================================
    """

    complete = False

    def __init__(self, game: Holdem) -> None:
        rules, seats = game.rules, game.players
        self.seats = seats
        self.streets = len(rules.streets) + bool(rules.run_suits)
        self.unit = 1.0 / max(rules.stacks)
        by_street = self.streets * seats
        super().__init__(
            ("own cards", CARDS),
            ("board", CARDS),
            ("street", self.streets),
            ("button", seats),
            ("actor", seats),
            ("live", seats),
            ("stacks", seats),
            ("bets", seats),
            ("pot", 1),
            ("to call, raises", 3),
            ("paid by street", by_street),
            ("raises by street", by_street),
        )
        self._last: tuple[tuple[int, ...], _Past] = (), _Past((), (), ())

    def write(self, state: HoldemState, player: int, out: Vector) -> None:
        """See the table of this class."""
        table, actor, betting, street, board, hole, _, _, _ = state
        seats, streets = self.seats, self.streets
        if player < len(hole):
            for card in hole[player]:
                out[card] = 1
        for card in board:
            out[CARDS + card] = 1
        at = 2 * CARDS
        out[at + (street if street < streets else streets - 1)] = 1
        at += streets
        out[at + (table.button - player) % seats] = 1
        at += seats
        if actor >= 0:
            out[at + (actor - player) % seats] = 1
        at += seats
        for seat in range(seats):
            if betting.live >> seat & 1:
                out[at + (seat - player) % seats] = 1
        at += seats
        stacks, bets = betting.stacks, betting.bets
        past = self._closed(state)._with(state.betting, streets)
        chips = [*stacks[player:], *stacks[:player], *bets[player:], *bets[:player]]
        chips.append(sum(table.stacks) - sum(stacks))
        if actor == player:
            legal = betting.actions
            chips += legal.call, legal.min_raise, legal.max_raise
        else:
            chips += 0, 0, 0
        for row in past.paid:
            chips += row[player:]
            chips += row[:player]
        end = at + len(chips)
        out[at:end] = chips
        out[at:end] *= self.unit
        end = at + 2 * seats + 4 + streets * seats
        for row in past.raised:
            if any(row):
                out[end : end + seats] = [*row[player:], *row[:player]]
                out[end : end + seats] /= MOST_COUNTED
            end += seats

    def dealt(self, before: HoldemState, after: HoldemState) -> None:
        """Remember the streets that are closed, so that no history has to be read."""
        if after.street != before.street:
            past = self._closed(before)._with(before.betting, self.streets)
            self._last = after.board, past

    def _closed(self, state: HoldemState) -> "_Past":
        """What was paid and raised on the streets before this one.

        A board is one object from the moment when it is dealt to the next deal.
        """
        if not state.street:
            return _Past(state.table.stacks, (), ())
        board, past = self._last
        if board is not state.board:
            past = _Past(state.table.stacks, (), ())
            moves = steps(state)
            for index, step in enumerate(moves):
                if isinstance(step, StreetDeal):
                    last = moves[index - 1]
                    closed = last.betting
                    if isinstance(last, PastDecision):
                        closed = closed.after(last.action)
                    past = past._with(closed, self.streets)
            self._last = state.board, past
        return past


class _Past(NamedTuple):
    """Streets, by seat.

    stacks: after the last of them.  paid: chips on each.  raised: bets and raises on each.
    """

    stacks: tuple[int, ...]
    paid: tuple[tuple[int, ...], ...]
    raised: tuple[tuple[int, ...], ...]

    def _with(self, betting: Betting, streets: int) -> "_Past":
        """With one more street; past the last one they are added to it."""
        now, bits = betting.stacks, betting.raised
        paid = tuple([then - left for then, left in zip(self.stacks, now, strict=True)])
        raised: tuple[int, ...] = (0,) * len(now)
        if bits:
            raised = tuple([bits >> SEAT_BITS * s & MOST_COUNTED for s in range(len(now))])
        if len(self.paid) < streets:
            return _Past(now, (*self.paid, paid), (*self.raised, raised))
        paid = tuple([sum(both) for both in zip(self.paid[-1], paid, strict=True)])
        both = zip(self.raised[-1], raised, strict=True)
        raised = tuple([min(one + two, MOST_COUNTED) for one, two in both])
        return _Past(now, (*self.paid[:-1], paid), (*self.raised[:-1], raised))


observation_of.register(Kuhn)(_KuhnObservation)
observation_of.register(Leduc)(_LeducObservation)
observation_of.register(MatrixGame)(_MatrixObservation)
observation_of.register(Holdem)(HoldemObservation)
