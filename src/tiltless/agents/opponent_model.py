"""Opponent model: 1,326 weights per opponent, narrowed by their actions.

A simple Bayesian model. Every opponent starts with a uniform range. Whenever a player acts, the
hands of its range are ordered by how often they beat a random hand on the current board; p, from 0
to 1, is the fraction of the range that is worse. The weight of a hand is multiplied by the
likelihood of the action at its p::

    raise  F + (1 - F) S(p, c)              c = 0.30 + 0.25 s, at most 0.65
    call   F + (1 - F) S(p, c) (1 - T / 2)  c = 0.8 x price, T = S(p, 0.9)
    check  1 - T' / 3                       T' = S(p, 0.75)

S(p, c) = 1 / (1 + exp((c - p) / 0.1)) is a soft step; s is the raise beyond the call as a fraction
of the pot after the call; price = call / (pot + call); the floor F = 0.25 allows for opponents that
play differently. So a raise keeps the stronger hands, the more so the larger it is; a call keeps
the middle; a check slightly reduces the best. An all-in counts like any raise of its size.
"""

from functools import lru_cache
from math import comb

import numpy as np
import numpy.typing as npt

from tiltless.agents.win_rate import unseen
from tiltless.cards.card import COMBO_CARDS
from tiltless.cards.hand_order import HandOrder, hand_tables
from tiltless.games.holdem.actions import Call, Check, RaiseTo
from tiltless.games.holdem.history import PastDecision, decisions
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.view import View
from tiltless.kernels.cards.equity import sweep_boards
from tiltless.seeding import SeededRandom, mixed

__all__ = ["board_strengths", "opponent_ranges"]

Weights = npt.NDArray[np.float64]

_FLOOR = 0.25
_RAISE, _RAISE_BY_SIZE, _RAISE_MOST = 0.30, 0.25, 0.65
_CALL = 0.8
_PREFLOP_BOARDS, _BOARDS = 2000, 32


@lru_cache(maxsize=256)
def board_strengths(board: tuple[int, ...], deck: int, order: HandOrder) -> Weights:
    """How often each combo beats a random hand on a board, float64 ``[1326]``.

    Over a sample of final boards that depends only on the board; exact on the river. -1 for combos
    that contain a card of the board or are not in the deck.
    """
    left = deck
    for card in board:
        left &= ~(1 << card)
    cards = [card for card in range(52) if left >> card & 1]
    missing = 5 - len(board)
    rng = SeededRandom(mixed(*board))
    count = (_BOARDS if board else _PREFLOP_BOARDS) if missing else 1
    boards = np.array([(*board, *rng.sample(cards, missing)) for _ in range(count)], np.uint8)
    free = unseen(left)
    combos = np.flatnonzero(free)
    held = COMBO_CARDS[combos]
    sums = np.zeros((len(combos), 2))
    sweep_boards(
        boards,
        np.ones(len(boards)),
        combos,
        held,
        np.ones(len(combos)),
        hand_tables(order),
        sums,
    )
    taken = np.zeros((len(boards), 52), np.bool_)
    taken[np.arange(len(boards))[:, None], boards] = True
    met = (~(taken[:, held[:, 0]] | taken[:, held[:, 1]])).sum(axis=0)
    pairs = comb(deck.bit_count() - 7, 2)
    out = np.full(len(COMBO_CARDS), -1.0)
    out[combos] = sums.mean(axis=1) / (np.maximum(met, 1) * pairs)
    out.setflags(write=False)
    return out


@lru_cache(maxsize=256)
def _ascending(board: tuple[int, ...], deck: int, order: HandOrder) -> npt.NDArray[np.int64]:
    """Combos from the weakest to the strongest."""
    return np.argsort(board_strengths(board, deck, order), kind="stable")


def _step(p: Weights, at: float) -> Weights:
    """The soft step S(p, c)."""
    out: Weights = 1.0 / (1.0 + np.exp((at - p) * 10.0))
    return out


def _quantiles(weights: Weights, ascending: npt.NDArray[np.int64]) -> Weights:
    """For each combo, p: the fraction of the range that is worse."""
    sums = np.cumsum(weights[ascending])
    out = np.empty(len(weights))
    out[ascending] = sums / sums[-1]
    return out


def opponent_ranges(view: View) -> Weights:
    """Weights for each of `View.opponents`, float64 ``[opponents, 1326]``; the largest is about 1.

    0 for hands that contain a card of the board; the player's own cards are not removed. Only for
    games with two hole cards and boards of five.
    """
    ranges = {seat: np.ones(len(COMBO_CARDS)) for seat in view.opponents}
    chips = sum(view.starting_stacks)
    for past in decisions(view):
        if past.seat in ranges:
            _narrow(ranges[past.seat], past, chips - sum(past.betting.stacks), view.rules)
    left = view.rules.deck
    for card in view.board:
        left &= ~(1 << card)
    return np.array(list(ranges.values())) * unseen(left)


def _narrow(weights: Weights, past: PastDecision, pot: int, rules: Rules) -> None:
    """Multiply a range by the likelihood of a decision; see the module for the formulas."""
    board, before, move = past.board, past.betting, past.action
    deck, order = rules.deck, rules.hand_order
    weights[board_strengths(board, deck, order) < 0] = 0.0
    p = _quantiles(weights, _ascending(board, deck, order))
    owed = min(before.to_call, before.stacks[past.seat])
    if isinstance(move, RaiseTo):
        size = (move.chips - before.high) / (pot + owed)
        keep = _step(p, min(_RAISE + _RAISE_BY_SIZE * size, _RAISE_MOST))
        weights *= _FLOOR + (1 - _FLOOR) * keep
    elif isinstance(move, Call):
        keep = _step(p, _CALL * owed / (pot + owed)) * (1 - _step(p, 0.9) / 2)
        weights *= _FLOOR + (1 - _FLOOR) * keep
    elif isinstance(move, Check):
        weights *= 1 - _step(p, 0.75) / 3
    weights /= weights.max()
