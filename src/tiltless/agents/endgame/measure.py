"""Measurement of `hand_results.safetensors`: a blueprint plays itself, millions of hands.

    python -m tiltless.agents.endgame.measure --hands 20000000 --seed 17

Compiled playouts (`tiltless.blueprint.simulate.playout`) give the chips won in each hand, the cards
and the nodes passed; the probabilities of calling an all-in are read from the blueprint.
"""

import argparse
import sys

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.tables import build_tables
from tiltless.agents.endgame.results import (
    BINS,
    FILE,
    LIMPED,
    OPEN,
    RAISED,
    STACK,
    HandResults,
    save_results,
    split,
)
from tiltless.blueprint.shipped import DEFAULT, find_blueprint
from tiltless.blueprint.simulate.playout import play
from tiltless.blueprint.strategy import Blueprint
from tiltless.cards.card import CLASS_COUNT, CLASS_OF_COMBO, COMBO_OF
from tiltless.cards.preflop import class_pairs, preflop_equities
from tiltless.games.holdem.actions import CALL, FOLD, RaiseTo

__all__ = ["measured_results"]

Classes = npt.NDArray[np.float64]

_PART = 1_000_000  # hands that are kept at a time


def measured_results(blueprint: Blueprint, hands: int, seed: int) -> HandResults:
    """Play ``hands`` hands of a blueprint of 100 big blinds against itself."""
    tree = blueprint.tree
    moves = {tree.action(child): child for child in tree.children(0)}
    kind = np.full(len(tree.nodes.node), -1)  # of the node after the button's first action
    for action, child in moves.items():
        if action == CALL:
            kind[child] = LIMPED
        elif isinstance(action, RaiseTo) and action.chips < STACK:
            kind[child] = RAISED
    policy = blueprint.policy()
    groups = blueprint.groups(build_tables(blueprint.abstraction))
    whole = np.zeros((2, 2 * STACK + 1))
    first = np.zeros((3, CLASS_COUNT, len(BINS)))
    for part in range(-(-hands // _PART)):
        size = min(_PART, hands - part * _PART)
        played = play(
            tree,
            size,
            seed=seed + part,
            policy=policy,
            buckets=groups,
            payoffs=True,
            trace=True,
        )
        cards, won, path = played.cards, played.payoffs, played.path
        assert cards is not None
        assert won is not None
        assert path is not None
        for seat in (0, 1):
            whole[seat] += np.bincount(won[:, seat] + STACK, minlength=2 * STACK + 1)
        classes = CLASS_OF_COMBO[COMBO_OF[cards[:, 0:4:2], cards[:, 1:4:2]]]
        _count(first[OPEN], classes[:, 0], won[:, 0])
        reply = path[:, 1]
        for situation in (RAISED, LIMPED):
            at = kind[reply] == situation
            _count(first[situation], classes[at, 1], won[at, 1])
    root = blueprint.hands(0)
    shares = {action: _by_class(root[:, column]) for column, action in enumerate(moves)}
    raises = [move for move in moves if isinstance(move, RaiseTo) and move.chips < STACK]
    ranges = np.ones((3, CLASS_COUNT))
    ranges[RAISED] = sum(shares[move] for move in raises)
    ranges[LIMPED] = shares[CALL]
    calling = np.zeros((3, CLASS_COUNT))
    calling[OPEN] = _calls(blueprint, f"r{STACK}")
    calling[RAISED] = sum(
        shares[move] * _calls(blueprint, f"r{move.chips} r{STACK}") for move in raises
    )
    calling[LIMPED] = shares[CALL] * _calls(blueprint, f"c r{STACK}")
    whole /= hands
    first /= np.maximum(first.sum(axis=2, keepdims=True), 1)
    return HandResults(whole, first, *_all_in(ranges, calling), preflop_equities())


def _all_in(ranges: Classes, calling: Classes) -> tuple[Classes, Classes]:
    """How often an all-in with each class is called, and its equity then, ``[3, 169]`` each.

    ranges: weights of the opponent's classes, ``[3, 169]``.  calling: the part of them that calls.
    """
    pairs = class_pairs()
    met, caught = ranges @ pairs, calling @ pairs
    return caught / met, calling @ (pairs * (1 - preflop_equities())) / caught


def _count(
    table: npt.NDArray[np.float64], classes: npt.NDArray[np.integer], won: npt.NDArray[np.int64]
) -> None:
    """Add results to the counts of their classes, ``[169, bins]``."""
    chips = np.bincount(
        classes.astype(np.int64) * (2 * STACK + 1) + won + STACK,
        minlength=CLASS_COUNT * (2 * STACK + 1),
    )
    table += chips.reshape(CLASS_COUNT, -1) @ split()


def _by_class(hands: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Means over the hands of each class, ``[169]``."""
    return np.bincount(CLASS_OF_COMBO, hands, CLASS_COUNT) / np.bincount(CLASS_OF_COMBO)


def _calls(blueprint: Blueprint, line: str) -> npt.NDArray[np.float64]:
    """The probability of not folding after a line that ends with an all-in, ``[169]``."""
    node = blueprint.decision_after(line).node
    actions = [blueprint.tree.action(child) for child in blueprint.tree.children(node)]
    return 1 - _by_class(blueprint.hands(node)[:, actions.index(FOLD)])


def main(arguments: list[str]) -> None:
    """Write the file."""
    parser = argparse.ArgumentParser("python -m tiltless.agents.endgame.measure")
    parser.add_argument("--hands", type=int, default=20_000_000)
    parser.add_argument("--seed", type=int, default=17)
    args = parser.parse_args(arguments)
    blueprint = Blueprint.load(find_blueprint(DEFAULT))
    results = measured_results(blueprint, args.hands, args.seed)
    about = f"{DEFAULT} {blueprint.fingerprint}, {args.hands} hands, seed {args.seed}"
    save_results(results, about)
    print(f"written: {FILE}, {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
