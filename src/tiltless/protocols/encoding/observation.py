"""Observations: what one player knows at a state, as a vector of float32.

A vector has named parts (`Observation.parts`), always of the same size. Of Kuhn, Leduc and matrix
games it contains everything that the player knows. Of hold'em it contains the cards, the chips and
a summary of the betting, what each seat has paid and how often it has raised on each street, but
not the order of actions within a street. Seats are counted from the player's own, clockwise; chips
are divided by the largest starting stack of the game.
"""

from functools import singledispatch
from typing import Any, ClassVar

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

    ================  ===========  =====================================================
    own cards, board  52 each      1 for each card, by its number
    street            streets      one of them is 1; all streets past the last are one
    button, actor     seats each   one of them is 1; no actor if nobody acts
    live              seats        1 if the seat has not folded
    stacks            seats        chips behind
    bets              seats        chips bet on this street
    paid by street    each * seats chips paid on each street, antes on the first
    raises by street  each * seats bets and raises, divided by 15, at most 1
    pot               1            all chips paid so far
    to call, raises   3            the price of a call, the smallest and the largest raise
                                   as totals; 0 if the player is not to act
    ================  ===========  =====================================================
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
            ("paid by street", by_street),
            ("raises by street", by_street),
            ("pot", 1),
            ("to call, raises", 3),
        )

    def write(self, state: HoldemState, player: int, out: Vector) -> None:
        """See the table of this class."""
        table, actor, betting, street, board, hole, _, _, _ = state
        seats, streets, unit = self.seats, self.streets, self.unit
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
        stacks, bets, live = betting.stacks, betting.bets, betting.live
        order = [*range(player, seats), *range(player)]
        values = [float(live >> seat & 1) for seat in order]
        values += [stacks[seat] * unit for seat in order]
        values += [bets[seat] * unit for seat in order]
        paid, raised = self._by_street(state)
        values += [each[seat] * unit for each in paid for seat in order]
        values += [each[seat] / MOST_COUNTED for each in raised for seat in order]
        values.append((sum(table.stacks) - sum(stacks)) * unit)
        if actor == player:
            legal = betting.actions
            values += [legal.call * unit, legal.min_raise * unit, legal.max_raise * unit]
        out[at : at + len(values)] = values

    def _by_street(self, state: HoldemState) -> tuple[list[list[int]], list[list[int]]]:
        """Chips paid and raises made on each street so far, by seat."""
        streets, seats = self.streets, self.seats
        paid = [[0] * seats for _ in range(streets)]
        raised = [[0] * seats for _ in range(streets)]
        before, number = state.table.stacks, 0
        past = steps(state) if state.street else ()
        for index, step in enumerate(past):
            if isinstance(step, StreetDeal):
                last = past[index - 1]
                closed = last.betting
                if isinstance(last, PastDecision):
                    closed = closed.after(last.action)
                _note(paid[number], raised[number], before, closed)
                before = closed.stacks
                number = min(number + 1, streets - 1)
        _note(paid[number], raised[number], before, state.betting)
        return paid, raised


def _note(paid: list[int], raised: list[int], before: tuple[int, ...], betting: Betting) -> None:
    for seat, stack in enumerate(betting.stacks):
        paid[seat] += before[seat] - stack
        count = raised[seat] + (betting.raised >> SEAT_BITS * seat & MOST_COUNTED)
        raised[seat] = min(count, MOST_COUNTED)


observation_of.register(Kuhn)(_KuhnObservation)
observation_of.register(Leduc)(_LeducObservation)
observation_of.register(MatrixGame)(_MatrixObservation)
observation_of.register(Holdem)(HoldemObservation)
