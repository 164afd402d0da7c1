"""Our hands left out of a subgame: those that we hardly ever have, and what they play all the same.

A hand costs the same time in every iteration whatever its weight. So hands of the searching player
below `LEAST` of its range's largest weight, most of which have weight 0, are left out of the tree.
Anybody may still ask for their policy, so they play a *best response* to the opponent's solved
strategy: one pass over the same tree with all hands (`response_solver`). Such a hand is too rare to
need balance, and a best response is the most that it can win. The set depends on public ranges
alone, never on the hand held. The opponent keeps every hand: not to give much to those that we do
not expect is what a gadget is for (docs/decisions/0009-re-solving.md has the figures).
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import COMBO_COUNT
from tiltless.cards.matchups import HOLDING
from tiltless.cards.ranges import Range
from tiltless.kernels.postflop.street import BEST
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP, unblocked
from tiltless.search.blueprint_policy import player_rows

__all__ = ["BOTH", "LEAST", "best_responses", "kept_ranges", "response_solver"]

Vector = npt.NDArray[np.float64]
Values = npt.NDArray[np.float32]

LEAST = 0.002
"""Of the largest weight of a range."""
BOTH = 2
"""Instead of a player: both of them."""
_SOME = 1e-5  # the least weight of all other hands, as each may be queried


def kept_ranges(
    board: tuple[int, ...],
    ip: Vector,
    oop: Vector,
    searcher: int | None = None,
    least: float = LEAST,
) -> list[Vector]:
    """Both ranges with a largest weight of 1; 0 only for hands on the board, or left out.

    searcher: the player of whose range hands below ``least`` are left out; None: nobody's, `BOTH`:
    those of both. They stay if the opponent could have no hand beside the others.
    """
    free = ~HOLDING[list(board)].any(axis=0)
    both = [np.where(free, weights, 0.0) for weights in (ip, oop)]
    both = [weights / max(weights.max(), 1e-300) for weights in both]
    kept = [np.where(free, np.maximum(weights, _SOME), 0.0) for weights in both]
    for player in (IP, OOP):
        if searcher not in (player, BOTH):
            continue
        few = np.where(both[player] >= least, both[player], 0.0)
        if few @ unblocked(both[1 - player]) > 0:
            both[player], kept[player] = few, np.where(few > 0, kept[player], 0.0)
    return kept


def response_solver(solver: PostflopSolver, player: int) -> PostflopSolver:
    """The tree of a solver with every hand of one player, and the other's average strategy.

    Only for passes of this player: its own rows are empty.
    """
    weights = list(solver.spot.weights)
    free = ~HOLDING[list(solver.boards[0].boards[0])].any(axis=0)
    weights[player] = np.where(free, np.maximum(weights[player], _SOME), 0.0)
    ranges = [Range.from_weights(each) for each in weights]
    spot = replace(solver.spot, ip=ranges[IP], oop=ranges[OOP])
    more = PostflopSolver(spot, forests=solver.forests, played=solver.played)
    other = 1 - player
    for here, there in zip(player_rows(more, other), player_rows(solver, other), strict=True):
        more.tables.average[here] = solver.tables.average[there]
    more.start(other)[:] = solver.start(other)
    return more


def best_responses(solver: PostflopSolver, player: int) -> Values:
    """Counterfactual values of every hand in a best response, at all nodes of the first street.

    float32 ``[nodes, 1326]``; 0 for hands that the board blocks.
    """
    more = response_solver(solver, player)
    combos = more.boards[0].combos[0][player]
    found = np.zeros((more.forests[0].nodes, COMBO_COUNT), np.float32)
    found[:, combos] = more.cfv(0, 0, player, BEST)[:, : len(combos)]
    return found
