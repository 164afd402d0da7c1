"""The same with the package: any game, any algorithm of the family, compiled."""

import tiltless as tl

solver = tl.Solver(tl.load_game("kuhn"), "cfr+")
solver.run(10_000)
for row in solver.strategy().items():
    print(f"{row.infoset:28}", dict(zip(row.actions, row.probabilities, strict=True)))
print("values", solver.evaluate().values, "exploitability", solver.exploitability())
