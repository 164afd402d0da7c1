"""The same with the package: any game, any algorithm of the family, compiled."""

from tiltless.games import load
from tiltless.tabular.solver import Solver

solver = Solver(load("kuhn"), "cfr+")
solver.run(10_000)
for row in solver.strategy().items():
    print(f"{row.infoset:28}", dict(zip(row.actions, row.probabilities, strict=True)))
print("values", solver.evaluate().values, "exploitability", solver.distance())
