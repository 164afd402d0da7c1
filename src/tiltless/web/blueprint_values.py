"""Values at a decision of a blueprint, as in the review of hands (`tiltless.search.review`).

**Turn and river** are solved: both ranges are those with which the blueprint gets to the street. A
river is solved with the blueprint's own sizes. A turn has them at the decision itself, and fewer
elsewhere, so that it takes seconds. A street whose tree is too large has no values, and neither has
one where the tree's actions are not those of the blueprint, or that is still rough when the time is
over.

**Before the turn** each action is played out (`tiltless.search.playouts`) against the opponent's
range at the decision, so values and costs have intervals.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tiltless.abstraction.bets.grammar import parse_menu
from tiltless.abstraction.bets.menu import Menu
from tiltless.abstraction.bets.size import Size
from tiltless.agents.blueprint import KnownHands
from tiltless.agents.continuations import continuation_of
from tiltless.cards.card import combo_index, parse_cards
from tiltless.cards.ranges import Range
from tiltless.errors import OptionError
from tiltless.games.holdem.notation import NEXT_STREET, split_line
from tiltless.intervals import Interval, half_width_95
from tiltless.postflop.node import find_node
from tiltless.postflop.report import hand_report
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP, Spot
from tiltless.search.budget import check_memory_for, grow_forests
from tiltless.search.early_streets import tree_values
from tiltless.search.playouts import estimate_cost
from tiltless.seeding import mixed
from tiltless.web.answers.blueprint import FollowedNode, followed_line, unblocked

__all__ = ["BY_PLAYOUTS", "STREETS", "HandValues", "hand_values", "menu_at", "no_tables"]

STREETS = ("turn", "river")
"""Those that are solved."""
BY_PLAYOUTS = ("preflop", "flop")
"""Those whose decisions are played out."""

_TURN, _RIVER = 2, 3
_UNTIL = {_TURN: 1.0, _RIVER: 0.25}  # percent of the pot
_SECONDS = {_TURN: 5.0, _RIVER: 2.0}
_ROUGH = 4.0  # percent of the pot; costs would mean nothing
_MOST = 20_000  # nodes, times boards: about 400 MB
_EVERY = 20  # iterations between two looks at the exploitability
_FEW = parse_menu("75% / a")
_LATER = parse_menu("75%, a / a")


def menu_at(menu: Menu, street: int, bets: int) -> Menu:
    """The sizes with which a street is solved.

    bets: and raises on the street before the decision, whose own sizes are all there.
    """
    if street == _RIVER:
        return menu
    whole, few = menu.street(street), _FEW.street(street).oop

    def sizes(lines: Sequence[tuple[Size, ...]]) -> tuple[tuple[Size, ...], ...]:
        own = lines[min(bets, len(lines) - 1)] if lines else ()
        return (*(few[min(level, 1)] for level in range(bets)), own, few[1])

    here = replace(whole, oop=sizes(whole.oop), ip=sizes(whole.ip))
    return replace(menu, streets=(menu.street(0), menu.street(1), here, _LATER.street(_RIVER)))


class HandValues(NamedTuple):
    """What each action of a decision is worth with a hand, in chips; empty where it is not known.

    evs: where folding is 0.  margins: half of the 95 % interval of each, 0 if it was solved.
    costs: of each, against the best.  note: why nothing is known, if somebody can change that.
    """

    evs: tuple[float, ...] = ()
    margins: tuple[float, ...] = ()
    costs: tuple[Interval, ...] = ()
    note: str = ""

    @classmethod
    def solved(cls, evs: Sequence[float]) -> "HandValues":
        """Exact values."""
        costs = tuple(Interval.around(max(evs) - ev, 0.0) for ev in evs)
        return cls(tuple(evs), (0.0,) * len(evs), costs)


def no_tables(known: KnownHands) -> str:
    """What to say where `continuation_of` is None."""
    name = known.blueprint.abstraction.name
    return (
        "the bucket tables that playouts need are not built yet; build them once with "
        f"`tiltless abstraction build {name}`"
    )


def hand_values(
    known: KnownHands,
    line: str,
    board: str,
    hand: str,
    *,
    playouts: int = 0,
    stop: Callable[[], bool] | None = None,
) -> HandValues:
    """What a hand wins with each action of a decision.

    line: to the decision.  board: all of its cards.  playouts: of each action before the turn, 0 to
    leave such decisions without values.  stop: asked about ten times a second whether to give up.
    """
    followed = followed_line(known, line, parse_cards(board))
    here, stopped = followed.here, stop is not None and stop()
    if here.actor < 0 or known.blueprint.tree.run_suits:
        return HandValues()
    if here.street in _UNTIL:
        evs = _solved_values(known, followed, parse_cards(board), hand, stop)
        return HandValues() if evs is None else HandValues.solved(evs)
    if not playouts or stopped:
        return HandValues()
    return _played_values(known, followed, parse_cards(board), hand, playouts)


def _played_values(
    known: KnownHands, followed: FollowedNode, cards: tuple[int, ...], hand: str, playouts: int
) -> HandValues:
    """By playouts; the same question always has the same answer."""
    continuation, here = continuation_of(known), followed.here
    if continuation is None:
        return HandValues(note=no_tables(known))
    others, seed = followed.reaches[1 - here.actor], mixed(here.node, combo_index(hand))
    try:
        payoffs = tree_values(
            continuation,
            here.node,
            here.betting.stacks,
            parse_cards(hand),
            cards,
            others,
            playouts,
            seed,
        )
    except OptionError:  # the opponent can have no hand
        return HandValues()
    found = [estimate_cost(payoffs, taken) for taken in range(len(payoffs))]
    return HandValues(
        tuple(mean for mean, _ in found[0].means),
        tuple(half_width_95(error) for _, error in found[0].means),
        tuple(each.cost for each in found),
    )


def _solved_values(
    known: KnownHands,
    followed: FollowedNode,
    cards: tuple[int, ...],
    hand: str,
    stop: Callable[[], bool] | None,
) -> list[float] | None:
    """By solving the street; None where that does not go."""
    here, tree, words = followed.here, known.blueprint.tree, list(split_line(followed.line))
    count = len(words) - max(n for n, word in enumerate(words) if word == NEXT_STREET) - 1
    played = tree.history(here.node)[len(tree.history(here.node)) - count :]
    bets = sum(word[0] in "br" for word in words[len(words) - count :])
    weights = [unblocked(followed.at_street[player], cards) for player in (IP, OOP)]
    ranges = [Range.from_weights(each / max(float(each.max()), 1e-30)) for each in weights]
    paid, stacks = here.betting.bets, here.betting.stacks
    try:
        spot = Spot(
            cards,
            ip=ranges[IP],
            oop=ranges[OOP],
            pot=here.pot - sum(paid),
            stack=min(stack + bet for stack, bet in zip(stacks, paid, strict=True)),
            bets=menu_at(tree.menu, here.street, bets),
            big_blind=known.blueprint.game.rules.big_blind,
        )
        forests = grow_forests(spot, played, _MOST)
        check_memory_for(spot, forests)
    except OptionError:  # too large, or nobody has a hand
        return None
    solver = PostflopSolver(spot, played=played, threads=1, forests=forests)
    node = find_node(solver, played)
    if node.actions != tuple(choice.action for choice in here.choices(tree)):
        return None
    until, seconds = _UNTIL[here.street], _SECONDS[here.street]
    status = solver.solve(until, seconds=seconds, every=_EVERY, stop=stop)
    if status.exploitability > _ROUGH:
        return None
    values = hand_report(node, node.actor).action_ev[combo_index(hand)]
    return None if np.isnan(values).any() else [float(value) for value in values]
