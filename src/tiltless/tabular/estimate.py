"""Size of a game, counted or estimated before it is laid out."""

from collections.abc import Iterator
from math import sqrt
from random import Random
from typing import Any, NamedTuple

from tiltless.games.game import CHANCE, TERMINAL, Game, State, checked_game

__all__ = ["GameSize", "bytes_needed", "estimate"]

_BYTES_PER_NODE = 48  # the traversal, the sort and the result, all alive at the end of `flatten`
_BYTES_PER_INFOSET = 700  # a key of texts in a dictionary, measured on Leduc with 52 cards
_LISTED = 100  # chance with more outcomes than this is sampled as if it were uniform


class GameSize(NamedTuple):
    """The size of a game.

    exact: whether it was counted to the end; otherwise ``error`` is the standard error of
        ``nodes`` as a share of it, and ``infosets`` is a rough guess.
    bytes: memory that `tiltless.tabular.flat.flatten` will need.
    """

    nodes: int
    terminals: int
    infosets: int
    bytes: int
    exact: bool
    error: float


def estimate(game: Game, budget: int = 20_000, seed: int = 0) -> GameSize:
    """Count histories if there are fewer than ``budget``; otherwise probe that many at random.

    A probe descends once, choosing each child with equal probability, and multiplies the numbers of
    children along its path: the sum of these products over the nodes of the path is an unbiased
    estimate of the number of nodes. For the infosets of one player, only the choices which that
    player sees are multiplied.

    Paper: Knuth (1975), "Estimating the efficiency of backtrack programs", theorem 1.
    Deviation: chance with very many outcomes is sampled by its own odds, as if they were equal.
    """
    game = checked_game(game)
    return _count(game, budget) or _probe(game, budget, Random(seed))


def bytes_needed(nodes: int, infosets: int) -> int:
    """Memory for a tree of that size, while it is being made."""
    return _BYTES_PER_NODE * nodes + _BYTES_PER_INFOSET * infosets


def _count(game: Game, budget: int) -> GameSize | None:
    """The exact size, or None if there are more nodes than ``budget``."""
    nodes = terminals = 0
    keys = set()
    stack: list[Iterator[State]] = [iter([game.start()])]
    while stack:
        for state in stack[-1]:
            nodes += 1
            if nodes > budget:
                return None
            if state.actor == TERMINAL:
                terminals += 1
                continue
            if state.actor != CHANCE:
                keys.add(state.infoset(state.actor).key)
            stack.append(_children(state))
            break
        else:
            stack.pop()
    return GameSize(nodes, terminals, len(keys), bytes_needed(nodes, len(keys)), True, 0.0)


def _children(state: State) -> Iterator[State]:
    """The states after every move, made when they are asked for."""
    if state.chance is None:
        return map(state.apply, state.actions)
    return (state.apply(outcome) for outcome, _ in state.chance.outcomes())


def _probe(game: Game, budget: int, rng: Random) -> GameSize:
    """Knuth's estimate from as many random paths as ``budget`` steps allow."""
    probes = steps = 0
    total = squares = terminals = infosets = 0.0
    while steps < budget or probes < 2:
        state, weight, size = game.start(), 1.0, 1.0
        seen = [1.0] * game.players  # the same product, of what each player sees
        while state.actor != TERMINAL:
            if state.actor != CHANCE:
                infosets += seen[state.actor]
            width, move, witnesses = _any_move(state, rng)
            weight *= width
            size += weight
            for player in witnesses:
                seen[player] *= width
            state = state.apply(move)
            steps += 1
        probes += 1
        total += size
        squares += size * size
        terminals += weight
    mean = total / probes
    error = sqrt(max(0.0, squares / probes - mean * mean) / (probes - 1)) / mean
    nodes, sets = round(mean), round(infosets / probes)
    return GameSize(nodes, round(terminals / probes), sets, bytes_needed(nodes, sets), False, error)


def _any_move(state: State, rng: Random) -> tuple[int, Any, tuple[int, ...]]:
    """How many moves there are, one of them, and who will see which it was."""
    chance = state.chance
    if chance is None:
        everybody = tuple(range(state.game.players))
        return len(state.actions), rng.choice(state.actions), everybody
    if chance.count > _LISTED:
        return chance.count, chance.sample(rng), chance.seen_by
    outcomes = [outcome for outcome, _ in chance.outcomes()]
    return len(outcomes), rng.choice(outcomes), chance.seen_by
