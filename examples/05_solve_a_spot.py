"""A river that is solved exactly: what both players do with every hand, and why a nit loses.

`tiltless solve-spot` is the same on the command line; docs/solving.md goes through a turn.
"""

import tiltless as tl

SPOT = tl.Spot(
    "QsJh2h8d3c", oop="QQ+,AK,AQs,T9s,65s", ip="TT-88,AQ,KQs,JTs", pot=64, stack=320, bets="100%, a"
)


def against_a_nit() -> tuple[float, float]:
    """What OOP wins, in chips, against a good player and one who folds nine in ten to a pot bet."""
    solution = tl.solve_spot(SPOT, until="0.1%")
    good = solution.ev["oop"]
    solution.lock("b64: f 90%, c 10%")
    solution.solve("0.1%")
    return good, solution.ev["oop"]


if __name__ == "__main__":
    solution = tl.solve_spot(SPOT, until="0.1%")
    print(solution)
    print(solution.at(""))
    print(solution.at("b64"))
    good, nit = against_a_nit()
    print(f"OOP wins {good:.1f} of 64 chips, and {nit:.1f} against a nit")
