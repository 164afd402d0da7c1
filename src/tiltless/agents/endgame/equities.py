"""The opponent's range at a decision, and the equity of every hand against a range.

The range is public: Bayes' rule with the policy of our own agent where it is known and quickly told
(`tiltless.search.beliefs`), otherwise a rough model (`tiltless.agents.opponent_model`).
"""

from itertools import combinations

import numpy as np
import numpy.typing as npt

from tiltless.agents.agent import Agent, CostlyStrategy, KnownStrategy
from tiltless.agents.endgame.results import hand_results
from tiltless.agents.opponent_model import opponent_ranges
from tiltless.cards.card import CLASS_COUNT, CLASS_OF_COMBO, COMBO_CARDS, COMBO_COUNT
from tiltless.cards.hand_order import STANDARD, hand_tables
from tiltless.cards.matchups import HOLDING
from tiltless.cards.preflop import class_pairs
from tiltless.games.holdem.history import HIDDEN_RANKS
from tiltless.games.holdem.view import View
from tiltless.kernels.cards.equity import sweep_boards
from tiltless.search.beliefs import both_ranges
from tiltless.seeding import SeededRandom, mixed

__all__ = ["equities", "is_standard", "opponent_range", "weight_met"]

Vector = npt.NDArray[np.float64]

_FLOP_BOARDS = 300
_BOARD, _DECK = 5, 52
_EVERY = np.arange(COMBO_COUNT)
_HELD = HOLDING.T.astype(np.float64)


def is_standard(view: View) -> bool:
    """Whether hands can be compared: two cards, boards of five, the usual order of hands."""
    rules = view.rules
    return (
        rules.hole_cards == 2
        and rules.hand_order == STANDARD
        and not rules.run_suits
        and rules.deck.bit_count() == _DECK
        and sum(street.cards for street in rules.streets) == _BOARD
        and HIDDEN_RANKS not in view.moves
    )


def opponent_range(view: View, agent: Agent) -> Vector:
    """Weights of the opponent's hands, float64 ``[1326]``; our own cards are not removed."""
    if isinstance(agent, KnownStrategy) and not isinstance(agent, CostlyStrategy):
        ranges = both_ranges(view, lambda past: agent.policies(past.view), own=view.seat)
        return np.asarray(ranges[1 - view.seat])
    return np.asarray(opponent_ranges(view)[0])


def equities(board: tuple[int, ...], weights: Vector) -> Vector:
    """The equity of every hand against a range, float64 ``[1326]``; 1/2 where there is no deal.

    On the flop over a sample of final boards that depends on the board only; before it by classes,
    exact for ranges that treat all suits alike; exact on turn and river.
    """
    if not board:
        return _before_the_flop(weights)
    left = [card for card in range(_DECK) if card not in board]
    missing = _BOARD - len(board)
    if missing < 2:
        more = list(combinations(left, missing))
    else:
        rng = SeededRandom(mixed(*board))
        more = [tuple(rng.sample(left, missing)) for _ in range(_FLOP_BOARDS)]
    boards = np.array([(*board, *cards) for cards in more], np.uint8)
    beaten = np.zeros((COMBO_COUNT, 2))
    order = hand_tables(STANDARD)
    sweep_boards(boards, np.ones(len(boards)), _EVERY, COMBO_CARDS, weights, order, beaten)
    blocked = HOLDING[boards].any(axis=1)
    met = np.where(blocked, 0.0, weight_met(np.where(blocked, 0.0, weights))).sum(axis=0)
    return np.where(met > 0, beaten.mean(axis=1) / np.where(met > 0, met, 1.0), 0.5)


def _before_the_flop(weights: Vector) -> Vector:
    sums = np.bincount(CLASS_OF_COMBO, weights, CLASS_COUNT)
    met = class_pairs() * (sums / np.bincount(CLASS_OF_COMBO))
    total = met.sum(axis=1)
    shares = (met * hand_results().versus).sum(axis=1) / np.where(total > 0, total, 1.0)
    return np.asarray(np.where(total > 0, shares, 0.5)[CLASS_OF_COMBO])


def weight_met(weights: Vector) -> Vector:
    """The weight of a range's hands that share no card with each hand; float64 ``[..., 1326]``."""
    held = weights @ _HELD  # by card
    total = weights.sum(axis=-1, keepdims=True)
    first, second = held[..., COMBO_CARDS[:, 0]], held[..., COMBO_CARDS[:, 1]]
    return np.asarray(total - first - second + weights)
