"""The post-flop engine: two ranges on a board, solved exactly.

`spot` says what is solved, `betting_forest` and `boards` turn it into arrays, and `solver`
allocates the tables and runs the iterations. The layout in memory is decided by `_assign_rows` and
`_allocate` of `solver.PostflopSolver`; `memory` counts it beforehand,
`tiltless.kernels.postflop.street` addresses it, and `device` uses the same on a GPU. `solution`,
`node`, `report` and `tables` read what was solved.
"""
