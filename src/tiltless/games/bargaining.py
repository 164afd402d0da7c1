"""Nash's demand game: two players each demand a share of a pie without knowing the other's demand.

If the demands fit into the pie, both are paid; otherwise nobody gets anything. Every split of the
whole pie is an equilibrium, and so is both demanding all of it: a test for general-sum solvers.

Paper: Nash (1953), "Two-person cooperative games". Demands are whole numbers here.
"""

from tiltless.games.matrix import MatrixGame
from tiltless.validate import whole_number

__all__ = ["bargaining"]


def bargaining(pie: int = 10) -> MatrixGame:
    """Demands 0, 1 … ``pie``, as a matrix game; payoffs are shares in the units of the pie."""
    pie = whole_number("pie", pie, 1, 1000)
    demands = range(pie + 1)
    row = tuple(tuple(float(i) if i + j <= pie else 0.0 for j in demands) for i in demands)
    column = tuple(zip(*row, strict=True))  # the game is symmetric
    names = tuple(str(i) for i in demands)
    return MatrixGame("bargaining", row, column, names, names, {"pie": pie})
