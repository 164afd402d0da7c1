"""A river that is solved exactly: what both players do with every hand, and why a nit loses.

`tiltless solve-spot` is the same on the command line; docs/solving.md walks through a turn.
"""

from tiltless.games.holdem.actions import CALL, FOLD
from tiltless.postflop.node import find_node
from tiltless.postflop.report import actor_report
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import OOP, Spot

SPOT = Spot(
    "QsJh2h8d3c", oop="QQ+,AK,AQs,T9s,65s", ip="TT-88,AQ,KQs,JTs", pot=64, stack=320, bets="100%, a"
)


def solved() -> PostflopSolver:
    """To a tenth of a percent of the pot."""
    solver = PostflopSolver(SPOT)
    solver.solve(until=0.1)
    return solver


def frequencies(solver: PostflopSolver, line: str = "") -> dict[str, float]:
    """How often each action is taken after a line."""
    report = actor_report(find_node(solver, line))
    return dict(zip(report.actions, report.totals.frequencies, strict=True))


def against_a_nit() -> tuple[float, float]:
    """What OOP wins, in chips, against a good player and one who folds nine in ten to a pot bet."""
    solver = solved()
    good = solver.values()[OOP] + SPOT.pot / 2
    solver.lock(find_node(solver, "b64"), {FOLD: 0.9, CALL: 0.1})
    solver.solve(until=0.1)
    return good, solver.values()[OOP] + SPOT.pot / 2


if __name__ == "__main__":
    solver = solved()
    print("OOP first:", {word: f"{often:.0%}" for word, often in frequencies(solver).items()})
    print("IP after b64:", {w: f"{often:.0%}" for w, often in frequencies(solver, "b64").items()})
    good, nit = against_a_nit()
    print(f"OOP wins {good:.1f} of 64 chips, and {nit:.1f} against a nit")
