"""Warming up: what pages need is compiled in a worker process while people are let in.

On an empty cache that takes minutes, once for a machine and version; otherwise a few seconds. The
page says what is still being compiled. Whoever needs something earlier waits for it, or compiles it
himself, but plays meanwhile.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from tiltless.errors import TiltlessError

if TYPE_CHECKING:
    from tiltless.web.tasks import JobContext

__all__ = ["STEPS", "warm_up"]


def _hands(*names: str) -> None:
    """Play a few hands between agents."""
    from tiltless.agents.registry import make_agent
    from tiltless.arena.dealer import Seated, play_hand, shuffled_decks
    from tiltless.games import load
    from tiltless.games.holdem.game import Holdem

    game = load("nlhe", seats=2, stack="100bb")
    assert isinstance(game, Holdem)
    seats = [Seated(make_agent(name)) for name in names]
    for deal, deck in enumerate(shuffled_decks(game, 1, 0, 4).tolist()):
        play_hand(game, seats, deck, seed=1, deal=deal, button=deal % 2)


def _spot(board: str) -> None:
    """Solve a small spot, and look at it."""
    from tiltless.postflop.report import actor_report
    from tiltless.postflop.solution import solve_spot
    from tiltless.postflop.spot import Spot

    spot = Spot(board, oop="QQ+,AKs,JTs,87s", ip="88+,AQs+", pot=20, stack=40, bets="100%, a")
    solution = solve_spot(spot, iterations=10, threads=1)
    actor_report(solution.at().node)


def _review() -> None:
    """Value a decision before the turn, if its tables are there."""
    from tiltless.agents.blueprint import load_blueprint
    from tiltless.blueprint.shipped import find_blueprint
    from tiltless.web.blueprint_values import hand_values

    hand_values(load_blueprint(find_blueprint()), "", "", "AsAh", playouts=100)


STEPS: dict[str, Callable[[], None]] = {
    "rules and rollouts": lambda: _hands("rules", "monte-carlo"),
    "the blueprint": lambda: _hands("blueprint", "fish"),
    "rivers": lambda: _spot("QsJh2h8d3c"),
    "turns": lambda: _spot("QsJh2h8d"),
    "playouts": _review,
    "search": lambda: _hands("search", "fish"),
    "flops": lambda: _spot("QsJh2h"),
}
"""What is compiled, in the order in which people need it."""


def warm_up(context: "JobContext") -> None:
    """A task: run all steps, telling the names of those that are left."""
    left = list(STEPS)
    for name in STEPS:
        context.tell(list(left))
        if context.stopped():
            return
        with suppress(TiltlessError):  # whoever needs it will see the reason
            STEPS[name]()
        left.remove(name)
    context.tell([])
