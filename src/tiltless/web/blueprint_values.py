"""Values at a decision of a blueprint on the turn or the river: its street is solved.

As in the review of hands (`tiltless.search.review`): both ranges are those with which the blueprint
gets to the street. A river is solved with the blueprint's own sizes. A turn has them at the
decision itself, and fewer elsewhere, so that it takes seconds. A street whose tree is too large has
no values, and neither has one where the tree's actions are not those of the blueprint, or that is
still rough when the time is over.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from tiltless.abstraction.bets.grammar import parse_menu
from tiltless.abstraction.bets.menu import Menu
from tiltless.abstraction.bets.size import Size
from tiltless.agents.blueprint import KnownHands
from tiltless.cards.card import combo_index, parse_cards
from tiltless.cards.ranges import Range
from tiltless.errors import OptionError
from tiltless.games.holdem.notation import NEXT_STREET, split_line
from tiltless.postflop.node import find_node
from tiltless.postflop.report import hand_report
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP, Spot
from tiltless.search.budget import check_memory_for, grow_forests
from tiltless.web.answers.blueprint import followed_line, unblocked

__all__ = ["STREETS", "hand_values", "menu_at"]

STREETS = ("turn", "river")
"""Those that are solved."""

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


def hand_values(
    known: KnownHands,
    line: str,
    board: str,
    hand: str,
    stop: Callable[[], bool] | None = None,
) -> list[float] | None:
    """Chips that a hand wins with each action of a decision; None where that is not known.

    line: to a decision on the turn or the river.  board: all of its cards.  stop: asked about ten
    times a second whether to give up.
    """
    cards, tree = parse_cards(board), known.blueprint.tree
    followed = followed_line(known, line, cards)
    here, words = followed.here, list(split_line(followed.line))
    if here.actor < 0 or here.street not in _UNTIL or tree.run_suits:
        return None
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
